"""What the conformance suite needs to know of Von Herzen."""

from collections.abc import Iterable, Iterator
from itertools import combinations
from random import Random
from typing import Any

from msgspec.structs import replace

from domain.cards import in_canonical_order
from domain.games.von_herzen.facts import (
    VonHerzenCards,
    VonHerzenCardsSwapped,
    VonHerzenRoundScored,
    VonHerzenStockDrawn,
)
from domain.games.von_herzen.model import IDLE, VonHerzenState
from domain.games.von_herzen.moves import (
    VonHerzenAccept,
    VonHerzenAgree,
    VonHerzenCounter,
    VonHerzenDecline,
    VonHerzenDiscard,
    VonHerzenDrawPile,
    VonHerzenDrawStock,
    VonHerzenEnd,
    VonHerzenEndTurn,
    VonHerzenLay,
    VonHerzenLayOff,
    VonHerzenLeave,
    VonHerzenLegal,
    VonHerzenLegalAccept,
    VonHerzenLegalAgree,
    VonHerzenLegalCounter,
    VonHerzenLegalDiscard,
    VonHerzenLegalDrawPile,
    VonHerzenLegalLay,
    VonHerzenLegalLayOff,
    VonHerzenLegalOffer,
    VonHerzenLegalTake,
    VonHerzenMove,
    VonHerzenOffer,
    VonHerzenPassOffer,
    VonHerzenTake,
    VonHerzenWithdraw,
)
from domain.games.von_herzen.runs import PACK, runs_in
from tests.conformance.zones import EVERYBODY, Zone, hidden_cards

OPTIONS: list[tuple[dict[str, object], int | None]] = [
    ({"players": 2}, None),
    ({"complete_rounds": 1, "swap_rounds": 2, "pile_pick": "any", "standstill_rounds": 1}, 3),
    ({"complete_rounds": 1, "own_joker_layoff": False, "pure_flute_four": True, "standstill_rounds": 3}, 4),
    ({"complete_rounds": 1, "pile_pick": "any", "pure_flute_four": True, "standstill_rounds": 4}, 5),
    ({"complete_rounds": 1, "swap_rounds": 2, "own_joker_layoff": False, "standstill_rounds": 5}, 6),
    ({"players": 2, "complete_rounds": 10, "standstill_rounds": 1}, 2),
    ({}, 4),
    ({"complete_rounds": 3, "swap_rounds": 2, "pile_pick": "any", "own_joker_layoff": False}, 3),
]
"""Every number of seats; both values of every flag and choice; the least and the most of every number."""

FACTS_THAT_REVEAL = (VonHerzenCardsSwapped, VonHerzenStockDrawn, VonHerzenRoundScored)
UNLISTED = (VonHerzenLay,)
HISTORY = ("left",)

SHORT = ({"players": 3, "complete_rounds": 1}, None)

PLAYTHROUGHS: dict[str, tuple[dict[str, object], int | None]] = {
    "two_players": ({"complete_rounds": 1}, 2),
    "three_players_two_swap_rounds_any_card_of_the_pile": (
        {"complete_rounds": 1, "swap_rounds": 2, "pile_pick": "any"},
        3,
    ),
    "four_players": ({"complete_rounds": 1}, 4),
    "six_players_no_joker_later": ({"complete_rounds": 1, "own_joker_layoff": False, "pure_flute_four": True}, 6),
}

_ENDS: tuple[VonHerzenEnd, ...] = ("up", "down")
_LAYING = (VonHerzenOffer, VonHerzenAccept, VonHerzenCounter, VonHerzenTake, VonHerzenAgree)


# cards


def zones(state: VonHerzenState) -> list[Zone]:
    """Hands, stock, discard pile and runs; cards that lie offered are still in their hand.

    Cards taken from the pile are known to all, those of a swap to the two who swapped, and after the round all are.
    """
    over = state.phase in IDLE and state.phase != "scoring"
    taken = {card for cards in state.taken for card in cards}
    held: list[tuple[str, tuple[int, ...]]] = [
        (card, (seat,)) for seat, hand in enumerate(state.hands) for card in hand
    ]
    found = [Zone((*state.pile, *(card for run in state.melds for card in run.cards)), EVERYBODY)]
    for card, holders in (*held, *[(card, ()) for card in state.stock]):
        swapped = [swap for swap in state.swaps if card in (*swap.given, *swap.received)]
        partners = [seat for swap in swapped for seat in (swap.giver, swap.partner)]
        found.append(Zone((card,), EVERYBODY if over or card in taken else (*holders, *partners)))
    return found


def permute_hidden(state: VonHerzenState, seat: int | None, rng: Random) -> VonHerzenState:
    """Exchange the cards that the seat was never shown, wherever they lie or have been."""
    hidden = hidden_cards(zones(state), seat)
    instead = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))

    def sorted_instead(cards: VonHerzenCards) -> VonHerzenCards:
        return in_canonical_order(instead.get(card, card) for card in cards)

    return replace(
        state,
        hands=tuple(sorted_instead(hand) for hand in state.hands),
        stock=tuple(instead.get(card, card) for card in state.stock),
        swap=state.swap
        and replace(
            state.swap, offered=sorted_instead(state.swap.offered), countered=sorted_instead(state.swap.countered)
        ),
        swaps=tuple(
            replace(swap, given=sorted_instead(swap.given), received=sorted_instead(swap.received))
            for swap in state.swaps
        ),
    )


def reveals(fact: Any, viewer: int | None) -> bool:
    """Swapped cards are seen by the two who swap, a drawn one by its drawer, the end of a round by all."""
    if isinstance(fact, VonHerzenCardsSwapped):
        return viewer in (fact.giver, fact.partner)
    return isinstance(fact, VonHerzenRoundScored) or viewer == fact.seat


def shown(move: VonHerzenMove) -> object:
    """Cards that are laid face down show their number alone."""
    return (type(move).__name__, len(move.cards)) if isinstance(move, _LAYING) else move


# moves


def candidates(state: VonHerzenState, seat: int) -> Iterable[VonHerzenMove]:
    """All moves without cards; the others with the seat's own cards, those of others, wrong numbers, wrong
    orders, doubled and made-up cards."""
    yield from (VonHerzenPassOffer(), VonHerzenDecline(), VonHerzenLeave(), VonHerzenWithdraw())
    yield from (VonHerzenDrawStock(), VonHerzenEndTurn())
    hand = state.hands[seat] if state.hands else ()
    for cards in _face_down(state, seat, hand):
        for kind in _LAYING:
            yield kind(cards)
    for card in (*PACK, "1X", "10H", ""):
        yield VonHerzenDrawPile(card)
        yield VonHerzenDiscard(card)
    for cards in _runs(state, hand):
        yield VonHerzenLay(cards)
    foreign = [card for card in PACK if card not in hand][:3]
    for card in (*hand, *foreign, "7X"):
        for number in range(len(state.melds) + 1):
            for end in _ENDS:
                yield VonHerzenLayOff(card, number, end)


def _face_down(state: VonHerzenState, seat: int, hand: VonHerzenCards) -> Iterator[VonHerzenCards]:
    """Lists of cards for the swap phase."""
    offered = state.swap.offered if state.swap else ()
    for source in (hand, offered) if seat == (state.swap and state.swap.giver) else (hand,):
        for count in range(len(source) + 1):
            yield from {source[first : first + count] for first in range(len(source) - count + 1)}
    foreign = next(card for card in PACK if card not in hand)
    for count in range(1, len(hand) + 1):
        yield (*hand[: count - 1], foreign)
        yield (*hand[: count - 1], hand[0])
        yield (*hand[: count - 1], "QX")
    yield (*hand, foreign)
    yield hand[::-1]


def _runs(state: VonHerzenState, hand: VonHerzenCards) -> Iterator[VonHerzenCards]:
    """Lists of cards to be laid, runs and such as are none."""
    other = {card: card[0] + "CSHD"["SCDH".index(card[1])] for card in PACK}
    found = runs_in(hand)[:20]
    yield from found
    for run in found[:5]:
        yield run[::-1]
        yield (*run, run[0])
        yield (other[run[0]], *run[1:])
        yield (*run[:-1], "JK")
        yield (*run[1:], run[0])
    for first in range(len(hand)):
        yield hand[first : first + 2]
        yield hand[first : first + 3]
    yield from ((), hand, runs_in(PACK)[0])


def listed(entries: tuple[VonHerzenLegal, ...], hand: VonHerzenCards) -> Iterable[VonHerzenMove]:
    """Every move that these entries allow."""
    for entry in entries:
        yield from _listed(entry)


def _listed(entry: VonHerzenLegal) -> Iterable[Any]:
    match entry:
        case VonHerzenLegalOffer():
            return map(VonHerzenOffer, _chosen(entry.cards, entry.least, entry.most))
        case VonHerzenLegalAccept():
            return map(VonHerzenAccept, _chosen(entry.cards, entry.count, entry.count))
        case VonHerzenLegalCounter():
            return map(VonHerzenCounter, _chosen(entry.cards, entry.least, entry.most))
        case VonHerzenLegalTake():
            return map(VonHerzenTake, _chosen(entry.cards, entry.count, entry.count))
        case VonHerzenLegalAgree():
            return map(VonHerzenAgree, _chosen(entry.cards, entry.count, entry.count))
        case VonHerzenLegalDrawPile():
            return map(VonHerzenDrawPile, entry.cards)
        case VonHerzenLegalLay():
            return map(VonHerzenLay, entry.melds)
        case VonHerzenLegalLayOff():
            return [VonHerzenLayOff(place.card, place.run, place.end) for place in entry.places]
        case VonHerzenLegalDiscard():
            return map(VonHerzenDiscard, entry.cards)
        case _:
            return [_PLAIN[type(entry)]]


_PLAIN: dict[type, VonHerzenMove] = {
    VonHerzenPassOffer: VonHerzenPassOffer(),
    VonHerzenDecline: VonHerzenDecline(),
    VonHerzenLeave: VonHerzenLeave(),
    VonHerzenWithdraw: VonHerzenWithdraw(),
    VonHerzenDrawStock: VonHerzenDrawStock(),
    VonHerzenEndTurn: VonHerzenEndTurn(),
}


def _chosen(cards: VonHerzenCards, least: int, most: int) -> Iterator[VonHerzenCards]:
    """Every choice of `least` to `most` cards."""
    for count in range(least, most + 1):
        yield from combinations(cards, count)
