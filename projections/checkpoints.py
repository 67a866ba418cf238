"""How far projections have followed what they are made from, kept in Redis beside them.

    bw:<g>:checkpoint:<projection>    hash: bucket -> position

A projection and its checkpoint go back together where Redis does, and a new generation begins without one.
"""

from collections.abc import Mapping
from typing import Final

from projections.generations import Generations
from projections.redis_connection import RedisConnection, script

_ADVANCE: Final = script("""
-- KEYS: the checkpoint. ARGV: bucket, position, ...
for i = 1, #ARGV, 2 do
  local reached = tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or '0')
  if tonumber(ARGV[i + 1]) > reached then redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
return 'ok'
""")


class Checkpoints:
    """Checkpoints of projections. All methods raise RedisUnavailableError if Redis does not answer."""

    def __init__(self, connection: RedisConnection, generations: Generations) -> None:
        self._connection = connection
        self._generations = generations

    async def read(self, projection: str) -> dict[int, int]:
        """Return how far a projection has read (bucket -> position); empty if Redis has nothing of it."""
        (stored,) = await self._connection.round_trip(("HGETALL", self._key(projection, None)))
        # An answer to HGETALL comes as a mapping or as a flat list, by the client's protocol.
        pairs = stored.items() if isinstance(stored, Mapping) else zip(stored[::2], stored[1::2], strict=True)
        return {int(bucket): int(position) for bucket, position in pairs}

    async def advance(self, projection: str, reached: Mapping[int, int], generation: int | None = None) -> None:
        """Note that Redis has acknowledged everything up to here. A checkpoint never moves back.

        `generation` None is the one that is read.
        """
        if reached:
            places = [number for place in reached.items() for number in place]
            await self._connection.round_trip((_ADVANCE, 1, self._key(projection, generation), *places))

    def _key(self, projection: str, generation: int | None) -> str:
        return self._generations.key(f"checkpoint:{projection}", generation)
