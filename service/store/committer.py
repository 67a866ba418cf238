"""Group commit: events that arrive while a commit runs are appended together by the next one.

There is no timer: an event that comes while nothing runs goes at once. A batch has at most one event of
each stream, one statement, one transaction, one flush of the disk, and each event its own result.

If the connection is lost, nobody knows whether the batch was committed. The same events are sent again
with the same command ids, and the log says which of them it has already.
"""

import asyncio
import logging
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final

import psycopg
from msgspec import Struct

from service.store.connections import UNAVAILABLE_TIMEOUT_SECONDS, Backoff, LostError, connect, is_loss
from service.store.encoding import encode_guards, encode_row, encode_rows
from service.store.errors import BrokenChainError, EventRefusedError, StoreSetupError, StoreUnavailableError
from service.store.events import Appended, NewEvent
from service.store.line import Line

BATCH_MOST: Final = 512
"""The most events in one commit."""
WAITING_MOST: Final = 20_000
"""The most events that may wait; more are turned away at once."""

_APPEND: Final = "select status, position from append_events($1, $2)"
_CONFLICT, _APPENDED, _PRESENT, _OUTDATED = 0, 1, 2, 4
_logger: Final = logging.getLogger(__name__)


class _Waiting(Struct, eq=False):
    """An event on its way, and who waits for it."""

    event: NewEvent
    row: bytes
    future: asyncio.Future[Appended]
    deadline: float


class Committer:
    """Appends the events of one process, over a connection of its own."""

    def __init__(self, database_url: str, *, timeout_seconds: float = UNAVAILABLE_TIMEOUT_SECONDS) -> None:
        self._database_url = database_url
        self._patience = timeout_seconds
        self._line: Line | None = None
        self._row_type = 0
        self._guard_type = 0
        self._queue: list[_Waiting] = []
        self._batch: list[_Waiting] = []
        self._filled = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._deadlines: asyncio.TimerHandle | None = None
        self._away_since: float | None = None
        self._closing = False

    async def open(self) -> None:
        """Connect and start. Errors as of `connect`."""
        self._line = await self._connect()
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
        """Hand an event over and return the future of its result, which raises as `Log.append` does."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        if self._closing or len(self._queue) >= WAITING_MOST or self._given_up(now):
            raise StoreUnavailableError("the log takes no events now")
        future: asyncio.Future[Appended] = loop.create_future()
        self._queue.append(_Waiting(event, encode_row(event), future, now + self._patience))
        self._filled.set()
        if self._deadlines is None:
            self._deadlines = loop.call_later(self._patience, self._tell_the_late)
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
            self._batch = self._take()
            try:
                await self._commit(self._batch)
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
            if batch.setdefault(waiting.event.stream.int, waiting) is not waiting:
                later.append(waiting)
            elif len(batch) == BATCH_MOST:
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
            try:
                line = self._line or await self._reconnect()
                if line is None:
                    return
                batch = [waiting for waiting in batch if not waiting.future.done()]
                if not batch:
                    return
                results = await line.execute(self._parameters(batch), self._patience)
            except LostError as error:
                self._note_away(error)
                await self._disconnect()
                await backoff.pause()
            except psycopg.Error as error:
                if len(batch) == 1:
                    _fail(batch, EventRefusedError(f"{error.sqlstate}: {error.diag.message_primary}"))
                    return
                for waiting in batch:  # one of them is bad: the others must not suffer
                    await self._commit([waiting])
                return
            else:
                for waiting, (status, position) in zip(batch, results, strict=True):
                    _settle(waiting, status, position)
                return

    def _parameters(self, batch: Sequence[_Waiting]) -> tuple[bytes, bytes]:
        guards = [
            (place, guard) for place, waiting in enumerate(batch, 1) if (guard := waiting.event.guard) is not None
        ]
        rows = encode_rows([waiting.row for waiting in batch], self._row_type)
        return rows, encode_guards(guards, self._guard_type)

    # the connection

    async def _connect(self) -> Line:
        connection = await connect(self._database_url)
        try:
            cursor = await connection.execute("select 'new_event'::regtype::oid, 'stream_guard'::regtype::oid")
            ((self._row_type, self._guard_type),) = await cursor.fetchall()
        except psycopg.Error as error:
            await connection.close()
            if is_loss(error):
                raise StoreUnavailableError("the database does not answer") from error
            raise StoreSetupError("the database has no log; run the migrations") from error
        line = Line(connection)
        try:
            await line.prepare(_APPEND, self._patience)
        except LostError as error:
            await line.close()
            raise StoreUnavailableError("the database does not answer") from error
        except BaseException:
            await line.close()
            raise
        return line

    async def _reconnect(self) -> Line | None:
        """Connect again, however long it takes; None if this ends and nobody waits any more."""
        backoff = Backoff()
        while True:
            try:
                self._line = await self._connect()
            except (StoreUnavailableError, StoreSetupError) as error:
                self._note_away(error)
                if self._closing and all(waiting.future.done() for waiting in chain(self._batch, self._queue)):
                    return None
                await backoff.pause()
            else:
                self._note_back()
                return self._line

    async def _disconnect(self) -> None:
        line, self._line = self._line, None
        if line is not None:
            await line.close()

    # patience

    def _note_away(self, reason: Exception) -> None:
        if self._away_since is None:
            self._away_since = asyncio.get_running_loop().time()
            _logger.warning("the log is away, trying again: %s", reason)

    def _note_back(self) -> None:
        if self._away_since is not None:
            _logger.warning("the log is back after %.1f s", asyncio.get_running_loop().time() - self._away_since)
            self._away_since = None

    def _given_up(self, now: float) -> bool:
        """Whether the database is away for so long that nobody should wait for it."""
        return self._away_since is not None and now - self._away_since > self._patience

    def _tell_the_late(self) -> None:
        """End the waiting of those who have waited too long; look again while anybody waits."""
        loop = asyncio.get_running_loop()
        now = loop.time()
        waiting = list(chain(self._batch, self._queue))
        _fail(
            (late for late in waiting if late.deadline <= now),
            StoreUnavailableError("the log did not answer in time"),
        )
        self._deadlines = loop.call_later(self._patience / 8, self._tell_the_late) if waiting else None


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
