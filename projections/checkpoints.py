"""How far projections have followed what they are made from, kept in Redis beside them.

    bw:<identity>:<g>:checkpoint:<projection>    hash: bucket -> position

A projection and its checkpoint go back together where Redis does, and a new generation begins without one.
"""

from collections.abc import Mapping
from typing import Final

from projections.generations import Generations
from projections.redis_connection import RedisConnection, decoding, script

VIEWS: Final = "views"
"""The projection of views and lists of tables."""
NAMES: Final = "names"
"""What follows the feed of names with views and lists."""
DEPARTURES: Final = "departures"
"""What follows the feed of names with erased accounts leaving their tables."""
_ADVANCE: Final = script("""
-- KEYS: the checkpoint. ARGV: bucket, position, position from which it is reached, ...
for i = 1, #ARGV, 3 do
  if tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or '0') < tonumber(ARGV[i + 2]) then return 0 end
end
for i = 1, #ARGV, 3 do
  local reached = tonumber(redis.call('HGET', KEYS[1], ARGV[i]) or '-1')
  if tonumber(ARGV[i + 1]) > reached then redis.call('HSET', KEYS[1], ARGV[i], ARGV[i + 1]) end
end
return 1
""")


class Checkpoints:
    """Checkpoints of projections. All methods raise RedisUnavailableError if Redis does not answer."""

    def __init__(self, connection: RedisConnection, generations: Generations) -> None:
        self._connection = connection
        self._generations = generations

    @decoding
    async def read(self, projection: str) -> dict[int, int]:
        """Return how far a projection has read (bucket -> position); empty if Redis has nothing of it."""
        (stored,) = await self._connection.round_trip(("HGETALL", self._key(projection, None)))
        return {int(bucket): int(position) for bucket, position in stored.items()}

    async def advance(
        self,
        projection: str,
        reached: Mapping[int, int],
        *,
        since: Mapping[int, int] | None = None,
        generation: int | None = None,
    ) -> bool:
        """Note that Redis has acknowledged everything up to here. A checkpoint never moves back.

        `since` is the checkpoint that `reached` follows: False, and nothing is noted, if Redis went back behind it
        meanwhile. `generation` None is the one that is read.
        """
        if not reached:
            return True
        before = {} if since is None else since
        places = [
            number for bucket, position in reached.items() for number in (bucket, position, before.get(bucket, 0))
        ]
        (advanced,) = await self._connection.round_trip((_ADVANCE, 1, self._key(projection, generation), *places))
        return bool(advanced)

    def _key(self, projection: str, generation: int | None) -> str:
        return self._generations.key(f"checkpoint:{projection}", generation)
