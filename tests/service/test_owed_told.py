"""Operators are told what Redis owes, and since when: a metric, `/readyz`, and one log line a minute."""

import asyncio
import os
import re
import time
from collections.abc import Callable
from functools import partial

import httpx
import pytest

from service.composition import opened
from service.jobs import projector
from tests.service.client import Player
from tests.service.running import running_service, settings_for
from tests.service.test_owed import (
    PAID_SECONDS_MAX,
    Running,
    running,
    until,
    without_replicas,
)

__all__ = ["running"]


async def test_operators_are_told_since_when_something_is_owed(
    running: Running, capsys: pytest.CaptureFixture[str]
) -> None:
    ada, begun = Player(running.urls[0], "Ada"), time.monotonic()
    async with opened(settings_for(running.database_url, running.redis_url)) as services:
        token = (await services.accounts.create_with_role("operator", "operator")).token

        async def owed(projection: str) -> float:
            headers = {"Authorization": f"Bearer {token}"}
            figures = await asyncio.to_thread(ada.http.get, "/metrics", headers=headers)
            begin = f'blattwerk_redis_owed_seconds{{process="{os.getpid()}",projection="{projection}"}} '
            (line,) = [line for line in figures.text.splitlines() if line.startswith(begin)]
            return float(line.split()[-1])

        async def told(holds: Callable[[dict[str, int]], bool]) -> None:
            """Wait until readiness tells it, by the next probe of the process."""
            readiness = partial(ada.http.get, "/readyz")
            await asyncio.to_thread(until, lambda: holds(readiness().json()["owed_seconds"]), time.monotonic() + 5)

        assert [await owed(projection) for projection in ("views", "names", "departures")] == [0.0, 0.0, 0.0]
        with without_replicas(running):
            ada.create("hearts", bots=[1, 2])
            await asyncio.to_thread(ada.http.patch, "/v1/me", json={"name": "Ada L."})
            await asyncio.sleep(1.5)
            assert 1.0 < await owed("views") < 10.0
            ready = ada.http.get("/readyz").json()
            assert ready["views"] == "away", "it reads, and takes no writes"
            await told(lambda seconds: seconds["views"] >= 1)
        await asyncio.sleep(PAID_SECONDS_MAX)
        assert [await owed(projection) for projection in ("views", "names", "departures")] == [0.0, 0.0, 0.0]
        with without_replicas(running):  # names were followed before: how long they have been owed is known
            await asyncio.to_thread(ada.http.patch, "/v1/me", json={"name": "Ada K."})
            await asyncio.sleep(2.5)
            assert 2.0 < await owed("names") < 10.0
            assert 2.0 < await owed("departures") < 10.0
            await told(lambda seconds: seconds["views"] == 0 and min(seconds["names"], seconds["departures"]) >= 2)
        await told(lambda seconds: not any(seconds.values()))
    said = capsys.readouterr().out
    workers, minutes = 2, 1 + int((time.monotonic() - begun) / 60)
    assert 1 <= said.count("Redis owes views and lists") <= workers * minutes, "once a minute"
    assert 2 <= said.count("names are owed") <= 2 * workers * minutes, "and each projection of names"


def test_the_log_line_says_since_when_something_is_owed(
    running: Running, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = Player(running.urls[0], "Ada")
    until(running.is_paid, time.monotonic() + 5)
    monkeypatch.setattr(projector, "_LOG_SECONDS", 1.0)
    with without_replicas(running):
        time.sleep(2)  # until every worker knows: what happens from now on none of them has seen before
        ada.create("hearts", bots=[1, 2])
        time.sleep(3.5)
    said = re.findall(r"Redis owes views and lists +oldest_event_seconds=(\S+)", capsys.readouterr().out)
    assert said[0] == "None", "nothing was owed at first"
    assert 1.0 < float(said[-1]) < 10.0


def test_not_to_know_what_is_owed_is_degraded(database_url: str, redis_url: str) -> None:
    settings = settings_for(database_url, redis_url)
    with running_service(settings, worker=False) as first, running_service(settings, worker=False) as second:

        def told(url: str) -> tuple[str, int | None]:
            ready = httpx.get(f"{url}/readyz", timeout=30).json()
            return ready["status"], ready["owed_seconds"]["views"]

        until(lambda: told(first) == told(second) == ("ok", 0), time.monotonic() + 5)  # nothing was recorded yet
        Player(first, "Ada").create("hearts", bots=[1])
        until(lambda: told(first) == told(second) == ("degraded", None), time.monotonic() + 5)
        with running_service(settings), running_service(settings):
            until(lambda: told(first) == told(second) == ("ok", 0), time.monotonic() + 10)
        Player.close_all()
