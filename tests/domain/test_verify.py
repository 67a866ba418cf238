"""Records that verify, and a corpus of tampered ones that do not."""

import json
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from domain.record import RECORD_BYTES_MAX, Record, RecordHeader
from domain.registry import CURRENT
from domain.verify import RecordChecks, Report, verify
from service.records.signer import Signer
from service.verify.command import as_text
from service.verify.notes import is_signed
from tests.domain.matches import SECRET, SHORT, PlayedMatch, rechained, resealed


def report_on(document: Any) -> Report:
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    return verify(raw, check_note=is_signed)


def failures(report: Report) -> dict[str, int | None]:
    return {check.name: check.version for check in report.checks if check.status == "fail"}


@pytest.mark.parametrize("key", list(CURRENT))
@pytest.mark.parametrize("seed", [1, 2])
def test_the_record_of_a_match_verifies(key: str, seed: int) -> None:
    report = report_on(PlayedMatch(CURRENT[key], *SHORT[key], seed).record())
    assert report.ok, [check for check in report.checks if check.status != "pass"]


def test_a_record_is_the_same_bytes_every_time() -> None:
    first, second = (PlayedMatch(CURRENT["hearts"], *SHORT["hearts"], 3).record() for _ in range(2))
    assert first == second


def test_without_a_library_for_signatures_the_head_is_unchecked_and_the_record_does_not_pass() -> None:
    report = verify(RECORD)
    assert [check.name for check in report.checks if check.status != "pass"] == ["head"]
    assert not report.ok


MATCH = PlayedMatch(CURRENT["hearts"], *SHORT["hearts"], 4)
RECORD = MATCH.record()
DEAL = next(number for number, one in enumerate(MATCH.sealed) if one.event.type == "start")
PLAY = next(number for number, one in enumerate(MATCH.sealed) if one.event.type == "play")
PASS = next(number for number, one in enumerate(MATCH.sealed) if one.event.type == "pass")
LAST = len(MATCH.sealed) - 1


def fresh() -> dict[str, Any]:
    document: dict[str, Any] = json.loads(RECORD)
    return document


def edit_envelope(document: dict[str, Any], number: int, change: Callable[[dict[str, Any]], Any]) -> None:
    envelope = json.loads(document["events"][number]["envelope"])
    change(envelope)
    document["events"][number]["envelope"] = json.dumps(envelope, separators=(",", ":"))


def edit_part(document: dict[str, Any], number: int, part: int, change: Callable[[Any], Any]) -> None:
    parts = document["events"][number]["parts"]
    value = json.loads(parts[part])
    changed = change(value)
    parts[part] = json.dumps(value if changed is None else changed, separators=(",", ":"))


def swap_two_cards_of_the_deck(part: dict[str, Any]) -> None:
    order = part["facts"][0][1]["order"]
    order[0], order[1] = order[1], order[0]


def other_card(document: dict[str, Any]) -> None:
    """The play of another card than was played, in every place where it is said."""
    hand_card = "2C" if MATCH.sealed[PLAY].event.move.card != "2C" else "3C"
    edit_envelope(document, PLAY, lambda envelope: envelope["public"]["game"][0].update(card=hand_card))
    edit_part(document, PLAY, -1, lambda part: part["move"].update(card=hand_card))


def set_time(document: dict[str, Any], number: int, time: int) -> None:
    edit_envelope(document, number, lambda envelope: envelope.update(time=time))


def edited(change: Callable[[dict[str, Any]], Any], *, mend: Callable[[Any], Any] = lambda document: document) -> Any:
    document = fresh()
    change(document)
    return mend(document)


TAMPERED: dict[str, tuple[Callable[[], Any], set[str]]] = {
    # the document
    "empty": (lambda: b"", {"format"}),
    "not json": (lambda: b"{", {"format"}),
    "truncated": (lambda: RECORD[: len(RECORD) // 2], {"format"}),
    "no object": (lambda: b"[]", {"format"}),
    "deeply nested": (lambda: b'{"events":' + b"[" * 100_000, {"format"}),
    "deeply nested options": (
        lambda: RECORD.replace(b'"options":{', b'"options":{"x":' + b"[" * 50_000 + b"]" * 50_000 + b",", 1),
        {"format"},
    ),
    "another format": (lambda: edited(lambda d: d.update(format="blattwerk-record/9")), {"format"}),
    "unknown rules": (lambda: edited(lambda d: d.update(rules="skat/1")), {"format"}),
    "no events": (lambda: edited(lambda d: d.update(events=[])), {"format"}),
    "a field of another type": (lambda: edited(lambda d: d.update(seats=7)), {"format"}),
    "another table's id": (
        lambda: edited(lambda d: d.update(table="00000000-0000-4000-8000-000000000000")),
        {"chain"},
    ),
    # the header
    "another secret": (lambda: edited(lambda d: d.update(secret="00" * 32)), {"seals"}),
    "no secret": (lambda: edited(lambda d: d.update(secret="")), {"commitment"}),
    "another result": (lambda: edited(lambda d: d["result"]["totals"].reverse()), {"result"}),
    "other places": (lambda: edited(lambda d: d["result"].update(places=[1, 1, 1, 1])), {"result"}),
    "no result": (lambda: edited(lambda d: d.update(result=None)), {"result"}),
    "another player": (lambda: edited(lambda d: d["seats"][0].update(player="somebody")), {"result"}),
    "a seat less": (lambda: edited(lambda d: d["seats"].pop()), {"seals", "result"}),
    "other options": (lambda: edited(lambda d: d["options"].update(omnibus=False)), {"result"}),
    "another client seed": (lambda: edited(lambda d: d["client_seeds"].__setitem__(3, "11" * 32)), {"result"}),
    "another status": (lambda: edited(lambda d: d.update(status="closed")), {"result"}),
    "an option of another type": (lambda: edited(lambda d: d["options"].update(players=4.0)), {"result"}),
    "an option that is 1 for true": (lambda: edited(lambda d: d["options"].update(omnibus=1)), {"result"}),
    "a field that nobody checks": (lambda: edited(lambda d: d.update(winner="seat 0")), {"format"}),
    "such a field of an event": (lambda: edited(lambda d: d["events"][PLAY].update(comment="late")), {"format"}),
    "such a field of the result": (lambda: edited(lambda d: d["result"].update(moon=1)), {"format"}),
    "two results": (
        lambda: RECORD.replace(b'"result":', b'"result":{"totals":[0,0,0,0],"places":[1,1,1,1]},"result":', 1),
        {"format"},
    ),
    "an option twice": (lambda: RECORD.replace(b'"options":{', b'"options":{"omnibus":false,', 1), {"format"}),
    "an option twice, written in two ways": (
        lambda: RECORD.replace(b'"options":{', b'"options":{"omni\\u0062us":false,', 1),
        {"format"},
    ),
    "a UUID with its dashes elsewhere": (
        lambda: edited(lambda d: d.update(table=d["table"].replace("-", "") + "----")),
        {"format"},
    ),
    # the head
    "more behind the signature": (
        lambda: edited(lambda d: d["head"].update(note=d["head"]["note"] + "Annulled for cheating.\n")),
        {"head"},
    ),
    "forged signature": (
        lambda: edited(lambda d: d["head"].update(note=d["head"]["note"][:-8] + "AAAAAA=\n")),
        {"head"},
    ),
    "signed by another key": (
        lambda: edited(lambda d: d.update(key=d["key"][:-6] + "AAAAA=")),
        {"head"},
    ),
    "unsigned head": (lambda: edited(lambda d: d["head"].update(note="")), {"head"}),
    "head of another version": (lambda: edited(lambda d: d["head"].update(version=3)), {"chain", "head"}),
    "head of another hash": (lambda: edited(lambda d: d["head"].update(hash="00" * 32)), {"chain", "head"}),
    "head of another time": (lambda: edited(lambda d: d["head"].update(time=5)), {"head", "result"}),
    # events as they are
    "first event dropped": (lambda: edited(lambda d: d["events"].pop(0)), {"chain"}),
    "middle event dropped": (lambda: edited(lambda d: d["events"].pop(LAST // 2)), {"chain"}),
    "last event dropped": (lambda: edited(lambda d: d["events"].pop()), {"chain", "end"}),
    "last event twice": (lambda: edited(lambda d: d["events"].append(d["events"][-1])), {"chain", "end"}),
    "two events swapped": (
        lambda: edited(lambda d: d["events"].__setitem__(slice(7, 9), d["events"][7:9][::-1])),
        {"chain"},
    ),
    "envelope changed": (lambda: edited(lambda d: set_time(d, PLAY, 1_750_000_000_000)), {"chain"}),
    "envelope with blanks": (
        lambda: edited(
            lambda d: d["events"][PLAY].update(envelope=d["events"][PLAY]["envelope"].replace(",", ", ", 1)),
            mend=rechained,
        ),
        {"canonical"},
    ),
    "hash changed": (lambda: edited(lambda d: d["events"][PLAY].update(hash="00" * 32)), {"chain"}),
    "hash that is none": (lambda: edited(lambda d: d["events"][PLAY].update(hash="zz")), {"format"}),
    "hand of a seat changed": (
        lambda: edited(lambda d: edit_part(d, DEAL, 0, lambda part: part[0]["hand"].reverse())),
        {"seals"},
    ),
    "deck changed": (lambda: edited(lambda d: edit_part(d, DEAL, -1, swap_two_cards_of_the_deck)), {"seals"}),
    "part dropped": (lambda: edited(lambda d: d["events"][DEAL]["parts"].pop(0)), {"seals"}),
    "part that is no json": (lambda: edited(lambda d: d["events"][DEAL]["parts"].__setitem__(0, "{")), {"canonical"}),
    "envelope that is no json": (lambda: edited(lambda d: d["events"][PLAY].update(envelope="{")), {"canonical"}),
    "lone surrogate": (lambda: RECORD.replace(b'\\"type\\"', b'\\"\\ud800\\"', 1), {"format"}),
    "a format that is a list": (
        lambda: edited(lambda d: edit_envelope(d, PLAY, lambda e: e.update(format=[])), mend=resealed),
        {"canonical"},
    ),
    "a format that is an object": (
        lambda: edited(lambda d: edit_envelope(d, PLAY, lambda e: e.update(format={})), mend=resealed),
        {"canonical"},
    ),
    # chained anew, so that only the content can tell
    "first event dropped, chained anew": (
        lambda: edited(lambda d: d["events"].pop(0), mend=rechained),
        {"chain"},
    ),
    "last event dropped, chained anew": (lambda: edited(lambda d: d["events"].pop(), mend=rechained), {"end"}),
    "another card, chained anew": (lambda: edited(other_card, mend=rechained), {"seals"}),
    "another card, sealed anew": (lambda: edited(other_card, mend=resealed), {"moves"}),
    "another deck, sealed anew": (
        lambda: edited(lambda d: edit_part(d, DEAL, -1, swap_two_cards_of_the_deck), mend=resealed),
        {"shuffles"},
    ),
    "another hand told, sealed anew": (
        lambda: edited(lambda d: edit_part(d, DEAL, 0, lambda part: part[0]["hand"].reverse()), mend=resealed),
        {"facts"},
    ),
    "another decision, chained anew": (
        lambda: edited(lambda d: edit_envelope(d, PLAY, lambda e: e.update(decision=3)), mend=resealed),
        {"moves"},
    ),
    "another actor, chained anew": (
        lambda: edited(lambda d: edit_envelope(d, PASS, lambda e: e.update(actor=(e["actor"] + 1) % 4)), mend=resealed),
        {"moves"},
    ),
    "an actor who is none": (
        lambda: edited(lambda d: edit_envelope(d, PASS, lambda e: e.update(actor=99)), mend=resealed),
        {"moves"},
    ),
    "another command, chained anew": (
        lambda: edited(lambda d: edit_envelope(d, 1, lambda e: e.update(type="ready")), mend=resealed),
        {"commands"},
    ),
    "a move of another type": (
        lambda: edited(lambda d: edit_envelope(d, PLAY, lambda e: e.update(type="pass")), mend=resealed),
        {"moves"},
    ),
    "a decision that created the table": (
        lambda: edited(lambda d: edit_envelope(d, 0, lambda e: e.update(decision=3)), mend=resealed),
        {"commands"},
    ),
    "a seat that created the table": (
        lambda: edited(lambda d: edit_envelope(d, 0, lambda e: e.update(actor=2)), mend=resealed),
        {"commands"},
    ),
    "a seat that sat down on another": (
        lambda: edited(lambda d: edit_envelope(d, 1, lambda e: e.update(actor=10**25)), mend=resealed),
        {"commands"},
    ),
    "a decision that started the match": (
        lambda: edited(lambda d: edit_envelope(d, DEAL, lambda e: e.update(decision=3)), mend=resealed),
        {"commands"},
    ),
    "a move that created the table": (
        lambda: edited(
            lambda d: edit_part(d, 0, -1, lambda part: part.update(move={"type": "play", "card": "QS"})), mend=resealed
        ),
        {"moves"},
    ),
    "a client seed of another length": (
        lambda: edited(
            lambda d: edit_envelope(d, 2, lambda e: e["public"]["table"][0].update(client_seed="ab" * 31)),
            mend=resealed,
        ),
        {"commands"},
    ),
    "options in another order": (
        lambda: edited(
            lambda d: edit_envelope(
                d,
                0,
                lambda e: e["public"]["table"][0].update(
                    options=dict(reversed(e["public"]["table"][0]["options"].items()))
                ),
            ),
            mend=resealed,
        ),
        {"commands"},
    ),
    "time goes back, chained anew": (lambda: edited(lambda d: set_time(d, PLAY, 1), mend=resealed), {"clock"}),
    "another score, sealed anew": (
        lambda: edited(
            lambda d: edit_envelope(d, LAST, lambda e: e["public"]["game"][-1]["totals"].reverse()), mend=resealed
        ),
        {"facts"},
    ),
    "secret never revealed": (
        lambda: edited(lambda d: edit_envelope(d, LAST, lambda e: e["public"].pop("table")), mend=resealed),
        {"facts"},
    ),
    "another commitment, sealed anew": (
        lambda: edited(
            lambda d: edit_envelope(d, 0, lambda e: e["public"]["table"][0].update(commitment="00" * 32)),
            mend=resealed,
        ),
        {"commitment"},
    ),
    "options that cannot be": (
        lambda: edited(
            lambda d: edit_envelope(d, 0, lambda e: e["public"]["table"][0]["options"].update(moon_rule="none")),
            mend=resealed,
        ),
        {"commands"},
    ),
}


@pytest.mark.parametrize("name", list(TAMPERED))
def test_a_tampered_record_is_refused_with_the_right_finding(name: str) -> None:
    made, expected = TAMPERED[name]
    report = report_on(made())
    assert not report.ok
    assert expected <= set(failures(report)), report.checks


@pytest.mark.parametrize("events_at_once", [1, 10, 10_000])
@pytest.mark.parametrize("name", ["nothing", *TAMPERED])
def test_checks_in_pieces_find_the_same(name: str, events_at_once: int) -> None:
    document = RECORD if name == "nothing" else TAMPERED[name][0]()
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    whole = report_on(raw)
    if whole.rules is None:  # no record at all
        return
    record = msgspec.json.decode(raw, type=Record)
    header = RecordHeader(**{name: getattr(record, name) for name in RecordHeader.__struct_fields__})
    checks = RecordChecks(header, is_signed)
    checks.take((), len(raw))
    for start in range(0, len(record.events), events_at_once):
        checks.take(record.events[start : start + events_at_once], 0)
    assert checks.report() == whole


def test_a_record_too_long_to_be_read_does_not_pass() -> None:
    record = msgspec.json.decode(RECORD, type=Record)
    header = RecordHeader(**{name: getattr(record, name) for name in RecordHeader.__struct_fields__})
    for document_bytes, status in ((RECORD_BYTES_MAX, "pass"), (RECORD_BYTES_MAX + 1, "fail")):
        checks = RecordChecks(header, is_signed)
        checks.take(record.events, document_bytes)
        assert checks.report().checks[0].status == status


WRITTEN_OTHERWISE: dict[str, Callable[[], bytes]] = {
    "indented": lambda: json.dumps(json.loads(RECORD), indent=2).encode(),
    "in another order": lambda: json.dumps(
        {
            name: dict(reversed(value.items())) if isinstance(value, dict) else value
            for name, value in reversed(json.loads(RECORD).items())
        }
    ).encode(),
    "with escapes": lambda: RECORD.replace(b'"format"', b'"f\\u006frmat"', 1),
    "with blanks behind it": lambda: RECORD + b" \n\t\n",
}


@pytest.mark.parametrize("name", list(WRITTEN_OTHERWISE))
def test_a_true_record_verifies_however_its_json_is_written(name: str) -> None:
    report = report_on(WRITTEN_OTHERWISE[name]())
    assert report.ok, [check for check in report.checks if check.status != "pass"]


def test_a_match_made_up_by_somebody_else_does_not_pass_for_one_of_a_known_service() -> None:
    known = Signer(b"7" * 32, "records.test").verifier_key
    key = json.loads(RECORD)["key"]
    assert verify(RECORD, check_note=is_signed, key=key).ok
    assert set(failures(verify(RECORD, check_note=is_signed, key=known))) == {"head"}


def test_a_command_that_changed_nothing_was_not_recorded() -> None:
    match = PlayedMatch(CURRENT["romme"], *SHORT["romme"], 4)
    document = json.loads(match.record())
    envelope = json.loads(document["events"][0]["envelope"])
    begun = next(number for number, one in enumerate(match.sealed) if one.event.type == "start")
    empty = {**envelope, "version": begun + 1, "type": "options", "actor": 0, "public": {}}
    parts = [*["[]"] * match.state.setup.seats, "{}"]
    document["events"] = [
        *document["events"][:begun],
        {"envelope": json.dumps(empty, separators=(",", ":")), "parts": parts, "hash": ""},
    ]
    assert failures(report_on(resealed(document)))["commands"] == begun + 1


def test_a_reason_cannot_pass_for_a_line_of_the_report() -> None:
    evil = "x\nThe record verifies.\x1b[1A\u2028"
    shown = as_text(report_on(edited(lambda d: d.update({evil: 1}))))
    assert shown.isascii()
    assert "The record verifies." not in shown.splitlines()
    assert "\x1b" not in shown


def test_a_finding_names_the_version() -> None:
    assert failures(report_on(TAMPERED["another card, sealed anew"][0]()))["moves"] == PLAY + 1
    assert failures(report_on(TAMPERED["deck changed"][0]()))["seals"] == DEAL + 1


def test_an_illegal_move_is_reported_with_its_rule() -> None:
    (check,) = [c for c in report_on(TAMPERED["another card, sealed anew"][0]()).checks if c.name == "moves"]
    assert check.rule is not None
    assert check.rule.startswith("H-")


@pytest.mark.parametrize("field", list(json.loads(RECORD)))
def test_every_field_of_the_document_is_needed(field: str) -> None:
    document = fresh()
    if document.pop(field) is None:
        return
    assert not report_on(document).ok, field


@pytest.mark.parametrize("number", [0, DEAL, PASS, PLAY, LAST])
def test_no_single_byte_of_an_event_can_change(number: int) -> None:
    stored = fresh()["events"][number]["envelope"]
    for place in range(0, len(stored), 13):
        document = fresh()
        byte = "0" if stored[place] != "0" else "1"
        document["events"][number]["envelope"] = stored[:place] + byte + stored[place + 1 :]
        assert not report_on(document).ok, (number, place)


def test_a_huge_document_is_refused_unread() -> None:
    assert failures(verify(b" " * (64 * 2**20 + 1))) == {"format": None}


def test_the_secret_of_the_tests_is_the_one_in_the_record() -> None:
    assert msgspec.json.decode(RECORD)["secret"] == SECRET.hex()
