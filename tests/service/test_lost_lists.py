"""What the connection to Redis lost between a view and the lists is written again by the worker."""

from uuid import UUID

import pytest
from redis import Redis

from service.composition import Services
from tests.projections.dumped import prefix_of
from tests.service.client import Player
from tests.service.running import running_service, settings_for


@pytest.mark.parametrize("lost", ["never written", "of an earlier version"])
async def test_a_table_that_waits_for_a_bot_is_found_though_its_wake_was_lost(
    database_url: str, redis_url: str, lost: str
) -> None:
    settings = settings_for(database_url, redis_url)
    with running_service(settings, worker=False) as url, Redis.from_url(redis_url) as redis:
        ada = Player(url, "Ada")
        table = ada.create("hearts", bots=[1, 2, 3])
        ada.start(table)  # the bots have to pass
        prefix = f"{prefix_of(redis)}:1:"
        key, place, woken = f"{prefix}{{{table}}}", f"{table}", f"{table} {ada.id}"
        assert redis.zscore(prefix + "bots", place) is not None
        assert redis.hget(key, "lists") == redis.hget(key, "listed")
        redis.zrem(prefix + "bots", place)
        redis.zrem(prefix + "wake", woken)
        for name in redis.scan_iter(prefix + "tables:*"):
            redis.delete(name)
        if lost == "never written":
            redis.hdel(key, "listed")
        else:
            redis.hset(key, "listed", "lobby:0:00000000")
        services = Services(settings)
        await services.open()
        try:
            worker = services.worker
            while await worker.projector.follow():
                pass
            assert redis.zscore(prefix + "bots", place) is not None
            assert redis.zscore(prefix + "wake", woken) is not None
            assert redis.hget(key, "lists") == redis.hget(key, "listed")
            listed = ada.http.get("/v1/tables", params={"status": "running", "game": "hearts"}).json()["items"]
            assert table in [item["table"] for item in listed]
            assert await worker.bots.play(UUID(table)) == 3
        finally:
            await services.close()
        Player.close_all()
