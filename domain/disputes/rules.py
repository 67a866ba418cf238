"""What is allowed in a dispute: its commands and the refusals, in the order of their checks.

A command that repeats what its sender did already is no error and brings no facts.
"""

from domain.decider import Seat
from domain.disputes.model import (
    OPEN_FOR,
    TAKE_OVER_AFTER,
    DisputeAppealed,
    DisputeFact,
    DisputeRefusal,
    DisputeResolved,
    DisputeState,
    DisputeWithdrawn,
    ReviewBegun,
    SecretsSeen,
)
from domain.table.model import TableState, Verdict


def may_open(
    table: TableState, players: tuple[str, ...], player: str, version: int, *, ended: int | None, now: int
) -> DisputeRefusal | None:
    """Judge a wish to dispute a version: None if it may be. `ended` is when the match did, None while it runs."""
    if player not in players:
        return DisputeRefusal("not_seated")
    if table.status == "lobby" or table.setup.game.views.round_number(table.game_state) == 0:
        return DisputeRefusal("match_not_started")
    if not 1 <= version <= (table.final_version or table.version):
        return DisputeRefusal("version_unknown")
    if ended is not None and now > ended + OPEN_FOR:
        return DisputeRefusal("dispute_late")
    return None


def review(state: DisputeState, arbiter: str, *, now: int) -> tuple[DisputeFact, ...] | DisputeRefusal:
    """Judge an arbiter's wish to take up a dispute, or to take it over from one who does not go on."""
    refusal = _barred(state, arbiter)
    if refusal:
        return refusal
    if state.status == "under_review":
        if state.reviewer == arbiter:
            return ()
        if state.review_since is not None and now <= state.review_since + TAKE_OVER_AFTER:
            return DisputeRefusal("under_review")
    elif state.status not in ("open", "appealed"):
        return _over(state)
    return (ReviewBegun(arbiter),)


def look(
    state: DisputeState, arbiter: str, seat: Seat | None, *, match_over: bool
) -> tuple[DisputeFact, ...] | DisputeRefusal:
    """Judge an arbiter's wish to see sealed evidence; while the match runs it is the reviewing one's alone."""
    refusal = _barred(state, arbiter, deciding=False)
    if refusal:
        return refusal
    if not match_over and not (state.status == "under_review" and state.reviewer == arbiter):
        return DisputeRefusal("not_reviewing")
    return (SecretsSeen(arbiter, seat),)


def withdraw(state: DisputeState, player: str) -> tuple[DisputeFact, ...] | DisputeRefusal:
    """Judge the reporter's wish to take the dispute back, which ends with the first decision."""
    if player != state.opened.player:
        return DisputeRefusal("not_reporter")
    if state.status == "withdrawn":
        return ()
    if state.resolutions:
        return DisputeRefusal("dispute_resolved")
    return (DisputeWithdrawn(),)


def resolve(
    state: DisputeState,
    arbiter: str,
    decision: Verdict,
    *,
    annulled: bool,
    text: str,
    match_over: bool,
    same_text: bool,
) -> tuple[DisputeFact, ...] | DisputeRefusal:
    """Judge a decision of the reviewing arbiter. `same_text`: whether he gave these reasons for the last one."""
    last = state.resolutions[-1].fact if state.resolutions else None
    if state.status == "resolved" and last is not None and last.arbiter == arbiter:
        repeated = same_text and (last.decision, last.annulled) == (decision, annulled)
        return () if repeated else DisputeRefusal("dispute_resolved")
    refusal = _barred(state, arbiter)
    if refusal:
        return refusal
    if state.status in ("resolved", "withdrawn"):
        return _over(state)
    if state.status != "under_review" or state.reviewer != arbiter:
        return DisputeRefusal("not_reviewing")
    if not match_over:
        return DisputeRefusal("match_running")
    if annulled and decision == "rejected":
        return DisputeRefusal("annulled_rejected")
    return (DisputeResolved(arbiter, decision, annulled, text),)


def appeal(
    state: DisputeState, player: str, *, text: str, now: int, same_text: bool
) -> tuple[DisputeFact, ...] | DisputeRefusal:
    """Judge an appeal of any player of the match. `same_text`: whether he appealed with this text before."""
    if player not in state.opened.players:
        return DisputeRefusal("not_seated")
    if state.appeal is not None:
        return () if same_text and state.appeal.fact.player == player else DisputeRefusal("appealed_before")
    if state.status != "resolved":
        return DisputeRefusal("dispute_withdrawn" if state.status == "withdrawn" else "dispute_not_open")
    if now > state.resolutions[-1].time + OPEN_FOR:
        return DisputeRefusal("dispute_late")
    return (DisputeAppealed(player, text),)


def _barred(state: DisputeState, arbiter: str, *, deciding: bool = True) -> DisputeRefusal | None:
    """Why an account may not be arbiter of this dispute."""
    if arbiter in state.opened.barred:
        return DisputeRefusal("arbiter_seated")
    if deciding and state.appeal is not None and arbiter == state.resolutions[0].fact.arbiter:
        return DisputeRefusal("arbiter_decided")
    return None


def _over(state: DisputeState) -> DisputeRefusal:
    return DisputeRefusal("dispute_withdrawn" if state.status == "withdrawn" else "dispute_resolved")
