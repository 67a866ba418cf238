"""Group commit: events that arrive while a commit runs are appended together by the next one.

There is no timer: an event that comes while nothing runs goes at once. A batch has at most one event of
each stream, one statement, one transaction, one flush of the disk, and each event its own result.

Where somebody holds a bucket, such as a forgotten transaction, the events of that bucket wait apart: the others
are appended without them, and it is looked again and again whether the bucket is free.

If the connection is lost, nobody knows whether the batch was committed. The same events are sent again
with the same command ids, and the log says which of them it has already.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import chain
from typing import Any, Final

import psycopg
from msgspec import Struct
from psycopg import AsyncConnection

from service.runtime.deadline import deadline_at
from service.store.connections import Backoff, is_damage, is_lost, sever
from service.store.database import Database
from service.store.encoding import Encoded, encode_guards, encode_row, encode_rows
from service.store.errors import (
    BrokenChainError,
    EventRefusedError,
    OutcomeUnknownError,
    StoreDamagedError,
    StoreSetupError,
    StoreUnavailableError,
)
from service.store.events import Appended, NewEvent, bucket_for
from service.store.queries import statements

BATCH_EVENTS_MAX: Final = 512
"""The most events in one commit."""
WAITING_EVENTS_MAX: Final = 20_000
"""The most events that may wait; more are turned away at once."""

_LOCKED_SECONDS: Final = 0.1
"""The pause between two looks whether locked buckets are free again."""
_LOOKS: Final = 20
"""How often within the timeout it is looked who has waited too long."""
_LATE: Final = "the log did not answer in time"
_SQL: Final = statements("committer")
_CONFLICT, _APPENDED, _PRESENT, _OUTDATED = 0, 1, 2, 4
_logger: Final = logging.getLogger(__name__)


class _Waiting(Struct, eq=False):
    """An event on its way, and who waits for it."""

    event: NewEvent
    row: bytes
    future: asyncio.Future[Appended]
    deadline: float
    in_doubt: bool = False
    """Whether it was sent and nobody knows what became of it."""
    lost: bool = False
    """Whether its connection was lost once while it was under way: it stays in doubt until there is an answer."""


class Committer:
    """Appends the events of one process, over a connection of its own.

    The connection is not of the pool: it is never idle for long, and its one statement stays prepared.
    There is nothing for pipeline mode to save, since a commit is a single statement.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._timeout = database.timeout_seconds
        self._connection: AsyncConnection[Any] | None = None
        self._abandoned: set[asyncio.Task[list[tuple[Any, ...]]]] = set()
        """Commits that gave no answer; each ends by itself and closes its connection."""
        self._row_type = 0
        self._guard_type = 0
        self._queue: list[_Waiting] = []
        self._batch: list[_Waiting] = []
        self._locked: set[int] = set()
        """Buckets that somebody else holds: their events wait in the queue."""
        self._locks_due = 0.0
        self._filled = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._deadlines: asyncio.TimerHandle | None = None
        self._unavailable_since: float | None = None
        self._closing = False

    async def open(self) -> None:
        """Connect and start. Errors as of `Database.connect`."""
        self._connection = await self._connect()
        self._task = asyncio.create_task(self._run(), name="committer")

    async def close(self) -> None:
        """Take no more events, finish those that wait, disconnect."""
        self._closing = True
        self._filled.set()
        if self._task is not None:
            await self._task
        if self._deadlines is not None:
            self._deadlines.cancel()
        await self._disconnect()

    def submit(self, event: NewEvent) -> asyncio.Future[Appended]:
        """Queue an event and return the future of its result, which raises as `Log.append` does."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        if self._closing or len(self._queue) >= WAITING_EVENTS_MAX or self._unavailable_for_long(now):
            raise StoreUnavailableError("the log accepts no events at the moment")
        future: asyncio.Future[Appended] = loop.create_future()
        self._queue.append(_Waiting(event, encode_row(event), future, deadline_at(self._timeout)))
        self._filled.set()
        if self._deadlines is None:
            self._deadlines = loop.call_later(self._timeout / _LOOKS, self._fail_the_late)
        return future

    @property
    def idle(self) -> bool:
        """Whether no batch is under way."""
        return not self._batch

    # what the task does

    async def _run(self) -> None:
        while self._queue or not self._closing:
            if not self._queue:
                self._filled.clear()
                await self._filled.wait()
            try:
                if self._locked:
                    await self._look_at_locks()
                self._batch = self._take()
                if self._batch:
                    await self._commit(self._batch)
                elif self._queue:  # for locked buckets alone
                    await self._wait_for_more()
            except Exception as error:  # a defect must not leave anybody waiting
                _logger.exception("the committer failed")
                _fail(self._batch, error)
                await self._disconnect()
            self._batch = []

    def _take(self) -> list[_Waiting]:
        """Take the next batch from the queue: the first event of each stream for which somebody still waits."""
        batch: dict[int, _Waiting] = {}
        later: list[_Waiting] = []
        for place, waiting in enumerate(self._queue):
            if waiting.future.done():
                continue
            held = self._locked and bucket_for(waiting.event) in self._locked
            if held or batch.setdefault(waiting.event.stream.int, waiting) is not waiting:
                later.append(waiting)
            elif len(batch) == BATCH_EVENTS_MAX:
                later += self._queue[place + 1 :]
                break
        self._queue = later
        return list(batch.values())

    async def _commit(self, batch: Sequence[_Waiting]) -> None:
        """Append a batch and tell everybody; returns when nobody waits any more.

        An event whose caller was told that the log does not answer is not sent again.
        """
        backoff = Backoff()
        while True:
            connection = self._connection or await self._reconnect()
            batch = [waiting for waiting in batch if not waiting.future.done()]
            if connection is None or not batch:
                return
            await self._database.keep_to_primary()
            try:
                results = await self._append(connection, batch)
            except psycopg.errors.LockNotAvailable:
                batch = await self._set_aside(connection, batch)
            except (psycopg.Error, TimeoutError) as error:
                if isinstance(error, TimeoutError) or is_lost(error):
                    for waiting in batch:
                        waiting.lost = True
                    self._note_unavailable(error)
                    await self._disconnect()
                    await backoff.pause()
                elif len(batch) == 1:
                    reason = f"{error.sqlstate}: {error.diag.message_primary}"
                    damaged = StoreDamagedError(reason, batch[0].event.stream)
                    _fail(batch, damaged if is_damage(error) else EventRefusedError(reason))
                    return
                else:
                    for waiting in batch:  # one of them is bad: the others must not suffer
                        await self._commit([waiting])
                    return
            else:
                for waiting, (status, position) in zip(batch, results, strict=True):
                    _settle(waiting, status, position)
                return

    # buckets that somebody holds

    async def _set_aside(self, connection: AsyncConnection[Any], batch: Sequence[_Waiting]) -> list[_Waiting]:
        """Put the events of locked buckets back into the queue; return the others. Nothing of the batch was done."""
        for waiting in batch:
            waiting.in_doubt = waiting.lost
        free = await self._unlocked(connection, {bucket_for(waiting.event) for waiting in batch})
        aside = [waiting for waiting in batch if bucket_for(waiting.event) not in free]
        if aside and not self._locked:
            _logger.warning("buckets of the log are locked by another transaction: their tables wait")
        self._locked |= {bucket_for(waiting.event) for waiting in aside}
        self._queue = aside + self._queue
        return [waiting for waiting in batch if bucket_for(waiting.event) in free]

    async def _look_at_locks(self) -> None:
        """Find out, now and then, which of the locked buckets are free again."""
        now = asyncio.get_running_loop().time()
        if now >= self._locks_due and self._connection is not None:
            self._locked -= await self._unlocked(self._connection, self._locked)
            self._locks_due = now + _LOCKED_SECONDS
            if not self._locked:
                _logger.warning("no bucket of the log is locked any more")

    async def _unlocked(self, connection: AsyncConnection[Any], buckets: set[int]) -> set[int]:
        """Return those that nobody holds; all of them if the connection is lost, which the next batch will find."""
        severing = asyncio.get_running_loop().call_later(self._timeout, sever, connection)
        try:
            cursor = await connection.execute(_SQL["unlocked"], (list(buckets),))
            return {bucket for (bucket,) in await cursor.fetchall()}
        except psycopg.Error:
            return set(buckets)
        finally:
            severing.cancel()

    async def _wait_for_more(self) -> None:
        """Wait for an event, or until it is time to look at the locks again."""
        self._filled.clear()
        with suppress(TimeoutError):
            async with asyncio.timeout(_LOCKED_SECONDS):
                await self._filled.wait()

    async def _append(
        self, connection: AsyncConnection[Any], batch: Sequence[_Waiting]
    ) -> list[tuple[int, int | None]]:
        """Return status and position of each event. TimeoutError if there is no answer in time."""
        guards = [
            (place, guard) for place, waiting in enumerate(batch, 1) if (guard := waiting.event.guard) is not None
        ]
        for waiting in batch:
            waiting.in_doubt = True
        rows = encode_rows([waiting.row for waiting in batch], self._row_type)
        execution = asyncio.create_task(_execute(connection, (rows, encode_guards(guards, self._guard_type))))
        await asyncio.wait([execution], timeout=self._timeout)
        if not execution.done():
            self._connection = None
            self._abandon(execution)
            raise TimeoutError("no answer in time")
        return execution.result()

    def _abandon(self, execution: asyncio.Task[list[tuple[Any, ...]]]) -> None:
        """End a commit that gives no answer, without waiting: psycopg may try for 10 s to cancel it at the server."""
        self._abandoned.add(execution)
        execution.add_done_callback(self._abandoned.discard)
        execution.add_done_callback(lambda ended: ended.cancelled() or ended.exception())  # nobody else asks for it
        execution.cancel()

    # the connection

    async def _connect(self) -> AsyncConnection[Any]:
        connection = await self._database.connect()
        try:
            await connection.execute(_SQL["limit_locks"])
            cursor = await connection.execute(_SQL["types"])
            ((self._row_type, self._guard_type),) = await cursor.fetchall()
        except psycopg.Error as error:
            await connection.close()
            if is_lost(error):
                raise StoreUnavailableError("the database does not answer") from error
            raise StoreSetupError("the database has no log; run the migrations") from error
        return connection

    async def _reconnect(self) -> AsyncConnection[Any] | None:
        """Connect again, however long it takes; None if this ends and nobody waits any more."""
        backoff = Backoff()
        while True:
            try:
                self._connection = await self._connect()
            except (StoreUnavailableError, StoreSetupError) as error:
                self._note_unavailable(error)
                if self._closing and all(waiting.future.done() for waiting in chain(self._batch, self._queue)):
                    return None
                await backoff.pause()
            else:
                self._note_available()
                return self._connection

    async def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()

    # while the database is unavailable

    def _note_unavailable(self, reason: Exception) -> None:
        if self._unavailable_since is None:
            self._unavailable_since = asyncio.get_running_loop().time()
            _logger.warning("the log is unavailable, trying again: %r", reason)

    def _note_available(self) -> None:
        if self._unavailable_since is not None:
            lasted = asyncio.get_running_loop().time() - self._unavailable_since
            _logger.warning("the log is available again after %.1f s", lasted)
            self._unavailable_since = None

    def _unavailable_for_long(self, now: float) -> bool:
        """Whether the database is unavailable for so long that nobody should wait for it."""
        return self._unavailable_since is not None and now - self._unavailable_since > self._timeout

    def _fail_the_late(self) -> None:
        """End the waiting of those who have waited too long; look again while anybody waits."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        waiting = list(chain(self._batch, self._queue))
        for late in waiting:
            if late.deadline <= now:
                _fail([late], (OutcomeUnknownError if late.in_doubt else StoreUnavailableError)(_LATE))
        self._deadlines = loop.call_later(self._timeout / _LOOKS, self._fail_the_late) if waiting else None


async def _execute(connection: AsyncConnection[Any], parameters: tuple[Encoded, Encoded]) -> list[tuple[Any, ...]]:
    """Append and return what became of each event. A connection on which this was cancelled is closed."""
    try:
        cursor = await connection.execute(_SQL["append"], parameters, binary=True)
        return await cursor.fetchall()
    except asyncio.CancelledError:
        await connection.close()
        raise


def _settle(waiting: _Waiting, status: int, position: int | None) -> None:
    """Tell the caller what became of its event."""
    if waiting.future.done():
        return
    version = waiting.event.expected + 1
    if status in (_APPENDED, _PRESENT):
        waiting.future.set_result(Appended(True, version, position))
    elif status in (_CONFLICT, _OUTDATED):
        waiting.future.set_result(Appended(False, version, None))
    else:
        waiting.future.set_exception(BrokenChainError(waiting.event.stream, version))


def _fail(batch: Iterable[_Waiting], error: Exception) -> None:
    for waiting in batch:
        if not waiting.future.done():
            waiting.future.set_exception(error)
