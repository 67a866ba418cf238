"""What Redis did not take is made up for by processes that share only the servers: two of the API, two workers."""

import random
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from redis import Redis

from service.embedded import EmbeddedServers
from tests.service.api_process import api_process
from tests.service.client import Player, choose_hearts
from tests.service.running import settings_for
from tests.service.test_killed_workers import worker_of
from tests.service.test_owed import Running, read_only, until


@pytest.fixture
def apart(servers: EmbeddedServers, database_url: str, redis_url: str) -> Iterator[Running]:
    """Four processes."""
    settings = settings_for(database_url, redis_url)
    with ExitStack() as stack:
        first, second = (stack.enter_context(api_process(settings)).url for _ in range(2))
        for _ in range(2):
            stack.callback(ended, worker_of(settings))
        redis = stack.enter_context(Redis.from_url(redis_url))
        assert servers.redis.pid is not None
        until(lambda: any(redis.scan_iter("bw:*:checkpoint:views")), time.monotonic() + 20)
        yield Running((first, second), database_url, redis_url, redis, servers.redis.pid)
        Player.close_all()


def ended(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()


def test_processes_that_share_only_the_servers_show_the_log_and_pay(apart: Running) -> None:
    ada, rng = Player(apart.urls[0], "Ada"), random.Random(1)
    elsewhere = Player(apart.urls[1], "Ben")
    table = ada.create("hearts", options={"target_score": 30}, bots=[1, 2, 3])
    ada.start(table)
    until(apart.is_paid, time.monotonic() + 10)
    with read_only(apart):
        for _ in range(3):
            until(lambda: ada.view(table)["you"]["decision"] is not None, time.monotonic() + 10)
            view = ada.view(table)
            version = ada.move(table, view["you"]["decision"], choose_hearts(view, rng)).json()["version"]
            assert elsewhere.view(table)["version"] >= version, "what is asked for is right at once"
        other = elsewhere.create("hearts", bots=[1])
        assert ada.view(other)["version"] == 1
    apart.then_paid(time.monotonic())
    items = ada.http.get("/v1/tables", params={"status": "lobby"}).json()["items"]
    assert [item["table"] for item in items] == [other]
