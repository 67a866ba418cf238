"""Standings in Redis: a copy that follows the standings in PostgreSQL change by change.

All keys have one hash tag, so they lie together in a cluster:

    bw:<g>:{standings}:<game>         hash: player -> place in the list, then the figures of the player
    bw:<g>:{standings}:<game>:list    sorted set of places, best first by name
    bw:<g>:{standings}:at             hash: generation and change that was copied last, complete once all was,
                                      and how long each list is

Everything is written by one script that also moves `at`, so a change that is copied twice, or by two
workers, or was lost with Redis, makes no difference: the copy goes on after `at`, or begins anew.
"""

from collections.abc import Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.registry import CURRENT
from domain.standings import Tally
from projections.generations import Generations
from projections.redis_connection import RedisConnection, decoding, reading_script, script

GAMES: Final = tuple(CURRENT)
_WINS_MAX: Final = 2**31 - 1
_PLACE_LENGTH: Final = 52
_PLAYER_FROM: Final = 16
"""A place ends with the player's id."""

_COPY: Final = script("""
-- KEYS: `at`, then hash and list of each game. ARGV: generation, change copied before, change copied now,
-- whether that is all, then number of the game, player, place or '', figures, ...
-- A copy from 0 begins anew.
local at = redis.call('HMGET', KEYS[1], 'generation', 'change')
if at[1] and tonumber(at[1]) > tonumber(ARGV[1]) then return 'other' end
if ARGV[2] == '0' then
  if at[1] == ARGV[1] and at[2] ~= '0' then return 'other' end
  redis.call('DEL', unpack(KEYS))
elseif at[1] ~= ARGV[1] or at[2] ~= ARGV[2] then
  return 'other'
end
for i = 5, #ARGV, 4 do
  local hash, list = KEYS[2 * ARGV[i]], KEYS[2 * ARGV[i] + 1]
  local known = redis.call('HGET', hash, ARGV[i + 1])
  if known then redis.call('ZREM', list, string.sub(known, 1, 52)) end
  if ARGV[i + 2] == '' then
    redis.call('HDEL', hash, ARGV[i + 1])
  else
    redis.call('ZADD', list, 0, ARGV[i + 2])
    redis.call('HSET', hash, ARGV[i + 1], ARGV[i + 2] .. ' ' .. ARGV[i + 3])
  end
end
redis.call('HSET', KEYS[1], 'generation', ARGV[1], 'change', ARGV[3])
for i = 3, #KEYS, 2 do redis.call('HSET', KEYS[1], KEYS[i], redis.call('ZCARD', KEYS[i])) end
if ARGV[4] == '1' then redis.call('HSET', KEYS[1], 'complete', 1) end
return 'ok'
""")
_INTACT: Final = """
local function intact(hash, list)
  local count = tonumber(redis.call('HGET', KEYS[1], list))
  return count == redis.call('ZCARD', list) and count == redis.call('HLEN', hash)
end
"""
"""Whether nothing of a game was evicted: `at` knows how many players it has."""
_COPIED: Final = script(f"""{_INTACT}
-- KEYS: `at`, then hash and list of each game. A copy of which something was evicted is given up.
local at = redis.call('HMGET', KEYS[1], 'generation', 'change', 'complete')
if not at[1] then return false end
for i = 2, #KEYS, 2 do
  if not intact(KEYS[i], KEYS[i + 1]) then
    redis.call('DEL', KEYS[1])
    return false
  end
end
return at
""")
_PAGE: Final = reading_script(f"""{_INTACT}
-- KEYS: `at`, hash and list of the game. ARGV: lower bound by name, limit. False unless all is there.
if not redis.call('HGET', KEYS[1], 'complete') or not intact(KEYS[2], KEYS[3]) then return false end
local places = redis.call('ZRANGEBYLEX', KEYS[3], ARGV[1], '+', 'LIMIT', 0, ARGV[2])
local found = {{}}
for i, place in ipairs(places) do found[i] = redis.call('HGET', KEYS[2], string.sub(place, 17)) end
return found
""")
_OF_PLAYER: Final = reading_script(f"""{_INTACT}
-- KEYS: `at`, then hash and list of each game. ARGV: player. False unless all is there.
if not redis.call('HGET', KEYS[1], 'complete') then return false end
local found = {{}}
for i = 2, #KEYS, 2 do
  if not intact(KEYS[i], KEYS[i + 1]) then return false end
  found[#found + 1] = redis.call('HGET', KEYS[i], ARGV[1]) or ''
end
return found
""")
_decode: Final = msgspec.json.Decoder(tuple[int, ...]).decode


class Ranked(Struct, frozen=True):
    """A player's figures in one game."""

    player: str
    tally: Tally


class Copied(Struct, frozen=True):
    """How far the copy is: generation and number of the last change."""

    generation: int
    change: int
    complete: bool


def place_of(wins: int, average: int, player: str) -> str:
    """Return a place in a list as text: most wins first, then the better average place."""
    return f"{_WINS_MAX - wins:010d}:{average:04d}:{player}"


class StandingsCopy:
    """Standings in Redis. All methods raise RedisUnavailableError if it does not answer."""

    def __init__(self, connection: RedisConnection, generations: Generations) -> None:
        self._connection = connection
        self._generations = generations

    @decoding
    async def copied(self, generation: int | None = None) -> Copied | None:
        """Return how far the copy in a generation of Redis (None: the present one) is; None if there is none."""
        keys = (self._at(generation), *self._keys(generation))
        (known,) = await self._connection.round_trip((_COPIED, len(keys), *keys))
        return None if known is None else Copied(int(known[0]), int(known[1]), known[2] is not None)

    async def copy(
        self,
        before: Copied | None,
        reached: Copied,
        changed: Sequence[tuple[str, Ranked]],
        generation: int | None = None,
    ) -> bool:
        """Write standings, each with its game, as they are now; False if the copy is not at `before` any more.

        `before` None begins anew.
        """
        entries: list[Any] = []
        for game, one in changed:
            if game in GAMES:
                entries += [GAMES.index(game) + 1, one.player, _place(one) if one.tally.matches else "", _figures(one)]
        since = 0 if before is None else before.change
        arguments = (reached.generation, since, reached.change, int(reached.complete), *entries)
        keys = (self._at(generation), *self._keys(generation))
        (answer,) = await self._connection.round_trip((_COPY, len(keys), *keys, *arguments))
        return bool(answer == b"ok")

    @decoding
    async def page(self, game: str, after: str | None, limit: int) -> list[Ranked] | None:
        """Return players of a game after a place (see `place_of`), best first; None if the copy is not complete."""
        keys = (self._at(None), *self._keys(None)[2 * GAMES.index(game) :][:2])
        bound = "-" if after is None else f"({after}"
        (found,) = await self._connection.round_trip((_PAGE, len(keys), *keys, bound, limit))
        if found is None or None in found:
            return None
        return [_ranked(one) for one in found]

    @decoding
    async def of_player(self, player: str) -> list[tuple[str, Ranked]] | None:
        """Return a player's figures by game; None if the copy is not complete."""
        keys = (self._at(None), *self._keys(None))
        (found,) = await self._connection.round_trip((_OF_PLAYER, len(keys), *keys, player))
        if found is None:
            return None
        return sorted((game, _ranked(one)) for game, one in zip(GAMES, found, strict=True) if one)

    def _prefix(self, generation: int | None) -> str:
        return self._generations.key("{standings}:", generation)

    def _at(self, generation: int | None) -> str:
        return self._prefix(generation) + "at"

    def _keys(self, generation: int | None) -> tuple[str, ...]:
        prefix = self._prefix(generation)
        return tuple(key for game in GAMES for key in (prefix + game, f"{prefix}{game}:list"))


def _place(one: Ranked) -> str:
    return place_of(one.tally.places[0], one.tally.average_thousandths, one.player)


def _figures(one: Ranked) -> bytes:
    return msgspec.json.encode((*one.tally.places, one.tally.left))


def _ranked(stored: bytes) -> Ranked:
    *places, left = _decode(stored[_PLACE_LENGTH + 1 :])
    return Ranked(stored[_PLAYER_FROM:_PLACE_LENGTH].decode(), Tally(tuple(places), left))
