"""Which generation of projections is read, which one is being made, and whether it is complete.

Keys begin with `bw:<identity>:<generation>:`. The identity is that of the database from which everything is made,
so two services that share a Redis do not see each other; the generation lets a rebuild make all projections again
beside those that are read.

    bw:<identity>:generation    hash: current (once that generation is complete), making (a token while it is being
                                made complete), next and old (generations of a rebuild that are to be dropped)
    bw:<identity>:rebuild       the generation that a rebuild makes; expires unless the rebuild goes on
    bw:<identity>:spoiled       there once a key turned out to be of another type than ours, until all is emptied
"""

import asyncio
import secrets
from contextlib import suppress
from typing import Any, Final

from projections.redis_connection import (
    Command,
    RedisConnection,
    RedisUnavailableError,
    decoding,
    reading_script,
    script,
)

_REFRESH_SECONDS: Final = 1.0
DOUBLE_WRITE_SECONDS: Final = 2.5
"""After this time every process writes to a generation that was announced."""
_REBUILD_SECONDS: Final = 30
"""How long a rebuild is believed in that says nothing."""
_DROPPED_TOGETHER: Final = 1000
"""Keys deleted in one round trip."""
_CURRENT: Final = reading_script("return redis.call('HGET', KEYS[1], 'current')")
_COMPLETE: Final = script("""
-- KEYS: the generation. ARGV: token, number. False if Redis lost something since the token was given.
if redis.call('HGET', KEYS[1], 'making') ~= ARGV[1] then return 0 end
redis.call('HDEL', KEYS[1], 'making')
redis.call('HSETNX', KEYS[1], 'current', ARGV[2])
return 1
""")


class Generations:
    """The generations of projections as this process knows them; no older than a second while Redis answers."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection
        self.prefix = "bw"
        """What all keys of this database begin with."""
        self.current = 1
        """The one that is read and written."""
        self.next: int | None = None
        """The one that is written beside it."""
        self.complete = False
        """Whether the current one holds every table, not only those written since Redis was emptied."""

    @property
    def _key(self) -> str:
        return f"{self.prefix}:generation"

    @property
    def _rebuild_key(self) -> str:
        return f"{self.prefix}:rebuild"

    @property
    def _asked(self) -> tuple[Command, Command]:
        return (_CURRENT, 1, self._key), ("GET", self._rebuild_key)

    def key(self, name: str, generation: int | None = None) -> str:
        """Return the key of a name in a generation, the current one if none is given."""
        return f"{self.prefix}:{self.current if generation is None else generation}:{name}"

    @decoding
    async def refresh(self) -> None:
        """Learn the generations from Redis."""
        self._learn(*await self._connection.round_trip(*self._asked))

    async def keep_fresh(self) -> None:
        """Refresh until cancelled, and find out whether Redis takes writes."""
        while True:
            await asyncio.sleep(_REFRESH_SECONDS)
            with suppress(RedisUnavailableError):
                await self._connection.ping()
                await self.refresh()

    @decoding
    async def read_complete(self, command: str, name: str, *arguments: Any) -> Any | None:
        """Return the answer of a command on a key of the current generation; None if that is not complete."""
        while True:
            generation = self.current
            *known, answer = await self._connection.round_trip(*self._asked, (command, self.key(name), *arguments))
            self._learn(*known)
            if not self.complete:
                return None
            if generation == self.current:
                return answer

    async def begin_complete(self) -> bytes:
        """Begin to make the current generation complete; return a token for `mark_complete`."""
        token: bytes
        _, token = await self._connection.round_trip(
            ("HSETNX", self._key, "making", secrets.token_hex(8)), ("HGET", self._key, "making")
        )
        return token

    @decoding
    async def mark_complete(self, token: bytes) -> bool:
        """Say that the current generation holds every table; False if Redis was emptied since `begin_complete`."""
        done, *known = await self._connection.round_trip((_COMPLETE, 1, self._key, token, self.current), *self._asked)
        self._learn(*known)
        await self.refresh()  # a script that Redis did not know ran after the others
        return bool(done)

    # what somebody else wrote

    @property
    def spoil(self) -> Command:
        """What says that a key is not of our type: somebody else wrote here."""
        return ("SET", f"{self.prefix}:spoiled", 1)

    async def empty_if_spoiled(self) -> bool:
        """Delete everything that was made from the log if somebody else wrote here; whether that was so."""
        spoiled = f"{self.prefix}:spoiled"
        (found,) = await self._connection.round_trip(("EXISTS", spoiled))
        if found:
            # In this order nothing is left of a table that is written meanwhile, or all of it; and whoever makes the
            # generation complete meanwhile has not done so in the end.
            lists = await self._connection.keys(f"{self.prefix}:[0-9]*:[a-z]*")
            await self._unlink([key for key in lists if b":checkpoint:" not in key])
            await self._unlink(await self._connection.keys(f"{self.prefix}:*{{*"))
            checkpoints = await self._connection.keys(f"{self.prefix}:[0-9]*:checkpoint:*")
            await self._unlink([*checkpoints, self._key.encode(), self._rebuild_key.encode(), spoiled.encode()])
        return bool(found)

    # a rebuild

    @decoding
    async def announce(self, generation: int) -> None:
        """Ask all processes to write to this generation too, for as long as the rebuild says that it goes on."""
        lease = ("SET", self._rebuild_key, generation, "EX", _REBUILD_SECONDS)
        *_, current, following = await self._connection.round_trip(
            ("HSET", self._key, "next", generation), lease, *self._asked
        )
        self._learn(current, following)

    async def go_on(self, generation: int) -> None:
        """Say that the rebuild goes on. RedisUnavailableError if processes may have stopped to write to it."""
        lease = ("SET", self._rebuild_key, generation, "XX", "EX", _REBUILD_SECONDS)
        (done,) = await self._connection.round_trip(lease)
        if not done:
            raise RedisUnavailableError("Redis lost the rebuild")

    @decoding
    async def switch(self, generation: int) -> None:
        """Make this generation the one that is read."""
        *_, current, following = await self._connection.round_trip(
            ("HSET", self._key, "current", generation, "old", self.current),
            ("HDEL", self._key, "next"),
            ("UNLINK", self._rebuild_key),
            *self._asked,
        )
        self._learn(current, following)

    async def drop(self, generation: int) -> int:
        """Delete all keys of a generation that is no longer read; return how many."""
        keys = await self._connection.keys(self.key("*", generation))
        await self._unlink(keys)
        return len(keys)

    async def _unlink(self, keys: list[bytes]) -> None:
        for first in range(0, len(keys), _DROPPED_TOGETHER):
            unlinks = [("UNLINK", key) for key in keys[first : first + _DROPPED_TOGETHER]]
            await self._connection.round_trip(*unlinks)

    @decoding
    async def drop_leftovers(self) -> int:
        """Delete what rebuilds have left behind that are over, ended or interrupted; return how many keys."""
        dropped = 0
        for field in ("next", "old"):
            left, rebuild = await self._connection.round_trip(("HGET", self._key, field), ("GET", self._rebuild_key))
            if left is None or rebuild is not None:
                continue
            await asyncio.sleep(DOUBLE_WRITE_SECONDS)  # until no process writes to it
            current, rebuild = await self._connection.round_trip(*self._asked)
            if rebuild is None:
                dropped += 0 if left == current else await self.drop(int(left))
                await self._connection.round_trip(("HDEL", self._key, field))
        return dropped

    def _learn(self, current: bytes | None, following: bytes | None) -> None:
        self.complete = current is not None
        if current is not None:
            self.current = int(current)
        self.next = None if following is None else int(following)
