"""What Redis knows of the log that its content was made from, and of what was signed about it.

bw:<identity>:log            hash: incarnation (JSON, see `service.store.incarnation`), signed (JSON: the largest tree
                             of the transparency log over which a checkpoint was signed), restored (milliseconds
                             since 1970 UTC: when everything else was last emptied because the log was another one),
                             timeline (the latest of the database's cluster on which a process works), begun
                             (milliseconds since 1970 UTC on the clock of Redis: when it was first heard of)
bw:<identity>:log:emptying   held by the process that empties everything else
bw:<identity>:log:outdated   there while a process is connected to a server on an earlier timeline
"""

import secrets
import time
from typing import Final

import msgspec
from msgspec import Struct

from projections.redis_connection import RedisConnection, decoding, script

_EMPTYING_SECONDS_MAX: Final = 60
"""After this time without a sign of life another process goes on with the emptying."""
_DROPPED_TOGETHER: Final = 1000
_OUTDATED_SECONDS: Final = 5
"""For how long it is remembered that a process was connected to a server on an earlier timeline."""
_KEEP: Final = script("""
-- KEYS: the hash. ARGV: the incarnation that was read or '', and the one that takes its place unless another one has.
if (redis.call('HGET', KEYS[1], 'incarnation') or '') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'incarnation', ARGV[2])
return 1
""")
_SIGN: Final = script("""
-- KEYS: the hash. ARGV: size and JSON of a signed tree; the largest is kept.
local kept = redis.call('HGET', KEYS[1], 'signed')
if not kept or cjson.decode(kept).size < tonumber(ARGV[1]) then redis.call('HSET', KEYS[1], 'signed', ARGV[2]) end
return 1
""")
_FORGET: Final = script("""
-- KEYS: the hash. ARGV: JSON of a signed tree that nobody is held to any more.
if redis.call('HGET', KEYS[1], 'signed') == ARGV[1] then redis.call('HDEL', KEYS[1], 'signed') end
return 1
""")

_REACH: Final = script("""
-- KEYS: the hash. ARGV: a timeline that a process works on, and the latest that it knew before, 0 for none.
-- Answers the latest that was known before, 0 for none, and for how many milliseconds Redis has known of the latest.
local before = math.max(tonumber(redis.call('HGET', KEYS[1], 'timeline') or '0'), tonumber(ARGV[2]))
local time, reached = redis.call('TIME'), tonumber(ARGV[1])
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if reached > before and before > 0 then redis.call('HSET', KEYS[1], 'begun', now) end
redis.call('HSET', KEYS[1], 'timeline', math.max(reached, before))
return {before, now - tonumber(redis.call('HGET', KEYS[1], 'begun') or '0')}
""")


class SignedTree(Struct, frozen=True):
    """A tree of the transparency log over which a checkpoint was signed."""

    size: int
    root: str
    """Its root in hexadecimal digits."""


class Recorded(Struct, frozen=True):
    """What Redis knows."""

    incarnation: bytes | None
    signed: SignedTree | None
    restored: int
    """Milliseconds since 1970 UTC, 0 for never."""


class LogMarks:
    """Reads and writes what Redis knows of the log. All methods raise RedisUnavailableError if it does not answer."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection
        self._prefix = "bw"

    def identify(self, identity: str) -> None:
        """Take the keys of this database only; `identity` tells it from every other one that may use this Redis."""
        self._prefix = f"bw:{identity}"
        self._connection.on_wrong_type = tuple(("UNLINK", key) for key in (self._key, self._emptying, self._outdated))

    @property
    def _key(self) -> str:
        return f"{self._prefix}:log"

    @property
    def _emptying(self) -> str:
        return f"{self._prefix}:log:emptying"

    @property
    def _outdated(self) -> str:
        return f"{self._prefix}:log:outdated"

    @decoding
    async def read(self) -> Recorded:
        """Return what Redis knows."""
        ((incarnation, signed, restored),) = await self._connection.round_trip(
            ("HMGET", self._key, "incarnation", "signed", "restored")
        )
        tree = None if signed is None else msgspec.json.decode(signed, type=SignedTree)
        return Recorded(incarnation, tree, int(restored or 0))

    async def keep(self, read: bytes | None, incarnation: bytes) -> None:
        """Note how far the log is, unless somebody else did so since `read` was read."""
        await self._connection.round_trip((_KEEP, 1, self._key, read or b"", incarnation))

    async def sign(self, tree: SignedTree) -> None:
        """Note that a checkpoint over a tree is signed."""
        await self._connection.round_trip((_SIGN, 1, self._key, tree.size, msgspec.json.encode(tree)))

    async def forget(self, tree: SignedTree) -> None:
        """Hold nobody to a signed tree any more."""
        await self._connection.round_trip((_FORGET, 1, self._key, msgspec.json.encode(tree)))

    @decoding
    async def reach(self, timeline: int, known: int) -> tuple[int, float]:
        """Note that a process works on a timeline, which knew of another one (0 for none) before.

        Returns the latest that was known before, 0 for none, and for how many seconds everybody could hear of the
        latest.
        """
        ((before, milliseconds),) = await self._connection.round_trip((_REACH, 1, self._key, timeline, known))
        return int(before), int(milliseconds) / 1000

    @decoding
    async def timeline(self) -> tuple[int, bool]:
        """Return the latest timeline, 0 if none is known, and whether a process is connected to an earlier one."""
        asked = ("HGET", self._key, "timeline"), ("EXISTS", self._outdated)
        timeline, outdated = await self._connection.round_trip(*asked)
        return int(timeline or 0), bool(outdated)

    async def note_outdated(self) -> None:
        """Note for the next seconds that a process is connected to a server on an earlier timeline."""
        await self._connection.round_trip(("SET", self._outdated, 1, "EX", _OUTDATED_SECONDS))

    async def empty(self, incarnation: bytes) -> bool:
        """Delete everything that was made from another log, and note this one; False if another process does so."""
        token = secrets.token_hex(8)
        claim = ("SET", self._emptying, token, "NX", "EX", _EMPTYING_SECONDS_MAX)
        (claimed,) = await self._connection.round_trip(claim)
        if not claimed:
            return False
        own = {self._key.encode(), self._emptying.encode(), self._outdated.encode()}
        keys = [key for key in await self._connection.keys(f"{self._prefix}:*") if key not in own]
        for first in range(0, len(keys), _DROPPED_TOGETHER):
            unlinks = [("UNLINK", key) for key in keys[first : first + _DROPPED_TOGETHER]]
            await self._connection.round_trip(("EXPIRE", self._emptying, _EMPTYING_SECONDS_MAX), *unlinks)
        now = int(time.time() * 1000)
        await self._connection.round_trip(
            ("HSET", self._key, "incarnation", incarnation, "restored", now), ("DEL", self._emptying)
        )
        return True

    async def close(self) -> None:
        """Disconnect."""
        await self._connection.close()
