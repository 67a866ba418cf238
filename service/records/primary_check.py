"""Keeps this process away from the primary of yesterday: a server that takes writes, though another one was promoted.

Every promotion begins a timeline of higher number, and Redis knows the latest on which a process works. A connection
to a server on an earlier one is not used. Where a process meets a later one it tells Redis first, and uses it only
once everybody has had the time to hear of that: each process asks Redis twice a second, and works with the database
only while the answer is fresh. So nothing is acknowledged by the new primary while a process still trusts the old one.

While Redis does not answer, each process goes by what it has heard.
"""

import asyncio
import math
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

import structlog

from projections.log_marks import LogMarks
from projections.redis_connection import RedisUnavailableError
from service.store.connections import Server
from service.store.database import Database
from service.store.errors import LogOutdatedError

LOOK_SECONDS: Final = 0.5
_FRESH_SECONDS: Final = 2.0
"""For how long an answer of Redis is relied on, from when it was asked."""
_ALL_KNOW_SECONDS: Final = 2.5
"""After this time every process has heard of a new timeline, or relies on nothing older: more than the above."""
_LOG_SECONDS: Final = 60.0
logger: Final = structlog.get_logger("blattwerk.log")


class PrimaryCheck:
    """Decides which connections of this process lead to the primary. One per process."""

    def __init__(self, database: Database, marks: LogMarks, on_promotion: Callable[[], None]) -> None:
        """`on_promotion` is called once the primary is another one than was known, before anything is read from it."""
        self._database = database
        self._marks = marks
        self._on_promotion = on_promotion
        self._system: str | None = None
        self._timeline = 0
        """The latest that this process has heard of, 0 for none."""
        self.known_until = math.inf
        self.outdated_somewhere = False
        """Whether a process of the service was connected to an earlier timeline in the last seconds."""
        self._logged = -math.inf
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Go on looking. The database is open."""
        self._task = asyncio.create_task(self._follow())

    async def close(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    @property
    def outdated(self) -> bool:
        """Whether this process reaches only a server that is not the primary any more."""
        return self._database.outdated

    async def admit(self, server: Server) -> None:
        """Return once a new connection to this server may be used. LogOutdatedError if it is not the primary.

        Another cluster than the first one has timelines of its own, which nothing is known of.
        """
        if self._system is None:
            self._system = server.system
            self._marks.identify(server.identity)
        if server.system != self._system:
            return
        before, seconds = self._timeline, math.inf
        with suppress(RedisUnavailableError):
            before, seconds = await self._marks.reach(server.timeline, self._timeline)
        await self._learn(max(before, server.timeline), before)
        if server.timeline == self._timeline and seconds < _ALL_KNOW_SECONDS:
            await asyncio.sleep(_ALL_KNOW_SECONDS - max(0.0, seconds))
        if server.timeline < self._timeline:
            raise LogOutdatedError

    async def renew(self) -> None:
        """Ask Redis which timeline is the latest, and leave servers on earlier ones."""
        asked = asyncio.get_running_loop().time()
        try:
            timeline, self.outdated_somewhere = await self._marks.timeline()
            if timeline < self._timeline:  # emptied, or an older dump
                await self._marks.reach(self._timeline, self._timeline)
        except RedisUnavailableError:
            self.known_until = math.inf  # until it answers again nobody hears anything
            return
        self.known_until = asked + _FRESH_SECONDS
        await self._learn(timeline, self._timeline)

    async def _learn(self, latest: int, before: int) -> None:
        """Leave servers on earlier timelines than the latest; `before` is what was known of it, 0 for nothing."""
        if self._system is None or latest <= self._timeline:
            return
        if self._timeline or 0 < before < latest:
            self._on_promotion()
        self._timeline = latest
        await self._database.leave(self._system, latest)

    async def _follow(self) -> None:
        while True:
            await self.renew()
            await self._alarm()
            await asyncio.sleep(LOOK_SECONDS)

    async def _alarm(self) -> None:
        """Say, once a minute, that this process serves nobody, and let the others show it."""
        if not self.outdated:
            if self._logged > -math.inf:
                logger.warning("connected to the primary again", timeline=self._timeline)
            self._logged = -math.inf
            return
        if time.monotonic() - self._logged >= _LOG_SECONDS:
            self._logged = time.monotonic()
            logger.error("connected to a server that is not the primary any more: 503", timeline=self._timeline)
        with suppress(RedisUnavailableError):
            await self._marks.note_outdated()
