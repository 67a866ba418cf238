"""Overboard: who sees what."""

from domain.cards import Card
from domain.decider import Seat
from tests.toy.overboard.fold import dealt, value
from tests.toy.overboard.model import (
    OverboardBoard,
    OverboardFact,
    OverboardHandDealt,
    OverboardPackDealt,
    OverboardPrivate,
    OverboardPrivateFact,
    OverboardPublicFact,
    OverboardRoundDealt,
    OverboardState,
)


def public_form(fact: OverboardFact) -> OverboardPublicFact:
    """Return what everybody learns."""
    if isinstance(fact, OverboardPackDealt):
        return OverboardRoundDealt(fact.round, fact.starter, dealt(fact, None))
    return fact


def private_form(fact: OverboardFact, seat: Seat) -> OverboardPrivateFact | None:
    """Return what one seat learns beyond that."""
    if isinstance(fact, OverboardPackDealt) and seat in fact.aboard:
        return OverboardHandDealt(dealt(fact, seat))
    return None


def board(state: OverboardState) -> OverboardBoard:
    """Return the public part of a view."""
    sizes = tuple(len(cards) for cards in state.hands) or (0,) * len(state.lives)
    return OverboardBoard(state.turn, state.starter, state.raft, state.lives, sizes, state.last_hands)


def hand(state: OverboardState, seat: Seat) -> tuple[Card, ...]:
    """Return the cards of a seat."""
    return state.hands[seat] if state.hands else ()


def private(state: OverboardState, seat: Seat) -> OverboardPrivate:
    """Return what the hand is worth."""
    return OverboardPrivate(value(hand(state, seat)))
