"""What a process does when Redis says that the log is older than what was acknowledged."""

import asyncio
import random
import time

import pytest
from msgspec.structs import replace
from redis import Redis

from projections.log_marks import LogMarks
from projections.redis_connection import connect
from service.records.primary_check import PrimaryCheck
from service.store.connections import Server, configure
from service.store.errors import LogOutdatedError
from service.store.log import Log
from tests.service.client import Player, choose_hearts
from tests.service.running import running_service, settings_for
from tests.service.store.opened import opened_database
from tests.service.test_restored_log import eventually, given_table, last_version, shown_version, waiting_view


async def test_an_answer_of_redis_is_relied_on_for_seconds_only(database_url: str, redis_url: str) -> None:
    marks, promoted = LogMarks(connect(redis_url)), []
    async with opened_database(database_url) as database:
        check = PrimaryCheck(database, marks, lambda: promoted.append(True))
        database.primary = check
        connection = await database.connect()
        assert await database.fetch("select 1") == [(1,)]
        await check.renew()
        assert asyncio.get_running_loop().time() < check.known_until < asyncio.get_running_loop().time() + 2.1
        assert await marks.reach(99, 1) == (1, 0.0), "another process works on a later timeline"
        assert await database.fetch("select 1") == [(1,)], "the answer is fresh still"
        await asyncio.sleep(2.1)  # as a process that was frozen
        with pytest.raises(LogOutdatedError):
            await database.fetch("select 1")
        assert promoted == [True]
        log = Log(database)
        with pytest.raises(LogOutdatedError):
            await log.open()
        with pytest.raises(LogOutdatedError):
            log.require_writable()
        await connection.close()
    await marks.close()


async def test_a_later_timeline_is_used_once_everybody_could_hear_of_it(database_url: str, redis_url: str) -> None:
    marks, promoted = LogMarks(connect(redis_url)), []
    async with opened_database(database_url) as database:
        database.primary = check = PrimaryCheck(database, marks, lambda: promoted.append(True))
        begun = time.monotonic()
        connection = await database.connect()
        server = await configure(connection)
        await connection.close()
        assert time.monotonic() - begun < 2, "nobody knew an earlier one"
        await check.admit(Server("of another cluster", "blattwerk", 7))
        begun = time.monotonic()
        await check.admit(replace(server, timeline=2))
        assert time.monotonic() - begun > 2
        assert promoted == [True]
        assert await marks.timeline() == (2, False)
        with pytest.raises(LogOutdatedError):
            await database.connect()
        with Redis.from_url(redis_url) as redis:
            redis.flushall()
        await check.renew()
        assert await marks.timeline() == (2, False), "what Redis lost it is told again"
    await marks.close()


def test_a_table_that_is_newer_in_redis_than_in_the_log_takes_no_moves(database_url: str, redis_url: str) -> None:
    settings = settings_for(database_url, redis_url)
    with running_service(settings) as url, Redis.from_url(redis_url) as redis:
        ada = Player(url, "Ada")
        table = given_table(ada)
        view = waiting_view(ada, table)
        eventually(lambda: shown_version(settings, table) == last_version(settings, table) == view["version"])
        (key,) = redis.keys(f"bw:*:1:{{{table}}}")
        redis.hset(key, "version", view["version"] + 20)
        decision, move = view["you"]["decision"], choose_hearts(view, random.Random(1))
        stale = ada.move(table, decision + 15, move)
        assert (stale.status_code, stale.json()["code"]) == (503, "log_outdated"), stale.text
        assert "Retry-After" in stale.headers
        answer = ada.move(table, decision, move)
        assert (answer.status_code, answer.json()["code"]) == (503, "outcome_unknown"), answer.text
        eventually(lambda: ada.move(table, decision, move).status_code == 200)
        again = ada.move(table, decision, move)
        assert again.json()["version"] == view["version"] + 1
        eventually(lambda: ada.move(table, decision + 900, move).json()["code"] == "stale_decision")
        eventually(lambda: shown_version(settings, table) == last_version(settings, table))
    Player.close_all()
