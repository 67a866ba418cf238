"""What arbiters decided after a match: recorded behind its end, changing nothing of it."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from domain.decider import ImpossibleFactError
from domain.registry import CURRENT
from domain.table import rules
from domain.table.fold import evolve
from domain.table.model import Adjudicated, Facts, TableRefusal
from domain.verify import verify
from projections.snapshots import Fold, opened, snapshot
from service.verify.notes import is_signed
from tests.domain.matches import SHORT, SIGNER, TABLE, PlayedMatch, rechained, resealed
from tests.domain.test_verify import edit_envelope, failures

ARBITER, OTHER = ("a" * 8 + "-0000-4000-8000-000000000001", "a" * 8 + "-0000-4000-8000-000000000002")
# version 2 is there in every match, even in one that is over in its first deal
UPHELD = Adjudicated("d" * 8 + "-0000-4000-8000-000000000001", 2, ARBITER, "upheld", True, 3, "ab" * 32)
APPEALED = replace(UPHELD, arbiter=OTHER, decision="rejected", annulled=False, resolution=6, hash="cd" * 32)
ANOTHER = replace(UPHELD, dispute="d" * 8 + "-0000-4000-8000-000000000002", decision="void", annulled=False)


def match_of(key: str, *facts: Adjudicated) -> PlayedMatch:
    match = PlayedMatch(CURRENT[key], *SHORT[key], 4)
    for fact in facts:
        match.adjudicate(fact)
    return match


@pytest.mark.parametrize("key", sorted(CURRENT))
def test_a_record_with_adjudications_verifies_and_its_head_stays_the_one_of_the_match(key: str) -> None:
    plain, decided = match_of(key), match_of(key, UPHELD, ANOTHER, APPEALED)
    report = verify(decided.record(), check_note=is_signed)
    assert report.ok, [check for check in report.checks if check.status != "pass"]
    before, after = json.loads(plain.record()), json.loads(decided.record())
    assert after["head"] == before["head"]
    assert (before["newest"], after["newest"]["version"]) == (None, before["head"]["version"] + 3)
    assert after["events"][:-3] == before["events"]
    assert {name for name in before if before[name] != after[name]} == {"events", "newest"}


def test_an_adjudication_changes_nothing_but_the_list_of_them() -> None:
    plain, decided = match_of("hearts"), match_of("hearts", UPHELD)
    assert decided.state == replace(plain.state, version=plain.state.version + 1, adjudications=(UPHELD,))
    assert (plain.state.final_version, decided.state.final_version) == (plain.state.version, plain.state.version)


def test_the_last_word_on_a_dispute_says_whether_the_match_counts() -> None:
    assert match_of("hearts", UPHELD).state.annulled
    assert not match_of("hearts", UPHELD, APPEALED).state.annulled
    assert match_of("hearts", UPHELD, ANOTHER).state.annulled
    assert not match_of("hearts", ANOTHER).state.annulled
    assert not match_of("hearts").state.annulled


@pytest.mark.parametrize(
    ("before", "fact", "code"),
    [
        ((), replace(UPHELD, decision="rejected"), "annulled_rejected"),
        ((), replace(UPHELD, version=0), "version_unknown"),
        ((), replace(UPHELD, version=10_000), "version_unknown"),
        ((UPHELD,), UPHELD, "dispute_decided"),
        ((UPHELD,), replace(APPEALED, version=8), "dispute_decided"),
        ((UPHELD, APPEALED), replace(UPHELD, arbiter="a third one"), "dispute_decided"),
    ],
)
def test_what_cannot_be_recorded_is_refused(before: tuple[Adjudicated, ...], fact: Adjudicated, code: str) -> None:
    assert rules.adjudicate(match_of("hearts", *before).state, fact) == TableRefusal(code)


def test_a_version_after_the_end_cannot_be_disputed() -> None:
    state = match_of("hearts", UPHELD).state
    assert rules.adjudicate(state, replace(ANOTHER, version=state.version)) == TableRefusal("version_unknown")
    assert isinstance(rules.adjudicate(state, replace(ANOTHER, version=state.version - 1)), Facts)


@pytest.mark.parametrize("status", ["lobby", "running", "between_rounds"])
def test_nothing_is_adjudicated_before_the_end(status: Any) -> None:
    state = replace(match_of("hearts").state, status=status)
    assert rules.adjudicate(state, UPHELD) == TableRefusal("match_running")
    with pytest.raises(ImpossibleFactError):
        evolve(state, UPHELD)


def test_a_snapshot_keeps_adjudications() -> None:
    match = match_of("hearts", UPHELD, ANOTHER)
    fold = Fold(match.state, match.hashes[-1])
    assert opened(snapshot(fold, bytes(32)), str(TABLE), match.state.version, bytes(32)) == fold


MATCH = match_of("hearts", UPHELD, APPEALED)
RECORD = MATCH.record()
FINAL = MATCH.state.final_version or 0


def signed_anew(document: dict[str, Any]) -> dict[str, Any]:
    """Return the record with a chain and two heads that fit its (changed) envelopes."""
    head = document["head"]
    document = rechained(document)
    last = {"version": len(document["events"]), "hash": document["events"][-1]["hash"]}
    time = json.loads(document["events"][-1]["envelope"])["time"]
    document["newest"] = {
        **last,
        "time": time,
        "note": SIGNER.head(TABLE, last["version"], bytes.fromhex(last["hash"]), time),
    }
    hash_ = document["events"][FINAL - 1]["hash"]
    note = SIGNER.head(TABLE, FINAL, bytes.fromhex(hash_), head["time"])
    document["head"] = {**head, "version": FINAL, "hash": hash_, "note": note}
    return document


def facts_changed(**values: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda d: edit_envelope(d, FINAL + 1, lambda e: e["public"]["table"][0].update(values))


TAMPERED: dict[str, tuple[Callable[[dict[str, Any]], Any], bool, set[str]]] = {
    "tail dropped": (lambda d: d["events"].__delitem__(slice(FINAL, None)), False, {"chain"}),
    "tail and its head dropped, the head of the match moved": (
        lambda d: d.update(newest=None, head=d["newest"]),
        False,
        {"end", "result"},
    ),
    "one decision dropped": (lambda d: d["events"].pop(), False, {"chain"}),
    "newest dropped": (lambda d: d.update(newest=None), False, {"chain"}),
    "newest of another signature": (lambda d: d["newest"].update(note=d["head"]["note"]), False, {"head"}),
    "newest of another time": (lambda d: d["newest"].update(time=7), False, {"head", "result"}),
    "decision changed": (facts_changed(decision="void"), False, {"chain"}),
    "a rejection that annuls, signed anew": (facts_changed(annulled=True), True, {"commands"}),
    "the same arbiter again, signed anew": (facts_changed(arbiter=ARBITER), True, {"commands"}),
    "by a seat, signed anew": (lambda d: edit_envelope(d, FINAL, lambda e: e.update(actor=0)), True, {"commands"}),
    "another type, signed anew": (lambda d: edit_envelope(d, FINAL, lambda e: e.update(type="end")), True, {"end"}),
    "a game fact behind the end, signed anew": (
        lambda d: edit_envelope(
            d, FINAL, lambda e: e["public"].update(game=[json.loads(d["events"][-3]["envelope"])["public"]["game"][0]])
        ),
        True,
        {"facts"},
    ),
}


@pytest.mark.parametrize("name", list(TAMPERED))
def test_a_tampered_tail_is_refused_with_the_right_finding(name: str) -> None:
    change, anew, expected = TAMPERED[name]
    document = json.loads(RECORD)
    change(document)
    if anew:
        document = signed_anew(resealed(document))
    report = verify(json.dumps(document).encode(), check_note=is_signed)
    assert not report.ok
    assert expected <= set(failures(report)), report.checks


def test_a_record_signed_anew_without_a_change_verifies() -> None:
    document = signed_anew(resealed(json.loads(RECORD)))
    assert verify(json.dumps(document).encode(), check_note=is_signed).ok


def test_an_older_record_without_the_tail_still_verifies() -> None:
    assert verify(match_of("hearts").record(), check_note=is_signed).ok
