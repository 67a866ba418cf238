"""The database as one process sees it: one pool of connections, shared by all stores."""

import asyncio
import logging
import math
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, Protocol
from weakref import WeakKeyDictionary

import psycopg
from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from service.runtime.deadline import deadline_at, note_recorded
from service.store.connections import (
    CONNECT_OPTIONS,
    UNAVAILABLE_TIMEOUT_SECONDS,
    Backoff,
    Server,
    configure,
    connect,
    conninfo,
    is_damage,
    is_lost,
    sever,
    within,
)
from service.store.errors import LogOutdatedError, OutcomeUnknownError, StoreDamagedError, StoreUnavailableError

_RECONNECT_SECONDS: Final = 0.5
"""How long the pool tries by itself to replace a lost connection. It pauses longer and longer between its attempts;
after this time it gives up, and the next one who needs a connection lets it try at once."""
_SILENT_SECONDS: Final = 2.0
"""A connection that was silent for so long is taken for lost, and with it all others."""
_logger: Final = logging.getLogger(__name__)


class _Sparse(logging.Filter):
    """Lets one message through in ten seconds."""

    def __init__(self) -> None:
        super().__init__()
        self._quiet_until = 0.0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether the message is written."""
        passes = record.created >= self._quiet_until
        if passes:
            self._quiet_until = record.created + 10
        return passes


_SPARSE: Final = _Sparse()


class Primary(Protocol):
    """What knows which server is the primary: the one that takes writes and has everything that was acknowledged."""

    known_until: float
    """Until when, on the clock of the event loop, connections that were let in are known to lead to it."""

    async def admit(self, server: Server) -> None:
        """Return once a new connection to this server may be used. LogOutdatedError if it is not the primary."""
        ...

    async def renew(self) -> None:
        """Find out which server is the primary, and call `Database.leave` for those that are not any more."""
        ...


class _AnyServer:
    """Where nobody knows better, every server is the primary."""

    known_until = math.inf

    async def admit(self, server: Server) -> None:
        """Let every connection in."""

    async def renew(self) -> None:
        """Find out nothing."""


class Database:
    """The connections of one process. `open` before use, `close` at the end; it cannot be opened again.

    Connections are not checked before they are used: a statement that finds its connection lost is sent
    again anyway.
    """

    def __init__(
        self, database_url: str, *, connections: int = 8, timeout_seconds: float = UNAVAILABLE_TIMEOUT_SECONDS
    ) -> None:
        """Use at most so many connections, 2 or more: one is the committer's, the others are the pool's."""
        self.timeout_seconds = timeout_seconds
        """How long a caller waits for a database that is unavailable."""
        self.primary: Primary = _AnyServer()
        self._refused = False
        """Whether the server that was tried last is not the primary any more."""
        self._any_order = False
        """Whether hosts are tried in any order, since a server that takes writes turned out not to be the primary."""
        self._servers: WeakKeyDictionary[AsyncConnection[Any], Server] = WeakKeyDictionary()
        self._database_url = database_url
        self._pool: AsyncConnectionPool[AsyncConnection[Any]] = AsyncConnectionPool(
            lambda: conninfo(database_url, any_order=self._any_order),
            kwargs=CONNECT_OPTIONS,
            configure=self._set_up,
            min_size=1,
            max_size=connections - 1,
            timeout=_RECONNECT_SECONDS,
            reconnect_timeout=_RECONNECT_SECONDS,
            name="blattwerk",
            open=False,
        )
        self._unavailable = False
        logging.getLogger("psycopg.pool").addFilter(_SPARSE)  # warns of each attempt to connect that fails

    async def open(self) -> None:
        """Connect. StoreUnavailableError, LogOutdatedError or StoreSetupError if that cannot be."""
        connection = await within(self.timeout_seconds, self.connect)
        await connection.close()  # the pool would only log what is wrong
        await self._pool.open()

    async def close(self) -> None:
        """Finish what is under way and disconnect."""
        await self._pool.close()

    async def connect(self) -> AsyncConnection[Any]:
        """Return a connection for the caller alone, who closes it. Errors as of `open`, at the first failure."""
        return await connect(self._database_url, self._set_up, any_order=self._any_order)

    @property
    def outdated(self) -> bool:
        """Whether this process reaches only a server that is not the primary any more."""
        return self._refused and all(connection.closed for connection in self._servers)

    async def leave(self, system: str, timeline: int) -> None:
        """Cut the connections to servers on an earlier timeline of a cluster, with what is under way on them."""
        old = [
            connection
            for connection, server in self._servers.items()
            if server.system == system and server.timeline < timeline and not connection.closed
        ]
        for connection in old:
            del self._servers[connection]
            sever(connection)
        if old:
            await self._pool.drain()

    async def keep_to_primary(self) -> None:
        """Find out, if that is not known for sure any more, whether connections lead to the primary still."""
        if self.primary.known_until < asyncio.get_running_loop().time():
            await self.primary.renew()

    async def _set_up(self, connection: AsyncConnection[Any]) -> None:
        server = await configure(connection)
        try:
            await self.primary.admit(server)
        except BaseException as error:
            if isinstance(error, LogOutdatedError):
                self._refused = self._any_order = True
            await connection.close()
            raise
        self._refused = False
        self._servers[connection] = server

    async def fetch(self, query: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        """Execute one statement that may be repeated, and return its rows.

        A statement that was lost with its connection is sent again on another one. Raises StoreUnavailableError if
        the database is unavailable for longer than the timeout, or than the request has that asks, LogOutdatedError
        if there is a server, but not the primary, StoreDamagedError if it cannot read what it has stored.
        """
        return await self._execute(query, parameters, StoreUnavailableError)

    async def change(self, query: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        """Like `fetch`, for a statement that changes something: OutcomeUnknownError once it has been sent."""
        rows = await self._execute(query, parameters, OutcomeUnknownError)
        note_recorded()
        return rows

    async def _execute(
        self, query: str, parameters: Sequence[Any] | Mapping[str, Any], unanswered: type[StoreUnavailableError]
    ) -> list[tuple[Any, ...]]:
        """Execute a statement again and again; `unanswered` is raised if it was sent in vain until the deadline."""
        loop, backoff = asyncio.get_running_loop(), Backoff()
        deadline, error_type = deadline_at(self.timeout_seconds), StoreUnavailableError
        if self.primary.known_until < loop.time():
            await self.primary.renew()
        while (left := deadline - loop.time()) > 0:
            try:
                async with self._connection(min(left, _RECONNECT_SECONDS)) as connection:
                    sent, severing = loop.time(), loop.call_at(deadline, sever, connection)
                    try:
                        cursor = await connection.execute(query, parameters, binary=True)
                        rows = await cursor.fetchall() if cursor.description else []
                    except psycopg.errors.ReadOnlySqlTransaction:
                        await connection.close()  # no server to write to, whatever it was before
                        raise
                    finally:
                        severing.cancel()
            except PoolTimeout:
                if self.outdated:
                    break
                continue  # none was free yet; asking again lets the pool connect if it had given up
            except PoolClosed as error:
                raise StoreUnavailableError("the database was closed") from error
            except psycopg.errors.LockNotAvailable as error:
                raise StoreUnavailableError("what was asked for is locked") from error
            except psycopg.Error as error:
                if is_damage(error):
                    raise StoreDamagedError(f"{error.sqlstate}: {error.diag.message_primary}") from error
                if not is_lost(error):
                    raise
                error_type = unanswered
                if loop.time() < deadline or loop.time() - sent >= _SILENT_SECONDS:
                    await self._note_lost(error)
                await backoff.pause(deadline - loop.time())
            else:
                self._note_answer()
                return rows
        if self.outdated and error_type is StoreUnavailableError:
            raise LogOutdatedError
        raise error_type("the database does not answer")

    @asynccontextmanager
    async def _connection(self, seconds: float) -> AsyncIterator[AsyncConnection[Any]]:
        task = asyncio.current_task()
        cancellations = task.cancelling() if task else 0
        async with self._pool.connection(seconds) as connection:
            if task and task.cancelling() > cancellations:
                # lost on its way: before Python 3.12 asyncio.wait_for, by which the pool waits, may swallow one
                raise asyncio.CancelledError
            yield connection

    async def _note_lost(self, error: psycopg.Error) -> None:
        """Tell the operator when the database becomes unavailable, not about every statement."""
        if not self._unavailable:
            self._unavailable = True
            _logger.warning("the database is unavailable, trying again: %r", error)
            await self._pool.drain()  # the other connections most likely are lost as well

    def _note_answer(self) -> None:
        if self._unavailable:
            self._unavailable = False
            _logger.warning("the database is available again")
