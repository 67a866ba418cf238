"""A table in memory: the fold of its stream, and of its seats' private streams, as far as this process knows them.

A process may be late: another one may have appended meanwhile. Nothing here is truth; an append after a wrong
version is refused by the log, and `TableCache.catch_up` folds what was missed.
"""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from domain import fairness
from domain.codec import Codec, DamagedEventError, Event, Happened, codec_for
from domain.decider import ImpossibleFactError
from domain.table.fold import apply, begin
from domain.table.model import Occupant, TableState
from projections.table_view import Projection
from service.errors import DamagedStreamError, RulesUnknownError
from service.store.buckets import bucket_of
from service.store.log import StoredEvent
from service.tables.private_streams import private_streams_of
from service.tables.table_lock import TableLock

_JOIN_ALPHABET: Final = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"
IMPOSSIBLE: Final = (ImpossibleFactError, LookupError, ValueError, TypeError, AttributeError)
"""What a fold raises for facts that cannot have happened."""


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
        "join_code",
        "lock",
        "names",
        "private",
        "projected_ahead",
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
        self.join_code = join_code(stream, secret) if state.setup.visibility == "private" else None
        """The code that lets people sit down at a private table."""
        self.lock = TableLock()
        self.names: TableNames | None = None
        self.projection: Projection | None = None
        """What this process last wrote to Redis."""
        self.projected_ahead: tuple[TableState, TableNames, Projection] | None = None
        """The state that is being recorded, and its projection with these names; made by `service.tables.views`."""
        self.private = private_streams_of(stream, codec.game, state.setup.seats)
        """The seats' private streams, where the game has them."""
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

    def take(self, state: TableState, hash_: bytes, time: int) -> None:
        """Go on to the state after an event that is recorded."""
        self.state = state
        self.hash = hash_
        self.time = time

    def advance(self, event: Event, hash_: bytes) -> None:
        """Fold one event that follows the version known so far."""
        self.take(_applied(self.state, event), hash_, event.time)


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
    table = LiveTable(stream, codec_of(stream, rows[0].rules), secret, state, rows[0].hash, event.time)
    follow(table, rows[1:])
    return table


def begun(stream: UUID, row: StoredEvent) -> tuple[Event, TableState]:
    """Return the first event of a table and the state after it."""
    codec = codec_of(stream, row.rules)
    event = _decoded(codec, row)
    try:
        return event, begin(codec.game, str(stream), event.facts, event.time)
    except IMPOSSIBLE as error:
        raise _damaged(str(stream), 1, error) from error


def continued(state: TableState, row: StoredEvent) -> tuple[Event, TableState]:
    """Return the event that follows a state and the state after it."""
    if row.version != state.version + 1:
        raise _gap(state, row)
    event = _decoded(codec_of(row.stream, row.rules), row)
    return event, _applied(state, event)


def _applied(state: TableState, event: Event | Happened[Any]) -> TableState:
    try:
        return apply(state, event.actor, event.facts)
    except IMPOSSIBLE as error:
        raise _damaged(state.setup.table, event.version, error) from error


def advanced(state: TableState, codec: Codec, row: StoredEvent) -> tuple[TableState, int]:
    """Return the state after the row that follows `state`, and when the row was received."""
    if row.version != state.version + 1:
        raise _gap(state, row)
    try:
        happened = codec.happened(row.envelope, row.sealed, state.setup.seats)
    except DamagedEventError as error:
        raise _damaged(state.setup.table, row.version, error) from error
    return _applied(state, happened), happened.time


def follow(table: LiveTable, rows: Sequence[StoredEvent]) -> None:
    """Fold the rows that come after the version the table is at."""
    for row in rows:
        table.state, table.time = advanced(table.state, table.codec, row)
        table.hash = row.hash


def events_of(table: LiveTable, rows: Sequence[StoredEvent]) -> list[Event]:
    """Decode rows of a table's stream. DamagedStreamError at the first that is no event."""
    return [_decoded(table.codec, row) for row in rows]


def codec_of(stream: UUID, rules: str) -> Codec:
    """Return the codec of the rules that a stream is recorded under. RulesUnknownError if they are not ours."""
    try:
        return codec_for(rules)
    except KeyError:
        raise RulesUnknownError(str(stream), rules) from None


def _decoded(codec: Codec, row: StoredEvent) -> Event:
    try:
        return codec.decode(row.envelope.encode(), row.sealed.encode())
    except DamagedEventError as error:
        raise _damaged(str(row.stream), row.version, error) from error


def _gap(state: TableState, row: StoredEvent) -> DamagedStreamError:
    table = state.setup.table
    return DamagedStreamError(table, f"table {table}: version {row.version} after {state.version}")


def _damaged(table: str, version: int, error: Exception) -> DamagedStreamError:
    return DamagedStreamError(table, f"table {table}, version {version}: {error}")
