"""The checks of a table's events, one event after the other: nothing is kept of those that were checked."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from domain import fairness
from domain.codec import Codec, DamagedEventError, Event, codec_for
from domain.decider import ImpossibleFactError, Rejection
from domain.record import RecordEvent
from domain.table.fold import apply, begin
from domain.table.model import Facts, TableRefusal, TableState
from domain.verify.rejudge import WatchedChance, chance_of, is_outlined, rejudge, rejudge_creation
from domain.verify.report import UP_TO_A_VERSION, Check, Findings

_encode: Final = msgspec.json.Encoder().encode
_AFTER_THE_END: Final = ("adjudicate",)


class EventChecks:
    """Takes the events of a table in order, from the first one, and checks all that needs no end.

    An event that cannot be decoded ends all checks but that of the chain.
    """

    def __init__(
        self, table: str, rules: str, secret: bytes | None, findings: Findings, *, seats: int | None = None
    ) -> None:
        """Begin with the first event.

        Args:
            table: the table's id, a UUID.
            rules: a rules id that is registered here.
            secret: S of bw1; None if it is not known, so that neither seals nor commands are checked.
            findings: where the answers go.
            seats: how many seats every event has to have parts for; None: as many as the first one.
        """
        id_ = bytes.fromhex(table.replace("-", ""))
        self.taken = 0
        """How many events were taken."""
        self.linked = True
        """Whether each of them follows its predecessor."""
        self.readable = True
        """Whether each of them could be decoded."""
        self.last_hash = ""
        self.last_time = 0
        self._codec = codec_for(rules)
        self._findings = findings
        self._previous = fairness.genesis(id_, rules)
        self._ordered = True
        self._salts = None if secret is None else fairness.Salts(secret)
        self._sealed = self._salts is not None
        self._seats = seats
        self._replay = None if secret is None else _Replay(table, self._codec, id_, secret, findings)

    @property
    def state(self) -> TableState | None:
        """The state after all events; None if what was found, or the want of the secret, left it unknown."""
        return self._replay.state if self.readable and self._replay is not None else None

    @property
    def final(self) -> tuple[int, Event] | None:
        """The event that ended the match, and which one it is; None before."""
        return None if self._replay is None else self._replay.final

    def take(self, events: Iterable[RecordEvent]) -> None:
        """Check the events that follow those taken before."""
        for event in events:
            self._take(event)

    def finish(self) -> None:
        """Note as passed what was checked of all events and has not failed."""
        if not self.readable:
            return
        self._findings.passed("canonical")
        if self._ordered:
            self._findings.passed("clock")
        if self._sealed:
            self._findings.passed("seals")
        if self.state is not None:
            self._findings.passed("commands", "moves", "shuffles", "facts")

    def _take(self, stored: RecordEvent) -> None:
        self.taken += 1
        if self.linked:
            self.linked = self._follows(stored)
        self.last_hash = stored.hash
        event = self._decoded(stored) if self.readable else None
        if event is None:
            self.readable = False
            return
        if self._ordered and self.taken > 1 and event.time < self.last_time:
            self._findings.failed("clock", "the event is earlier than the one before", event.version)
            self._ordered = False
        self.last_time = event.time
        if self._salts is not None and self._sealed:
            self._sealed = self._opens(stored, event, self._salts)
        if self._replay is not None:
            self._replay.take(event, self.taken)

    def _follows(self, stored: RecordEvent) -> bool:
        """Whether an event follows its predecessor; a failure is reported."""
        self._previous = fairness.link(self._previous, stored.envelope.encode("utf-8", "replace"))
        if self._previous.hex() != stored.hash:
            self._findings.failed("chain", "the hash does not follow from the event and its predecessor", self.taken)
            return False
        if not self._codec.says_version(stored.envelope, self.taken):
            self._findings.failed("chain", "the event is not the one of this version", self.taken)
            return False
        return True

    def _decoded(self, stored: RecordEvent) -> Event | None:
        """Decode an event, whose bytes have to be canonical; None if it is none."""
        try:
            envelope, parts = stored.envelope.encode(), tuple(part.encode() for part in stored.parts)
            event = self._codec.decode(envelope, b"[" + b",".join(parts) + b"]")
            canonical = self._codec.is_canonical(event, envelope, parts)
        except (DamagedEventError, UnicodeEncodeError, IndexError) as error:
            self._findings.failed("canonical", f"not an event: {str(error)[:200]}", self.taken)
            return None
        if not canonical:
            self._findings.failed("canonical", "the bytes are not the canonical ones of what they say", self.taken)
        return event

    def _opens(self, stored: RecordEvent, event: Event, salts: fairness.Salts) -> bool:
        """Whether every seal of an event opens to its part; a failure is reported."""
        if self._seats is None:
            self._seats = len(event.seals) - 1
        if not len(event.seals) == len(stored.parts) == self._seats + 1:
            reason = "the number of seals is not that of the seats and the server"
            self._findings.failed("seals", reason, self.taken)
            return False
        viewers = (*range(self._seats), fairness.SERVER_VIEWER)
        for viewer, part, seal in zip(viewers, stored.parts, event.seals, strict=True):
            if fairness.seal(salts.salt(self.taken, viewer), part.encode()).hex() != seal:
                self._findings.failed("seals", f"the seal of viewer {viewer} does not open to its part", self.taken)
                return False
        return True


def checks_up_to(table: str, rules: str, secret: str, recorded: Iterable[RecordEvent]) -> tuple[Check, ...]:
    """Check the first events of a table, whether its match is over or not: all checks that need no end.

    `table` and `rules` have to be a UUID and a rules id that is registered here, `secret` is hex.
    """
    begun = BeginningChecks(table, rules, secret)
    begun.take(recorded)
    return begun.checks()


class BeginningChecks:
    """Checks the first events of a table as `checks_up_to` does, in pieces."""

    def __init__(self, table: str, rules: str, secret: str) -> None:
        self._findings = Findings(UP_TO_A_VERSION)
        self._events = EventChecks(table, rules, bytes.fromhex(secret), self._findings)

    def take(self, events: Iterable[RecordEvent]) -> None:
        """Check the events that follow those taken before."""
        self._events.take(events)

    def checks(self) -> tuple[Check, ...]:
        """Return the answers about all events that were taken."""
        if self._events.linked:
            self._findings.passed("chain")
        self._events.finish()
        return self._findings.all()


class _Replay:
    """Judges every command again and folds what was recorded."""

    def __init__(self, name: str, codec: Codec, table: bytes, secret: bytes, findings: Findings) -> None:
        self._name = name
        self._codec = codec
        self._game = codec.game
        self._table = table
        self._secret = secret
        self._findings = findings
        self._follows = True
        self.state: TableState | None = None
        """The state after all events; None before the first, and after the first that does not follow."""
        self.final: tuple[int, Event] | None = None
        """The event that ended the match, and which one it is."""

    def take(self, event: Event, version: int) -> None:
        """Judge the next event; the first that does not follow is reported, and none after it is judged."""
        if not self._follows:
            return
        if self.final is not None and (event.move is not None or event.type not in _AFTER_THE_END):
            self._findings.failed("end", "something was recorded after the end", version)
            self.state = None
        else:
            self.state = self._judged(event, version)
        self._follows = self.state is not None
        if self.state is not None and self.final is None and self.state.status in ("finished", "closed"):
            self.final = version, event

    def _judged(self, event: Event, version: int) -> TableState | None:
        try:
            return self._step(self.state, event, version)
        except (ImpossibleFactError, LookupError, ValueError, TypeError, AttributeError) as error:
            self._findings.failed("facts", f"the facts do not fit: {str(error)[:200]}", version)
            return None

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


def _tuples(fact: Any) -> list[tuple[Any, ...]]:
    values = [getattr(fact, name) for name in fact.__struct_fields__]
    return [value for value in values if isinstance(value, tuple)]
