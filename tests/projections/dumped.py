"""Everything that a generation of projections holds, for comparing two of them."""

from typing import Any

from redis import Redis

_OF_ITS_MAKING = ("{standings}:at", "checkpoint:views", "checkpoint:names", "checkpoint:departures")
"""Tells how a generation came about, which differs between two that hold the same."""


def prefix_of(redis: Any) -> str:
    """Return what the keys of the one service begin with that uses this Redis."""
    (prefix,) = {b":".join(key.split(b":")[:2]).decode() for key in redis.scan_iter("bw:*:*", count=1000)}
    return prefix


def dumped(url: str, generation: int | None = None) -> dict[str, Any]:
    """Return the content of each key of a generation (None: the one that is read), by its name within it."""
    with Redis.from_url(url) as redis:
        if generation is None:
            generation = int(redis.hget(f"{prefix_of(redis)}:generation", "current") or 1)
        prefix = f"{prefix_of(redis)}:{generation}:"
        keys = {key: key.decode().removeprefix(prefix) for key in redis.scan_iter(f"{prefix}*", count=1000)}
        return {name: _content(redis, key, name) for key, name in keys.items() if name not in _OF_ITS_MAKING}


def _content(redis: Any, key: bytes, name: str) -> Any:
    kind = redis.type(key)
    if kind == b"hash":
        return redis.hgetall(key)
    if kind == b"set":
        return sorted(redis.smembers(key))
    waits_since = name in ("wake", "bots")  # scored by the time at which they were written
    return sorted(redis.zrange(key, 0, -1)) if waits_since else redis.zrange(key, 0, -1, withscores=True)
