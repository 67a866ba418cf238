"""Connections of the service: what is set on each of them, and a small pool for reads and single statements."""

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final

import psycopg
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from service.store.encoding import EncodedRow, EncodedRowDumper
from service.store.errors import StoreSetupError, StoreUnavailableError

SERVICE_ROLE: Final = "blattwerk_service"
"""What every connection of the service acts as: it may read the log and append to it, nothing else."""
UNAVAILABLE_TIMEOUT_SECONDS: Final = 5.0
"""How long a caller waits for a database that is away."""

_BACKOFF_SECONDS: Final = (0.02, 1.0)
"""First and longest pause between attempts."""
_DEFAULTS: Final = {
    "application_name": "blattwerk",
    "client_encoding": "UTF8",
    "connect_timeout": "5",
    "keepalives_idle": "10",
    "keepalives_interval": "3",
    "keepalives_count": "3",
    "tcp_user_timeout": "8000",
}
# `on` is the least that an acknowledged move needs; a stronger setting of the operator stays.
_SETUP: Final = f"""
set role {SERVICE_ROLE};
set search_path = public;
set timezone = 'UTC';
set jit = off;
set default_transaction_isolation = 'read committed';
set statement_timeout = '30s';
set idle_in_transaction_session_timeout = '10s';
select set_config('synchronous_commit', 'on', false)
where current_setting('synchronous_commit') in ('off', 'local', 'remote_write');
"""
_logger: Final = logging.getLogger(__name__)


class LostError(Exception):
    """The connection or the server failed under a statement: it may have been carried out or not."""


def conninfo(database_url: str) -> str:
    """Return the address with our defaults for what it leaves open."""
    given = {name: str(value) for name, value in conninfo_to_dict(database_url).items() if value is not None}
    return make_conninfo(**(_DEFAULTS | given))


async def connect(database_url: str) -> AsyncConnection[Any]:
    """Return a connection that acts as the service.

    Raises StoreUnavailableError if the database does not answer, StoreSetupError if it does but will
    not let the service in.
    """
    try:
        connection = await AsyncConnection.connect(conninfo(database_url), autocommit=True, prepare_threshold=0)
    except psycopg.OperationalError as error:
        raise StoreUnavailableError("the database does not answer") from error
    connection.adapters.register_dumper(EncodedRow, EncodedRowDumper)
    try:
        await connection.execute(_SETUP, prepare=False)
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidParameterValue) as error:
        await connection.close()
        raise StoreSetupError(f"the database user may not act as {SERVICE_ROLE}; run the migrations") from error
    except (psycopg.OperationalError, psycopg.InterfaceError) as error:
        await connection.close()
        raise StoreUnavailableError("the database does not answer") from error
    except BaseException:
        await connection.close()
        raise
    return connection


async def connect_within(database_url: str, seconds: float) -> AsyncConnection[Any]:
    """Like `connect`, but give the database so long to answer: it may be starting as well."""
    deadline, backoff = asyncio.get_running_loop().time() + seconds, Backoff()
    while True:
        try:
            return await connect(database_url)
        except StoreUnavailableError:
            if asyncio.get_running_loop().time() > deadline:
                raise
            await backoff.pause()


def is_loss(error: psycopg.Error) -> bool:
    """Whether a new attempt, perhaps on another connection, may heal it."""
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | psycopg.errors.ReadOnlySqlTransaction)


class Backoff:
    """Growing pauses between attempts."""

    def __init__(self) -> None:
        self._seconds = _BACKOFF_SECONDS[0]

    async def pause(self) -> None:
        """Wait, the next time for longer."""
        await asyncio.sleep(self._seconds)
        self._seconds = min(2 * self._seconds, _BACKOFF_SECONDS[1])


class Pool:
    """A few connections for statements that may be repeated without harm.

    Connections are made when they are needed and kept. A statement that was lost with its connection
    is sent again on another one until the patience is at its end.
    """

    def __init__(
        self, database_url: str, *, size: int = 4, timeout_seconds: float = UNAVAILABLE_TIMEOUT_SECONDS
    ) -> None:
        self._database_url = database_url
        self._room = asyncio.Semaphore(size)
        self._idle: list[AsyncConnection[Any]] = []
        self._patience = timeout_seconds
        self._closed = False
        self._away = False

    async def open(self) -> None:
        """Connect once, so that a wrong address or a missing right is told at the start."""
        self._idle.append(await connect_within(self._database_url, self._patience))

    async def close(self) -> None:
        """Close all connections; those in use are closed when they are given back."""
        self._closed = True
        while self._idle:
            await self._idle.pop().close()

    async def fetch(self, query: str, parameters: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        """Execute one statement that may be repeated, and return its rows.

        Raises StoreUnavailableError if the database is away for longer than the patience.
        """
        try:
            async with asyncio.timeout(self._patience):
                backoff = Backoff()
                while True:
                    try:
                        async with self._connection() as connection:
                            cursor = await connection.execute(query, parameters, binary=True)
                            rows = await cursor.fetchall() if cursor.description else []
                        self._note(None)
                        return rows
                    except (psycopg.Error, StoreUnavailableError) as error:
                        if isinstance(error, psycopg.Error) and not is_loss(error):
                            raise
                        self._note(error)
                        await backoff.pause()
        except TimeoutError as error:
            raise StoreUnavailableError("the database does not answer") from error

    def _note(self, failure: Exception | None) -> None:
        """Tell the operator when the database goes away and when it comes back, not about every statement."""
        if (failure is not None) != self._away:
            self._away = failure is not None
            _logger.warning("the database is %s", f"away, trying again: {failure!r}" if failure else "back")

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[AsyncConnection[Any]]:
        async with self._room:
            connection = self._idle.pop() if self._idle else await connect(self._database_url)
            try:
                yield connection
            finally:
                if self._closed or connection.closed:
                    await connection.close()
                else:
                    self._idle.append(connection)
