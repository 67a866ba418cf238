"""The computer player of Von Herzen: decides from the view of its seat alone (V-79).

It judges a hand by the best set of runs that it can lay (see `plans`). In the swap phase it offers the
cards that its runs miss least, as many as an exchange for unknown cards improves the hand on average. In
the meld phase it lays whatever it can for itself, adds to other players' runs only to go out or when a
card would be stranded otherwise, and discards what helps it least and its neighbour not at all.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from domain.cards import Card
from domain.decider import SeatView
from domain.games.von_herzen.facts import VonHerzenCards
from domain.games.von_herzen.model import VonHerzenBoard, VonHerzenOptions, VonHerzenPrivate, VonHerzenRun
from domain.games.von_herzen.moves import (
    VonHerzenAccept,
    VonHerzenAgree,
    VonHerzenCounter,
    VonHerzenDecline,
    VonHerzenDiscard,
    VonHerzenDrawPile,
    VonHerzenDrawStock,
    VonHerzenEndTurn,
    VonHerzenLay,
    VonHerzenLayOff,
    VonHerzenLayOffPlace,
    VonHerzenLeave,
    VonHerzenLegal,
    VonHerzenLegalDrawPile,
    VonHerzenLegalLayOff,
    VonHerzenMove,
    VonHerzenOffer,
    VonHerzenPassOffer,
    VonHerzenTake,
    VonHerzenWithdraw,
)
from domain.games.von_herzen.plans import KIND, Planner, own_runs
from domain.games.von_herzen.runs import COLOUR, FULL, PACK, needed_rank
from domain.seeded_random import seeded_random

Random: TypeAlias = Callable[[], float]
View: TypeAlias = SeatView[VonHerzenOptions, VonHerzenBoard, VonHerzenPrivate, VonHerzenLegal]

_SAMPLES: Final = 12
"""Unknown hands imagined for each number of cards to swap."""
_PROMISE: Final = 0.4
"""Worth of two cards of an unfinished run, in points, while cards can still be drawn."""
_MARGIN: Final = 0.3
"""Points by which a swap must improve the hand on average."""
_FEEDING: Final = 0.5
"""Points that a card added to another player's run must pay, unless the round is about to end."""


def bot(view: View, seed: int) -> VonHerzenMove:
    """Return the bot's move; `view` must be that of a seat that has to act."""
    random = seeded_random(seed)
    match view.board.phase:
        case "swap_offer":
            cards = _worth_swapping(view, view.hand, 1, len(view.hand), random)
            return VonHerzenOffer(cards) if cards else VonHerzenPassOffer()
        case "swap_answer":
            return _answer(view, random)
        case "swap_take":
            offered = view.board.swap.offered if view.board.swap else 0
            cards = _worth_swapping(view, view.hand, offered, offered, random)
            return VonHerzenTake(cards) if cards else VonHerzenLeave()
        case "swap_agree":
            count = view.board.swap.countered if view.board.swap else 0
            cards = _worth_swapping(view, view.private.offered, count, count, random)
            return VonHerzenAgree(cards) if cards else VonHerzenWithdraw()
        case "draw":
            return _draw(view)
        case _:
            return _lay(view)


def _promise(board: VonHerzenBoard) -> float:
    """Return what two cards of an unfinished run are worth now."""
    if board.phase == "closing":
        return 0.0
    return _PROMISE if board.stock_size or board.pile else _PROMISE / 2


# swap phase


def _answer(view: View, random: Random) -> VonHerzenMove:
    offered = view.board.swap.offered if view.board.swap else 0
    cards = _worth_swapping(view, view.hand, 1, offered, random)
    if not cards:
        return VonHerzenDecline()
    return VonHerzenAccept(cards) if len(cards) == offered else VonHerzenCounter(cards)


def _worth_swapping(view: View, choice: VonHerzenCards, least: int, most: int, random: Random) -> VonHerzenCards:
    """Return `least` to `most` cards of `choice` whose exchange for unknown ones pays best; none if none does."""
    planner = Planner((), _promise(view.board))
    order = _by_worth(planner, view.hand, choice, most)
    unknown = [card for card in PACK if card not in view.hand]
    hands = [_some(unknown, most, random) for _ in range(_SAMPLES)]
    best, best_gain = 0, planner.gain(view.hand) + _MARGIN
    for count in range(least, most + 1):
        kept = [card for card in view.hand if card not in order[:count]]
        gain = sum(planner.gain((*kept, *got[:count])) for got in hands) / _SAMPLES
        if gain > best_gain:
            best, best_gain = count, gain
    return tuple(order[:best])


def _some(cards: Sequence[Card], count: int, random: Random) -> list[Card]:
    """Return `count` different cards by chance."""
    left = list(cards)
    return [left.pop(int(random() * len(left))) for _ in range(count)]


def _by_worth(planner: Planner, hand: VonHerzenCards, choice: VonHerzenCards, most: int) -> list[Card]:
    """Return cards of `choice`, up to `most`, in the order in which the hand misses them least."""
    left, order = list(hand), list[Card]()
    while len(order) < most:
        candidates = [card for card in choice if card not in order]
        card = max(candidates, key=lambda one: planner.gain(other for other in left if other != one))
        left.remove(card)
        order.append(card)
    return order


# meld phase


def _table_planner(view: View) -> Planner:
    board = view.board
    own = own_runs(board.melds, view.seat, own_joker=view.options.own_joker_layoff)
    return Planner(own, _promise(board))


def _draw(view: View) -> VonHerzenMove:
    """Take the card of the pile that beats an average card of the stock; else the stock."""
    planner = _table_planner(view)
    pile = next((entry.cards for entry in view.legal if isinstance(entry, VonHerzenLegalDrawPile)), ())
    stock = any(isinstance(entry, VonHerzenDrawStock) for entry in view.legal)
    gains = {card: planner.gain((*view.hand, card)) for card in pile}
    best = max(pile, key=gains.__getitem__, default=None)
    if best is None:
        return VonHerzenDrawStock()
    if not stock:
        return VonHerzenDrawPile(best)
    unseen = _unseen(view)
    average = sum(planner.gain((*view.hand, card)) for card in unseen) / len(unseen)
    return VonHerzenDrawPile(best) if gains[best] > average else VonHerzenDrawStock()


def _unseen(view: View) -> list[Card]:
    """Return the cards that may be in the stock as far as the seat knows."""
    seen = {*view.hand, *view.board.pile}
    for run in view.board.melds:
        seen.update(run.cards)
    for taken in view.board.taken:
        seen.update(taken)
    return [card for card in PACK if card not in seen]


def _lay(view: View) -> VonHerzenMove:
    planner = _table_planner(view)
    run = planner.next_run(view.hand)
    if run is not None:
        return VonHerzenLay(_cards_of(view.hand, run.kinds))
    end = planner.next_end(view.hand)
    if end is not None:
        return VonHerzenLayOff(_cards_of(view.hand, (end.kind,))[0], end.run, end.end)
    place = _worth_feeding(view, planner)
    if place is not None:
        return VonHerzenLayOff(place.card, place.run, place.end)
    if view.board.phase == "closing":
        return VonHerzenEndTurn()
    return _discard(view, planner)


def _cards_of(hand: VonHerzenCards, kinds: Sequence[int]) -> VonHerzenCards:
    """Return a card of the hand for each kind."""
    by_kind = {KIND[card]: card for card in hand}
    return tuple(by_kind[kind] for kind in kinds)


def _worth_feeding(view: View, planner: Planner) -> VonHerzenLayOffPlace | None:
    """Return a card to add to another player's run if that pays, for all that it gives to the owner."""
    places = next((entry.places for entry in view.legal if isinstance(entry, VonHerzenLegalLayOff)), ())
    if not places:
        return None
    if _goes_out(view, places):
        return places[0]
    whole = planner.gain(view.hand)
    best, best_gain = None, 0.0
    for place in places:
        given = 1 + (2 if len(view.board.melds[place.run].cards) == FULL - 1 else 0)
        kept = whole - planner.gain(card for card in view.hand if card != place.card)
        gain = 1 - given / (len(view.board.hand_sizes) - 1) - kept
        if not _ends_soon(view.board, view.seat):
            gain -= _FEEDING
        if gain > best_gain:
            best, best_gain = place, gain
    return best


def _goes_out(view: View, places: Sequence[VonHerzenLayOffPlace]) -> bool:
    """Return whether laying off, and a discard where it is allowed, empties the hand in this turn."""
    spare = 0 if view.board.phase == "closing" else 1
    return len(view.hand) - len({place.card for place in places}) <= spare


def _ends_soon(board: VonHerzenBoard, seat: int) -> bool:
    """Return whether the round may well be over before the seat's next turn."""
    if board.phase == "closing" or board.idle_turns + len(board.hand_sizes) >= board.idle_turns_max:
        return True
    return any(count <= 2 for other, count in enumerate(board.hand_sizes) if other != seat)


def _discard(view: View, planner: Planner) -> VonHerzenMove:
    """Discard the card that costs least, unless every card is worth more than the point it costs to keep."""
    whole = planner.gain(view.hand)
    best, best_cost = None, 1.0
    for card in view.hand:
        kept = whole - planner.gain(other for other in view.hand if other != card)
        cost = kept + _danger(view.board, view.seat, card)
        if cost < best_cost:
            best, best_cost = card, cost
    return VonHerzenEndTurn() if best is None else VonHerzenDiscard(best)


def _danger(board: VonHerzenBoard, seat: int, card: Card) -> float:
    """Return what a discard gives away: to the next player, who may take it, above all."""
    seats = len(board.hand_sizes)
    following = (seat + 1) % seats
    danger = 0.0
    for run in board.melds:
        if run.owner != seat and _fits(run, card):
            danger = max(danger, 1.0 if run.owner == following else 0.4)
    neighbours = sum(1 for other in board.taken[following] if _near(card, other))
    return (danger + 0.2 * neighbours) / (seats - 1)


def _fits(run: VonHerzenRun, card: Card) -> bool:
    """Return whether the card could be added to the run as a card of its colour."""
    if len(run.cards) == FULL or COLOUR[card] != run.colour:
        return False
    return card[0] in (needed_rank(run, "up"), needed_rank(run, "down"))


def _near(card: Card, other: Card) -> bool:
    """Return whether two cards could stand in a run of three."""
    apart = (KIND[card] - KIND[other]) % FULL
    return COLOUR[card] == COLOUR[other] and apart in (1, 2, FULL - 2, FULL - 1)
