"""The database and the log as one process has them, open."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import psycopg

from service.store.connections import UNAVAILABLE_TIMEOUT_SECONDS
from service.store.database import Database
from service.store.log import Log


@asynccontextmanager
async def opened_database(
    database_url: str, *, connections: int = 8, timeout_seconds: float = UNAVAILABLE_TIMEOUT_SECONDS
) -> AsyncIterator[Database]:
    """The connections of one process."""
    database = Database(database_url, connections=connections, timeout_seconds=timeout_seconds)
    await database.open()
    try:
        yield database
    finally:
        await database.close()


@asynccontextmanager
async def opened_log(
    database_url: str, *, timeout_seconds: float = UNAVAILABLE_TIMEOUT_SECONDS, kind: type[Log] = Log
) -> AsyncIterator[Log]:
    """The log of one process."""
    async with opened_database(database_url, timeout_seconds=timeout_seconds) as database:
        log = kind(database)
        await log.open()
        try:
            yield log
        finally:
            await log.close()


@asynccontextmanager
async def opened_logs(database_url: str, count: int) -> AsyncIterator[list[Log]]:
    """The logs of several processes."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(opened_log(database_url)) for _ in range(count)]


def when_statistics_are_complete(connection: psycopg.Connection) -> None:
    """Return when the service's sessions have ended: what they counted is in the statistics then."""
    others = (
        "select count(*) from pg_stat_activity where datname = current_database() and application_name = 'blattwerk'"
    )
    while connection.execute(others).fetchone() != (0,):
        connection.execute("select pg_sleep(0.01)")
