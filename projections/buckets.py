"""Buckets in Redis: how much of something was done of late, by all processes together.

bw:<identity>:bucket:<name>:<subject>    the time in microseconds at which the bucket is full again; expires then
"""

from typing import Final

from projections.generations import Generations
from projections.redis_connection import RedisConnection, script

_TAKE: Final = script("""
-- KEYS: the bucket. ARGV: quota, window in microseconds. Returns the microseconds to wait, 0 if one was taken.
local clock = redis.call('TIME')
local now, window = clock[1] * 1000000 + clock[2], tonumber(ARGV[2])
local full = math.max(tonumber(redis.call('GET', KEYS[1]) or now), now)
if full - now > window then full = now end -- kept before the clock was set back
full = full + window / tonumber(ARGV[1])
if full - now > window then return math.ceil(full - now - window) end
redis.call('SET', KEYS[1], string.format('%.0f', full), 'PX', math.ceil((full - now) / 1000))
return 0
""")


class Buckets:
    """Buckets that all processes share."""

    def __init__(self, connection: RedisConnection, generations: Generations) -> None:
        self._connection = connection
        self._generations = generations

    async def take(self, name: str, subject: str, quota: int, seconds: int) -> float:
        """Take one out of the bucket of `subject`, which holds `quota` and fills up within `seconds`.

        Returns how many seconds there will be none, 0 if one was taken. RedisUnavailableError if Redis does not answer.
        """
        key = f"{self._generations.prefix}:bucket:{name}:{subject}"
        (wait,) = await self._connection.round_trip((_TAKE, 1, key, quota, seconds * 1_000_000))
        return int(wait) / 1_000_000
