"""Highest Card: who sees what."""

from typing import assert_never

from domain.cards import Card
from domain.decider import Seat
from tests.toy.highest.fold import dealt_hand
from tests.toy.highest.model import (
    HighestBoard,
    HighestCardChosen,
    HighestCardsShown,
    HighestChoiceMade,
    HighestFact,
    HighestHandReceived,
    HighestHandsDealt,
    HighestMatchEnded,
    HighestOwnChoice,
    HighestPrivate,
    HighestPrivateFact,
    HighestPublicFact,
    HighestRoundDealt,
    HighestState,
)


def public_form(fact: HighestFact) -> HighestPublicFact:
    """Return what everybody learns."""
    match fact:
        case HighestRoundDealt():
            return HighestHandsDealt(fact.round, fact.hand_size)
        case HighestCardChosen():
            return HighestChoiceMade(fact.seat)
        case HighestCardsShown() | HighestMatchEnded():
            return fact
        case _:
            assert_never(fact)


def private_form(fact: HighestFact, seat: Seat) -> HighestPrivateFact | None:
    """Return what one seat learns beyond that."""
    if isinstance(fact, HighestRoundDealt):
        return HighestHandReceived(dealt_hand(fact, seat))
    if isinstance(fact, HighestCardChosen) and fact.seat == seat:
        return HighestOwnChoice(fact.card)
    return None


def board(state: HighestState) -> HighestBoard:
    """Return the public part of a view."""
    return HighestBoard(
        hand_sizes=tuple(len(hand) for hand in state.hands),
        stock_size=len(state.stock),
        has_chosen=tuple(card is not None for card in state.chosen),
        shown=state.shown,
    )


def hand(state: HighestState, seat: Seat) -> tuple[Card, ...]:
    """Return the cards of a seat."""
    return state.hands[seat]


def private(state: HighestState, seat: Seat) -> HighestPrivate:
    """Return the seat's own choice."""
    return HighestPrivate(state.chosen[seat])
