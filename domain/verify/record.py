"""The checks of a record, one by one. Whatever the document holds, the answer is a report."""

import base64
import binascii
from collections.abc import Iterable, Sequence
from typing import Final

import msgspec

from domain.codec import Event
from domain.record import (
    RECORD_BYTES_MAX,
    RECORD_EVENTS_MAX,
    RecordEvent,
    RecordHead,
    RecordHeader,
    RecordResult,
    RecordSeat,
    head_text,
)
from domain.table.model import SecretRevealed, TableState
from domain.transparency import Consistency
from domain.verify.document import decoded, same, unhex
from domain.verify.events import EventChecks
from domain.verify.inclusion import CheckNote, check_inclusion
from domain.verify.report import CHECKS, Findings, Report

_header: Final = msgspec.json.Decoder(RecordHeader)


def verify(
    document: bytes,
    *,
    check_note: CheckNote | None = None,
    key: str | None = None,
    checkpoint: str | None = None,
    consistency: Consistency | None = None,
) -> Report:
    """Check a record. Without `check_note` no signature is checked, and the report says so.

    Anybody can sign a record of his own with a key of his own: `key` is the C2SP verifier key that has to have
    signed it, if it is known from elsewhere.
    Its place in the transparency log is checked if the record says one, or a signed `checkpoint` is given;
    `consistency` leads from the record's tree to that of the checkpoint if they are of different sizes.
    """
    findings = _findings()
    if checkpoint is not None:
        findings.expect("inclusion")
    record = decoded(document, findings)
    if record is None:
        return Report(None, None, findings.all())
    checks = _RecordChecks(record, findings, check_note)
    checks.take(record.events)
    if key is not None and record.key != key:
        findings.failed("head", "the record is signed by another key")
    return checks.report(checkpoint, consistency)


class RecordChecks:
    """Checks a record as `verify` does, but in pieces, for the service that makes it: the document is never whole."""

    def __init__(self, header: RecordHeader, check_note: CheckNote) -> None:
        self._findings = _findings()
        # as the document says it: options, for one, are plain values there
        self._checks = _RecordChecks(_header.decode(msgspec.json.encode(header)), self._findings, check_note)
        self._events = 0
        self._bytes = 0

    def take(self, events: Sequence[RecordEvent], document_bytes: int) -> None:
        """Check the events that follow those taken before, which are so many bytes of the document."""
        self._events += len(events)
        self._bytes += document_bytes
        self._checks.take(events)

    def report(self) -> Report:
        """Return the answers about the whole record."""
        if not 1 <= self._events <= RECORD_EVENTS_MAX:
            self._findings.failed("format", f"a record has 1 to {RECORD_EVENTS_MAX} events")
        elif self._bytes > RECORD_BYTES_MAX:
            self._findings.failed("format", f"the document is larger than {RECORD_BYTES_MAX} bytes")
        else:
            self._findings.passed("format")
        return self._checks.report()


def _findings() -> Findings:
    return Findings(tuple(name for name in CHECKS if name != "inclusion"))


class _RecordChecks:
    """The checks behind the form of the document; its events come in pieces."""

    def __init__(self, record: RecordHeader, findings: Findings, check_note: CheckNote | None) -> None:
        self._record = record
        self._findings = findings
        self._check_note = check_note
        self._head_hash: str | None = None
        """The hash of the event that the head names."""
        secret = unhex(record.secret, 32)
        if secret is None:
            findings.failed("commitment", "the secret is not 32 bytes in hex")
        self._events = EventChecks(record.table, record.rules, secret, findings, seats=len(record.seats))
        if record.inclusion is not None:
            findings.expect("inclusion")

    def take(self, events: Iterable[RecordEvent]) -> None:
        for event in events:
            self._events.take((event,))
            if self._events.taken == self._record.head.version:
                self._head_hash = event.hash

    def report(self, checkpoint: str | None = None, consistency: Consistency | None = None) -> Report:
        record, findings, state = self._record, self._findings, self._events.state
        self._check_chain()
        for head in (record.head,) if record.newest is None else (record.head, record.newest):
            self._check_signed(head)
        self._events.finish()
        if state is not None:
            self._check_end(self._events.final)
            self._check_result(state, self._events.final)
        if record.inclusion is not None or checkpoint is not None:
            findings.add(check_inclusion(record, self._check_note, checkpoint, consistency))
        return Report(record.table, record.rules, findings.all())

    def _check_chain(self) -> None:
        if not self._events.linked:
            return  # which was reported
        record, taken = self._record, self._events.taken
        newest = record.newest or record.head
        if (newest.version, newest.hash) != (taken, self._events.last_hash):
            self._findings.failed("chain", "the head is not the end of the events", taken)
        elif record.newest is not None and not (record.head.version < taken and record.head.hash == self._head_hash):
            self._findings.failed("chain", "the head is not on the way to the newest one", taken)
        else:
            self._findings.passed("chain")

    def _check_signed(self, head: RecordHead) -> None:
        findings, key = self._findings, self._record.key
        raw = unhex(head.hash, 32)
        if raw is None:
            findings.failed("head", "the head's hash is not 32 bytes in hex")
            return
        origin, hash_ = key.partition("+")[0], base64.b64encode(raw).decode()
        text = head_text(origin, self._record.table, head.version, hash_, head.time)
        if not head.note.startswith(text + "\n"):
            findings.failed("head", "the signed text is not about this head", head.version)
        elif self._check_note is None:
            findings.unchecked("head", "no library for signatures is installed")
        else:
            try:
                signed = self._check_note(head.note, key)
            except (ValueError, binascii.Error):
                signed = False
            if signed:
                findings.passed("head")
            else:
                findings.failed("head", "the signature is not one of the key", head.version)

    def _check_end(self, final: tuple[int, Event] | None) -> None:
        if final is None:
            self._findings.failed("end", "the match is not over", self._events.taken)
            return
        version, event = final
        if SecretRevealed(self._record.secret) not in event.facts.table:
            self._findings.failed("end", "the last event does not reveal the secret", version)
        elif self._record.head.version != version:
            self._findings.failed("end", "the head is not that of the finished match", self._record.head.version)
        else:
            self._findings.passed("end")

    def _check_result(self, state: TableState, final: tuple[int, Event] | None) -> None:
        record, game, last_time = self._record, state.setup.game, self._events.last_time
        outcome = game.decider.outcome(state.game_state)
        options = game.views.options(state.game_state)
        derived = (
            state.status,
            tuple(RecordSeat(seat, one.kind, one.player) for seat, one in enumerate(state.seats)),
            tuple(one.seed for one in state.seats),
            None if outcome is None else RecordResult(outcome.totals, outcome.places),
            last_time if final is None else final[1].time,
            None if state.adjudications == () else last_time,
        )
        newest = None if record.newest is None else record.newest.time
        said = (record.status, record.seats, record.client_seeds, record.result, record.head.time, newest)
        if derived == said and same(msgspec.to_builtins(options), record.options):
            self._findings.passed("result")
        else:
            self._findings.failed("result", "seats, options, totals or places are not those that follow")
