"""What happened: the state before the match, how each fact changes it, and the score of a round."""

from collections.abc import Callable
from operator import add
from typing import Any, Final

from msgspec.structs import replace

from domain.cards import Card, hands_without, in_canonical_order
from domain.decider import ImpossibleFactError, Outcome, Seat
from domain.games.hearts.deal import FIRST_CARD, PACK, PASS_COUNT, dealt_hands, passing_offset
from domain.games.hearts.model import (
    HeartsCardPlayed,
    HeartsCardsExchanged,
    HeartsFact,
    HeartsMatchEnded,
    HeartsOptions,
    HeartsPassCommitted,
    HeartsRoundDealt,
    HeartsRoundResult,
    HeartsRoundScored,
    HeartsState,
    HeartsTrick,
    HeartsTrickTaken,
)
from domain.games.hearts.values import HIGHER, MOON_VALUE, bonus_of, points_of, results
from domain.ranking import places
from domain.seats import with_entry

_NO_CARDS: Final[tuple[Card, ...]] = ()
_CARDS: Final = {seats: frozenset(cards) for seats, cards in PACK.items()}


def new(options: HeartsOptions, seats: int) -> HeartsState:
    """Return the state before the first deal."""
    zeros = (0,) * seats
    return HeartsState(
        options=options,
        phase="new",
        round=0,
        offset=0,
        passes=(_NO_CARDS,) * seats,
        hands=(_NO_CARDS,) * seats,
        leader=0,
        trick=(),
        broken=False,
        tricks=(),
        points=zeros,
        bonus=zeros,
        totals=zeros,  # H-44
        score_sheet=(),
        last_trick=None,
    )


def evolve(state: HeartsState, fact: HeartsFact) -> HeartsState:
    """Return the state after a recorded fact. ImpossibleFactError if it does not fit."""
    return CHANGES[type(fact)](state, fact)


def _card_played(state: HeartsState, fact: HeartsCardPlayed) -> HeartsState:
    hands, trick, seat, card = state.hands, state.trick, fact.seat, fact.card
    seats, played = len(hands), len(trick)
    if state.phase != "playing" or played == seats or seat != (state.leader + played) % seats:  # H-21
        raise ImpossibleFactError(f"seat {seat} cannot have played {card} now")
    try:
        hands = hands_without(hands, seat, card)
    except ValueError:
        raise ImpossibleFactError(f"seat {seat} does not hold {card}") from None
    return replace(
        state,
        hands=hands,
        trick=trick + (card,),
        broken=state.broken or card[1] == "H",  # H-26
    )


def _trick_taken(state: HeartsState, fact: HeartsTrickTaken) -> HeartsState:
    seat, trick, seats = fact.seat, state.trick, len(state.hands)
    if not 0 <= seat < seats or len(trick) != seats:
        raise ImpossibleFactError(f"seat {seat} cannot have taken a trick now")
    best = trick[seat - state.leader]
    if best[1] != trick[0][1] or not HIGHER[best].isdisjoint(trick):  # H-29
        raise ImpossibleFactError(f"seat {seat} has not won the trick")
    if fact.points != points_of(state.options, trick) or fact.bonus != bonus_of(state.options, trick):
        raise ImpossibleFactError(f"the trick is not worth {fact.points} and {fact.bonus}")
    return replace(
        state,
        leader=seat,  # H-29
        trick=(),
        tricks=state.tricks + (HeartsTrick(state.leader, trick, seat),),
        points=with_entry(state.points, seat, state.points[seat] + fact.points) if fact.points else state.points,
        bonus=with_entry(state.bonus, seat, state.bonus[seat] + fact.bonus) if fact.bonus else state.bonus,
    )


def _pass_committed(state: HeartsState, fact: HeartsPassCommitted) -> HeartsState:
    passes, seat = state.passes, fact.seat
    if state.phase != "passing" or not 0 <= seat < len(passes) or passes[seat]:
        raise ImpossibleFactError(f"seat {seat} cannot have committed a pass now")
    cards = fact.cards
    if len(cards) != PASS_COUNT or cards != tuple([card for card in state.hands[seat] if card in cards]):
        raise ImpossibleFactError(f"seat {seat} cannot have passed {fact.cards}")
    return replace(state, passes=with_entry(passes, seat, fact.cards))  # H-19: the cards stay in the hands


def _cards_exchanged(state: HeartsState, fact: HeartsCardsExchanged) -> HeartsState:
    if state.phase != "passing" or not all(state.passes):
        raise ImpossibleFactError("the cards cannot have changed hands now")
    hands = exchanged(state)
    if fact != HeartsCardsExchanged(state.offset, holder_of_first_card(hands), state.passes):
        raise ImpossibleFactError("the cards cannot have changed hands like this")
    return replace(state, phase="playing", hands=hands, leader=fact.leader)


def exchanged(state: HeartsState) -> tuple[tuple[Card, ...], ...]:
    """Return the hands after the committed cards change hands, each in canonical order (H-16)."""
    seats = len(state.hands)
    kept = [[*hand] for hand in state.hands]
    for hand, passed in zip(kept, state.passes, strict=True):
        for card in passed:
            hand.remove(card)
    for giver, cards in enumerate(state.passes):
        kept[(giver + state.offset) % seats] += cards  # H-14
    return tuple([in_canonical_order(hand) for hand in kept])


def _round_dealt(state: HeartsState, fact: HeartsRoundDealt) -> HeartsState:
    seats, number = len(state.hands), state.round + 1
    if state.phase != "new" and (not _scored(state) or match_over(state.options, state.totals)):
        raise ImpossibleFactError("no round can have been dealt now")
    if (fact.round, fact.offset, fact.seats) != (number, passing_offset(seats, number), seats):
        raise ImpossibleFactError(f"round {fact.round} cannot have been dealt like this")
    if len(fact.order) != len(PACK[seats]) or _CARDS[seats] != frozenset(fact.order):
        raise ImpossibleFactError("these cards are not the pack")
    hands = dealt_hands(fact.order, seats)
    zeros = (0,) * seats
    return HeartsState(
        options=state.options,
        phase="passing" if fact.offset else "playing",  # H-15
        round=fact.round,
        offset=fact.offset,
        passes=(_NO_CARDS,) * seats,
        hands=hands,
        leader=holder_of_first_card(hands),
        trick=(),
        broken=False,
        tricks=(),
        points=zeros,
        bonus=zeros,
        totals=state.totals,
        score_sheet=state.score_sheet,
        last_trick=state.last_trick,
    )


def holder_of_first_card(hands: tuple[tuple[Card, ...], ...]) -> Seat:
    """Return the seat that holds the two of clubs (H-20), the first card in canonical order."""
    return [hand[0] for hand in hands].index(FIRST_CARD)


def _round_scored(state: HeartsState, fact: HeartsRoundScored) -> HeartsState:
    if not state.tricks or any(state.hands) or state.trick or _scored(state):
        raise ImpossibleFactError("no round can have been scored now")
    if fact != score(state):
        raise ImpossibleFactError(f"round {fact.round} cannot have been scored like this")
    result = HeartsRoundResult(round=fact.round, raw=fact.raw, bonus=fact.bonus, moon=fact.moon, points=fact.results)
    return replace(state, totals=fact.totals, score_sheet=(*state.score_sheet, result), last_trick=state.tricks[-1])


def _scored(state: HeartsState) -> bool:
    """Whether the last round that was dealt has been counted."""
    return bool(state.score_sheet) and state.score_sheet[-1].round == state.round


def _match_ended(state: HeartsState, fact: HeartsMatchEnded) -> HeartsState:
    if state.phase == "finished" or not _scored(state) or not match_over(state.options, state.totals):
        raise ImpossibleFactError("the match cannot have ended now")
    if fact != HeartsMatchEnded(state.totals, ranking(state.totals)):
        raise ImpossibleFactError("the match cannot have ended like this")
    return replace(state, phase="finished")


CHANGES: Final[dict[type, Callable[[HeartsState, Any], HeartsState]]] = {
    HeartsRoundDealt: _round_dealt,
    HeartsPassCommitted: _pass_committed,
    HeartsCardsExchanged: _cards_exchanged,
    HeartsCardPlayed: _card_played,
    HeartsTrickTaken: _trick_taken,
    HeartsRoundScored: _round_scored,
    HeartsMatchEnded: _match_ended,
}
"""For each kind of fact the function that applies it."""


def score(state: HeartsState) -> HeartsRoundScored:
    """Return the fact that counts the round whose last trick was taken (H-35)."""
    moon = moon_shooter(state)
    gained = results(state.options, state.points, state.bonus, moon)
    return HeartsRoundScored(
        round=state.round,
        raw=state.points,
        bonus=state.bonus,
        moon=moon,
        results=gained,
        totals=tuple(map(add, state.totals, gained)),
    )


def moon_shooter(state: HeartsState) -> Seat | None:
    """Return the seat whose tricks hold all hearts and the queen of spades (H-36, H-37)."""
    all_of_them = MOON_VALUE[state.options.variant]
    if state.options.black_maria or all_of_them not in state.points:
        return None
    return state.points.index(all_of_them)


def match_over(options: HeartsOptions, totals: tuple[int, ...]) -> bool:
    """Whether the match ends with these totals after a round (H-46, H-47)."""
    return max(totals) >= options.target_score and totals.count(min(totals)) == 1


def ranking(totals: tuple[int, ...]) -> tuple[int, ...]:
    """Return the place of each seat, the lowest total first (H-48, H-49)."""
    return places(totals, low_wins=True)


def outcome(state: HeartsState) -> Outcome | None:
    """Return totals and places of a finished match, else None."""
    if state.phase != "finished":
        return None
    return Outcome(state.totals, ranking(state.totals))
