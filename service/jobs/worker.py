"""The worker: plays for bots, and lets projections, standings and the transparency log follow the log.

Any number of workers may run.

What happened is learned twice: quickly from Redis (tables that wait for a bot), and surely from the
log's feed, by the projector.
"""

import asyncio
from contextlib import suppress
from typing import Final

import structlog

from projections.redis_connection import RedisUnavailableError
from projections.redis_store import RedisStore
from service.disputes.disputes import Disputes
from service.jobs.bots import Bots
from service.jobs.ended_matches import EndedMatches
from service.jobs.logged_tables import LoggedTables
from service.jobs.names import NameJobs
from service.jobs.projector import Projector
from service.records.log_watch import LogChangedError, LogWatch
from service.records.transparency import Transparency
from service.standings.standings import Standings
from service.store.errors import StoreError
from service.store.log import Log
from service.tables.cache import TableCache
from service.tables.tables import Tables
from service.tables.views import Views

_POLL_SECONDS: Final = 0.5
_SWEEP_SECONDS: Final = 2.0
logger = structlog.get_logger("blattwerk.worker")


class Worker:
    """Bots and projections of one worker process."""

    def __init__(
        self,
        log: Log,
        redis: RedisStore,
        cache: TableCache,
        tables: Tables,
        views: Views,
        transparency: Transparency,
        logged_tables: LoggedTables,
        standings: Standings,
        disputes: Disputes,
        log_watch: LogWatch,
        name_jobs: NameJobs,
        ended_matches: EndedMatches,
        *,
        bot_seconds: float,
    ) -> None:
        self._redis = redis
        self._transparency = transparency
        self._standings = standings
        self._log_watch = log_watch
        self._name_jobs = name_jobs
        self._ended_matches = ended_matches
        self.bots = Bots(redis, cache, tables, views, seconds=bot_seconds)
        self.projector = Projector(log, redis, cache, views, logged_tables, standings, disputes, self.bots.begin)

    async def run(self) -> None:
        """Work until cancelled, from the start again where the log turns out to be another one."""
        while True:
            try:
                await self._work()
            except* LogChangedError:
                logger.warning("worker begins again")

    async def _work(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._log_watch.fail_if_changed())
            tasks.create_task(self.bots.run())
            tasks.create_task(self.projector.run())
            tasks.create_task(self._drop_leftovers())
            tasks.create_task(self._log_ends())
            tasks.create_task(self._keep_standings())
            tasks.create_task(self._list_ends())
            tasks.create_task(self._name_jobs.run())

    # what else follows the log

    async def _log_ends(self) -> None:
        """Let the transparency log grow by every match that ends."""
        while True:
            with suppress(StoreError):  # what was not appended comes again
                await self._transparency.follow(_POLL_SECONDS)
            await asyncio.sleep(_SWEEP_SECONDS)

    async def _keep_standings(self) -> None:
        """Let standings follow the log."""
        while True:
            with suppress(StoreError):  # what was not counted comes again
                await self._standings.follow(_POLL_SECONDS)
            await asyncio.sleep(_SWEEP_SECONDS)

    async def _list_ends(self) -> None:
        """Let the list of matches that are over follow the transparency log."""
        while True:
            with suppress(StoreError):  # what was not written comes again
                await self._ended_matches.follow(_POLL_SECONDS)
            await asyncio.sleep(_SWEEP_SECONDS)

    async def _drop_leftovers(self) -> None:
        """Delete what interrupted rebuilds have left in Redis."""
        while True:
            with suppress(RedisUnavailableError):
                await self._redis.generations.drop_leftovers()
            await asyncio.sleep(_SWEEP_SECONDS)

    async def rebuild(self) -> tuple[int, int]:
        """Rebuild all projections; see `Projector.rebuild`."""
        await self._ended_matches.rebuild()
        return await self.projector.rebuild()
