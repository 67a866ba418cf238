"""The log: the only truth about tables. Events are appended after a known version and never changed."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from service.store.buckets import BUCKETS, bucket_of
from service.store.committer import Committer
from service.store.connections import Server
from service.store.damage import read_around
from service.store.database import Database
from service.store.encoding import encode_row
from service.store.errors import LogOutdatedError, LogWentBackError, StoreDamagedError
from service.store.events import Appended, FeedEnd, FeedHead, Guard, NewEvent, StoredEvent, StreamEnd
from service.store.queries import statements

__all__ = ["Appended", "FeedEnd", "FeedHead", "Guard", "Log", "NewEvent", "StoredEvent", "StreamEnd"]

_SQL: Final = statements("log")
_NEWEST: Final = (253_402_300_799_999, UUID(int=2**128 - 1))
"""After every event: the last millisecond of the year 9999."""
_ALL: Final = 2**31 - 1
_NOBODY: Final = UUID(int=0)
"""Stands for the stream of an event that cannot be read."""


class Log:
    """Events by stream and by bucket. One per process; `open` before use, `close` at the end.

    Every method raises StoreUnavailableError if the database is unavailable for longer than the timeout, and
    StoreDamagedError if it cannot read the events of the stream that is asked for.
    The bucket of a stream is its own unless `bucket` says otherwise.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._committer = Committer(database)
        self.went_back = False
        """Whether the log lost what was signed about it: then LogWentBackError is raised instead of writing."""
        self.lacks_shown = False
        """Whether a table turned out to be newer in Redis or in memory than here; the watch of the log acts on it."""

    async def open(self) -> None:
        """Begin to take events. Errors as of `Database.connect`."""
        await self._committer.open()

    async def close(self) -> None:
        """Take no more events and finish what is under way; reading goes on until the database is closed."""
        await self._committer.close()

    async def identity(self) -> str:
        """Return what tells this database from every other one: 16 hexadecimal digits."""
        ((system, name),) = await self._database.fetch(_SQL["identity"])
        return Server(system, name, 0).identity

    async def ping(self) -> None:
        """Return if the database answers."""
        await self._database.fetch(_SQL["ping"])

    # writing

    def require_current(self) -> None:
        """LogOutdatedError while only a log can be reached that is older than what was acknowledged."""
        if self._database.outdated:
            raise LogOutdatedError

    def require_writable(self) -> None:
        """LogOutdatedError or LogWentBackError while nothing may be written."""
        self.require_current()
        if self.went_back:
            raise LogWentBackError

    async def append(self, event: NewEvent) -> Appended:
        """Record an event; it is on disk when this returns.

        Raises BrokenChainError if its predecessor is not in the log, EventRefusedError if PostgreSQL
        cannot hold it, ValueError if a field is out of range. After StoreUnavailableError it may be in
        the log or not; the same event may be appended again.
        """
        return await self.submit(event)

    def submit(self, event: NewEvent) -> asyncio.Future[Appended]:
        """Begin to record an event and return the future of what `append` returns or raises."""
        if self.went_back:  # whether the server is the primary is asked by each commit
            raise LogWentBackError
        return self._committer.submit(event)

    @property
    def idle(self) -> bool:
        """Whether no commit is under way: what is submitted now goes out as soon as the event loop turns."""
        return self._committer.idle

    async def create_stream(self, event: NewEvent, secret: bytes) -> bool:
        """Record the first event of a table together with its secret (32 bytes).

        Returns False, and writes nothing, if the stream exists already.
        """
        self.require_writable()
        ((status,),) = await self._database.change(_SQL["create_stream"], (encode_row(event), secret))
        return status in (1, 2)

    # reading a stream

    async def read(
        self, stream: UUID, after: int = 0, limit: int | None = None, *, bucket: int | None = None
    ) -> list[StoredEvent]:
        """Return the events that follow a version, in order, at most `limit`."""
        return await self._of_stream(_SQL["read"], stream, bucket, after, _ALL if limit is None else limit)

    async def read_ends(self, ends: Sequence[StreamEnd]) -> list[list[StoredEvent]]:
        """Return the events of many ends of streams, each in order, with one statement."""
        columns = ([end.bucket for end in ends], [end.stream for end in ends], [end.after for end in ends])
        found: list[list[StoredEvent]] = [[] for _ in ends]
        for number, *row in await self._database.fetch(_SQL["read_ends"], columns):
            found[number - 1].append(StoredEvent(*row))
        for events in found:
            events.sort(key=lambda event: event.version)
        return found

    async def find_last(self, stream: UUID, *, bucket: int | None = None) -> StoredEvent | None:
        """Return the last event of a stream, None if there is none."""
        rows = await self._of_stream(_SQL["find_last"], stream, bucket)
        return rows[0] if rows else None

    async def last_version(self, stream: UUID, *, bucket: int | None = None) -> int:
        """Return the version of the last event of a stream, 0 if there is none; one read of an index."""
        rows = await self._database.fetch(_SQL["last_version"], _key(stream, bucket))
        return int(rows[0][0]) if rows else 0

    async def last_versions(self, streams: Sequence[UUID]) -> dict[UUID, int]:
        """Return the versions of the last events of many streams, each in its own bucket; without damaged ones."""
        rows, _ = await read_around(self._last_versions, streams)
        return dict(rows)

    async def _last_versions(self, streams: Sequence[UUID]) -> list[tuple[Any, ...]]:
        return await self._database.fetch(_SQL["last_versions"], _keys(streams))

    async def closed(self, streams: Sequence[UUID]) -> set[UUID]:
        """Return those of these tables that everybody left, so that no match comes to an end there."""
        rows, _ = await read_around(self._closed, streams)
        return {stream for (stream,) in rows}

    async def _closed(self, streams: Sequence[UUID]) -> list[tuple[Any, ...]]:
        return await self._database.fetch(_SQL["closed"], _keys(streams))

    async def keep_private_stream(self, stream: UUID, table: UUID, seat: int) -> None:
        """Note whose private stream this is, before its first event: the feed does not tell. Repeatable."""
        self.require_writable()
        await self._database.fetch(_SQL["keep_private_stream"], (bucket_of(table), stream, table, seat))

    async def private_streams(self, heads: Sequence[FeedHead]) -> dict[UUID, tuple[UUID, int]]:
        """Return table and seat of those of these streams that are private ones."""
        if not heads:
            return {}
        columns = ([head.bucket for head in heads], [head.stream for head in heads])
        rows = await self._database.fetch(_SQL["private_streams"], columns)
        return {stream: (table, seat) for stream, table, seat in rows}

    async def secret(self, stream: UUID) -> bytes:
        """Return a table's secret. StoreDamagedError if it has none."""
        rows = await self._database.fetch(_SQL["secret"], _key(stream))
        if not rows:
            raise StoreDamagedError(f"stream {stream} has no secret", stream)
        return bytes(rows[0][0])

    async def is_public_and_over(self, stream: UUID) -> bool:
        """Whether a public match is over, and in the transparency log, which follows within seconds."""
        bucket, _ = _key(stream)
        ((found,),) = await self._database.fetch(_SQL["is_public_and_over"], {"bucket": bucket, "stream": stream})
        return bool(found)

    async def find_answer(self, stream: UUID, seat: int, decision: int) -> StoredEvent | None:
        """Return the event that answered a seat's decision, None if none did.

        A decision is numbered by the version at which it opened and a seat has one at a time: so the
        first decision that it answered after that version is this one, or this one was never answered.
        """
        if not 0 <= decision <= _ALL:
            return None
        rows = await self._of_stream(_SQL["find_answer"], stream, None, decision, seat)
        return rows[0] if rows and rows[0].decision == decision else None

    async def find_command(self, stream: UUID, command: UUID, *, bucket: int | None = None) -> StoredEvent | None:
        """Return the event that recorded a command, None if there is none. Reads the stream from its start."""
        rows = await self._of_stream(_SQL["find_command"], stream, bucket, command)
        return rows[0] if rows else None

    async def created(self, before: tuple[int, UUID] | None, limit: int) -> list[tuple[int, UUID]]:
        """Return when (ms since 1970 UTC) and under which id tables were created, newest first.

        `before` is the last one of the page before. Tables of which that cannot be read come last, with the time 0.
        """
        after = _NEWEST if before is None else before
        try:
            rows = await self._database.fetch(_SQL["created"], (*after, limit))
        except StoreDamagedError:
            rows = sorted([row for row in await self._created_one_by_one() if row < after], reverse=True)[:limit]
        return [(time, stream) for time, stream in rows]

    async def _created_one_by_one(self) -> list[tuple[Any, ...]]:
        tables = [stream for (stream,) in await self._database.fetch(_SQL["tables"])]
        rows, damaged = await read_around(self._created_of, tables)
        return [*rows, *[(0, stream) for stream in damaged]]

    async def _created_of(self, streams: Sequence[UUID]) -> list[tuple[Any, ...]]:
        return await self._database.fetch(_SQL["created_of"], _keys(streams))

    async def disputed(self, before: tuple[int, UUID] | None, limit: int) -> list[tuple[int, UUID, int]]:
        """Return when disputes were opened, under which id and in which bucket, as `created` does for tables."""
        rows = await self._database.fetch(_SQL["disputed"], (*(_NEWEST if before is None else before), limit))
        return [(time, stream, bucket) for time, stream, bucket in rows]

    # reading everything, bucket by bucket

    async def feed_heads(self, checkpoint: Mapping[int, int], limit: int) -> list[FeedHead]:
        """Return what follows a checkpoint (bucket -> position, 0 where it says nothing) in all buckets.

        Ordered by bucket and position, without gaps in any bucket, at most `limit`. Of events that cannot be read
        nothing is known but that: their version is 0.
        """
        rows = await self._feed(_SQL["feed_heads"], checkpoint, limit)
        return [FeedHead(*(row if len(row) > 2 else (*row, _NOBODY, 0, 0))) for row in rows]

    async def feed_ends(self, checkpoint: Mapping[int, int], limit: int) -> list[FeedEnd]:
        """Return the same events as `feed_heads`, with what tells the ends of matches."""
        rows = await self._feed(_SQL["feed_ends"], checkpoint, limit)
        return [FeedEnd(*(row if len(row) > 2 else (*row, _NOBODY, 0, "", False))) for row in rows]

    async def _feed(self, query: str, checkpoint: Mapping[int, int], limit: int) -> list[tuple[Any, ...]]:
        """Read on in the buckets in which there is something new.

        Of a reader that is far behind only so many are looked at as fill the answer: each of them is read
        up to the limit, whatever is left of that in the end. Of events that cannot be read there are bucket and
        position alone.
        """
        buckets: list[int] = []
        waiting = 0
        known = await self._bucket_heads()
        for bucket in range(BUCKETS):
            behind = known[bucket] - checkpoint.get(bucket, 0) if bucket in known else 1
            if behind > 0 and waiting < limit:
                buckets.append(bucket)
                waiting += behind
        if not buckets:
            return []
        return await self._feed_around(query, buckets, [checkpoint.get(bucket, 0) for bucket in buckets], limit)

    async def _feed_around(self, query: str, buckets: list[int], positions: list[int], limit: int) -> list[Any]:
        """Read so many events of some buckets; in halves where something cannot be read, which is passed over."""
        try:
            parameters = {"buckets": buckets, "positions": positions, "limit": limit}
            return await self._database.fetch(query, parameters)
        except StoreDamagedError:
            if len(buckets) == limit == 1:
                return [(buckets[0], positions[0] + 1)]
        rows: list[Any] = []
        if len(buckets) > 1:
            for bucket, position in zip(buckets, positions, strict=True):
                if len(rows) < limit:
                    rows += await self._feed_around(query, [bucket], [position], limit - len(rows))
            return rows
        rows += await self._feed_around(query, buckets, positions, half := limit // 2)
        if len(rows) == half:
            rows += await self._feed_around(query, buckets, [rows[-1][1]], limit - half)
        return rows

    async def bucket_heads(self) -> list[int]:
        """Return the last position of every bucket, 0 where there is none, or where it cannot be read."""
        known = await self._bucket_heads()
        return [known.get(bucket, 0) for bucket in range(BUCKETS)]

    async def _bucket_heads(self) -> dict[int, int]:
        """Return the last positions of those buckets of which they can be read."""
        rows, _ = await read_around(self._heads_of, range(BUCKETS))
        return dict(rows)

    async def _heads_of(self, buckets: Sequence[int]) -> list[tuple[Any, ...]]:
        return await self._database.fetch(_SQL["bucket_heads"], (list(buckets),))

    async def checkpoint(self, projection: str, generation: int = 0) -> dict[int, int]:
        """Return how far a projection has read (bucket -> position); empty if it never has."""
        return dict(await self._database.fetch(_SQL["checkpoint"], (projection, generation)))

    async def save_checkpoint(self, projection: str, reached: Mapping[int, int], generation: int = 0) -> None:
        """Note how far a projection has read. A checkpoint never moves back."""
        parameters = (projection, generation, list(reached), list(reached.values()))
        await self._database.fetch(_SQL["save_checkpoint"], parameters)

    async def _of_stream(self, query: str, stream: UUID, bucket: int | None, *more: Any) -> list[StoredEvent]:
        try:
            rows = await self._database.fetch(query, (*_key(stream, bucket), *more))
        except StoreDamagedError as error:
            raise StoreDamagedError(str(error), stream) from error
        return [StoredEvent(*row) for row in rows]


def _key(stream: UUID, bucket: int | None = None) -> tuple[int, UUID]:
    """Return what the keys of a stream's rows begin with."""
    return (bucket_of(stream) if bucket is None else bucket, stream)


def _keys(streams: Sequence[UUID]) -> tuple[list[int], list[UUID]]:
    """Return what the keys of many streams' rows begin with, as columns."""
    return [bucket_of(stream) for stream in streams], list(streams)
