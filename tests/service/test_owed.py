"""What Redis did not take is made up for: two API processes, two workers, and a Redis that fails in every way."""

import asyncio
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Any
from uuid import UUID

import msgspec
import psycopg
import pytest
from redis import Redis

from projections import table_lists
from service.composition import opened
from service.embedded import EmbeddedServers
from service.jobs import projector
from service.tables.live_table import LiveTable
from service.tables.views import Views
from tests.conftest import fresh_database
from tests.projections.dumped import dumped, prefix_of
from tests.service.client import Player, choose_hearts
from tests.service.running import rebuild, running_service, settings_for
from tests.service.test_tables_http import cards_to_pass

PAID_SECONDS_MAX = 2.0
"""How long after Redis takes writes everything is right."""
QUEUES = ("wake", "bots")


class Running:
    """Two API processes' worth of service with a worker each, and the servers below."""

    def __init__(self, urls: tuple[str, str], database_url: str, redis_url: str, redis: Any, pid: int) -> None:
        self.urls = urls
        self.database_url = database_url
        self.redis_url = redis_url
        self.redis = redis
        self.pid = pid
        self.prefix = f"{prefix_of(redis)}:1:"

    def versions(self) -> dict[str, int]:
        """The version of each table in the log."""
        with psycopg.connect(self.database_url) as connection:
            rows = connection.execute(
                "select stream::text, max(version) from events where stream in "
                "(select stream from events where type = 'create') group by stream"
            )
            return dict(rows.fetchall())

    def shown(self) -> dict[str, int]:
        """The version of each table in Redis whose lists are acknowledged."""
        found = {}
        for key in self.redis.scan_iter(self.prefix + "{????????-*}"):
            version, lists, listed = self.redis.hmget(key, "version", "lists", "listed")
            found[key.decode().partition("{")[2][:-1]] = int(version or 0) if lists == listed else 0
        return found

    def bots_wait(self) -> list[str]:
        """Tables that wait for a bot."""
        return [name.decode() for name in self.redis.zrange(self.prefix + "bots", 0, -1)]

    def is_paid(self) -> bool:
        """Whether Redis has what the log has, no bot waits, and nothing has to be written again."""
        return self.shown() == self.versions() and not self.bots_wait() and not self.redis.exists(self.prefix + "owed")

    def then_paid(self, since: float) -> None:
        """Within two seconds Redis has what the log has; and what a rebuild makes of it, byte for byte."""
        until(self.is_paid, since + PAID_SECONDS_MAX)
        before = but_queues(dumped(self.redis_url))
        _, generation = asyncio.run(rebuild(settings_for(self.database_url, self.redis_url)))
        assert but_queues(dumped(self.redis_url, generation)) == before


def but_queues(content: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name not in QUEUES}


def until(holds: Callable[[], bool], deadline: float) -> None:
    while not holds():
        assert time.monotonic() < deadline, "too late"
        time.sleep(0.02)


@pytest.fixture
def running(servers: EmbeddedServers, database_url: str, redis_url: str) -> Iterator[Running]:
    settings = settings_for(database_url, redis_url)
    with running_service(settings) as first, running_service(settings) as second, Redis.from_url(redis_url) as redis:
        assert servers.redis.pid is not None
        until(lambda: any(redis.scan_iter("bw:*:checkpoint:views")), time.monotonic() + 10)
        yield Running((first, second), database_url, redis_url, redis, servers.redis.pid)
        Player.close_all()


@contextmanager
def read_only(running: Running) -> Iterator[None]:
    running.redis.execute_command("REPLICAOF", "127.0.0.1", "1")
    running.redis.config_set("replica-serve-stale-data", "yes")
    try:
        yield
    finally:
        running.redis.execute_command("REPLICAOF", "NO", "ONE")


@contextmanager
def full(running: Running) -> Iterator[None]:
    before = running.redis.config_get("maxmemory", "maxmemory-policy")
    running.redis.config_set("maxmemory-policy", "noeviction")
    running.redis.config_set("maxmemory", 1)
    try:
        yield
    finally:
        for name in ("maxmemory", "maxmemory-policy"):  # in this order, else everything that expires is evicted
            running.redis.config_set(name, before[name])


@contextmanager
def without_replicas(running: Running) -> Iterator[None]:
    running.redis.config_set("min-replicas-to-write", 1)
    try:
        yield
    finally:
        running.redis.config_set("min-replicas-to-write", 0)


@contextmanager
def stopped(running: Running) -> Iterator[None]:
    os.kill(running.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(running.pid, signal.SIGCONT)


@contextmanager
def cut_off(running: Running) -> Iterator[None]:
    path = running.redis.connection_pool.connection_kwargs["path"]
    running.redis.ping()
    os.rename(path, path + ".away")
    running.redis.client_kill_filter(_type="normal", skipme=False)
    try:
        yield
    finally:
        os.rename(path + ".away", path)


FAILURES = (read_only, full, without_replicas, stopped, cut_off)


@pytest.mark.parametrize("failure", FAILURES)
def test_what_redis_did_not_take_is_made_up_for(running: Running, failure: Any) -> None:
    ada, ben = Player(running.urls[0], "Ada"), Player(running.urls[1], "Ben")
    waiting = ada.create("hearts", bots=[1, 2])
    playing = ada.create("hearts", options={"target_score": 30}, bots=[1, 2, 3])
    left = ben.create("hearts", bots=[1, 2])
    ada.start(playing)
    view = ada.view(playing)
    with failure(running):
        ben.sit(waiting)
        ada.start(waiting)
        assert ben.http.delete(f"/v1/tables/{left}/seats/me").status_code == 204
        made = ada.move(playing, view["you"]["decision"], cards_to_pass(view))
        assert made.status_code == 200
        known = made.json()["version"]
        # bots are served though Redis does not tell
        until(lambda: ada.view(playing)["you"]["decision"] is not None, time.monotonic() + 8)
        seen = [player.view(playing)["version"] for player in (ada, ben)]
        assert min(seen) >= known, "nobody reads what is older than the log"
    running.then_paid(time.monotonic())
    listed = {
        status: [item["table"] for item in ada.http.get("/v1/tables", params={"status": status}).json()["items"]]
        for status in ("lobby", "running", "closed")
    }
    assert (listed["lobby"], sorted(listed["running"]), listed["closed"]) == ([], sorted([waiting, playing]), [left])


@pytest.mark.parametrize("failure", [read_only, stopped])
def test_names_that_redis_did_not_take_are_made_up_for(running: Running, failure: Any) -> None:
    ada, ben, cleo = (
        Player(url, f"{name} Before") for url, name in zip(running.urls * 2, ("A", "B", "C"), strict=False)
    )
    playing, open_table = ada.create("hearts", bots=[3]), ada.create("hearts", bots=[2, 3])
    for guest in (ben, cleo):
        guest.sit(playing)
    ada.start(playing)
    until(running.is_paid, time.monotonic() + 5)
    with failure(running):
        assert ada.http.patch("/v1/me", json={"name": "A After"}).status_code == 200
        assert ben.http.delete("/v1/me").status_code == 204
        # a bot takes his seat though Redis does not tell at which tables he sits
        until(lambda: cleo.view(playing)["seats"][1]["kind"] == "bot", time.monotonic() + 10)
    since = time.monotonic()

    def names(table: str) -> list[str | None]:
        content = [field for field in running.redis.hmget(f"{running.prefix}{{{table}}}", "public", "summary") if field]
        return [msgspec.json.decode(each)["seats"][seat]["name"] for each in content for seat in (0, 1)]

    until(lambda: names(open_table)[::2] == ["A After"] * 2, since + PAID_SECONDS_MAX)
    until(lambda: names(playing) == ["A After", None] * 2, since + PAID_SECONDS_MAX)


def test_a_list_command_that_redis_refused_is_made_up_for(running: Running) -> None:
    """The view is written, and what lists say of the table is not: no command on lists is allowed."""
    ada = Player(running.urls[0], "Ada")
    until(running.is_paid, time.monotonic() + 5)
    running.redis.execute_command("ACL", "SETUSER", "default", "-zadd")
    try:
        table = ada.create("hearts", bots=[1, 2])
        key = f"{running.prefix}{{{table}}}"
        assert running.redis.hmget(key, "version", "listed") == [b"1", None]
        time.sleep(1.5)  # the workers try it, and are refused too
        assert running.redis.hmget(key, "version", "listed") == [b"1", None]
    finally:
        running.redis.execute_command("ACL", "SETUSER", "default", "+zadd")
    running.then_paid(time.monotonic())
    assert [item["table"] for item in ada.http.get("/v1/tables", params={"status": "lobby"}).json()["items"]] == [table]


def test_a_redis_of_an_hour_ago_is_noticed(running: Running, redis_url: str) -> None:
    """All keys are put back to what they were, as by an older RDB or the promotion of a late replica."""
    ada = Player(running.urls[0], "Ada")
    table = ada.create("hearts", options={"target_score": 30}, bots=[1, 2, 3])
    until(lambda: running.shown() == running.versions(), time.monotonic() + 5)
    time.sleep(1.5)  # until its event is behind the checkpoint
    old = {key: running.redis.dump(key) for key in running.redis.scan_iter("bw:*")}
    ada.start(table)
    rng = random.Random(1)
    for _ in range(3):
        until(lambda: ada.view(table)["you"]["decision"] is not None, time.monotonic() + 5)
        view = ada.view(table)
        ada.move(table, view["you"]["decision"], choose_hearts(view, rng))
    other = ada.create("hearts", bots=[1])
    until(lambda: running.shown() == running.versions() and not running.bots_wait(), time.monotonic() + 5)
    time.sleep(1.5)
    with running.redis.pipeline() as pipeline:
        pipeline.flushall()
        for key, content in old.items():
            pipeline.restore(key, 0, content)
        pipeline.execute()
    running.then_paid(time.monotonic())
    assert [item["table"] for item in ada.http.get("/v1/tables", params={"status": "lobby"}).json()["items"]] == [other]


async def test_the_checkpoint_stays_behind_what_redis_refused(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Redis begins to refuse writes when the workers have seen what it lacks: the worst moment."""
    ada = Player(running.urls[0], "Ada")
    until(running.is_paid, time.monotonic() + 5)
    settle, refusing = Views.settle, threading.Event()

    async def refused_first(views: Views, table: LiveTable) -> None:
        if not refusing.is_set():
            refusing.set()
            running.redis.config_set("min-replicas-to-write", 1)
        await settle(views, table)

    monkeypatch.setattr(Views, "settle", refused_first)
    with running.redis.pipeline() as pipeline:
        table = await asyncio.to_thread(ada.create, "hearts", bots=[1])
        pipeline.unlink(f"{running.prefix}{{{table}}}", f"{running.prefix}tables:*:lobby")
        pipeline.execute()
    await asyncio.to_thread(until, refusing.is_set, time.monotonic() + 5)
    await asyncio.sleep(1.5)
    running.redis.config_set("min-replicas-to-write", 0)
    await asyncio.to_thread(until, running.is_paid, time.monotonic() + PAID_SECONDS_MAX)
    items = ada.http.get("/v1/tables", params={"status": "lobby"}).json()["items"]
    assert [item["table"] for item in items] == [table]


def test_an_emptied_redis_is_filled_by_the_worker_and_no_list_folds(running: Running) -> None:
    ada = Player(running.urls[0], "Ada")
    tables = [ada.create("hearts", bots=[1, 2]) for _ in range(200)]
    running.redis.flushall()
    running.then_paid(time.monotonic())
    items = ada.http.get("/v1/tables", params={"status": "lobby", "limit": 100}).json()["items"]
    assert [item["table"] for item in items] == tables[:99:-1]


def test_a_view_that_is_missing_is_left_out_of_lists_until_the_worker_has_made_it(running: Running) -> None:
    ada = Player(running.urls[0], "Ada")
    first, second = (ada.create("hearts", bots=[1]) for _ in range(2))
    until(running.is_paid, time.monotonic() + 5)
    time.sleep(1.5)  # until their events are behind the checkpoint: only the list tells the worker
    running.redis.delete(f"{running.prefix}{{{first}}}")

    def listed() -> list[str]:
        return [item["table"] for item in ada.http.get("/v1/tables", params={"status": "lobby"}).json()["items"]]

    assert listed() == [second]
    until(lambda: listed() == [second, first], time.monotonic() + PAID_SECONDS_MAX)


async def test_an_interrupted_rebuild_leaves_nothing_and_nobody_writes_twice(running: Running) -> None:
    ada = Player(running.urls[0], "Ada")
    ada.create("hearts", bots=[1, 2])
    async with opened(settings_for(running.database_url, running.redis_url)) as services:
        generations = services.redis.generations
        await generations.announce(2)
        stream = UUID(ada.create("hearts", bots=[1]))
        table = await services.cache.get(stream)
        assert table is not None
        await services.views.settle(table)
        second = running.prefix.replace(":1:", ":2:")
        assert any(running.redis.scan_iter(second + "*"))
        running.redis.delete(generations.key("", 0).replace(":0:", ":rebuild"))  # as it expires
        await asyncio.to_thread(until, lambda: not any(running.redis.scan_iter(second + "*")), time.monotonic() + 15)
        await generations.refresh()
        assert generations.next is None


def test_two_services_on_one_redis_do_not_see_each_other(
    servers: EmbeddedServers, database_template: str, database_url: str, redis_url: str
) -> None:
    with (
        fresh_database(servers, database_template) as other_url,
        running_service(settings_for(database_url, redis_url)) as here,
        running_service(settings_for(other_url, redis_url)) as there,
    ):
        ada, ben = Player(here, "Ada"), Player(there, "Ben")
        ours, theirs = ada.create("hearts", bots=[1]), ben.create("hearts", bots=[1])
        for player, table in ((ada, ours), (ben, theirs)):

            def listed(player: Player = player) -> list[str]:
                items = player.http.get("/v1/tables", params={"status": "lobby"}).json()["items"]
                return [item["table"] for item in items]

            until(lambda table=table, listed=listed: listed() == [table], time.monotonic() + 5)  # type: ignore[misc]
        Player.close_all()


def test_what_is_kept_of_ended_tables_is_bounded(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_lists, "ENDED_MAX", 3)
    monkeypatch.setattr(projector, "ENDED_MAX", 3)
    ada = Player(running.urls[0], "Ada")
    tables = [ada.create("hearts", bots=[1, 2]) for _ in range(6)]
    for table in tables:
        assert ada.http.delete(f"/v1/tables/{table}/seats/me").status_code == 204

    def kept() -> set[str]:
        found = running.redis.scan_iter(running.prefix + "{????????-*}")
        return {key.decode().partition("{")[2][:-1] for key in found}

    until(lambda: kept() == set(tables[3:]), time.monotonic() + 5)
    closed = partial(ada.http.get, "/v1/tables", params={"status": "closed"})
    assert [item["table"] for item in closed().json()["items"]] == tables[:2:-1]
    written: set[str] = set()
    settle = Views.settle

    async def settled(views: Views, table: LiveTable) -> None:
        written.add(table.id)
        await settle(views, table)

    monkeypatch.setattr(Views, "settle", settled)
    running.redis.flushall()
    until(lambda: kept() == set(tables[3:]), time.monotonic() + PAID_SECONDS_MAX)
    time.sleep(1.5)
    assert (kept(), written) == (set(tables[3:]), set(tables[3:])), "the others are not made again after a loss"


@pytest.mark.parametrize("away", [False, True])
def test_who_leaves_a_table_whose_view_has_expired_leaves_the_set_of_his_tables(running: Running, away: bool) -> None:
    ada, ben = Player(running.urls[0], "Ada"), Player(running.urls[1], "Ben")
    table = ada.create("hearts", bots=[1])
    ben.sit(table)
    tables_of_ben = f"{running.prefix}player:{ben.id}"
    assert running.redis.sismember(tables_of_ben, table)
    with read_only(running) if away else nullcontext():
        if away:
            assert ben.http.delete(f"/v1/tables/{table}/seats/me").status_code == 204
    running.redis.delete(f"{running.prefix}{{{table}}}")
    if not away:
        assert ben.http.delete(f"/v1/tables/{table}/seats/me").status_code == 204
    until(lambda: not running.redis.sismember(tables_of_ben, table), time.monotonic() + PAID_SECONDS_MAX)
    running.then_paid(time.monotonic())
