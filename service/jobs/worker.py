"""The worker: plays for bots, and lets projections, standings and the transparency log follow the log.

Any number of workers may run.

A bot's move is a function of its view and a seed that follows from the table and the decision, so
two workers that serve the same bot send the same move, and the log records it once.

What happened is learned twice: quickly from Redis (tables that wait for a bot), and surely from the
log's feed, by the projector.
"""

import asyncio
import hashlib
import time
from contextlib import suppress
from typing import Final
from uuid import UUID

import structlog

from domain.decider import view_of
from projections.redis_connection import RedisUnavailableError
from projections.redis_store import RedisStore
from service.disputes.disputes import Disputes
from service.errors import UnreadableError
from service.jobs.bot_lines import BotLines
from service.jobs.logged_tables import LoggedTables
from service.jobs.names import NameJobs
from service.jobs.projector import Projector
from service.records.log_watch import LogChangedError, LogWatch
from service.records.transparency import Transparency
from service.standings.standings import Standings
from service.store.errors import StoreError, StoreUnavailableError
from service.store.log import Log
from service.tables.cache import TableCache
from service.tables.live_table import LiveTable
from service.tables.tables import Tables
from service.tables.views import Views

_POLL_SECONDS: Final = 0.5
_SWEEP_SECONDS: Final = 2.0
_TURN_SECONDS: Final = 0.1
"""How long bots play at one table while others wait for theirs."""
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
    ) -> None:
        self._redis = redis
        self._cache = cache
        self._tables = tables
        self._views = views
        self._transparency = transparency
        self._standings = standings
        self._log_watch = log_watch
        self._name_jobs = name_jobs
        self.projector = Projector(log, redis, cache, views, logged_tables, standings, disputes, self.play_bots)
        self._busy: set[UUID] = set()
        self._lines = BotLines()

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
            tasks.create_task(self._serve_queue())
            tasks.create_task(self._sweep())
            tasks.create_task(self.projector.run())
            tasks.create_task(self._drop_leftovers())
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
        except UnreadableError:  # reported by the cache; a newer program may serve it
            return 0
        except (StoreUnavailableError, RedisUnavailableError):
            raise
        except Exception as error:  # damage, or rules of a newer program, stay with their table
            logger.error("bots cannot play", table=str(stream), reason=repr(error))
            return 0
        finally:
            self._busy.discard(stream)

    async def _play_bots(self, stream: UUID) -> int:
        table = await self._cache.get(stream)
        if table is None:
            return 0
        moves, until = 0, time.monotonic() + _TURN_SECONDS
        await self._catch_up(table)
        while (seat := bot_to_act(table)) is not None or await self._catch_up(table):
            if seat is not None:
                decision = table.state.decisions[seat] or 0
                game = table.state.setup.game
                view = view_of(game, table.state.game_state, seat)
                move = game.players.bot(view, bot_seed(table, seat, decision))
                moves += await self._tables.bot_move(table, seat, decision, move)
                if self._lines and time.monotonic() > until:
                    self._lines.add(_person_at(table), str(stream))
                    break
                await asyncio.sleep(0)
        if moves == 0:
            await self._show(table)
        return moves

    async def _catch_up(self, table: LiveTable) -> bool:
        async with table.lock:
            return await self._cache.catch_up(table)

    async def _show(self, table: LiveTable) -> None:
        """Write the table's view, so that it leaves the queue."""
        with suppress(RedisUnavailableError):
            await self._views.settle(table)

    async def _serve_queue(self) -> None:
        """Let bots play, in turn for each account."""
        while True:
            try:
                for account, waiting in await self._redis.lists.next_for_bots(0 if self._lines else 1.0):
                    self._lines.add(account, waiting)
                table = self._lines.next()
                if table is not None:
                    await self.play_bots(UUID(table))
            except RedisUnavailableError:
                await asyncio.sleep(_POLL_SECONDS)
            except StoreUnavailableError:
                await asyncio.sleep(_SWEEP_SECONDS)

    async def _sweep(self) -> None:
        """Let tables wait in line that wait for a bot though nobody works on them, behind those that cannot be read."""
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            with suppress(RedisUnavailableError, StoreUnavailableError):
                after = 0
                while names := await self._redis.lists.waiting_for_bots(_SWEEP_SECONDS, after):
                    for name in names:
                        with suppress(UnreadableError):  # reported by the cache
                            table = await self._cache.get(UUID(name))
                            self._lines.add("" if table is None else _person_at(table), name)
                    after += len(names)

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

    async def _drop_leftovers(self) -> None:
        """Delete what interrupted rebuilds have left in Redis."""
        while True:
            with suppress(RedisUnavailableError):
                await self._redis.generations.drop_leftovers()
            await asyncio.sleep(_SWEEP_SECONDS)

    async def rebuild(self) -> tuple[int, int]:
        """Rebuild all projections; see `Projector.rebuild`."""
        return await self.projector.rebuild()


def _person_at(table: LiveTable) -> str:
    """Return the first person at a table, "" if there is none."""
    return next((seat.player for seat in table.state.seats if seat.player is not None), "")


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
