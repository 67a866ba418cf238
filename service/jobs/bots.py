"""Bots: each answers at a time that was fixed when its decision opened, however hard the choice was.

A bot's move is a function of its view and a seed that follows from the table and the decision, so
two workers that serve the same bot send the same move, and the log records it once.
"""

import asyncio
import hashlib
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, NamedTuple
from uuid import UUID

import structlog

from domain.decider import Seat, view_of
from projections.redis_connection import RedisUnavailableError
from projections.redis_store import RedisStore
from service.errors import UnreadableError
from service.jobs.turns import Turns
from service.store.errors import StoreUnavailableError
from service.tables.cache import TableCache
from service.tables.live_table import LiveTable
from service.tables.tables import Tables
from service.tables.views import Views

THINKING_SECONDS: Final = 0.05
"""No bot should need more to choose a move; the slowest measured took 0.01."""
_JITTER: Final = 0.5
"""The longest part of its pause that a bot waits in addition."""
_LOOKED_AT_MAX: Final = 16
"""So many tables are looked at in the log at the same time: after a loss of Redis, all are."""
_POLL_SECONDS: Final = 0.5
_SWEEP_SECONDS: Final = 2.0
logger = structlog.get_logger("blattwerk.worker")


class _Plan(NamedTuple):
    """A move that is going to be made."""

    move: Any
    version: int
    """The table's version that the bot saw."""
    due: float
    """When, on the monotonic clock."""


_Plans = dict[tuple[Seat, int], _Plan]
"""By seat and decision."""


class Bots:
    """Plays for the bots of all tables that wait for one. One per worker."""

    def __init__(self, redis: RedisStore, cache: TableCache, tables: Tables, views: Views, *, seconds: float) -> None:
        self._redis = redis
        self._cache = cache
        self._tables = tables
        self._views = views
        self._seconds = seconds
        self._turns = Turns()
        self._looking = asyncio.Semaphore(_LOOKED_AT_MAX)
        self._playing: set[UUID] = set()
        self._told: set[UUID] = set()
        """Tables of which something was told while bots played there."""
        self._tasks: asyncio.TaskGroup | None = None

    async def run(self) -> None:
        """Play at all tables that Redis tells of, until cancelled."""
        async with asyncio.TaskGroup() as self._tasks:
            self._tasks.create_task(self._listen())
            self._tasks.create_task(self._sweep())

    def begin(self, stream: UUID) -> None:
        """Let the bots of a table play, beside everything else."""
        if stream in self._playing:
            self._told.add(stream)
        elif self._tasks is not None:
            self._tasks.create_task(self._play_if_possible(stream))

    async def _play_if_possible(self, stream: UUID) -> None:
        with suppress(StoreUnavailableError, RedisUnavailableError):  # the table is told of again
            await self.play(stream)
            if stream in self._told:
                self._told.discard(stream)
                self.begin(stream)

    async def play(self, stream: UUID) -> int:
        """Let every bot of the table that has to act do so when it is due; return how many moves were made."""
        if stream in self._playing:
            return 0
        self._playing.add(stream)
        try:
            return await self._play(stream)
        except UnreadableError:  # reported by the cache; a newer program may serve it
            return 0
        except (StoreUnavailableError, RedisUnavailableError):
            raise
        except Exception as error:  # damage, or rules of a newer program, stay with their table
            logger.error("bots cannot play", table=str(stream), reason=repr(error))
            return 0
        finally:
            self._playing.discard(stream)

    async def _play(self, stream: UUID) -> int:
        async with self._looking:
            table = await self._cache.get(stream)
            if table is None:
                return 0
            await self._catch_up(table)
        moves, plans = 0, _Plans()
        while (plans := await self._planned(table, plans)) or await self._catch_up(table):
            if plans:
                (seat, decision), plan = min(plans.items(), key=lambda planned: planned[1].due)
                await asyncio.sleep(plan.due - time.monotonic())
                await self._catch_up(table)
                if table.state.version == plan.version:
                    moves += await self._tables.bot_move(table, seat, decision, plan.move)
        if moves == 0:
            await self._show(table)
        return moves

    async def _planned(self, table: LiveTable, known: _Plans) -> _Plans:
        """Return the moves of all bots that have to act, thought of anew where the table has gone on."""
        plans, noticed = _Plans(), time.monotonic()
        for seat, decision in list(bots_to_act(table)):
            plan = known.get((seat, decision))
            if plan is None or plan.version != table.state.version:
                due = noticed + self._pause(table, seat, decision) if plan is None else plan.due
                plan = await self._thought(table, seat, decision, due)
            if plan is not None:
                plans[seat, decision] = plan
        return plans

    async def _thought(self, table: LiveTable, seat: Seat, decision: int, due: float) -> _Plan | None:
        """Return a bot's move; None if its decision is gone meanwhile."""
        async with self._turns.of(person_at(table)):
            await asyncio.sleep(0)  # the others get into line
            if table.state.decisions[seat] != decision:
                return None
            begun, version, game = time.monotonic(), table.state.version, table.state.setup.game
            move = game.players.bot(view_of(game, table.state.game_state, seat), bot_seed(table, seat, decision))
            took = time.monotonic() - begun
        if took > THINKING_SECONDS:
            logger.warning("a bot thought for too long", table=str(table.stream), seconds=round(took, 3))
        # who thought late, in a long line, shows no more of how long it took
        return _Plan(move, version, max(due, begun + min(self._seconds, THINKING_SECONDS)))

    def _pause(self, table: LiveTable, seat: Seat, decision: int) -> float:
        """Return the seconds between a decision and its answer: known to nobody before the match has ended."""
        alone = sum(occupant.kind == "person" for occupant in table.state.seats) == 1
        quick = alone and table.state.setup.bot_pace == "quick"
        seconds = min(self._seconds, THINKING_SECONDS) if quick else self._seconds
        return seconds * (1 + _JITTER * _number(table, b"bot pause", seat, decision) / 2**63)

    async def _catch_up(self, table: LiveTable) -> bool:
        async with table.lock:
            return await self._cache.catch_up(table)

    async def _show(self, table: LiveTable) -> None:
        """Write the table's view, so that it leaves the queue."""
        with suppress(RedisUnavailableError):
            await self._views.settle(table)

    async def _listen(self) -> None:
        while True:
            try:
                for _, waiting in await self._redis.lists.next_for_bots(1.0):
                    self.begin(UUID(waiting))
            except RedisUnavailableError:
                await asyncio.sleep(_POLL_SECONDS)

    async def _sweep(self) -> None:
        """Play at tables that wait for a bot though nobody works on them, behind those that cannot be read."""
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            with suppress(RedisUnavailableError):
                after = 0
                while names := await self._redis.lists.waiting_for_bots(_SWEEP_SECONDS, after):
                    for name in names:
                        self.begin(UUID(name))
                    after += len(names)


def person_at(table: LiveTable) -> str:
    """Return the first person at a table, "" if there is none."""
    return next((seat.player for seat in table.state.seats if seat.player is not None), "")


def bots_to_act(table: LiveTable) -> Iterator[tuple[Seat, int]]:
    """Yield the seat and the open decision of every bot that has one."""
    state = table.state
    for seat, decision in enumerate(state.decisions):
        if decision is not None and state.seats[seat].kind == "bot":
            yield seat, decision


def bot_seed(table: LiveTable, seat: Seat, decision: int) -> int:
    """Return the seed of a bot's move: the same for every worker, nothing that others can foresee."""
    return _number(table, b"bot", seat, decision)


def _number(table: LiveTable, purpose: bytes, seat: Seat, decision: int) -> int:
    """Return a number of 63 bits that follows from the table's secret."""
    message = table.secret + purpose + bytes([seat]) + decision.to_bytes(4, "big")
    return int.from_bytes(hashlib.sha256(message).digest()[:8], "big") >> 1
