"""The worker: plays for bots, repairs projections, rebuilds them. Any number of workers may run.

A bot's move is a function of its view and a seed that follows from the table and the decision, so
two workers that serve the same bot send the same move, and the log records it once.

What happened is learned twice: quickly from Redis (tables that wait for a bot), and surely from the
log's feed, from a checkpoint on. A view that is older than the log is rebuilt.
"""

import asyncio
import hashlib
from contextlib import suppress
from typing import Final
from uuid import UUID

import structlog

from domain.decider import view_of
from projections.generations import DOUBLE_WRITE_SECONDS
from projections.redis_connection import RedisUnavailableError
from projections.redis_store import RedisStore
from service.disputes.disputes import Disputes
from service.errors import NotFoundError, UnavailableError
from service.jobs.names import NameJobs
from service.records.transparency import Transparency
from service.standings.standings import Standings
from service.store.errors import StoreUnavailableError
from service.store.feed import Feed
from service.store.log import Log
from service.tables.cache import TableCache
from service.tables.live_table import DamagedStreamError, LiveTable
from service.tables.tables import Tables
from service.tables.views import Views

_POLL_SECONDS: Final = 0.5
_SWEEP_SECONDS: Final = 2.0
_GRACE_SECONDS: Final = 1.0
"""How long a view may be older than the log before the worker rebuilds it."""
_BATCH: Final = 500
_LOOKED_AT_MAX: Final = 5000
"""Events whose views are looked at in one go: more than are recorded in the grace, or it would never catch up."""
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
        standings: Standings,
        disputes: Disputes,
        name_jobs: NameJobs,
    ) -> None:
        self._log = log
        self._redis = redis
        self._cache = cache
        self._tables = tables
        self._views = views
        self._transparency = transparency
        self._standings = standings
        self._disputes = disputes
        self._name_jobs = name_jobs
        self._busy: set[UUID] = set()

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._serve_queue())
            tasks.create_task(self._sweep())
            tasks.create_task(self._tail())
            tasks.create_task(self._keep_complete())
            tasks.create_task(self._log_ends())
            tasks.create_task(self._keep_standings())
            tasks.create_task(self._name_jobs.run())

    # bots

    async def play_bots(self, stream: UUID) -> int:
        """Let every bot of the table that has to act do so; return how many moves were made."""
        if stream in self._busy:
            return 0
        self._busy.add(stream)
        try:
            return await self._play_bots(stream)
        except (NotFoundError, DamagedStreamError, UnavailableError) as error:
            logger.error("bots cannot play", table=str(stream), reason=str(error))
            return 0
        finally:
            self._busy.discard(stream)

    async def _play_bots(self, stream: UUID) -> int:
        table = await self._cache.get(stream)
        if table is None:
            return 0
        moves = 0
        await self._catch_up(table)
        while (seat := bot_to_act(table)) is not None or await self._catch_up(table):
            if seat is not None:
                decision = table.state.decisions[seat] or 0
                game = table.state.setup.game
                view = view_of(game, table.state.game_state, seat)
                move = game.players.bot(view, bot_seed(table, seat, decision))
                moves += await self._tables.bot_move(table, seat, decision, move)
                await asyncio.sleep(0)
        if moves == 0:
            await self._show(table)
        return moves

    async def _catch_up(self, table: LiveTable) -> bool:
        async with table.lock:
            return await self._cache.catch_up(table)

    async def _show(self, table: LiveTable) -> None:
        """Write the table's view, so that it leaves the queue."""
        async with table.lock:
            table.projection = None
            await self._views.publish(table)

    async def _serve_queue(self) -> None:
        while True:
            try:
                name = await self._redis.lists.next_for_bots(1.0)
                if name is not None:
                    await self.play_bots(UUID(name))
            except RedisUnavailableError:
                await asyncio.sleep(_POLL_SECONDS)
            except StoreUnavailableError:
                await asyncio.sleep(_SWEEP_SECONDS)

    async def _sweep(self) -> None:
        """Serve tables that wait for a bot although nobody seems to work on them."""
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            with suppress(RedisUnavailableError, StoreUnavailableError):
                for name in await self._redis.lists.waiting_for_bots(_SWEEP_SECONDS):
                    await self.play_bots(UUID(name))

    # projections

    async def _tail(self) -> None:
        """Follow the feed: repair views that are older than the log, serve bots while Redis is unavailable."""
        async for events in Feed(
            self._log, "views", self._log.feed_heads, poll_seconds=_POLL_SECONDS, events_max=_LOOKED_AT_MAX
        ).batches():
            await asyncio.sleep(_GRACE_SECONDS)
            with suppress(StoreUnavailableError):  # the sweep and the next event of the table find it again
                await self._repair({event.stream: event.version for event in events})

    async def _log_ends(self) -> None:
        """Let the transparency log grow by every match that ends."""
        while True:
            with suppress(StoreUnavailableError):  # what was not appended comes again
                await self._transparency.follow(_POLL_SECONDS)
            await asyncio.sleep(_SWEEP_SECONDS)

    async def _keep_standings(self) -> None:
        """Let standings follow the log."""
        while True:
            with suppress(StoreUnavailableError):  # what was not counted comes again
                await self._standings.follow(_POLL_SECONDS)
            await asyncio.sleep(_SWEEP_SECONDS)

    async def _keep_complete(self) -> None:
        """Rebuild all projections when Redis has lost them."""
        while True:
            with suppress(StoreUnavailableError):
                if not self._redis.generations.complete:
                    await self._complete_projections()
            await asyncio.sleep(_SWEEP_SECONDS)

    async def _repair(self, newest: dict[UUID, int]) -> None:
        try:
            versions = await self._redis.views.versions([str(stream) for stream in newest])
        except RedisUnavailableError:
            for stream in newest:
                await self.play_bots(stream)
            return
        for (stream, version), shown in zip(newest.items(), versions, strict=True):
            if shown < version:
                await self._project(stream)

    async def _project(self, stream: UUID) -> None:
        """Write a table's projection; a private stream has none, and a damaged one is for the audit."""
        try:
            table = await self._cache.get(stream)
            if table is None:
                return
            async with table.lock:
                await self._cache.catch_up(table)
                table.projection = None
                await self._views.publish(table)
                table.projection = None
        except DamagedStreamError as error:
            logger.error("table cannot be shown", table=str(stream), reason=str(error))

    async def _complete_projections(self) -> None:
        """Rebuild every table's projection after Redis was emptied."""
        with suppress(RedisUnavailableError):
            await self._redis.connection.ping()
            count = await self._project_all()
            await self._redis.generations.mark_complete()
            logger.info("projections complete", tables=count, generation=self._redis.generations.current)

    async def _project_all(self) -> int:
        count = 0
        before: tuple[int, UUID] | None = None
        while page := await self._log.created(before, _BATCH):
            for _, stream in page:
                await self._project(stream)
            count += len(page)
            before = page[-1]
        return count

    async def rebuild(self) -> tuple[int, int]:
        """Rebuild all projections from the log under a new generation, then switch to it.

        Returns the number of tables and the new generation. The service goes on meanwhile: from the
        announcement on every process writes to both generations.
        """
        generations = self._redis.generations
        old, new = generations.current, generations.current + 1
        await generations.announce(new)
        await asyncio.sleep(DOUBLE_WRITE_SECONDS)
        count = await self._project_all()
        await self._standings.rebuild(new)
        await self._disputes.relist()
        await generations.switch(new)
        await asyncio.sleep(DOUBLE_WRITE_SECONDS)
        await generations.drop(old)
        return count, new


def bot_to_act(table: LiveTable) -> int | None:
    """Return the first bot's seat with an open decision, None if there is none."""
    state = table.state
    for seat, decision in enumerate(state.decisions):
        if decision is not None and state.seats[seat].kind == "bot":
            return seat
    return None


def bot_seed(table: LiveTable, seat: int, decision: int) -> int:
    """Return the seed of a bot's move: the same for every worker, nothing that others can foresee."""
    message = table.secret + b"bot" + bytes([seat]) + decision.to_bytes(4, "big")
    return int.from_bytes(hashlib.sha256(message).digest()[:8], "big") >> 1
