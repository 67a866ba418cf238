"""Checkpoints lie in Redis beside the projections that they are of."""

from collections.abc import AsyncIterator

import pytest
from redis import Redis

from projections.redis_connection import connect
from projections.redis_store import RedisStore


@pytest.fixture
async def store(redis_url: str) -> AsyncIterator[RedisStore]:
    store = RedisStore(connect(redis_url))
    await store.open("test")
    yield store
    await store.close()


async def test_a_checkpoint_never_moves_back(store: RedisStore) -> None:
    await store.checkpoints.advance("views", {1: 5, 200: 7})
    await store.checkpoints.advance("views", {1: 4, 2: 1, 200: 10})
    await store.checkpoints.advance("views", {})
    assert await store.checkpoints.read("views") == {1: 5, 2: 1, 200: 10}


async def test_projections_and_generations_have_checkpoints_of_their_own(store: RedisStore) -> None:
    await store.checkpoints.advance("views", {1: 5})
    await store.checkpoints.advance("views", {1: 9}, generation=2)
    assert await store.checkpoints.read("names") == {}
    await store.generations.switch(2)
    assert await store.checkpoints.read("views") == {1: 9}


async def test_a_checkpoint_is_lost_with_redis(store: RedisStore, redis_url: str) -> None:
    await store.checkpoints.advance("views", {1: 5})
    with Redis.from_url(redis_url) as redis:
        redis.flushall()
    assert await store.checkpoints.read("views") == {}


async def test_a_checkpoint_does_not_pass_over_what_went_back_with_redis(store: RedisStore) -> None:
    await store.checkpoints.advance("views", {1: 5})
    assert not await store.checkpoints.advance("views", {1: 9, 2: 4}, since={1: 7})
    assert await store.checkpoints.read("views") == {1: 5}
    assert await store.checkpoints.advance("views", {1: 9, 2: 4}, since={1: 5})
    assert await store.checkpoints.read("views") == {1: 9, 2: 4}
