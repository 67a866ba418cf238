"""Tables in memory: the fold of a stream as far as this process knows it, and a bounded cache of them.

A process may be behind: another one may have appended. Nothing here is truth; an append behind a
wrong version is refused by the log, and `catch_up` folds what was missed.
"""

import asyncio
import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol
from uuid import UUID

from msgspec import Struct, structs

from domain import fairness
from domain.codec import Codec, Event, Happened, codec_for
from domain.decider import ImpossibleFactError
from domain.table.fold import apply, apply_judged, begin
from domain.table.model import Occupant, TableState
from projections.coalescer import Coalescer
from projections.table_view import Projection
from service.store.buckets import bucket_of
from service.store.log import Log, StoredEvent, StreamEnd
from service.tables.interning import interned_cards
from service.tables.private_streams import PrivateStreams

_JOIN_ALPHABET: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"


class DamagedStreamError(Exception):
    """A stream cannot be folded: names stream and version."""


class TableNames(Struct, frozen=True):
    """Public names of a table's people, while the same people sit there and none of them changes his."""

    seats: tuple[Occupant, ...]
    epoch: int
    by_player: Mapping[str, str]


class LiveTable:
    """One table as this process knows it. Commands on it run one after the other (`lock`)."""

    __slots__ = (
        "_chance",
        "bucket",
        "codec",
        "hash",
        "id",
        "lock",
        "names",
        "notes",
        "prepared",
        "projection",
        "salts",
        "secret",
        "state",
        "stream",
        "time",
    )

    def __init__(self, stream: UUID, codec: Codec, secret: bytes, state: TableState, hash_: bytes, time: int) -> None:
        self.id = str(stream)
        self.stream = stream
        self.bucket = bucket_of(stream)
        self.codec = codec
        self.secret = secret
        self.salts = fairness.Salts(secret)
        self.state = state
        self.hash = hash_
        self.time = time
        """When the last event was received; a later one is never recorded as earlier."""
        self.lock = asyncio.Lock()
        self.names: TableNames | None = None
        self.projection: Projection | None = None
        """What this process last wrote to Redis."""
        self.prepared: tuple[TableState, TableNames, Projection] | None = None
        """The state that is being recorded, and its projection with these names; made by `service.tables.views`."""
        self.notes: PrivateStreams | None = None
        """Private streams, where the game keeps some; made by `service.tables.private_streams.private_streams_of`."""
        self._chance: fairness.MatchChance | None = None

    @property
    def chance(self) -> fairness.MatchChance:
        """All randomness of the match; fixed once it has started."""
        if self._chance is not None:
            return self._chance
        seeds = [bytes.fromhex(seat.seed) if seat.seed else None for seat in self.state.seats]
        chance = fairness.MatchChance(
            fairness.match_key(self.stream.bytes, self.secret, self.codec.game.rules_id, seeds)
        )
        if self.state.status != "lobby":
            self._chance = chance
        return chance

    @property
    def join_code(self) -> str | None:
        """The code that lets people sit down at a private table."""
        return join_code(self.stream, self.secret) if self.state.setup.visibility == "private" else None

    def following(self, event: Event, game_state: Any = None) -> TableState:
        """Return the state after one more event; `game_state` is the game's, where judging the facts has made it."""
        if game_state is None:
            return _applied(self.state, event)
        return apply_judged(self.state, event.actor, event.facts, game_state)

    def take(self, state: TableState, hash_: bytes, time: int) -> None:
        """Go on to the state after an event that is recorded."""
        self.state = state
        self.hash = hash_
        self.time = time

    def advance(self, event: Event, hash_: bytes) -> None:
        """Fold one event that follows the version known so far."""
        self.take(self.following(event), hash_, event.time)


def join_code(stream: UUID, secret: bytes) -> str:
    """Return a private table's code: 16 characters, 80 bits, from its secret."""
    digest = hashlib.sha256(b"blattwerk/join\0" + stream.bytes + secret).digest()
    number = int.from_bytes(digest[:10], "big")
    return "".join(_JOIN_ALPHABET[number >> shift & 31] for shift in range(0, 80, 5))


def is_code(given: str | None, code: str | None) -> bool:
    """Whether a join code is the table's own; the time that this takes tells nothing of it."""
    return given is not None and code is not None and secrets.compare_digest(given.encode(), code.encode())


def fold(stream: UUID, secret: bytes, rows: Sequence[StoredEvent]) -> LiveTable:
    """Return the table that a whole stream (from version 1) folds to."""
    event, state = begun(stream, rows[0])
    table = LiveTable(stream, codec_for(rows[0].rules), secret, state, rows[0].hash, event.time)
    follow(table, rows[1:])
    return table


def begun(stream: UUID, row: StoredEvent) -> tuple[Event, TableState]:
    """Return the first event of a table and the state after it."""
    codec = codec_for(row.rules)
    try:
        event = codec.decode(row.envelope.encode(), row.sealed.encode())
        return event, begin(codec.game, str(stream), event.facts, event.time)
    except (ImpossibleFactError, ValueError) as error:
        raise DamagedStreamError(f"table {stream}, version 1: {error}") from error


def continued(state: TableState, row: StoredEvent) -> tuple[Event, TableState]:
    """Return the event that follows a state and the state after it."""
    if row.version != state.version + 1:
        raise DamagedStreamError(f"table {state.setup.table}: version {row.version} after {state.version}")
    event = codec_for(row.rules).decode(row.envelope.encode(), row.sealed.encode())
    return event, _applied(state, event)


def _applied(state: TableState, event: Event | Happened[Any]) -> TableState:
    try:
        return apply(state, event.actor, event.facts)
    except (ImpossibleFactError, LookupError, ValueError, TypeError, AttributeError) as error:
        raise DamagedStreamError(f"table {state.setup.table}, version {event.version}: {error}") from error


def advanced(state: TableState, codec: Codec, row: StoredEvent) -> tuple[TableState, int]:
    """Return the state after the row that follows `state`, and when the row was received."""
    if row.version != state.version + 1:
        raise DamagedStreamError(f"table {state.setup.table}: version {row.version} after {state.version}")
    happened = codec.happened(row.envelope, row.sealed, state.setup.seats)
    return _applied(state, happened), happened.time


def follow(table: LiveTable, rows: Sequence[StoredEvent]) -> None:
    """Fold the rows that come after the version the table is at."""
    for row in rows:
        table.state, table.time = advanced(table.state, table.codec, row)
        table.hash = row.hash


class FoldedTable(Protocol):
    """A table at some version, folded."""

    @property
    def state(self) -> TableState: ...
    @property
    def hash(self) -> bytes: ...
    @property
    def time(self) -> int: ...


class Newest(Protocol):
    """Where tables that are not in memory come from."""

    async def latest(self, stream: UUID) -> FoldedTable | None:
        """Return a table as the log has it now, None if there is none."""
        ...


class TableCache:
    """The tables used last; the rest is folded again when it is asked for."""

    def __init__(self, log: Log, newest: Newest, most: int) -> None:
        self._log = log
        self._newest = newest
        self._most = most
        self._tables: OrderedDict[int, LiveTable] = OrderedDict()
        """By the number of their id: a UUID itself is hashed and compared by Python code."""
        self._loading: dict[UUID, asyncio.Task[LiveTable | None]] = {}
        self._ends: Coalescer[StreamEnd, list[StoredEvent]] = Coalescer(self._read_ends, requests_max=256)

    def __len__(self) -> int:
        return len(self._tables)

    async def get(self, stream: UUID) -> LiveTable | None:
        """Return the table as known here, folding it if it is new to this process; None if there is none."""
        table = self.known(stream)
        if table is not None:
            return table
        task = self._loading.get(stream)
        if task is None:
            task = self._loading[stream] = asyncio.create_task(self._load(stream))
            task.add_done_callback(lambda _: self._loading.pop(stream, None))
        return await asyncio.shield(task)

    def known(self, stream: UUID) -> LiveTable | None:
        """Return the table only if it is in memory."""
        table = self._tables.get(stream.int)
        if table is not None:
            self._tables.move_to_end(stream.int)
        return table

    def put(self, table: LiveTable) -> None:
        """Keep a table; the one unused for longest gives way, unless a command runs on it."""
        self._tables[table.stream.int] = table
        self._tables.move_to_end(table.stream.int)
        if len(self._tables) > self._most:
            for number, old in self._tables.items():
                if not old.lock.locked():
                    del self._tables[number]
                    break

    def drop(self, stream: UUID) -> None:
        """Forget a table, so that it is folded from the log again."""
        self._tables.pop(stream.int, None)

    async def catch_up(self, table: LiveTable) -> bool:
        """Fold what others appended meanwhile; return whether there was anything."""
        rows = await self._ends.submit(StreamEnd(table.stream, table.state.version, bucket_of(table.stream)))
        missed = [row for row in rows if row.version > table.state.version]
        follow(table, missed)
        return bool(missed)

    async def close(self) -> None:
        """Wait until everybody who catches up now has done so."""
        await self._ends.close()

    async def _read_ends(self, ends: list[StreamEnd]) -> list[list[StoredEvent] | Exception]:
        """Read with one statement what several tables ask for at the same time."""
        return [*await self._log.read_ends(ends)]

    async def _load(self, stream: UUID) -> LiveTable | None:
        latest = await self._newest.latest(stream)
        if latest is None:
            return None
        secret = await self._log.secret(stream)
        codec = codec_for(latest.state.setup.game.rules_id)
        state = structs.replace(latest.state, game_state=interned_cards(latest.state.game_state))
        table = LiveTable(stream, codec, secret, state, latest.hash, latest.time)
        self.put(table)
        return table


def events_of(table: LiveTable, rows: Sequence[StoredEvent]) -> list[Event]:
    """Decode rows of a table's stream."""
    return [table.codec.decode(row.envelope.encode(), row.sealed.encode()) for row in rows]
