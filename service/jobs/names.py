"""What follows from a change of a name, outside of any request: views and lists show it, who is erased leaves.

Both jobs follow the feed of names from checkpoints that lie in Redis beside the views. A view may still be written
with the name before by a process that has not heard of the change; so each change is carried out at once, and again
when every process has heard of it, and only then is it done with. Any number of workers may do this.
"""

import asyncio
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Protocol
from uuid import UUID

import structlog
from msgspec import Struct

from projections.checkpoints import DEPARTURES, NAMES
from projections.redis_connection import RedisUnavailableError
from projections.redis_store import RedisStore
from service.accounts.public_names import VALID_SECONDS
from service.errors import ConflictError, NotFoundError, UnavailableError, UnreadableError
from service.jobs.logged_tables import LoggedTables
from service.store.accounts import AccountStore, NameChange
from service.store.errors import StoreUnavailableError
from service.tables.access import Access
from service.tables.tables import Tables

_POLL_SECONDS: Final = 0.25
_HEARD_SECONDS: Final = VALID_SECONDS + 0.1
"""After this time no process writes a view with the name before a change."""
_CHANGES_MAX: Final = 1000
_LOG_SECONDS: Final = 60.0
_BUCKET: Final = 0
"""The feed of names has one part."""
logger = structlog.get_logger("blattwerk.names")


class Act(Protocol):
    """What is done for changes of names, as often as one likes."""

    async def __call__(self, changes: Sequence[NameChange]) -> bool:
        """Do it; whether it is complete. RedisUnavailableError or StoreUnavailableError if it cannot be done now."""
        ...


class _Done(Struct, frozen=True):
    """Changes for which everything was done once."""

    at: float
    changes: list[NameChange]


class NameFollower:
    """Does something for every change of a name, twice, and then moves a checkpoint over it."""

    def __init__(
        self, projection: str, store: AccountStore, redis: RedisStore, act: Act, without_redis: Act | None = None
    ) -> None:
        """`without_redis` is done for changes that are new while Redis is unavailable, and `act` once it is back."""
        self._projection = projection
        self._store = store
        self._checkpoints = redis.checkpoints
        self._act = act
        self._without_redis = without_redis
        self._reached = 0
        self._done_without = 0
        """Up to here it was done without Redis."""
        self._done: list[_Done] = []
        self._owed_since: float | None = None
        self._logged = float("-inf")

    async def run(self) -> None:
        """Follow the feed of names until cancelled."""
        while True:
            more = False
            try:
                more = await self.step()
                self._owed_since = None
            except (RedisUnavailableError, StoreUnavailableError) as error:
                self._done.clear()  # it is done from the checkpoint on, once that can be read
                self._log(str(error))
                more = await self._do_without()
            if not more:
                await asyncio.sleep(_POLL_SECONDS)

    async def step(self) -> bool:
        """Do what is new, and again what every process has heard of by now; whether there is more."""
        reached = (await self._checkpoints.read(self._projection)).get(_BUCKET, 0)
        if reached < self._reached:
            self._done.clear()  # Redis went back, and its views with it
        self._reached = reached
        seen = self._done[-1].changes[-1].position if self._done else reached
        changes = await self._store.name_changes(max(seen, reached), _CHANGES_MAX)
        if changes and await self._act(changes):
            self._done.append(_Done(time.monotonic(), changes))
        while self._done and self._done[0].at + _HEARD_SECONDS <= time.monotonic():
            changes_heard = self._done[0].changes
            if not await self._act(changes_heard):
                break
            position = changes_heard[-1].position
            if not await self._checkpoints.advance(self._projection, {_BUCKET: position}, since={_BUCKET: reached}):
                break
            del self._done[0]
        return len(changes) == _CHANGES_MAX

    async def _do_without(self) -> bool:
        """Do what is new while Redis is unavailable; whether there is more."""
        if self._without_redis is None:
            return False
        with suppress(StoreUnavailableError, UnavailableError):
            changes = await self._store.name_changes(max(self._reached, self._done_without), _CHANGES_MAX)
            if changes and await self._without_redis(changes):
                self._done_without = changes[-1].position
                return len(changes) == _CHANGES_MAX
        return False

    def _log(self, reason: str) -> None:
        """Say once a minute what is owed, and since when."""
        now = time.monotonic()
        if self._owed_since is None:
            self._owed_since = now
        if now - self._logged >= _LOG_SECONDS:
            self._logged = now
            seconds = round(now - self._owed_since)
            logger.warning("names are owed", projection=self._projection, seconds=seconds, reason=reason)


class NameJobs:
    """Keeps names in views and lists right, and lets erased accounts leave their tables."""

    def __init__(
        self, store: AccountStore, redis: RedisStore, access: Access, tables: Tables, logged_tables: LoggedTables
    ) -> None:
        self._store = store
        self._redis = redis
        self._access = access
        self._tables = tables
        self._logged_tables = logged_tables

    async def run(self) -> None:
        """Work until cancelled."""
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(NameFollower(NAMES, self._store, self._redis, self.show).run())
            departures = NameFollower(DEPARTURES, self._store, self._redis, self.leave, self.leave_by_log)
            tasks.create_task(departures.run())

    async def show(self, changes: Sequence[NameChange]) -> bool:
        """Put the names of these players into the views and lists of their tables."""
        players = sorted({str(change.player) for change in changes})
        return await self._redis.names.rewrite(players, self._names_of)

    async def leave(self, changes: Sequence[NameChange]) -> bool:
        """Leave the tables at which erased accounts still sit; not complete while Redis cannot tell all of them."""
        for player in sorted({str(change.player) for change in changes if change.erased}):
            tables = await self._redis.lists.open_tables_of(player)
            if tables is None:
                return False
            for table in tables:
                await self._leave(UUID(table), player)
        return True

    async def leave_by_log(self, changes: Sequence[NameChange]) -> bool:
        """Leave the open tables at which erased accounts sit, all of which are gone through."""
        erased = {str(change.player) for change in changes if change.erased}
        if erased:
            async for stream in self._logged_tables.newest(ended_max=0):
                for player in erased & await self._people_at(stream):
                    await self._leave(stream, player)
        return True

    async def _people_at(self, stream: UUID) -> set[str]:
        with suppress(NotFoundError, UnreadableError):  # reported by the cache
            table = await self._access.current(stream)
            return {seat.player for seat in table.state.seats if seat.player is not None}
        return set()

    async def _leave(self, table: UUID, player: str) -> None:
        try:
            with suppress(ConflictError, NotFoundError):  # over, or left meanwhile
                await self._tables.leave(await self._access.existing(table), player)
        except UnavailableError as error:
            raise StoreUnavailableError(str(error)) from error
        except UnreadableError as error:
            logger.error("an erased account cannot leave", table=str(table), reason=str(error))

    async def _names_of(self, players: Iterable[str]) -> Mapping[str, str]:
        """Read names from the database: what is remembered may be older than the change."""
        found = await self._store.names([UUID(player) for player in players])
        return {str(player): name for player, name in found.items()}
