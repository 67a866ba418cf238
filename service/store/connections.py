"""Connections of the service: how they are made, what is set on each of them, and which of their errors heal."""

import asyncio
import hashlib
import math
import os
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

import psycopg
from msgspec import Struct
from psycopg import AsyncConnection
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from service.runtime.deadline import REQUEST_SECONDS
from service.store.encoding import Encoded, EncodedDumper
from service.store.errors import StoreSetupError, StoreUnavailableError
from service.store.queries import statements

SERVICE_ROLE: Final = "blattwerk_service"
"""What every connection of the service acts as: it may read the log and append to it, nothing else."""
UNAVAILABLE_TIMEOUT_SECONDS: Final = REQUEST_SECONDS
"""How long a caller waits for a database that is unavailable."""
CONNECT_OPTIONS: Final[dict[str, Any]] = {"autocommit": True, "prepare_threshold": 0}
"""Arguments of `AsyncConnection.connect`: each statement is a transaction, and prepared when it is first executed."""

_BACKOFF_SECONDS: Final = (0.02, 1.0)
"""First and longest pause between attempts."""
_CONNECT_SECONDS: Final = 2
"""How long a host may take to connect: a third of what a request waits, and the least that psycopg allows."""
_DEFAULTS: Final = {
    "application_name": "blattwerk",
    "client_encoding": "UTF8",
    "target_session_attrs": "read-write",
    "connect_timeout": str(_CONNECT_SECONDS),
    "keepalives_idle": "10",
    "keepalives_interval": "3",
    "keepalives_count": "3",
    "tcp_user_timeout": "8000",
}
_SQL: Final = statements("connections")


class Server(Struct, frozen=True):
    """Which server a connection leads to. It stays the same: a server that takes writes begins no timeline."""

    system: str
    """The system identifier of the PostgreSQL cluster, which its standbys share."""
    database: str
    """The name of the database."""
    timeline: int
    """A new one begins with every promotion; 0 for a server that recovers."""

    @property
    def identity(self) -> str:
        """What tells this database from every other one: 16 hexadecimal digits."""
        return hashlib.sha256(f"{self.system} {self.database}".encode()).hexdigest()[:16]


def conninfo(database_url: str, *, any_order: bool = False) -> str:
    """Return the address with our defaults for what it leaves open; its hosts are tried in order or in any order."""
    given = {name: str(value) for name, value in conninfo_to_dict(database_url).items() if value is not None}
    return make_conninfo(**(_DEFAULTS | given | ({"load_balance_hosts": "random"} if any_order else {})))


async def connect(
    database_url: str,
    set_up: Callable[[AsyncConnection[Any]], Awaitable[object]] | None = None,
    *,
    any_order: bool = False,
) -> AsyncConnection[Any]:
    """Return a connection that acts as the service, by `set_up`. Errors as of `configure`, which it is otherwise."""
    try:
        connection = await AsyncConnection.connect(conninfo(database_url, any_order=any_order), **CONNECT_OPTIONS)
    except psycopg.OperationalError as error:
        raise StoreUnavailableError("the database does not answer") from error
    await (set_up or configure)(connection)
    return connection


async def within(seconds: float, connecting: Callable[[], Awaitable[AsyncConnection[Any]]]) -> AsyncConnection[Any]:
    """Connect again and again, and give the database so long to answer: it may be starting as well."""
    deadline, backoff = asyncio.get_running_loop().time() + seconds, Backoff()
    while True:
        try:
            return await connecting()
        except StoreUnavailableError:
            if asyncio.get_running_loop().time() > deadline:
                raise
            await backoff.pause()


async def configure(connection: AsyncConnection[Any]) -> Server:
    """Let a new connection act as the service, and return where it leads; if that fails, it is closed.

    Raises StoreUnavailableError if the database does not answer, StoreSetupError if it does but will not
    let the service in.
    """
    connection.adapters.register_dumper(Encoded, EncodedDumper)
    try:
        await connection.execute(_SQL["act_as_the_service"], prepare=False)
        cursor = await connection.execute(_SQL["server"], prepare=False)
        ((system, database, timeline),) = await cursor.fetchall()
    except (psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidParameterValue) as error:
        await connection.close()
        raise StoreSetupError(f"the database user may not act as {SERVICE_ROLE}; run the migrations") from error
    except psycopg.Error as error:
        await connection.close()
        if is_lost(error):
            raise StoreUnavailableError("the database does not answer") from error
        raise
    except BaseException:
        await connection.close()
        raise
    return Server(system, database, timeline)


def is_lost(error: psycopg.Error) -> bool:
    """Whether a statement failed with its connection or server: a new attempt may succeed.

    Nobody knows then whether it was carried out.
    """
    return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError | psycopg.errors.ReadOnlySqlTransaction)


def sever(connection: AsyncConnection[Any]) -> None:
    """Let whoever waits for a connection's answer fail at once, as if the server had closed it.

    A cancellation would ask the server first to end the statement, and wait for that.
    """
    with suppress(psycopg.OperationalError, OSError), socket.socket(fileno=os.dup(connection.fileno())) as shared:
        shared.shutdown(socket.SHUT_RDWR)


def is_damage(error: psycopg.Error) -> bool:
    """Whether a statement failed because what is stored cannot be read."""
    return isinstance(error, psycopg.errors.DataCorrupted | psycopg.errors.IndexCorrupted)


class Backoff:
    """Growing pauses between attempts."""

    def __init__(self) -> None:
        self._seconds = _BACKOFF_SECONDS[0]

    async def pause(self, seconds_max: float = math.inf) -> None:
        """Wait, the next time for longer."""
        await asyncio.sleep(min(self._seconds, seconds_max))
        self._seconds = min(2 * self._seconds, _BACKOFF_SECONDS[1])
