"""Who sees what: public and private forms of facts, the board, hands and what only one seat knows."""

from typing import assert_never

from domain.cards import Card
from domain.decider import Seat
from domain.games.hearts.deal import FIRST_CARD, REMOVED, dealt_hand
from domain.games.hearts.model import (
    HeartsBoard,
    HeartsCardPlayed,
    HeartsCardsExchanged,
    HeartsCardsReceived,
    HeartsExchangeMade,
    HeartsFact,
    HeartsHandDealt,
    HeartsMatchEnded,
    HeartsPassChosen,
    HeartsPassCommitted,
    HeartsPassMade,
    HeartsPrivate,
    HeartsPrivateFact,
    HeartsPublicFact,
    HeartsRoundBegun,
    HeartsRoundDealt,
    HeartsRoundScored,
    HeartsState,
    HeartsTrickTaken,
)
from domain.games.hearts.rules import turn

# facts


def public_form(fact: HeartsFact) -> HeartsPublicFact:
    """Return what everybody learns of a fact (H-52, H-55)."""
    match fact:
        case HeartsCardPlayed() | HeartsTrickTaken() | HeartsRoundScored() | HeartsMatchEnded():
            return fact
        case HeartsPassCommitted():
            return HeartsPassMade(fact.seat)
        case HeartsCardsExchanged():
            return HeartsExchangeMade(fact.offset, fact.leader)
        case HeartsRoundDealt():
            leader = None if fact.offset else fact.order.index(FIRST_CARD) % fact.seats
            return HeartsRoundBegun(fact.round, fact.offset, len(fact.order) // fact.seats, leader)
        case _:
            assert_never(fact)


def private_form(fact: HeartsFact, seat: Seat) -> HeartsPrivateFact | None:
    """Return what a seat learns of a fact beyond its public form, None if nothing."""
    if isinstance(fact, HeartsRoundDealt):
        return HeartsHandDealt(dealt_hand(fact.order, seat, fact.seats))
    if isinstance(fact, HeartsPassCommitted):
        return HeartsPassChosen(fact.cards) if seat == fact.seat else None  # H-54
    if isinstance(fact, HeartsCardsExchanged):
        giver = (seat - fact.offset) % len(fact.passes)
        return HeartsCardsReceived(giver, fact.passes[giver])
    return None


# states


def board(state: HeartsState) -> HeartsBoard:
    """Return the public part of a view."""
    playing = state.phase == "playing"
    passing = state.phase == "passing"
    return HeartsBoard(
        phase=state.phase,
        removed=REMOVED[state.options.players],
        offset=state.offset,
        committed=tuple([seat for seat, cards in enumerate(state.passes) if cards]) if passing else (),
        hand_sizes=tuple(map(len, state.hands)),  # H-19
        turn=turn(state) if playing else None,
        leader=state.leader if playing else None,
        trick_number=len(state.tricks) + 1 if playing else 0,
        trick=state.trick,
        broken=state.broken,
        tricks=state.tricks,
        points=state.points,
        bonus=state.bonus,
        last_trick=state.tricks[-1] if state.tricks else state.last_trick,
        score_sheet=state.score_sheet,
    )


def hand(state: HeartsState, seat: Seat) -> tuple[Card, ...]:
    """Return the cards a seat holds, in canonical order."""
    return state.hands[seat]


def private(state: HeartsState, seat: Seat) -> HeartsPrivate:
    """Return what only this seat knows of the passing: what it gave and, after the exchange, got."""
    if not state.offset:
        return HeartsPrivate((), None, (), None)
    seats = len(state.hands)
    giver = (seat - state.offset) % seats
    return HeartsPrivate(
        passed=state.passes[seat],
        passed_to=(seat + state.offset) % seats,
        received=() if state.phase == "passing" else state.passes[giver],  # H-54
        received_from=giver,
    )
