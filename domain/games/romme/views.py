"""Who sees what: public and private forms of facts, the board, hands and what only one seat knows (R-86)."""

from typing import assert_never

from domain.cards import Card
from domain.decider import Seat
from domain.games.romme import private_stream
from domain.games.romme.deck import HAND_SIZE, dealt_hands, in_deck_order
from domain.games.romme.facts import (
    RommeCardDiscarded,
    RommeCardDrawn,
    RommeCardsLaidOff,
    RommeFact,
    RommeHandDealt,
    RommeHandsDealt,
    RommeJokerSwapped,
    RommeMatchEnded,
    RommeMeldsLaid,
    RommeOptionChanged,
    RommePackDealt,
    RommePileDrawn,
    RommePrivateFact,
    RommePublicFact,
    RommeRoundEnded,
    RommeRoundStarted,
    RommeStockDrawn,
    RommeStockEmptied,
    RommeStockReshuffled,
    RommeStockShuffled,
)
from domain.games.romme.fold import running
from domain.games.romme.model import RommeBoard, RommeOptions, RommePrivate, RommeRoundResult, RommeRoundRow, RommeState
from domain.games.romme.options import changed

# facts


def public_form(fact: RommeFact) -> RommePublicFact:
    """Return what everybody learns of a fact."""
    match fact:  # the most frequent first
        case RommeCardDrawn():
            return RommeStockDrawn(fact.seat)
        case (
            RommeCardDiscarded()
            | RommePileDrawn()
            | RommeCardsLaidOff()
            | RommeMeldsLaid()
            | RommeJokerSwapped()
            | RommeRoundStarted()
            | RommeStockEmptied()
            | RommeRoundEnded()
            | RommeMatchEnded()
            | RommeOptionChanged()
        ):
            return fact
        case RommePackDealt():
            counts = tuple(HAND_SIZE + (seat == fact.starter) for seat in range(fact.seats))
            return RommeHandsDealt(counts, len(fact.order) - sum(counts))
        case RommeStockShuffled():
            return RommeStockReshuffled(fact.count, len(fact.order))
        case _:
            assert_never(fact)


def private_form(fact: RommeFact, seat: Seat) -> RommePrivateFact | None:
    """Return what a seat learns of a fact beyond its public form, None if nothing."""
    if isinstance(fact, RommeCardDrawn):
        return fact if seat == fact.seat else None
    if isinstance(fact, RommePackDealt):
        return RommeHandDealt(dealt_hands(fact.order, fact.starter, fact.seats)[seat])
    return None


# states


def board(state: RommeState) -> RommeBoard:
    """Return the public part of a view."""
    begun, over = state.round > 0, state.phase == "over"
    return RommeBoard(
        phase=state.phase,
        changed=changed(state.options),
        round_options=state.round_options if begun and state.round_options != state.options else None,
        starter=state.starter if begun else None,
        turn=state.turn if running(state) else None,
        hand_sizes=tuple(map(len, state.hands)),
        first_lay=state.first_lay,
        shown=state.shown,
        taken=state.taken,
        stock_size=state.stock_size,
        empties=state.empties,
        idle_turns=state.idle_turns,
        pile_top=state.pile[-1] if state.pile else None,
        pile_size=len(state.pile),
        melds=state.melds,
        score_sheet=tuple([_row(result, state.options) for result in state.score_sheet]),
        hands=tuple(map(in_deck_order, state.hands)) if over else None,
    )


def _row(result: RommeRoundResult, options: RommeOptions) -> RommeRoundRow:
    return RommeRoundRow(
        round=result.round,
        reason=result.reason,
        winners=result.winners,
        hand_romme=result.hand_romme,
        values=result.values,
        points=result.points,
        options=None if result.options == options else result.options,
    )


def hand(state: RommeState, seat: Seat) -> tuple[Card, ...]:
    """Return the cards a seat holds, in the order in which they came."""
    return state.hands[seat]


def private(state: RommeState, seat: Seat) -> RommePrivate:
    """Return what only this seat knows beyond its hand, as long as its private stream is empty."""
    return private_stream.private(state, seat, private_stream.new())
