"""The checks of a record, one by one. Whatever the document holds, the answer is a report."""

import base64
import binascii
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import msgspec

from domain import fairness
from domain.codec import Codec, DamagedEventError, Event, codec_for
from domain.decider import ImpossibleFactError, Rejection
from domain.record import (
    Record,
    RecordEvent,
    RecordHead,
    RecordResult,
    RecordSeat,
    head_text,
)
from domain.table.fold import apply, begin
from domain.table.model import Facts, SecretRevealed, TableRefusal, TableState
from domain.transparency import Consistency
from domain.verify.document import decoded, same, unhex
from domain.verify.inclusion import CheckNote, check_inclusion
from domain.verify.rejudge import WatchedChance, chance_of, is_outlined, rejudge, rejudge_creation
from domain.verify.report import CHECKS, UP_TO_A_VERSION, Check, Findings, Report

_encode: Final = msgspec.json.Encoder().encode
_AFTER_THE_END: Final = ("adjudicate",)


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
    findings = Findings(tuple(name for name in CHECKS if name != "inclusion"))
    if checkpoint is not None:
        findings.expect("inclusion")
    record = decoded(document, findings)
    if record is None:
        return Report(None, None, findings.all())
    if record.inclusion is not None:
        findings.expect("inclusion")
    codec = codec_for(record.rules)
    table = bytes.fromhex(record.table.replace("-", ""))
    events = _events(record.events, codec, findings)
    _check_chain(record, table, findings)
    _check_head(record, findings, check_note)
    if key is not None and record.key != key:
        findings.failed("head", "the record is signed by another key")
    secret = _secret(record, findings)
    if events is not None and secret is not None:
        _check_seals(record.events, len(record.seats), events, secret, findings)
        state = _Replay(record.table, codec, table, secret, findings).run(events)
        if state is not None:
            _check_end(record, state, events, findings)
            _check_result(record, state, events, findings)
    _check_clock(events, findings)
    if record.inclusion is not None or checkpoint is not None:
        findings.add(check_inclusion(record, check_note, checkpoint, consistency))
    return Report(record.table, record.rules, findings.all())


# events


def _events(recorded: Sequence[RecordEvent], codec: Codec, findings: Findings) -> list[Event] | None:
    """Decode all events; None if one cannot be. Their bytes have to be canonical."""
    events: list[Event] = []
    for version, stored in enumerate(recorded, 1):
        envelope, parts = stored.envelope.encode(), tuple(part.encode() for part in stored.parts)
        try:
            event = codec.decode(envelope, b"[" + b",".join(parts) + b"]")
            canonical = codec.is_canonical(event, envelope, parts)
        except (DamagedEventError, UnicodeEncodeError, IndexError) as error:
            findings.failed("canonical", f"not an event: {str(error)[:200]}", version)
            return None
        if not canonical:
            findings.failed("canonical", "the bytes are not the canonical ones of what they say", version)
        events.append(event)
    findings.passed("canonical")
    return events


# chain and head


def _check_chain(record: Record, table: bytes, findings: Findings) -> None:
    if not _linked(record.events, table, record.rules, findings):
        return
    newest, events = record.newest or record.head, record.events
    if (newest.version, newest.hash) != (len(events), events[-1].hash):
        findings.failed("chain", "the head is not the end of the events", len(events))
    elif record.newest is not None and not (
        1 <= record.head.version < len(events) and record.head.hash == events[record.head.version - 1].hash
    ):
        findings.failed("chain", "the head is not on the way to the newest one", len(events))
    else:
        findings.passed("chain")


def _linked(events: Sequence[RecordEvent], table: bytes, rules: str, findings: Findings) -> bool:
    """Whether every event follows its predecessor; a failure is reported."""
    previous, codec = fairness.genesis(table, rules), codec_for(rules)
    for version, event in enumerate(events, 1):
        previous = fairness.link(previous, event.envelope.encode("utf-8", "replace"))
        if previous.hex() != event.hash:
            findings.failed("chain", "the hash does not follow from the event and its predecessor", version)
            return False
        if not codec.says_version(event.envelope, version):
            findings.failed("chain", "the event is not the one of this version", version)
            return False
    return True


def _check_head(record: Record, findings: Findings, check_note: CheckNote | None) -> None:
    for head in (record.head,) if record.newest is None else (record.head, record.newest):
        _check_signed(record, head, findings, check_note)


def _check_signed(record: Record, head: RecordHead, findings: Findings, check_note: CheckNote | None) -> None:
    origin = record.key.partition("+")[0]
    raw = unhex(head.hash, 32)
    if raw is None:
        findings.failed("head", "the head's hash is not 32 bytes in hex")
        return
    text = head_text(origin, record.table, head.version, base64.b64encode(raw).decode(), head.time)
    if not head.note.startswith(text + "\n"):
        findings.failed("head", "the signed text is not about this head", head.version)
    elif check_note is None:
        findings.unchecked("head", "no library for signatures is installed")
    else:
        try:
            signed = check_note(head.note, record.key)
        except (ValueError, binascii.Error):
            signed = False
        if signed:
            findings.passed("head")
        else:
            findings.failed("head", "the signature is not one of the key", head.version)


# secret and seals


def _secret(record: Record, findings: Findings) -> bytes | None:
    secret = unhex(record.secret, 32)
    if secret is None:
        findings.failed("commitment", "the secret is not 32 bytes in hex")
    return secret


def _check_seals(
    recorded: Sequence[RecordEvent], seats: int, events: list[Event], secret: bytes, findings: Findings
) -> None:
    salts = fairness.Salts(secret)
    for version, (event, stored) in enumerate(zip(events, recorded, strict=True), 1):
        if not len(event.seals) == len(stored.parts) == seats + 1:
            findings.failed("seals", "the number of seals is not that of the seats and the server", version)
            return
        for viewer, part, seal in zip((*range(seats), fairness.SERVER_VIEWER), stored.parts, event.seals, strict=True):
            if fairness.seal(salts.salt(version, viewer), part.encode()).hex() != seal:
                findings.failed("seals", f"the seal of viewer {viewer} does not open to its part", version)
                return
    findings.passed("seals")


def checks_up_to(table: str, rules: str, secret: str, recorded: Sequence[RecordEvent]) -> tuple[Check, ...]:
    """Check the first events of a table, whether its match is over or not: all checks that need no end.

    `table` and `rules` have to be a UUID and a rules id that is registered here, `secret` is hex.
    """
    findings = Findings(UP_TO_A_VERSION)
    codec, id_ = codec_for(rules), bytes.fromhex(table.replace("-", ""))
    events = _events(recorded, codec, findings)
    if _linked(recorded, id_, rules, findings):
        findings.passed("chain")
    _check_clock(events, findings)
    if events is not None:
        _check_seals(recorded, len(events[0].seals) - 1, events, bytes.fromhex(secret), findings)
        _Replay(table, codec, id_, bytes.fromhex(secret), findings).run(events)
    return findings.all()


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

    def __init__(self, name: str, codec: Codec, table: bytes, secret: bytes, findings: Findings) -> None:
        self._name = name
        self._codec = codec
        self._game = codec.game
        self._table = table
        self._secret = secret
        self._findings = findings

    def run(self, events: list[Event]) -> TableState | None:
        """Return the state after all events; None after the first that does not follow, which is reported."""
        state: TableState | None = None
        over = False
        for version, event in enumerate(events, 1):
            if over and (event.move is not None or event.type not in _AFTER_THE_END):
                self._findings.failed("end", "something was recorded after the end", version)
                return None
            try:
                state = self._step(state, event, version)
            except (ImpossibleFactError, LookupError, ValueError, TypeError, AttributeError) as error:
                self._findings.failed("facts", f"the facts do not fit: {str(error)[:200]}", version)
                return None
            if state is None:
                return None
            over = over or state.status in ("finished", "closed")
        self._findings.passed("commands", "moves", "shuffles", "facts")
        return state

    def _step(self, state: TableState | None, event: Event, version: int) -> TableState | None:
        if not is_outlined(state, event):
            check = "commands" if event.move is None else "moves"
            self._findings.failed(check, "type, seat or decision are not those of the command", version)
            return None
        if state is None:
            return self._created(event)
        watched = WatchedChance(chance_of(state, self._table, self._secret))
        judged = rejudge(state, event, watched, self._secret.hex())
        if not isinstance(judged, Facts):
            self._refused(judged, event, version)
            return None
        if judged != event.facts:
            self._differs(watched, event, version)
            return None
        if not self._told_rightly(event):
            self._findings.failed("facts", "somebody was told something other than what they may know", version)
            return None
        return apply(state, event.actor, event.facts)

    def _created(self, event: Event) -> TableState | None:
        judged = rejudge_creation(self._game, event.facts)
        if event.type != "create" or judged is None:
            self._findings.failed("commands", "the first event does not create a table", 1)
            return None
        if judged != event.facts or _encode(judged) != _encode(event.facts):  # options have an order of their own
            self._findings.failed("commands", "a table like this cannot be created", 1)
            return None
        state = begin(self._game, self._name, event.facts, event.time)
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
        public = tuple(game.views.public_form(fact) for fact in event.facts.game)
        private = tuple(
            tuple(told for fact in event.facts.game if (told := game.views.private_form(fact, seat)) is not None)
            for seat in range(len(event.private))
        )
        return (public, private) == (event.public, event.private)


def _check_end(record: Record, state: TableState, events: list[Event], findings: Findings) -> None:
    final = state.final_version
    if final is None:
        findings.failed("end", "the match is not over", len(events))
    elif SecretRevealed(record.secret) not in events[final - 1].facts.table:
        findings.failed("end", "the last event does not reveal the secret", final)
    elif record.head.version != final:
        findings.failed("end", "the head is not that of the finished match", record.head.version)
    else:
        findings.passed("end")


def _check_result(record: Record, state: TableState, events: list[Event], findings: Findings) -> None:
    game = state.setup.game
    outcome = game.decider.outcome(state.game_state)
    options = msgspec.to_builtins(state.setup.options if game.lobby is None else game.lobby.options(state.game_state))
    derived = (
        state.status,
        tuple(RecordSeat(seat, one.kind, one.player) for seat, one in enumerate(state.seats)),
        tuple(one.seed for one in state.seats),
        None if outcome is None else RecordResult(outcome.totals, outcome.places),
        _time(events, state.final_version),
        None if state.adjudications == () else events[-1].time,
    )
    newest = None if record.newest is None else record.newest.time
    said = (record.status, record.seats, record.client_seeds, record.result, record.head.time, newest)
    if derived == said and same(options, record.options):
        findings.passed("result")
    else:
        findings.failed("result", "seats, options, totals or places are not those that follow")


def _time(events: list[Event], version: int | None) -> int:
    return events[-1 if version is None else version - 1].time


def _tuples(fact: Any) -> list[tuple[Any, ...]]:
    values = [getattr(fact, name) for name in fact.__struct_fields__]
    return [value for value in values if isinstance(value, tuple)]
