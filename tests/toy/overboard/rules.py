"""Overboard: what is allowed, and what follows from a move."""

from collections.abc import Iterator
from typing import assert_never

from domain.decider import Chance, Rejection, Seat
from tests.toy.overboard.fold import PACK, aboard, evolve, losers, next_aboard, places, value
from tests.toy.overboard.model import (
    OverboardCardSwapped,
    OverboardFact,
    OverboardHandSwapped,
    OverboardLegal,
    OverboardLegalSwap,
    OverboardMatchEnded,
    OverboardMove,
    OverboardPackDealt,
    OverboardRoundScored,
    OverboardState,
    OverboardStay,
    OverboardStayed,
    OverboardSwap,
    OverboardSwapAll,
)
from tests.toy.overboard.rulebook import CARD_NOT_IN_HAND, CARD_NOT_ON_RAFT, MATCH_OVER, NOT_YOUR_TURN

_TURNS = 4
"""Turns of each seat in a round. O-5"""


def start(state: OverboardState, chance: Chance) -> tuple[OverboardFact, ...]:
    """Return the first deal, and others as long as rounds end in their deal."""
    return tuple(_following(state, chance))


def decide(
    state: OverboardState, seat: Seat, move: OverboardMove, chance: Chance
) -> tuple[OverboardFact, ...] | Rejection:
    """Judge a move."""
    if None not in state.places:
        return MATCH_OVER
    if seat != state.turn:
        return NOT_YOUR_TURN
    fact = _made(state, seat, move)
    return fact if isinstance(fact, Rejection) else (fact, *_following(evolve(state, fact), chance))


def _made(state: OverboardState, seat: Seat, move: OverboardMove) -> OverboardFact | Rejection:
    match move:
        case OverboardSwap():
            if move.give not in state.hands[seat]:
                return CARD_NOT_IN_HAND
            return OverboardCardSwapped(seat, move.give, move.take) if move.take in state.raft else CARD_NOT_ON_RAFT
        case OverboardSwapAll():
            return OverboardHandSwapped(seat, state.hands[seat])
        case OverboardStay():
            return OverboardStayed(seat)
        case _:
            assert_never(move)


def _following(state: OverboardState, chance: Chance) -> Iterator[OverboardFact]:
    """Yield what happens by itself until somebody has to act or the match is over."""
    fact: OverboardFact
    while not state.hands or _round_over(state):
        if state.hands:
            fact = OverboardRoundScored(state.round, state.hands, losers(state))
        elif len(aboard(state)) == 1:
            yield OverboardMatchEnded(places(state))
            return
        else:
            starter = next_aboard(state, state.starter if state.round else -1)
            order = chance.shuffle(state.round + 1, 0, PACK)
            fact = OverboardPackDealt(state.round + 1, aboard(state), starter, order)
        state = evolve(state, fact)
        yield fact


def _round_over(state: OverboardState) -> bool:
    seats = aboard(state)
    reached = any(value(state.hands[seat]) >= state.options.goal for seat in seats)
    return reached or state.stays == len(seats) or state.turns == _TURNS * len(seats)  # O-5


def to_act(state: OverboardState) -> tuple[Seat, ...]:
    """Return the seat whose turn it is."""
    return () if state.turn is None else (state.turn,)


def legal(state: OverboardState, seat: Seat) -> tuple[OverboardLegal, ...]:
    """Return every kind of move, if it is the seat's turn."""
    if seat != state.turn:
        return ()
    return (OverboardLegalSwap(state.hands[seat], state.raft), OverboardSwapAll(), OverboardStay())


def timeout_move(_state: OverboardState, _seat: Seat) -> OverboardStay:
    """Stay. O-8"""
    return OverboardStay()
