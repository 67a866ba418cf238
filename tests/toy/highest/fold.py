"""Highest Card: the fold."""

from collections.abc import Callable
from typing import Any

from domain.cards import Card, in_canonical_order, without
from domain.decider import ImpossibleFactError, Outcome, Seat
from domain.ranking import places
from tests.toy.highest.model import (
    HighestCardChosen,
    HighestCardsShown,
    HighestFact,
    HighestMatchEnded,
    HighestOptions,
    HighestRoundDealt,
    HighestState,
)


def new(options: HighestOptions, seats: int) -> HighestState:
    """Return the state before the match starts."""
    return HighestState(
        options=options,
        round=0,
        hands=((),) * seats,
        stock=(),
        chosen=(None,) * seats,
        shown=(),
        totals=(0,) * seats,
        ended=False,
    )


def dealt_hand(fact: HighestRoundDealt, seat: Seat) -> tuple[Card, ...]:
    """Return the hand that a deal gives to a seat. T-2"""
    return in_canonical_order(fact.order[seat : fact.seats * fact.hand_size : fact.seats])


def evolve(state: HighestState, fact: HighestFact) -> HighestState:
    """Apply a fact. ImpossibleFactError if it does not fit."""
    return CHANGES[type(fact)](state, fact)


def outcome(state: HighestState) -> Outcome | None:
    """Return the end of the match: most points win. T-6"""
    return Outcome(state.totals, places(state.totals, low_wins=False)) if state.ended else None


def _dealt(state: HighestState, fact: HighestRoundDealt) -> HighestState:
    if any(state.hands) or state.ended or fact.round != state.round + 1:
        raise ImpossibleFactError("a deal in the middle of a round")
    return HighestState(
        options=state.options,
        round=fact.round,
        hands=tuple(dealt_hand(fact, seat) for seat in range(fact.seats)),
        stock=fact.order[fact.seats * fact.hand_size :],
        chosen=state.chosen,
        shown=(),
        totals=state.totals,
        ended=False,
    )


def _chosen(state: HighestState, fact: HighestCardChosen) -> HighestState:
    if state.chosen[fact.seat] is not None or fact.card not in state.hands[fact.seat]:
        raise ImpossibleFactError("a choice that was not open")
    chosen = (*state.chosen[: fact.seat], fact.card, *state.chosen[fact.seat + 1 :])
    return HighestState(
        state.options, state.round, state.hands, state.stock, chosen, state.shown, state.totals, state.ended
    )


def _shown(state: HighestState, fact: HighestCardsShown) -> HighestState:
    if fact.cards != state.chosen:
        raise ImpossibleFactError("cards shown that were not chosen")
    return HighestState(
        options=state.options,
        round=state.round,
        hands=tuple(without(hand, card) for hand, card in zip(state.hands, fact.cards, strict=True)),
        stock=state.stock,
        chosen=(None,) * len(state.hands),
        shown=state.shown + fact.cards,
        totals=tuple(total + fact.points if seat == fact.winner else total for seat, total in enumerate(state.totals)),
        ended=False,
    )


def _ended(state: HighestState, fact: HighestMatchEnded) -> HighestState:
    if any(state.hands) or state.round != state.options.rounds or state.ended or fact.totals != state.totals:
        raise ImpossibleFactError("an end in the middle of the match")
    return HighestState(
        state.options, state.round, state.hands, state.stock, state.chosen, state.shown, state.totals, True
    )


CHANGES: dict[type, Callable[[HighestState, Any], HighestState]] = {
    HighestRoundDealt: _dealt,
    HighestCardChosen: _chosen,
    HighestCardsShown: _shown,
    HighestMatchEnded: _ended,
}
"""For each kind of fact the function that applies it."""
