"""Which generation of projections is read, which one is being made, and whether it is complete.

Keys begin with `bw:<generation>:`, so that a rebuild makes all projections again beside those that are read.

    bw:generation    hash: current (once that generation is complete), next (while a rebuild runs)
"""

import asyncio
from contextlib import suppress
from typing import Any, Final

from projections.redis_connection import Command, RedisConnection, RedisUnavailableError

_KEY: Final = "bw:generation"
_LEARN: Final[Command] = ("HMGET", _KEY, "current", "next")
_REFRESH_SECONDS: Final = 1.0
DOUBLE_WRITE_SECONDS: Final = 2.5
"""After this time every process writes to a generation that was announced."""
_DROPPED_TOGETHER: Final = 1000
"""Keys deleted in one round trip."""


class Generations:
    """The generations of projections as this process knows them; no older than a second while Redis answers."""

    def __init__(self, connection: RedisConnection) -> None:
        self._connection = connection
        self.current = 1
        """The one that is read and written."""
        self.next: int | None = None
        """The one that is written beside it."""
        self.complete = False
        """Whether the current one holds every table, not only those written since Redis was emptied."""

    def key(self, name: str, generation: int | None = None) -> str:
        """Return the key of a name in a generation, the current one if none is given."""
        return f"bw:{self.current if generation is None else generation}:{name}"

    async def refresh(self) -> None:
        """Learn the generations from Redis."""
        (known,) = await self._connection.round_trip(_LEARN)
        self._learn(known)

    async def keep_fresh(self) -> None:
        """Refresh until cancelled."""
        while True:
            await asyncio.sleep(_REFRESH_SECONDS)
            with suppress(RedisUnavailableError):
                await self.refresh()

    async def read_complete(self, command: str, name: str, *arguments: Any) -> Any | None:
        """Return the answer of a command on a key of the current generation; None if that is not complete."""
        while True:
            generation = self.current
            known, answer = await self._connection.round_trip(_LEARN, (command, self.key(name), *arguments))
            self._learn(known)
            if not self.complete:
                return None
            if generation == self.current:
                return answer

    async def mark_complete(self) -> None:
        """Say that the current generation holds every table, unless a rebuild said so of another one."""
        _, known = await self._connection.round_trip(("HSETNX", _KEY, "current", self.current), _LEARN)
        self._learn(known)

    # a rebuild

    async def announce(self, generation: int) -> None:
        """Ask all processes to write to this generation too."""
        _, known = await self._connection.round_trip(("HSET", _KEY, "next", generation), _LEARN)
        self._learn(known)

    async def switch(self, generation: int) -> None:
        """Make this generation the one that is read."""
        *_, known = await self._connection.round_trip(
            ("HSET", _KEY, "current", generation), ("HDEL", _KEY, "next"), _LEARN
        )
        self._learn(known)

    async def drop(self, generation: int) -> int:
        """Delete all keys of a generation that is no longer read; return how many."""
        keys = await self._connection.keys(self.key("*", generation))
        for first in range(0, len(keys), _DROPPED_TOGETHER):
            unlinks = [("UNLINK", key) for key in keys[first : first + _DROPPED_TOGETHER]]
            await self._connection.round_trip(*unlinks)
        return len(keys)

    def _learn(self, known: tuple[bytes | None, bytes | None]) -> None:
        current, following = known
        self.complete = current is not None
        if current is not None:
            self.current = int(current)
        self.next = None if following is None else int(following)
