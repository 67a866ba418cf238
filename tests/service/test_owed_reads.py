"""What is read while Redis is behind the log: nobody gets less than the log, and it is folded once for all who wait."""

import asyncio
import time
from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from redis import Redis

from service.composition import opened
from tests.service.client import Player
from tests.service.running import running_service, settings_for
from tests.service.test_owed import (
    PAID_SECONDS_MAX,
    Running,
    full,
    read_only,
    running,
    until,
    without_replicas,
)

__all__ = ["running"]


@pytest.mark.parametrize("failure", [read_only, full, without_replicas])
def test_a_process_that_only_reads_reads_nothing_older_than_the_log(running: Running, failure: Any) -> None:
    """It has not tried a write since Redis began to refuse them, so nobody but Redis can tell it."""
    here, there = running.urls
    ada, ben, cleo = Player(here, "Ada"), Player(here, "Ben"), Player(there, "Cleo")

    def lobby() -> list[str]:
        return [item["table"] for item in cleo.http.get("/v1/tables", params={"status": "lobby"}).json()["items"]]

    for turn in range(6):
        table = ada.create("hearts", bots=[1, 2])
        until(lambda table=table: table in lobby(), time.monotonic() + 5)  # type: ignore[misc]
        with failure(running):
            ben.sit(table)
            started = ada.start(table)["version"]
            if turn % 2:
                assert table not in lobby()
            assert cleo.view(table)["version"] >= started
        until(running.is_paid, time.monotonic() + PAID_SECONDS_MAX)
        until(lambda: cleo.http.get("/readyz").json()["views"] == "ok", time.monotonic() + PAID_SECONDS_MAX)
    running.then_paid(time.monotonic())


class Calls:
    """Counts how often something is done, and does it."""

    def __init__(self, act: Callable[..., Any]) -> None:
        self.count = 0
        self._act = act

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.count += 1
        return self._act(*args, **kwargs)


def test_nobody_who_has_a_newer_view_than_redis_gets_an_older_one(running: Running) -> None:
    here, there = running.urls
    ada, ben, stranger = Player(here, "Ada"), Player(here, "Ben"), Player(there, "Cleo")
    for _ in range(5):
        table = ada.create("hearts", bots=[1, 2])
        key = f"{running.prefix}{{{table}}}"
        old = running.redis.hgetall(key)
        version = ben.sit(table)["version"]
        tag = ada.http.get(f"/v1/tables/{table}").headers["ETag"]
        with running.redis.pipeline() as pipeline:  # Redis has the view before, and no worker is through with it yet
            pipeline.delete(key)
            pipeline.hset(key, mapping=old)
            pipeline.execute()
        seen = ada.http.get(f"{there}/v1/tables/{table}", headers={"If-None-Match": tag})
        assert seen.status_code == 304 or seen.json()["version"] == version
        made_up = {"If-None-Match": '"2000000000.0.00000000-x"'}
        assert stranger.http.get(f"/v1/tables/{table}", headers=made_up).status_code == 200
    running.then_paid(time.monotonic())


async def test_a_tag_that_is_newer_than_redis_folds_only_if_the_log_is(
    database_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(database_url, redis_url)
    with running_service(settings, worker=False) as url, Redis.from_url(redis_url) as redis:
        ada = Player(url, "Ada")
        table = ada.create("hearts", bots=[1, 2])
        key = next(redis.scan_iter(f"bw:*:{{{table}}}"))
        old = redis.hgetall(key)
        async with opened(settings) as reader:
            stream = UUID(table)
            live = await reader.cache.get(stream)
            assert live is not None
            reads, folds = Calls(reader.log.last_version), Calls(reader.cache.catch_up_all)
            monkeypatch.setattr(reader.log, "last_version", reads)
            monkeypatch.setattr(reader.cache, "catch_up_all", folds)
            async with live.lock:  # a made-up tag waits for nobody
                forged = reader.views.see(stream, ada.id, ['"2000000000.0.00000000-0"'])
                made_up = await asyncio.wait_for(forged, 5)
            assert made_up is not None
            assert made_up.version == 1
            assert (reads.count, folds.count) == (2, 0), "one for the table, one for what the seat keeps to itself"
            ben = Player(url, "Ben")
            ben.sit(table)
            etag = ada.http.get(f"/v1/tables/{table}").headers["ETag"]
            redis.delete(key)
            redis.hset(key, mapping=old)
            seen = await asyncio.gather(*[reader.views.see(stream, ada.id, [etag]) for _ in range(20)])
            assert [one and one.version for one in seen] == [int(etag[1:].partition(".")[0])] * 20
            assert folds.count == 1, "one fold is for all who wait"
        Player.close_all()
