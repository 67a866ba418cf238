"""The worker: plays for bots, repairs projections, rebuilds them. Any number of workers may run.

A bot's move is a function of its view and a seed that follows from the table and the decision, so
two workers that serve the same bot send the same move, and the log records it once.

What happened is learned twice: quickly from Redis (tables that wait for a bot), and surely from the
log's feed behind that, from a checkpoint on. A view that is behind the log is made again.
"""

import asyncio
import hashlib
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final
from uuid import UUID

import structlog

from domain.decider import view_of
from projections.generations import DOUBLE_WRITE_SECONDS
from projections.redis_connection import RedisUnavailableError
from service.composition import Services
from service.errors import NotFoundError
from service.store.errors import StoreUnavailableError
from service.store.feed import Feed
from service.tables.live_table import DamagedStreamError, LiveTable

if TYPE_CHECKING:
    from service.runtime.settings import Settings

_POLL_SECONDS: Final = 0.5
_SWEEP_SECONDS: Final = 2.0
_GRACE_SECONDS: Final = 1.0
"""How long a view may be behind the log before the worker makes it again."""
_BATCH: Final = 500
_LOOKED_AT: Final = 5000
"""Events whose views are looked at in one go: more than are recorded in the grace, or it would fall behind."""
log = structlog.get_logger("blattwerk.worker")


class Worker:
    """Bots and projections of one worker process."""

    def __init__(self, services: Services) -> None:
        self._services = services
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

    # bots

    async def play_bots(self, stream: UUID) -> int:
        """Let every bot of the table that has to act do so; return how many moves were made."""
        if stream in self._busy:
            return 0
        self._busy.add(stream)
        try:
            return await self._play_bots(stream)
        except (NotFoundError, DamagedStreamError) as error:
            log.error("bots cannot play", table=str(stream), reason=str(error))
            return 0
        finally:
            self._busy.discard(stream)

    async def _play_bots(self, stream: UUID) -> int:
        moves = 0
        while True:
            table = await self._services.cache.get(stream)
            if table is None:
                return moves
            async with table.lock:
                await self._services.cache.catch_up(table)
            seat = bot_to_act(table)
            if seat is None:
                if moves == 0:
                    await self._show(table)
                return moves
            decision = table.state.decisions[seat] or 0
            game = table.state.setup.game
            view = view_of(game, table.state.game_state, seat)
            move = game.players.bot(view, bot_seed(table, seat, decision))
            moves += await self._services.tables.bot_move(stream, seat, decision, move)
            await asyncio.sleep(0)

    async def _show(self, table: LiveTable) -> None:
        """Write the table's view, so that it leaves the queue."""
        async with table.lock:
            table.projection = None
            await self._services.views.publish(table)

    async def _serve_queue(self) -> None:
        while True:
            try:
                name = await self._services.redis.lists.next_for_bots(1.0)
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
                for name in await self._services.redis.lists.waiting_for_bots(_SWEEP_SECONDS):
                    await self.play_bots(UUID(name))

    # projections

    async def _tail(self) -> None:
        """Follow the feed: repair views that are behind, serve bots while Redis is unavailable."""
        async for heads in Feed(
            self._services.log,
            "views",
            self._services.log.feed_heads,
            poll_seconds=_POLL_SECONDS,
            events_max=_LOOKED_AT,
        ).batches():
            await asyncio.sleep(_GRACE_SECONDS)
            with suppress(StoreUnavailableError):  # the sweep and the next event of the table find it again
                await self._repair({head.stream: head.version for head in heads})

    async def _log_ends(self) -> None:
        """Let the transparency log grow by every match that ends."""
        while True:
            with suppress(StoreUnavailableError):  # what was not appended comes again
                await self._services.transparency.follow(_POLL_SECONDS)
            await asyncio.sleep(_SWEEP_SECONDS)

    async def _keep_standings(self) -> None:
        """Let standings follow the log."""
        while True:
            with suppress(StoreUnavailableError):  # what was not counted comes again
                await self._services.standings.follow(_POLL_SECONDS)
            await asyncio.sleep(_SWEEP_SECONDS)

    async def _keep_complete(self) -> None:
        """Make all projections again when Redis has lost them."""
        while True:
            with suppress(StoreUnavailableError):
                if not self._services.redis.generations.complete:
                    await self._complete_projections()
            await asyncio.sleep(_SWEEP_SECONDS)

    async def _repair(self, newest: dict[UUID, int]) -> None:
        try:
            versions = await self._services.redis.views.versions([str(stream) for stream in newest])
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
            table = await self._services.cache.get(stream)
            if table is None:
                return
            async with table.lock:
                await self._services.cache.catch_up(table)
                table.projection = None
                await self._services.views.publish(table)
                table.projection = None
        except DamagedStreamError as error:
            log.error("table cannot be shown", table=str(stream), reason=str(error))

    async def _complete_projections(self) -> None:
        """Make every table's projection after Redis was emptied."""
        with suppress(RedisUnavailableError):
            await self._services.redis.connection.ping()
            count = await self._project_all()
            await self._services.redis.generations.mark_complete()
            log.info("projections complete", tables=count, generation=self._services.redis.generations.current)

    async def _project_all(self) -> int:
        count = 0
        before: tuple[int, UUID] | None = None
        while page := await self._services.log.created(before, _BATCH):
            for _, stream in page:
                await self._project(stream)
            count += len(page)
            before = page[-1]
        return count

    async def rebuild(self) -> tuple[int, int]:
        """Make all projections again from the log under a new generation, then switch to it.

        Returns the number of tables and the new generation. The service goes on meanwhile: from the
        announcement on every process writes to both generations.
        """
        generations = self._services.redis.generations
        old, new = generations.current, generations.current + 1
        await generations.announce(new)
        await asyncio.sleep(DOUBLE_WRITE_SECONDS)
        count = await self._project_all()
        await self._services.standings.rebuild(new)
        await self._services.dispute_store.relist()
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


async def run(settings: "Settings") -> None:
    """Run a worker until cancelled."""
    services = Services(settings)
    await services.open()
    log.info("worker runs")
    try:
        await Worker(services).run()
    finally:
        await services.close()


async def rebuild(settings: "Settings") -> tuple[int, int]:
    """Rebuild all projections; returns the number of tables and the new generation."""
    services = Services(settings)
    await services.open()
    try:
        return await Worker(services).rebuild()
    finally:
        await services.close()


__all__: Sequence[str] = ("Worker", "bot_seed", "bot_to_act", "rebuild", "run")
