"""What happened in a dispute: the fold of its events."""

from typing import assert_never

from msgspec import structs

from domain.decider import ImpossibleFactError
from domain.disputes.model import (
    Appeal,
    DisputeAppealed,
    DisputeFact,
    DisputeOpened,
    DisputeResolved,
    DisputeState,
    DisputeWithdrawn,
    Look,
    Resolution,
    ReviewBegun,
    SecretsSeen,
)


def begin(dispute: str, facts: tuple[DisputeFact, ...], time: int) -> DisputeState:
    """Return the state after the first event, received at `time` (ms since 1970 UTC)."""
    opened = facts[0] if facts else None
    if not isinstance(opened, DisputeOpened) or len(facts) != 1:
        raise ImpossibleFactError("the first fact of a dispute opens it")
    return DisputeState(dispute, 1, opened, time, "open")


def apply(state: DisputeState, facts: tuple[DisputeFact, ...], time: int) -> DisputeState:
    """Return the state after one more event."""
    state = structs.replace(state, version=state.version + 1)
    for fact in facts:
        state = _evolve(state, fact, time)
    return state


def _evolve(state: DisputeState, fact: DisputeFact, time: int) -> DisputeState:
    match fact:
        case ReviewBegun():
            _expect(state, "open", "under_review", "appealed")
            return structs.replace(state, status="under_review", reviewer=fact.arbiter, review_since=time)
        case SecretsSeen():
            return structs.replace(state, looks=(*state.looks, Look(time, fact.arbiter, fact.seat)))
        case DisputeWithdrawn():
            _expect(state, "open", "under_review")
            return structs.replace(state, status="withdrawn")
        case DisputeResolved():
            _expect(state, "under_review")
            resolutions = (*state.resolutions, Resolution(state.version, time, fact))
            return structs.replace(state, status="resolved", resolutions=resolutions)
        case DisputeAppealed():
            _expect(state, "resolved")
            return structs.replace(state, status="appealed", appeal=Appeal(state.version, time, fact))
        case DisputeOpened():
            raise ImpossibleFactError("a dispute is opened once")
    assert_never(fact)


def _expect(state: DisputeState, *statuses: str) -> None:
    if state.status not in statuses:
        raise ImpossibleFactError(f"this cannot happen to a dispute that is {state.status}")
