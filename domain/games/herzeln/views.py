"""Who sees what: public and private forms of facts, the board, hands and what only one seat knows (Z-60)."""

from domain.cards import Card
from domain.decider import Seat
from domain.games.herzeln.fold import contract_of, dealt_hand, rounds_of
from domain.games.herzeln.model import (
    HerzelnBoard,
    HerzelnFact,
    HerzelnHandDealt,
    HerzelnLayout,
    HerzelnLayoutBoard,
    HerzelnPackDealt,
    HerzelnPhase,
    HerzelnPrivate,
    HerzelnPublicFact,
    HerzelnRoundDealt,
    HerzelnState,
    HerzelnTricks,
    HerzelnTricksBoard,
)
from domain.games.herzeln.order import asked
from domain.games.herzeln.rules import to_act

# facts


def public_form(fact: HerzelnFact) -> HerzelnPublicFact:
    """Return what everybody learns of a fact."""
    if isinstance(fact, HerzelnPackDealt):
        return HerzelnRoundDealt(fact.round, fact.contract, fact.dealer)
    return fact


def private_form(fact: HerzelnFact, seat: Seat) -> HerzelnHandDealt | None:
    """Return what a seat learns beyond that: its own hand."""
    if isinstance(fact, HerzelnPackDealt):
        return HerzelnHandDealt(fact.round, dealt_hand(fact, seat))
    return None


# states


def board(state: HerzelnState) -> HerzelnBoard:
    """Return what every seat and any spectator may know."""
    now = state.round
    players = state.options.players
    actors = to_act(state)
    scored = now is not None and len(state.score_sheet) >= now.number
    return HerzelnBoard(
        phase=_phase(state),
        rounds=rounds_of(state.options),
        contract=None if now is None else contract_of(now.number),
        dealer=None if now is None else now.dealer,
        turn=actors[0] if actors else None,
        hand_sizes=(0,) * players if now is None else tuple(map(len, now.hands)),
        points=(0,) * players if now is None else state.score_sheet[-1].points if scored else now.points,
        score_sheet=state.score_sheet,
        left=state.left,
        play=None if now is None else _tricks(now) if isinstance(now, HerzelnTricks) else _layout(now),
        last_trick=now.taken[-1] if isinstance(now, HerzelnTricks) and now.taken else state.last_trick,  # Z-60
    )


def _phase(state: HerzelnState) -> HerzelnPhase:
    if state.places is not None:
        return "finished"
    return "new" if state.round is None else "tricks" if isinstance(state.round, HerzelnTricks) else "layout"


def _tricks(now: HerzelnTricks) -> HerzelnTricksBoard:
    won = [0] * len(now.hands)
    for trick in now.taken:
        won[trick.winner] += 1
    return HerzelnTricksBoard(now.leader, now.trick, now.taken, tuple(won))


def _layout(now: HerzelnLayout) -> HerzelnLayoutBoard:
    up, down = asked(now.line, len(now.hands)) if now.line else (None, None)
    return HerzelnLayoutBoard(now.line, up, down, now.finished, now.passes)


def hand(state: HerzelnState, seat: Seat) -> tuple[Card, ...]:
    """Return a seat's cards in hand order."""
    return () if state.round is None else state.round.hands[seat]


def private(_state: HerzelnState, _seat: Seat) -> HerzelnPrivate:
    """Return what only this seat may know beyond its hand: nothing."""
    return HerzelnPrivate()


def round_number(state: HerzelnState) -> int:
    """Return the running or last round, from 1; 0 before the first."""
    return 0 if state.round is None else state.round.number
