"""One pool for each process: bounded, configured, and healed when connections are lost."""

import asyncio
import logging
import time
from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from service.store.database import Database
from service.store.errors import StoreSetupError, StoreUnavailableError
from service.store.log import Log
from tests.service.store.opened import opened_database
from tests.service.store.proxy import proxied

KILL = """
select count(pg_terminate_backend(pid)) from pg_stat_activity
where application_name = 'blattwerk' and datname = current_database()"""


def sessions(database_url: str) -> int:
    """How many connections of the service there are."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        query = KILL.replace("pg_terminate_backend(pid)", "*")
        ((number,),) = connection.execute(query).fetchall()
    return int(number)


@pytest.mark.parametrize("connections", [2, 5, 8])
async def test_a_process_has_at_most_so_many_connections(database_url: str, connections: int) -> None:
    async with opened_database(database_url, connections=connections) as database:
        log = Log(database)
        await log.open()
        waiting = [asyncio.create_task(database.fetch("select pg_sleep(0.02)")) for _ in range(60)]
        seen = 0
        while not all(task.done() for task in waiting):
            seen = max(seen, await asyncio.to_thread(sessions, database_url))
            await asyncio.sleep(0.01)
        await asyncio.gather(*waiting)
        await log.close()
    assert seen == connections


async def test_each_connection_acts_as_the_service(database_url: str) -> None:
    names = ("role", "search_path", "timezone", "jit", "statement_timeout", "synchronous_commit")
    query = "select " + ", ".join(f"current_setting('{name}')" for name in names)
    async with opened_database(database_url) as database:
        rows = await asyncio.gather(*(database.fetch(f"{query}, pg_sleep(0.05)::text") for _ in range(7)))
    assert {row[0][:-1] for row in rows} == {("blattwerk_service", "public", "UTC", "off", "30s", "on")}


async def test_a_weaker_commit_is_not_taken_and_a_stronger_one_stays(database_url: str) -> None:
    for given, kept in (("off", "on"), ("local", "on"), ("remote_apply", "remote_apply")):
        url = psycopg.conninfo.make_conninfo(database_url, options=f"-c synchronous_commit={given}")
        async with opened_database(url) as database:
            assert await database.fetch("select current_setting('synchronous_commit')") == [(kept,)]


async def test_all_idle_connections_lost_at_once_cost_one_retry(
    database_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened_database(database_url) as database:
        await asyncio.gather(*(database.fetch("select pg_sleep(0.1)") for _ in range(7)))
        with psycopg.connect(database_url, autocommit=True) as connection:
            assert connection.execute(KILL).fetchall() == [(7,)]
        begun = time.monotonic()
        with caplog.at_level(logging.WARNING, "service.store"):
            assert await asyncio.gather(*(database.fetch("select 1") for _ in range(20))) == [[(1,)]] * 20
        assert time.monotonic() - begun < 2.0
    told = [record.message for record in caplog.records if record.name == "service.store.database"]
    assert [message.partition(",")[0] for message in told] == [
        "the database is unavailable",
        "the database is available again",
    ]


async def test_a_database_that_comes_back_in_time_is_not_noticed_by_callers(database_url: str) -> None:
    with TemporaryDirectory() as folder:
        async with AsyncExitStack() as stack:
            async with proxied(database_url, Path(folder)) as (_, url):
                database = await stack.enter_async_context(opened_database(url))
            waiting = [asyncio.create_task(database.fetch("select 1")) for _ in range(20)]
            await asyncio.sleep(3.0)
            (Path(folder) / ".s.PGSQL.5432").unlink(missing_ok=True)
            async with proxied(database_url, Path(folder)):
                assert await asyncio.gather(*waiting) == [[(1,)]] * 20


async def test_who_is_cancelled_while_a_connection_is_handed_over_ends(database_url: str) -> None:
    """asyncio.wait_for, by which the pool waits, may swallow a cancellation in just that moment."""
    async with opened_database(database_url, connections=2) as database:
        for ticks in range(24):
            holding = asyncio.create_task(database.fetch("select pg_sleep(0.01)"))
            await asyncio.sleep(0.002)
            waiting = asyncio.create_task(database.fetch("select pg_sleep(0.01)"))
            await asyncio.wait([holding])
            for _ in range(ticks):
                await asyncio.sleep(0)
            cancelled = waiting.cancel()
            await asyncio.wait([waiting], timeout=5)
            assert waiting.cancelled() == cancelled, ticks
            assert await database.fetch("select 1") == [(1,)]


async def test_a_closed_database_is_unavailable_at_once(database_url: str) -> None:
    async with opened_database(database_url) as database:
        pass
    begun = time.monotonic()
    with pytest.raises(StoreUnavailableError):
        await database.fetch("select 1")
    assert time.monotonic() - begun < 1.0


async def test_a_user_without_the_role_is_told_at_the_start(database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as administrator:
        administrator.execute("create role stranger login")
        try:
            with pytest.raises(StoreSetupError, match="may not act as blattwerk_service"):
                await Database(psycopg.conninfo.make_conninfo(database_url, user="stranger")).open()
        finally:
            administrator.execute("drop role stranger")
