"""Folding a table to any version in bounded time: from the nearest snapshot below it.

Snapshots are kept in memory (the ones used last) and in Redis (`projections.snapshots`). Neither is truth:
a snapshot is used only if the next event in the log is chained to its hash; any other one is dropped.
"""

from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final
from uuid import UUID

from msgspec import Struct

from domain.codec import Event
from domain.table.model import TableState
from projections.redis_connection import RedisUnavailableError
from projections.snapshot_store import SnapshotStore
from projections.snapshots import EVERY, Fold, opened, snapshot
from service.errors import DamagedStreamError, NotFoundError
from service.store.log import Log, StoredEvent
from service.tables.live_table import LiveTable, advanced, begun, codec_of, continued

_PAGE: Final = 1000
"""Events read at a time where many follow."""
_LAST: Final = 2**31 - 1
SNAPSHOTS_MAX: Final = 512
"""Snapshots that each process keeps in memory."""


class Step(Struct, frozen=True):
    """One event of a table and the state after it."""

    event: Event
    state: TableState


class Latest(Struct, frozen=True):
    """A table as the log has it now."""

    state: TableState
    hash: bytes
    time: int
    """When its last event was received, milliseconds since 1970 UTC."""


class Snapshots:
    """Snapshots of tables at chosen versions. One per process."""

    def __init__(self, log: Log, store: SnapshotStore, *, key: bytes, snapshots_max: int = SNAPSHOTS_MAX) -> None:
        self._log = log
        self._store = store
        self._key = key
        self._snapshots_max = snapshots_max
        self._kept: OrderedDict[tuple[UUID, int], Fold] = OrderedDict()

    async def at(self, stream: UUID, version: int) -> Step:
        """Return the event that made a version, which the log must have, and the state after it."""
        async for step in self.walk(stream, version, version):
            return step
        raise DamagedStreamError(str(stream), f"table {stream}: version {version} is missing")

    async def walk(self, stream: UUID, first: int, last: int) -> AsyncIterator[Step]:
        """Yield every step from version `first` to `last`; the log must have them.

        NotFoundError if the stream is not a table's, UnreadableError if it cannot be folded.
        """
        fold, rows = await self._start(stream, first - 1, last)
        state = None if fold is None else fold.state
        while rows:
            for row in rows:
                step = _step(stream, state, row)
                state = step.state
                if state.version >= first:
                    yield step
            if state is None or state.version >= last:
                return
            if state.version % EVERY == 0:
                await self._keep(stream, Fold(state, rows[-1].hash))
            rows = await self._log.read(stream, state.version, min(EVERY, last - state.version))

    async def latest(self, stream: UUID) -> Latest | None:
        """Return the table at its last version, None if the stream is not a table's.

        UnreadableError if it cannot be folded.
        """
        fold, rows = await self._resume(stream)
        if not rows or (fold is None and rows[0].type != "create"):
            return None
        state = _step(stream, None, rows[0]).state if fold is None else fold.state
        codec = codec_of(stream, state.setup.game.rules_id)
        passed: Fold | None = None
        last = rows[-1]
        rows = rows[1:]  # the first one made the table, or is the event that the fold ends with
        while rows:
            for row in rows:
                state, _ = advanced(state, codec, row)
                if state.version % EVERY == 0:
                    passed = Fold(state, row.hash)
            last = rows[-1]
            rows = await self._log.read(stream, last.version, _PAGE) if len(rows) >= _PAGE - 1 else []
        if passed is not None:
            await self._keep(stream, passed)
        return Latest(state, last.hash, last.time)

    async def _resume(self, stream: UUID) -> tuple[Fold | None, list[StoredEvent]]:
        """Return the latest snapshot that the log confirms, and the first events from the one that it ends with."""
        while True:
            kept = max((version for table, version in self._kept if table == stream), default=0)
            fold = self._kept[stream, kept] if kept else None
            with suppress(RedisUnavailableError):
                fold = await self._stored(stream, kept, _LAST) or fold
            if fold is None:
                return None, await self._log.read(stream, 0, _PAGE)
            version = fold.state.version
            rows = await self._log.read(stream, version - 1, _PAGE)
            if rows and rows[0].hash == fold.hash:
                return fold, rows
            await self._drop(stream, version)

    async def keep_if_due(self, table: LiveTable) -> None:
        """Keep a table in play as it is, if a snapshot is due at its version."""
        if table.state.version % EVERY == 0:
            await self._keep(table.stream, Fold(table.state, table.hash))

    async def _start(self, stream: UUID, before: int, last: int) -> tuple[Fold | None, list[StoredEvent]]:
        """Return the nearest snapshot at or below a version, and the first page of what follows it."""
        while True:
            fold = await self._nearest(stream, before)
            version = 0 if fold is None else fold.state.version
            rows = await self._log.read(stream, version, min(EVERY, last - version))
            if fold is None or (rows and rows[0].previous_hash == fold.hash):
                return fold, rows
            await self._drop(stream, version)
            before = version - 1

    async def _nearest(self, stream: UUID, before: int) -> Fold | None:
        base = before // EVERY * EVERY
        near = next((version for version in range(base, 0, -EVERY) if (stream, version) in self._kept), 0)
        if near < base:
            with suppress(RedisUnavailableError):
                stored = await self._stored(stream, near, base)
                if stored is not None:
                    return stored
        if near == 0:
            return None
        self._kept.move_to_end((stream, near))
        return self._kept[stream, near]

    async def _stored(self, stream: UUID, above: int, version_max: int) -> Fold | None:
        """Return the latest sound snapshot in Redis with a version in above+1 .. version_max."""
        table = str(stream)
        for version in sorted(await self._store.snapshots(table), reverse=True):
            if above < version <= version_max:
                content = await self._store.snapshot(table, version)
                fold = None if content is None else opened(content, table, version, self._key)
                if fold is not None:
                    self._remember(stream, fold)
                    return fold
                await self._store.drop_snapshot(table, version)
        return None

    async def _keep(self, stream: UUID, fold: Fold) -> None:
        self._remember(stream, fold)
        with suppress(RedisUnavailableError):
            await self._store.keep_snapshot(str(stream), fold.state.version, snapshot(fold, self._key))

    def _remember(self, stream: UUID, fold: Fold) -> None:
        self._kept[stream, fold.state.version] = fold
        self._kept.move_to_end((stream, fold.state.version))
        if len(self._kept) > self._snapshots_max:
            self._kept.popitem(last=False)

    async def _drop(self, stream: UUID, version: int) -> None:
        self._kept.pop((stream, version), None)
        with suppress(RedisUnavailableError):
            await self._store.drop_snapshot(str(stream), version)


def _step(stream: UUID, state: TableState | None, row: StoredEvent) -> Step:
    if state is None:
        if row.type != "create":
            raise NotFoundError("There is no such table, or it is not available to you.")
        return Step(*begun(stream, row))
    return Step(*continued(state, row))
