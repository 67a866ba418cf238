"""Overboard: the fold."""

from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from domain.cards import RANKS, SUITS, Card, in_canonical_order, pack, without
from domain.decider import ImpossibleFactError, Outcome, Seat
from tests.toy.overboard.model import (
    OverboardCardSwapped,
    OverboardFact,
    OverboardHandSwapped,
    OverboardMatchEnded,
    OverboardOptions,
    OverboardPackDealt,
    OverboardRoundScored,
    OverboardState,
    OverboardStayed,
)

PACK = pack("789TJQKA")
HAND_SIZE = 3
_POINTS = {rank: 11 if rank == "A" else 10 if rank in "TJQK" else int(rank) for rank in RANKS}


def new(options: OverboardOptions, seats: int) -> OverboardState:
    """Return the state before the match starts."""
    return OverboardState(options, lives=(options.lives,) * seats, places=(None,) * seats)


def value(hand: Sequence[Card]) -> int:
    """Return the points of the best suit in a hand. O-4"""
    return max(sum(_POINTS[card[0]] for card in hand if card[1] == suit) for suit in SUITS)


def aboard(state: OverboardState) -> tuple[Seat, ...]:
    """Return the seats that still play."""
    return tuple(seat for seat, lives in enumerate(state.lives) if lives)


def next_aboard(state: OverboardState, seat: Seat) -> Seat:
    """Return the next seat clockwise that still plays."""
    seats = aboard(state)
    return next((other for other in seats if other > seat), seats[0])


def losers(state: OverboardState) -> tuple[Seat, ...]:
    """Return the seats whose hands are worth least; none if all are worth the same. O-6"""
    values = {seat: value(state.hands[seat]) for seat in aboard(state)}
    lowest = min(values.values())
    lost = tuple(seat for seat, points in values.items() if points == lowest)
    return () if len(lost) == len(values) else lost


def dealt(fact: OverboardPackDealt, seat: Seat | None) -> tuple[Card, ...]:
    """Return what a deal gives to a seat, or (None) to the raft. O-2"""
    place = len(fact.aboard) if seat is None else fact.aboard.index(seat) if seat in fact.aboard else None
    return () if place is None else in_canonical_order(fact.order[HAND_SIZE * place :][:HAND_SIZE])


def evolve(state: OverboardState, fact: OverboardFact) -> OverboardState:
    """Apply a fact. ImpossibleFactError if it does not fit."""
    return CHANGES[type(fact)](state, fact)


def places(state: OverboardState) -> tuple[int, ...]:
    """Return the places if the match ended now. O-7"""
    return tuple(1 if place is None else place for place in state.places)


def outcome(state: OverboardState) -> Outcome | None:
    """Return the end of the match; its totals are the lives that are left."""
    return None if None in state.places else Outcome(state.lives, places(state))


def _dealt(state: OverboardState, fact: OverboardPackDealt) -> OverboardState:
    expected = (state.round + 1, aboard(state), next_aboard(state, state.starter if state.round else -1))
    if state.hands or (fact.round, fact.aboard, fact.starter) != expected or sorted(fact.order) != sorted(PACK):
        raise ImpossibleFactError("a deal that does not follow")
    return replace(
        state,
        round=fact.round,
        starter=fact.starter,
        turn=fact.starter,
        turns=0,
        stays=0,
        hands=tuple(dealt(fact, seat) for seat in range(len(state.lives))),
        raft=dealt(fact, None),
        rest=fact.order[HAND_SIZE * (len(fact.aboard) + 1) :],
        taken=(),
    )


def _moved(
    state: OverboardState, fact: OverboardCardSwapped | OverboardHandSwapped | OverboardStayed
) -> OverboardState:
    if fact.seat != state.turn:
        raise ImpossibleFactError("a move out of turn")
    hand, raft, taken = state.hands[fact.seat], state.raft, state.taken
    if isinstance(fact, OverboardCardSwapped):
        if fact.give not in hand or fact.take not in raft:
            raise ImpossibleFactError("a swap of cards that are elsewhere")
        taken = (*taken, fact.take)
        hand = in_canonical_order((*without(hand, fact.give), fact.take))
        raft = in_canonical_order((*without(raft, fact.take), fact.give))
    elif isinstance(fact, OverboardHandSwapped):
        if fact.cards != hand:
            raise ImpossibleFactError("another hand was swapped")
        taken, hand, raft = (*taken, *raft), raft, hand
    return replace(
        state,
        turn=next_aboard(state, fact.seat),
        turns=state.turns + 1,
        stays=state.stays + 1 if isinstance(fact, OverboardStayed) else 0,
        hands=(*state.hands[: fact.seat], hand, *state.hands[fact.seat + 1 :]),
        raft=raft,
        taken=taken,
    )


def _scored(state: OverboardState, fact: OverboardRoundScored) -> OverboardState:
    if not state.hands or (fact.round, fact.hands, fact.lost) != (state.round, state.hands, losers(state)):
        raise ImpossibleFactError("a score that does not follow")
    lives = tuple(left - (seat in fact.lost) for seat, left in enumerate(state.lives))
    still = sum(left > 0 for left in lives)
    out = tuple(
        still + 1 if seat in fact.lost and not left else place
        for seat, (left, place) in enumerate(zip(lives, state.places, strict=True))
    )
    return replace(
        state, lives=lives, places=out, turn=None, hands=(), raft=(), rest=(), taken=(), last_hands=fact.hands
    )


def _ended(state: OverboardState, fact: OverboardMatchEnded) -> OverboardState:
    if fact.places != places(state) or state.hands or None not in state.places:
        raise ImpossibleFactError("an end that does not follow")
    return replace(state, places=fact.places)


CHANGES: dict[type, Callable[[OverboardState, Any], OverboardState]] = {
    OverboardPackDealt: _dealt,
    OverboardCardSwapped: _moved,
    OverboardHandSwapped: _moved,
    OverboardStayed: _moved,
    OverboardRoundScored: _scored,
    OverboardMatchEnded: _ended,
}
"""For each kind of fact the function that applies it."""
