"""The tables that this process keeps in memory, at most so many."""

import asyncio
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Protocol
from uuid import UUID

from msgspec import structs

from domain.codec import DamagedEventError
from domain.decider import Seat
from domain.table.model import TableState
from projections.coalescer import Coalescer
from service.errors import DamagedStreamError, UnreadableError
from service.runtime.deadline import deadline_at, work_until
from service.store.errors import StoreDamagedError
from service.store.log import Log, StoredEvent, StreamEnd
from service.tables.interning import interned_cards
from service.tables.live_table import IMPOSSIBLE, LiveTable, codec_of, follow
from service.tables.private_streams import PrivateStreams
from service.tables.unreadable import UnreadableTables


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

    def __init__(self, log: Log, newest: Newest, tables_max: int, unreadable: UnreadableTables | None = None) -> None:
        self._log = log
        self._newest = newest
        self._tables_max = tables_max
        self._tables: OrderedDict[int, LiveTable] = OrderedDict()
        """By the number of their id: a UUID itself is hashed and compared by Python code."""
        self._loading: dict[UUID, asyncio.Task[LiveTable | None]] = {}
        self.unreadable = unreadable or UnreadableTables()
        self._ends: Coalescer[tuple[StreamEnd, float], list[StoredEvent]] = Coalescer(self._read_ends, requests_max=256)

    def __len__(self) -> int:
        return len(self._tables)

    def __iter__(self) -> Iterator[LiveTable]:
        return iter(list(self._tables.values()))

    async def get(self, stream: UUID) -> LiveTable | None:
        """Return the table as known here, folding it if it is new to this process; None if there is none.

        UnreadableError if it cannot be folded.
        """
        table = self.in_memory(stream)
        if table is not None:
            return table
        task = self._loading.get(stream)
        if task is None:
            task = self._loading[stream] = asyncio.create_task(self._load(stream))
            task.add_done_callback(lambda done: self._loaded(stream, done))
        return await asyncio.shield(task)

    def _loaded(self, stream: UUID, done: "asyncio.Task[LiveTable | None]") -> None:
        if self._loading.get(stream) is done:
            del self._loading[stream]

    def in_memory(self, stream: UUID) -> LiveTable | None:
        """Return the table only if it is in memory."""
        table = self._tables.get(stream.int)
        if table is not None:
            self._tables.move_to_end(stream.int)
        return table

    def put(self, table: LiveTable) -> None:
        """Keep a table; the one unused for longest gives way, unless a command runs on it."""
        self._tables[table.stream.int] = table
        self._tables.move_to_end(table.stream.int)
        if len(self._tables) > self._tables_max:
            for number, old in self._tables.items():
                if not old.lock.locked():
                    del self._tables[number]
                    break

    def drop(self, stream: UUID) -> None:
        """Forget a table, so that it is folded from the log again."""
        self._tables.pop(stream.int, None)

    def clear(self) -> None:
        """Forget all tables."""
        self._tables.clear()
        self._loading.clear()

    async def catch_up(self, table: LiveTable, private: Sequence[Seat] = ()) -> bool:
        """Fold what other processes recorded meanwhile; return whether there was anything.

        That is the table's events and those of the private streams of the seats in `private`, if the game has them.
        UnreadableError if they cannot be folded.
        """
        try:
            return await self._catch_up(table, private)
        except StoreDamagedError as error:
            raise self._damaged(table.stream, error) from error
        except UnreadableError as error:
            self.unreadable.note(error)
            raise

    def _damaged(self, stream: UUID, error: StoreDamagedError) -> DamagedStreamError:
        damaged = DamagedStreamError(str(stream), f"table {stream}: {error}")
        self.unreadable.note(damaged)
        return damaged

    async def _catch_up(self, table: LiveTable, private: Sequence[Seat]) -> bool:
        streams = table.private
        end, until = StreamEnd(table.stream, table.state.version, table.bucket), deadline_at()
        if streams is None or not private:
            return _follow(table, await self._ends.submit((end, until)))
        own = [streams.seats[seat] for seat in private]
        ends = [end, *[StreamEnd(one.stream, one.version, table.bucket) for one in own]]
        # asked at the same time, they share one statement
        rows, *private_rows = await asyncio.gather(*[self._ends.submit((each, until)) for each in ends])
        found = _follow(table, rows)
        for seat, missed in zip(private, private_rows, strict=True):
            found |= _follow_private(table, streams, seat, missed)
        return found

    async def catch_up_all(self, table: LiveTable) -> bool:
        """Fold what other processes recorded meanwhile, in the private streams of all seats too."""
        return await self.catch_up(table, range(table.state.setup.seats))

    async def close(self) -> None:
        """Wait until everybody who catches up now has done so."""
        await self._ends.close()

    async def _read_ends(self, asked: list[tuple[StreamEnd, float]]) -> list[list[StoredEvent] | Exception]:
        """Read with one statement what several tables ask for at the same time, each until its request's deadline.

        Damage stays with its table.
        """
        work_until(min(until for _, until in asked))
        try:
            return [*await self._log.read_ends([end for end, _ in asked])]
        except StoreDamagedError as error:
            return [error] if len(asked) == 1 else [(await self._read_ends([one]))[0] for one in asked]

    async def _load(self, stream: UUID) -> LiveTable | None:
        try:
            table = await self._read(stream)
        except StoreDamagedError as error:
            raise self._damaged(stream, error) from error
        except UnreadableError as error:
            self.unreadable.note(error)
            raise
        self.unreadable.forget(str(stream))
        return table

    async def _read(self, stream: UUID) -> LiveTable | None:
        latest = await self._newest.latest(stream)
        if latest is None:
            return None
        secret = await self._log.secret(stream)
        codec = codec_of(stream, latest.state.setup.game.rules_id)
        state = structs.replace(latest.state, game_state=interned_cards(latest.state.game_state))
        table = LiveTable(stream, codec, secret, state, latest.hash, latest.time)
        if table.private is not None:
            await self.catch_up_all(table)
        self.put(table)
        return table


def _follow(table: LiveTable, rows: Sequence[StoredEvent]) -> bool:
    missed = [row for row in rows if row.version > table.state.version]
    follow(table, missed)
    return bool(missed)


def _follow_private(table: LiveTable, streams: PrivateStreams, seat: Seat, rows: Sequence[StoredEvent]) -> bool:
    try:
        return streams.follow(seat, rows)
    except (DamagedEventError, *IMPOSSIBLE) as error:
        raise DamagedStreamError(table.id, f"table {table.id}, private stream of seat {seat}: {error}") from error
