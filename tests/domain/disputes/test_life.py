"""The life of a dispute: every command in every state, and random lives that keep what must hold."""

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from domain.decider import ImpossibleFactError
from domain.disputes import codec, rules
from domain.disputes.fold import apply, begin
from domain.disputes.model import (
    OPEN_FOR,
    REFUSALS,
    TAKE_OVER_AFTER,
    DisputeAppealed,
    DisputeFact,
    DisputeOpened,
    DisputeRefusal,
    DisputeResolved,
    DisputeState,
    DisputeWithdrawn,
    PublicEvidence,
    ReceivedCommand,
    ReviewBegun,
    SecretsSeen,
)
from domain.disputes.views import dispute_seen

Judged: TypeAlias = tuple[DisputeFact, ...] | DisputeRefusal

ID = "d" * 8 + "-0000-4000-8000-000000000001"
ADA, BEN, GONE = "ada", "ben", "gone"
IRIS, JON, KIM = "iris", "jon", "kim"
NOW = 1_750_000_000_000
EVIDENCE = PublicEvidence("44" * 32, ReceivedCommand("play", 0, 8, NOW), "00" * 32, "11" * 32, "22" * 32, "33" * 32, ())
OPENED = DisputeOpened("t", "hearts/1", 9, ADA, "illegal_move", "aa" * 32, (ADA, BEN), (ADA, BEN, GONE), EVIDENCE)


def after(*facts: DisputeFact, at: int = NOW) -> DisputeState:
    state = begin(ID, (OPENED,), NOW)
    for fact in facts:
        state = apply(state, (fact,), at)
    return state


def resolved(by: str, decision: Any = "upheld", annulled: bool = False) -> DisputeResolved:
    return DisputeResolved(by, decision, annulled, "bb" * 32)


OPEN = after()
REVIEWED = after(ReviewBegun(IRIS))
DECIDED = after(ReviewBegun(IRIS), resolved(IRIS))
WITHDRAWN = after(DisputeWithdrawn())
APPEALED = after(ReviewBegun(IRIS), resolved(IRIS), DisputeAppealed(BEN, "cc" * 32))
AGAIN = after(ReviewBegun(IRIS), resolved(IRIS), DisputeAppealed(BEN, "cc" * 32), ReviewBegun(JON))
LAST = after(
    ReviewBegun(IRIS), resolved(IRIS), DisputeAppealed(BEN, "cc" * 32), ReviewBegun(JON), resolved(JON, "rejected")
)
STATES = {
    "open": OPEN,
    "reviewed": REVIEWED,
    "decided": DECIDED,
    "withdrawn": WITHDRAWN,
    "appealed": APPEALED,
    "again": AGAIN,
    "last": LAST,
}


def review(state: DisputeState, by: str, *, now: int = NOW) -> Judged:
    return rules.review(state, by, now=now)


def resolve(state: DisputeState, by: str, *, over: bool = True, same: bool = False, **how: Any) -> Judged:
    given: dict[str, Any] = {"decision": "upheld", "annulled": False, "text": "bb" * 32} | how
    decision = given.pop("decision")
    return rules.resolve(state, by, decision, match_over=over, same_text=same, **given)


def appeal(state: DisputeState, by: str, *, now: int = NOW, same: bool = False) -> Judged:
    return rules.appeal(state, by, text="cc" * 32, now=now, same_text=same)


def look(state: DisputeState, by: str, *, over: bool = False) -> Judged:
    return rules.look(state, by, None, match_over=over)


Act = Callable[[DisputeState], Judged]
ACTS: dict[str, Act] = {
    "review by Iris": lambda state: review(state, IRIS),
    "review by Jon": lambda state: review(state, JON),
    "review by one who sat there": lambda state: review(state, GONE),
    "resolution by Iris": lambda state: resolve(state, IRIS),
    "resolution by Jon": lambda state: resolve(state, JON),
    "withdrawal by Ada": lambda state: rules.withdraw(state, ADA),
    "withdrawal by Ben": lambda state: rules.withdraw(state, BEN),
    "appeal by Ben": lambda state: appeal(state, BEN),
    "appeal by a stranger": lambda state: appeal(state, KIM),
    "look by Iris": lambda state: look(state, IRIS),
    "look by Jon": lambda state: look(state, JON),
    "look by Jon after the match": lambda state: look(state, JON, over=True),
    "look by one who sat there": lambda state: look(state, GONE, over=True),
}
"""What may be asked; below what follows in each state: `+` a fact, `=` nothing new, else the refusal."""
TABLE = {
    # act: open, reviewed (by Iris), decided (by Iris), withdrawn, appealed, again (reviewed by Jon), last
    "review by Iris": "+ = dispute_resolved dispute_withdrawn arbiter_decided arbiter_decided arbiter_decided",
    "review by Jon": "+ under_review dispute_resolved dispute_withdrawn + = dispute_resolved",
    "review by one who sat there": " ".join(["arbiter_seated"] * 7),
    "resolution by Iris": "not_reviewing + dispute_resolved dispute_withdrawn "
    "arbiter_decided arbiter_decided arbiter_decided",
    "resolution by Jon": "not_reviewing not_reviewing dispute_resolved dispute_withdrawn "
    "not_reviewing + dispute_resolved",
    "withdrawal by Ada": "+ + dispute_resolved = dispute_resolved dispute_resolved dispute_resolved",
    "withdrawal by Ben": " ".join(["not_reporter"] * 7),
    "appeal by Ben": "dispute_not_open dispute_not_open + dispute_withdrawn "
    "appealed_before appealed_before appealed_before",
    "appeal by a stranger": " ".join(["not_seated"] * 7),
    "look by Iris": "not_reviewing + not_reviewing not_reviewing not_reviewing not_reviewing not_reviewing",
    "look by Jon": "not_reviewing not_reviewing not_reviewing not_reviewing not_reviewing + not_reviewing",
    "look by Jon after the match": "+ + + + + + +",
    "look by one who sat there": " ".join(["arbiter_seated"] * 7),
}


@pytest.mark.parametrize("act", list(ACTS))
def test_what_follows_from_each_command_in_each_state(act: str) -> None:
    found = []
    for state in STATES.values():
        judged = ACTS[act](state)
        found.append(judged.code if isinstance(judged, DisputeRefusal) else "+" if judged else "=")
    assert found == TABLE[act].split(), dict(zip(STATES, found, strict=True))


def test_a_review_may_be_taken_over_after_72_hours() -> None:
    assert review(REVIEWED, JON, now=NOW + TAKE_OVER_AFTER) == DisputeRefusal("under_review")
    assert review(REVIEWED, JON, now=NOW + TAKE_OVER_AFTER + 1) == (ReviewBegun(JON),)
    taken = apply(REVIEWED, (ReviewBegun(JON),), NOW + TAKE_OVER_AFTER + 1)
    assert resolve(taken, IRIS) == DisputeRefusal("not_reviewing")
    assert review(AGAIN, IRIS, now=NOW + 2 * TAKE_OVER_AFTER) == DisputeRefusal("arbiter_decided")


def test_an_appeal_comes_within_72_hours() -> None:
    assert isinstance(appeal(DECIDED, ADA, now=NOW + OPEN_FOR), tuple)
    assert appeal(DECIDED, ADA, now=NOW + OPEN_FOR + 1) == DisputeRefusal("dispute_late")


def test_nothing_is_decided_while_the_match_runs() -> None:
    assert resolve(REVIEWED, IRIS, over=False) == DisputeRefusal("match_running")


def test_a_rejection_does_not_annul() -> None:
    assert resolve(REVIEWED, IRIS, decision="rejected", annulled=True) == DisputeRefusal("annulled_rejected")
    for decision in ("upheld", "void"):
        assert isinstance(resolve(REVIEWED, IRIS, decision=decision, annulled=True), tuple)


def test_the_same_decision_again_is_no_other_one() -> None:
    assert resolve(DECIDED, IRIS, same=True) == ()
    for other in ({"decision": "void"}, {"annulled": True}):
        assert resolve(DECIDED, IRIS, same=True, **other) == DisputeRefusal("dispute_resolved")
    assert resolve(DECIDED, JON, same=True) == DisputeRefusal("dispute_resolved")
    assert appeal(APPEALED, BEN, same=True) == ()
    assert appeal(APPEALED, ADA, same=True) == DisputeRefusal("appealed_before")


# random lives


@st.composite
def lives(draw: st.DrawFn) -> list[tuple[str, str, int, bool]]:
    """Commands of anybody at growing times, the match ending somewhere between them."""
    acts = st.sampled_from(["review", "resolve", "withdraw", "appeal", "look"])
    people = st.sampled_from([ADA, BEN, GONE, IRIS, JON, KIM])
    waits = st.sampled_from([0, 1, OPEN_FOR // 2, OPEN_FOR, OPEN_FOR + 1])
    steps = draw(st.lists(st.tuples(acts, people, waits), max_size=40))
    ended = draw(st.integers(0, 40))
    now, found = NOW, []
    for number, (act, by, wait) in enumerate(steps):
        now += wait
        found.append((act, by, now, number >= ended))
    return found


def judged_in(state: DisputeState, act: str, by: str, now: int, over: bool) -> Judged:
    match act:
        case "review":
            return review(state, by, now=now)
        case "resolve":
            return resolve(state, by, over=over, decision=("upheld", "rejected", "void")[now % 3])
        case "withdraw":
            return rules.withdraw(state, by)
        case "appeal":
            return appeal(state, by, now=now)
        case _:
            return look(state, by, over=over)


@settings(max_examples=400, deadline=None)
@given(lives())
def test_whatever_is_asked_a_dispute_keeps_its_promises(life: list[tuple[str, str, int, bool]]) -> None:
    state, version = begin(ID, (OPENED,), NOW), 1
    envelopes = [codec.encode((OPENED,), version=1, time=NOW, type_="dispute")]
    for act, by, now, over in life:
        judged = judged_in(state, act, by, now, over)
        if isinstance(judged, DisputeRefusal):
            assert judged.code in REFUSALS
            continue
        if not judged:
            continue
        (fact,) = judged
        before, state, version = state, apply(state, judged, now), version + 1
        envelopes.append(codec.encode(judged, version=version, time=now, type_=act))
        assert state.version == version
        if isinstance(fact, DisputeResolved):
            assert over
            assert by not in OPENED.barred
            assert before.reviewer == by
        if isinstance(fact, SecretsSeen):
            assert by not in OPENED.barred
            assert state.looks[-1].arbiter == by
            assert over or before.reviewer == by
        assert len(state.resolutions) <= 2
        assert len({one.fact.arbiter for one in state.resolutions}) == len(state.resolutions)
        assert state.status != "withdrawn" or not state.resolutions
    again: DisputeState | None = None
    for envelope in envelopes:
        event = codec.decode(envelope)
        again = begin(ID, event.facts, event.time) if again is None else apply(again, event.facts, event.time)
    assert again == state
    for reader in (ADA, BEN):
        for over in (False, True):
            seen = dispute_seen(state, reader, {}, arbiter=False, match_over=over)
            assert (seen.looks is None) == (not over)


@pytest.mark.parametrize(
    ("state", "fact"),
    [
        (OPEN, resolved(IRIS)),
        (OPEN, DisputeAppealed(BEN, "")),
        (DECIDED, DisputeWithdrawn()),
        (WITHDRAWN, ReviewBegun(IRIS)),
        (LAST, resolved(JON)),
        (OPEN, OPENED),
    ],
)
def test_a_fact_that_cannot_be_is_an_error(state: DisputeState, fact: DisputeFact) -> None:
    with pytest.raises(ImpossibleFactError):
        apply(state, (fact,), NOW)


def test_a_dispute_begins_by_being_opened() -> None:
    for facts in ((), (DisputeWithdrawn(),), (OPENED, OPENED)):
        with pytest.raises(ImpossibleFactError):
            begin(ID, facts, NOW)


# who reads which text


def test_texts_of_others_are_sealed_while_the_match_runs() -> None:
    texts = {1: ("00" * 32, "I hold QS"), 3: ("11" * 32, "Reasons"), 4: ("22" * 32, "No")}
    for reader, arbiter, over, shown in (
        (ADA, False, False, True),
        (BEN, False, False, False),
        (IRIS, True, False, True),
        (BEN, False, True, True),
    ):
        seen = dispute_seen(OPEN, reader, texts, arbiter=arbiter, match_over=over)
        assert (seen.text.status, seen.text.text) == (("shown", "I hold QS") if shown else ("sealed", None))
        assert (seen.text.salt is not None) == shown
        assert seen.text.hash == OPENED.text
    last = dispute_seen(LAST, BEN, texts, arbiter=False, match_over=True)
    assert [one.reasons.text for one in last.resolutions] == ["Reasons", None]
    assert last.appeal is not None
    assert last.appeal.text.text == "No"
    assert dispute_seen(LAST, ADA, {}, arbiter=False, match_over=True).text.status == "erased"
