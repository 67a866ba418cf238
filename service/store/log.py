"""The log: the only truth about tables. Events are appended behind a known version and never changed."""

import asyncio
from collections.abc import Mapping
from typing import Any, Final, TypeAlias
from uuid import UUID

from projections.coalescer import Coalescer
from service.store.buckets import bucket_of
from service.store.committer import Committer
from service.store.connections import UNAVAILABLE_TIMEOUT_SECONDS, Pool
from service.store.encoding import EncodedRow, encode_row
from service.store.errors import StoreError
from service.store.events import HEAD_COLUMNS, STORED_COLUMNS, Appended, FeedEnd, FeedHead, Guard, NewEvent, StoredEvent

__all__ = ["Appended", "FeedEnd", "FeedHead", "Guard", "Log", "NewEvent", "StoredEvent"]

_Span: TypeAlias = tuple[int, bytes, int]
"""Bucket, stream and the version after which to read."""

# Conditions and order name the index that has to serve them, whatever the statistics say.
_READ: Final = f"""
select {STORED_COLUMNS} from events
where bucket = %s and stream = %s and version > %s order by version limit %s"""  # noqa: S608 - columns of our own
_CATCH_UP: Final = f"""
select asked.ordinality, e.* from unnest(%s::smallint[], %s::uuid[], %s::integer[])
  with ordinality as asked (bucket, stream, after)
cross join lateral (
  select {STORED_COLUMNS} from events e
  where e.bucket = asked.bucket and e.stream = asked.stream and e.version > asked.after order by e.version
) e"""  # noqa: S608
_HEAD: Final = f"""
select {STORED_COLUMNS} from events where bucket = %s and stream = %s order by version desc limit 1"""  # noqa: S608
_ANSWER: Final = f"""
select {STORED_COLUMNS} from events
where bucket = %s and stream = %s and version > %s and actor = %s and decision is not null
order by version limit 1"""  # noqa: S608
_COMMAND: Final = f"""
select {STORED_COLUMNS} from events
where bucket = %s and stream = %s and version > 0 and command = %s order by version limit 1"""  # noqa: S608
_CREATED: Final = """
select (extract(epoch from received_at) * 1000)::bigint, stream from events
where type = 'create' and (received_at, stream) < (to_timestamp(%s::bigint / 1000.0), %s)
order by received_at desc, stream desc limit %s"""
_DISPUTED: Final = """
select (extract(epoch from received_at) * 1000)::bigint, stream, bucket from events
where type = 'dispute' and (received_at, stream) < (to_timestamp(%s::bigint / 1000.0), %s)
order by received_at desc, stream desc limit %s"""
_FEED: Final = f"""
select {STORED_COLUMNS} from events where bucket = %s and position > %s order by position limit %s"""  # noqa: S608
_FEED_HEADS: Final = f"""
select {HEAD_COLUMNS} from unnest(%s::smallint[], %s::bigint[]) as asked (part, after)
cross join lateral (
  select {HEAD_COLUMNS} from events e
  where e.bucket = asked.part and e.position > asked.after order by e.position limit %s
) e
order by bucket, position limit %s"""  # noqa: S608
# Inside JSON text a quotation mark is escaped, so this is found in the fact itself and nowhere else.
_FEED_ENDS: Final = """
select e.bucket, e.position, e.stream, e.version, e.type, strpos(e.envelope, '"type":"secret_revealed"') > 0
from unnest(%s::smallint[], %s::bigint[]) as asked (part, after)
cross join lateral (
  select bucket, position, stream, version, type, envelope from events e
  where e.bucket = asked.part and e.position > asked.after order by e.position limit %s
) e
order by e.bucket, e.position limit %s"""
_BUCKET_HEADS: Final = "select position from bucket_head order by bucket"
_SECRET: Final = "select secret from table_secret where bucket = %s and stream = %s"  # noqa: S105
_CREATE: Final = "select status from create_stream(%b, %s)"
_CHECKPOINT: Final = "select bucket, position from checkpoints where projection = %s and generation = %s"
_SAVE_CHECKPOINT: Final = """
insert into checkpoints (projection, generation, bucket, position)
select %s, %s, bucket, position from unnest(%s::smallint[], %s::bigint[]) as reached (bucket, position)
on conflict (projection, generation, bucket)
do update set position = greatest(checkpoints.position, excluded.position)"""

_NEWEST: Final = (253_402_300_799_999, UUID(int=2**128 - 1))
"""After every event: the last millisecond of the year 9999."""
_ALL: Final = 2**31 - 1


class Log:
    """Events by stream and by bucket. One per process; `open` before use, `close` at the end.

    Every method raises StoreUnavailableError if the database is away for longer than the patience. The
    bucket of a stream is its own unless `bucket` says otherwise.
    """

    def __init__(
        self, database_url: str, *, timeout_seconds: float = UNAVAILABLE_TIMEOUT_SECONDS, readers: int = 4
    ) -> None:
        self._committer = Committer(database_url, timeout_seconds=timeout_seconds)
        self._pool = Pool(database_url, size=readers, timeout_seconds=timeout_seconds)
        self._catch_up: Coalescer[_Span, list[StoredEvent]] = Coalescer(self._catch_up_together, requests_max=256)

    async def open(self) -> None:
        """Connect. StoreUnavailableError or StoreSetupError if that cannot be."""
        await self._pool.open()
        try:
            await self._committer.open()
        except StoreError:
            await self._pool.close()
            raise

    async def close(self) -> None:
        """Finish what is under way and disconnect."""
        await self._committer.close()
        await self._catch_up.close()
        await self._pool.close()

    async def ping(self) -> None:
        """Return if the database answers."""
        await self._pool.fetch("select 1")

    # writing

    async def append(self, event: NewEvent) -> Appended:
        """Record an event; it is on disk when this returns.

        Raises BrokenChainError if its predecessor is not in the log, EventRefusedError if PostgreSQL
        cannot hold it, ValueError if a field is out of range. After StoreUnavailableError it may be in
        the log or not; the same event may be appended again.
        """
        return await self._committer.submit(event)

    def submit(self, event: NewEvent) -> asyncio.Future[Appended]:
        """Begin to record an event and return the future of what `append` returns or raises."""
        return self._committer.submit(event)

    @property
    def idle(self) -> bool:
        """Whether no commit is under way: what is handed over now goes out as soon as the event loop turns."""
        return self._committer.idle

    async def create_stream(self, event: NewEvent, secret: bytes) -> bool:
        """Record the first event of a table together with its secret (32 bytes).

        Returns False, and writes nothing, if the stream exists already.
        """
        ((status,),) = await self._pool.fetch(_CREATE, (EncodedRow(encode_row(event)), secret))
        return status in (1, 2)

    # reading a stream

    async def read(
        self, stream: UUID, after: int = 0, limit: int | None = None, *, bucket: int | None = None
    ) -> list[StoredEvent]:
        """Return the events that follow a version, in order, at most `limit`."""
        part = bucket_of(stream) if bucket is None else bucket
        return await self._events(_READ, (part, stream, after, _ALL if limit is None else limit))

    async def catch_up(self, stream: UUID, after: int, *, bucket: int | None = None) -> list[StoredEvent]:
        """Return all events that follow a version, of which there are few or none.

        Whoever asks this at the same time shares one statement.
        """
        return await self._catch_up.submit((bucket_of(stream) if bucket is None else bucket, stream.bytes, after))

    async def head(self, stream: UUID, *, bucket: int | None = None) -> StoredEvent | None:
        """Return the last event of a stream, None if there is none."""
        rows = await self._events(_HEAD, (bucket_of(stream) if bucket is None else bucket, stream))
        return rows[0] if rows else None

    async def secret(self, stream: UUID) -> bytes:
        """Return a table's secret. StoreError if it has none."""
        rows = await self._pool.fetch(_SECRET, (bucket_of(stream), stream))
        if not rows:
            raise StoreError(f"stream {stream} has no secret")
        return bytes(rows[0][0])

    async def find_answer(self, stream: UUID, seat: int, decision: int) -> StoredEvent | None:
        """Return the event that answered a seat's decision, None if none did.

        A decision is numbered by the version at which it opened and a seat has one at a time: so the
        first decision that it answered after that version is this one, or this one was never answered.
        """
        if not 0 <= decision <= _ALL:
            return None
        rows = await self._events(_ANSWER, (bucket_of(stream), stream, decision, seat))
        return rows[0] if rows and rows[0].decision == decision else None

    async def find_command(self, stream: UUID, command: UUID, *, bucket: int | None = None) -> StoredEvent | None:
        """Return the event that recorded a command, None if there is none. Reads the stream from its start."""
        rows = await self._events(_COMMAND, (bucket_of(stream) if bucket is None else bucket, stream, command))
        return rows[0] if rows else None

    async def created(self, before: tuple[int, UUID] | None, limit: int) -> list[tuple[int, UUID]]:
        """Return when (ms since 1970 UTC) and under which id tables were created, newest first.

        `before` is the last one of the page before.
        """
        rows = await self._pool.fetch(_CREATED, (*(_NEWEST if before is None else before), limit))
        return [(time, stream) for time, stream in rows]

    async def disputed(self, before: tuple[int, UUID] | None, limit: int) -> list[tuple[int, UUID, int]]:
        """Return when disputes were opened, under which id and in which bucket, as `created` does for tables."""
        rows = await self._pool.fetch(_DISPUTED, (*(_NEWEST if before is None else before), limit))
        return [(time, stream, bucket) for time, stream, bucket in rows]

    # reading everything, bucket by bucket

    async def feed(self, bucket: int, after: int, limit: int) -> list[StoredEvent]:
        """Return events of a bucket behind a position, in order, without gaps."""
        return await self._events(_FEED, (bucket, after, limit))

    async def feed_heads(self, checkpoint: Mapping[int, int], limit: int) -> list[FeedHead]:
        """Return what follows a checkpoint (bucket -> position, 0 where it says nothing) in all buckets.

        Ordered by bucket and position, without gaps in any bucket, at most `limit`.
        """
        return [FeedHead(*row) for row in await self._feed(_FEED_HEADS, checkpoint, limit)]

    async def feed_ends(self, checkpoint: Mapping[int, int], limit: int) -> list[FeedEnd]:
        """Return the same events as `feed_heads`, with what tells the ends of matches."""
        return [FeedEnd(*row) for row in await self._feed(_FEED_ENDS, checkpoint, limit)]

    async def _feed(self, query: str, checkpoint: Mapping[int, int], limit: int) -> list[tuple[Any, ...]]:
        """Read on in the buckets in which there is something new.

        Of a reader that is far behind only so many are looked at as fill the answer: each of them is read
        up to the limit, whatever is left of that in the end.
        """
        buckets: list[int] = []
        waiting = 0
        for bucket, position in enumerate(await self.bucket_heads()):
            behind = position - checkpoint.get(bucket, 0)
            if behind > 0 and waiting < limit:
                buckets.append(bucket)
                waiting += behind
        if not buckets:
            return []
        positions = [checkpoint.get(bucket, 0) for bucket in buckets]
        return await self._pool.fetch(query, (buckets, positions, limit, limit))

    async def bucket_heads(self) -> list[int]:
        """Return the last position of every bucket, 0 where there is none."""
        return [position for (position,) in await self._pool.fetch(_BUCKET_HEADS)]

    async def checkpoint(self, projection: str, generation: int = 0) -> dict[int, int]:
        """Return how far a projection has read (bucket -> position); empty if it never has."""
        return dict(await self._pool.fetch(_CHECKPOINT, (projection, generation)))

    async def save_checkpoint(self, projection: str, reached: Mapping[int, int], generation: int = 0) -> None:
        """Note how far a projection has read. A checkpoint never moves back."""
        parameters = (projection, generation, list(reached), list(reached.values()))
        await self._pool.fetch(_SAVE_CHECKPOINT, parameters)

    async def _events(self, query: str, parameters: tuple[Any, ...]) -> list[StoredEvent]:
        return [StoredEvent(*row) for row in await self._pool.fetch(query, parameters)]

    async def _catch_up_together(self, spans: list[_Span]) -> list[list[StoredEvent] | Exception]:
        """Read the ends of many streams with one statement."""
        buckets, streams, versions = zip(*spans, strict=True)
        ids = [UUID(bytes=stream) for stream in streams]
        found: list[list[StoredEvent] | Exception] = []
        ends: list[list[StoredEvent]] = [[] for _ in spans]
        for number, *row in await self._pool.fetch(_CATCH_UP, (list(buckets), ids, list(versions))):
            ends[number - 1].append(StoredEvent(*row))
        for end in ends:
            end.sort(key=lambda event: event.version)
            found.append(end)
        return found
