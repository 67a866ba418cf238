"""The checks of a record, one by one. Whatever the document holds, the answer is a report."""

import base64
import binascii
from collections.abc import Callable
from itertools import pairwise
from typing import Any, Final

import msgspec

from domain import fairness
from domain.codec import FORMAT as EVENT_FORMAT
from domain.codec import Codec, DamagedEventError, Event, codec_for
from domain.decider import ImpossibleFactError, Rejection
from domain.record import FORMAT, MOST_BYTES, MOST_EVENTS, Record, RecordResult, RecordSeat, head_text
from domain.registry import GAMES
from domain.table.fold import apply, begin
from domain.table.model import Facts, SecretRevealed, TableRefusal, TableState
from domain.verify.rejudge import WatchedChance, chance_of, rejudge, rejudge_creation
from domain.verify.report import CHECKS, Findings, Report

CheckNote = Callable[[str, str], bool]
"""Whether a signed note is signed by a C2SP verifier key: (note, key) -> bool. ValueError if malformed."""
CheckInclusion = Callable[[Record], str | None]
"""None if the head is in the transparency log, else why not."""

_UUID_BYTES: Final = 16
_AFTER_THE_END: Final = ("adjudicate",)


def verify(
    document: bytes, *, check_note: CheckNote | None = None, check_inclusion: CheckInclusion | None = None
) -> Report:
    """Check a record. Without `check_note` the signature is not checked, and the report says so.

    Inclusion in the transparency log is checked only if asked for (`check_inclusion`).
    """
    names = tuple(name for name in CHECKS if name != "inclusion" or check_inclusion is not None)
    findings = Findings(names)
    record = _decoded(document, findings)
    if record is None:
        return Report(None, None, findings.all())
    codec = codec_for(record.rules)
    table = bytes.fromhex(record.table.replace("-", ""))
    events = _events(record, codec, findings)
    _check_chain(record, table, findings)
    _check_head(record, findings, check_note)
    secret = _secret(record, findings)
    if events is not None and secret is not None:
        _check_seals(record, events, secret, findings)
        _Replay(record, codec, table, secret, findings).run(events)
    _check_clock(events, findings)
    if check_inclusion is not None:
        reason = check_inclusion(record)
        if reason is None:
            findings.passed("inclusion")
        else:
            findings.failed("inclusion", reason)
    return Report(record.table, record.rules, findings.all())


# document


def _decoded(document: bytes, findings: Findings) -> Record | None:
    if len(document) > MOST_BYTES:
        findings.failed("format", f"the document is larger than {MOST_BYTES} bytes")
        return None
    try:
        record = msgspec.json.decode(document, type=Record)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        findings.failed("format", f"not a record: {str(error)[:200]}")
        return None
    problem = _format_problem(record)
    if problem:
        findings.failed("format", problem)
        return None
    findings.passed("format")
    return record


def _format_problem(record: Record) -> str | None:
    if record.format != FORMAT:
        return "the format is not known here"
    if record.rules not in GAMES:
        return "the rules version is not known here"
    if not record.events or len(record.events) > MOST_EVENTS:
        return f"a record has 1 to {MOST_EVENTS} events"
    if _unhex(record.table.replace("-", ""), _UUID_BYTES) is None or len(record.table) != 36:
        return "the table's id is no UUID"
    if any(_unhex(event.hash, 32) is None for event in record.events):
        return "a hash is not 32 bytes in hex"
    return None


def _events(record: Record, codec: Codec, findings: Findings) -> list[Event] | None:
    """Decode all events; None if one cannot be. Their bytes have to be canonical."""
    events: list[Event] = []
    for version, stored in enumerate(record.events, 1):
        envelope, parts = stored.envelope.encode(), tuple(part.encode() for part in stored.parts)
        try:
            event = codec.decode(envelope, b"[" + b",".join(parts) + b"]")
            again = codec.encode(event)
        except (DamagedEventError, UnicodeEncodeError, IndexError) as error:
            findings.failed("canonical", f"not an event: {str(error)[:200]}", version)
            return None
        if envelope.startswith(b'{"format":%d,' % EVENT_FORMAT) and again != (envelope, parts):
            findings.failed("canonical", "the bytes are not the canonical ones of what they say", version)
        events.append(event)
    findings.passed("canonical")
    return events


# chain and head


def _check_chain(record: Record, table: bytes, findings: Findings) -> None:
    previous = fairness.genesis(table, record.rules)
    for version, event in enumerate(record.events, 1):
        previous = fairness.link(previous, event.envelope.encode("utf-8", "replace"))
        if previous.hex() != event.hash:
            findings.failed("chain", "the hash does not follow from the event and its predecessor", version)
            return
        if not event.envelope.startswith(f'{{"format":{EVENT_FORMAT},"version":{version},'):
            findings.failed("chain", "the event is not the one of this version", version)
            return
    if (record.head.version, record.head.hash) != (len(record.events), previous.hex()):
        findings.failed("chain", "the head is not the end of the events", len(record.events))
        return
    findings.passed("chain")


def _check_head(record: Record, findings: Findings, check_note: CheckNote | None) -> None:
    origin = record.key.partition("+")[0]
    raw = _unhex(record.head.hash, 32)
    if raw is None:
        findings.failed("head", "the head's hash is not 32 bytes in hex")
        return
    text = head_text(origin, record.table, record.head.version, base64.b64encode(raw).decode(), record.head.time)
    if not record.head.note.startswith(text + "\n"):
        findings.failed("head", "the signed text is not about this head", record.head.version)
    elif check_note is None:
        findings.unchecked("head", "no library for signatures is installed")
    else:
        try:
            signed = check_note(record.head.note, record.key)
        except (ValueError, binascii.Error):
            signed = False
        if signed:
            findings.passed("head")
        else:
            findings.failed("head", "the signature is not one of the key", record.head.version)


# secret and seals


def _secret(record: Record, findings: Findings) -> bytes | None:
    secret = _unhex(record.secret, 32)
    if secret is None:
        findings.failed("commitment", "the secret is not 32 bytes in hex")
    return secret


def _check_seals(record: Record, events: list[Event], secret: bytes, findings: Findings) -> None:
    salts = fairness.Salts(secret)
    seats = len(record.seats)
    for version, (event, stored) in enumerate(zip(events, record.events, strict=True), 1):
        if not len(event.seals) == len(stored.parts) == seats + 1:
            findings.failed("seals", "the number of seals is not that of the seats and the server", version)
            return
        for viewer, part, seal in zip((*range(seats), fairness.SERVER_VIEWER), stored.parts, event.seals, strict=True):
            if fairness.seal(salts.salt(version, viewer), part.encode()).hex() != seal:
                findings.failed("seals", f"the seal of viewer {viewer} does not open to its part", version)
                return
    findings.passed("seals")


def _check_clock(events: list[Event] | None, findings: Findings) -> None:
    if events is None:
        return
    for before, after in pairwise(events):
        if after.time < before.time:
            findings.failed("clock", "the event is earlier than the one before", after.version)
            return
    findings.passed("clock")


# the match itself


class _Replay:
    """Judges every command again and folds what was recorded."""

    def __init__(self, record: Record, codec: Codec, table: bytes, secret: bytes, findings: Findings) -> None:
        self._record = record
        self._codec = codec
        self._game = codec.game
        self._table = table
        self._secret = secret
        self._findings = findings
        self._last_time = 0

    def run(self, events: list[Event]) -> None:
        state: TableState | None = None
        over = False
        for version, event in enumerate(events, 1):
            if over and event.type not in _AFTER_THE_END:
                self._findings.failed("end", "something was recorded after the end", version)
                return
            try:
                state = self._step(state, event, version)
            except (ImpossibleFactError, LookupError, ValueError, TypeError, AttributeError) as error:
                self._findings.failed("facts", f"the facts do not fit: {str(error)[:200]}", version)
                return
            if state is None:
                return
            over = over or state.status in ("finished", "closed")
        if state is None:
            return
        self._findings.passed("commands", "moves", "shuffles", "facts")
        self._last_time = events[-1].time
        self._check_end(state, events)
        self._check_result(state)

    def _step(self, state: TableState | None, event: Event, version: int) -> TableState | None:
        if state is None:
            return self._created(event)
        if event.type in _AFTER_THE_END:
            return apply(state, event.actor, event.facts)
        watched = WatchedChance(chance_of(state, self._table, self._secret))
        judged = rejudge(state, event, watched, self._secret.hex())
        if not isinstance(judged, Facts):
            self._refused(judged, event, version)
            return None
        if judged != event.facts:
            self._differs(watched, event, version)
            return None
        if not self._told_rightly(event):
            self._findings.failed("facts", "somebody was told something else than he may know", version)
            return None
        return apply(state, event.actor, event.facts)

    def _created(self, event: Event) -> TableState | None:
        judged = rejudge_creation(self._game, event.facts)
        if event.type != "create" or judged is None:
            self._findings.failed("commands", "the first event does not create a table", 1)
            return None
        if judged != event.facts:
            self._findings.failed("commands", "a table like this cannot be created", 1)
            return None
        state = begin(self._game, self._record.table, event.facts, event.time)
        if state.setup.commitment == fairness.commitment(self._table, self._secret).hex():
            self._findings.passed("commitment")
        else:
            self._findings.failed("commitment", "the secret is not the one that was committed to", 1)
        return state

    def _refused(self, judged: Any, event: Event, version: int) -> None:
        check = "commands" if event.move is None else "moves"
        if isinstance(judged, Rejection):
            self._findings.failed(check, judged.code, version, judged.rule)
        elif isinstance(judged, TableRefusal):
            self._findings.failed(check, judged.code, version)
        else:
            self._findings.failed(check, "the record does not say what was asked, or it cannot be asked", version)

    def _differs(self, watched: WatchedChance, event: Event, version: int) -> None:
        recorded = [value for fact in event.facts.game for value in _tuples(fact)]
        for order in watched.orders:
            if order not in recorded and any(sorted(order) == sorted(map(str, value)) for value in recorded):
                self._findings.failed("shuffles", "the order is not the one that the secret gives", version)
                return
        self._findings.failed("facts", "the rules derive other facts", version)

    def _told_rightly(self, event: Event) -> bool:
        game = self._game
        public = tuple(game.publish(fact) for fact in event.facts.game)
        private = tuple(
            tuple(told for fact in event.facts.game if (told := game.confide(fact, seat)) is not None)
            for seat in range(len(event.private))
        )
        return (public, private) == (event.public, event.private)

    def _check_end(self, state: TableState, events: list[Event]) -> None:
        last = [event for event in events if event.type not in _AFTER_THE_END][-1]
        revealed = SecretRevealed(self._secret.hex())
        if state.status not in ("finished", "closed"):
            self._findings.failed("end", "the match is not over", last.version)
        elif revealed not in last.facts.table:
            self._findings.failed("end", "the last event does not reveal the secret", last.version)
        else:
            self._findings.passed("end")

    def _check_result(self, state: TableState) -> None:
        record, game = self._record, self._game
        outcome = game.outcome(state.play)
        options = state.setup.options if game.lobby is None else game.lobby.options(state.play)
        derived = (
            state.status,
            msgspec.to_builtins(options),
            tuple(RecordSeat(seat, one.kind, one.player) for seat, one in enumerate(state.seats)),
            tuple(one.seed for one in state.seats),
            None if outcome is None else RecordResult(outcome.totals, outcome.places),
            self._last_time,
        )
        said = (record.status, record.options, record.seats, record.client_seeds, record.result, record.head.time)
        if derived == said:
            self._findings.passed("result")
        else:
            self._findings.failed("result", "seats, options, totals or places are not those that follow")


def _tuples(fact: Any) -> list[tuple[Any, ...]]:
    values = [getattr(fact, name) for name in fact.__struct_fields__]
    return [value for value in values if isinstance(value, tuple)]


def _unhex(text: str, length: int) -> bytes | None:
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        return None
    return raw if len(raw) == length and raw.hex() == text else None
