"""Buckets in Redis, whose clock may be set."""

import time
from collections.abc import AsyncIterator

import pytest
from redis import Redis

from projections.redis_connection import connect
from projections.redis_store import RedisStore

_DAYS: float = 3 * 86_400


@pytest.fixture
async def store(redis_url: str) -> AsyncIterator[RedisStore]:
    store = RedisStore(connect(redis_url))
    await store.open("test")
    yield store
    await store.close()


async def test_a_bucket_holds_its_quota_and_fills_up_again(store: RedisStore) -> None:
    waits = [await store.buckets.take("guests", "somebody", 3, 60) for _ in range(4)]
    assert waits[:3] == [0.0, 0.0, 0.0]
    assert 15 < waits[3] <= 20
    assert await store.buckets.take("guests", "somebody else", 3, 60) == 0.0


async def test_nobody_waits_for_days_because_the_clock_was_set_back(store: RedisStore, redis_url: str) -> None:
    await store.buckets.take("guests", "somebody", 3, 60)
    with Redis.from_url(redis_url) as redis:
        (key,) = redis.scan_iter("bw:*:bucket:*")
        redis.set(key, f"{(time.time() + _DAYS) * 1_000_000:.0f}")  # as it was written while the clock was ahead
    waits = [await store.buckets.take("guests", "somebody", 3, 60) for _ in range(4)]
    assert waits[:3] == [0.0, 0.0, 0.0]
    assert 15 < waits[3] <= 20
