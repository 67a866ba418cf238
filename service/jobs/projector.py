"""The projector: lets what Redis holds follow the log, makes it again where Redis lost it, rebuilds it.

It reads the feed from the checkpoint that Redis holds, looks what Redis has of each table that changed, writes what is
missing, and moves the checkpoint on once all of that is acknowledged. What processes write right after a commit makes
views quick, no more. Where Redis goes back, so does the checkpoint.
"""

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final
from uuid import UUID

import structlog

from projections.checkpoints import DEPARTURES, NAMES, VIEWS
from projections.generations import DOUBLE_WRITE_SECONDS
from projections.redis_connection import RedisUnavailableError
from projections.redis_store import RedisStore
from projections.table_lists import ENDED_MAX
from service.disputes.disputes import Disputes
from service.errors import UnavailableError, UnreadableError
from service.jobs.logged_tables import LoggedTables
from service.standings.standings import Standings
from service.store.errors import StoreError, StoreUnavailableError
from service.store.log import FeedHead, Log
from service.tables.cache import TableCache
from service.tables.views import Views

_POLL_SECONDS: Final = 0.5
_GRACE_SECONDS: Final = 0.5
"""How long a process has to write what it committed before the projector does."""
_EVENTS_MAX: Final = 5000
"""Events whose tables are looked at in one round."""
_AT_ONCE: Final = 16
"""Tables that are written at the same time: their round trips are shared."""
_LOG_SECONDS: Final = 60.0
_TOLD_SECONDS: Final = 5.0
"""Within this time bots are served that Redis was told of, while it answers."""
logger = structlog.get_logger("blattwerk.worker")


class Projector:
    """Views and lists of one worker; any number of workers may do the same."""

    def __init__(
        self,
        log: Log,
        redis: RedisStore,
        cache: TableCache,
        views: Views,
        tables: LoggedTables,
        standings: Standings,
        disputes: Disputes,
        play_bots: Callable[[UUID], None],
    ) -> None:
        self._log = log
        self._redis = redis
        self._cache = cache
        self._views = views
        self._tables = tables
        self._standings = standings
        self._disputes = disputes
        self._play_bots = play_bots
        self._told: list[tuple[float, Mapping[int, int]]] = []
        """Checkpoints of the last seconds and when they were reached: bots of what came before are served."""
        self._late = False
        """Whether Redis did not acknowledge something in the last round: then nobody else is about to write it."""
        self._acknowledged: dict[int, int] = {}
        """The checkpoint that Redis had when it last answered; empty if it never did."""
        self._logged = -_LOG_SECONDS

    async def run(self) -> None:
        """Follow the log until cancelled."""
        while True:
            more = False
            try:
                more = await self.follow()
                self._late = False
            except RedisUnavailableError as error:
                self._late = True
                await self._do_without(str(error))
            except (StoreError, UnavailableError) as error:
                logger.warning("projections wait for the database", reason=str(error))
            if not more:
                await asyncio.sleep(_POLL_SECONDS)

    async def follow(self) -> bool:
        """Write what Redis lacks of what the log has; return whether there may be more.

        RedisUnavailableError unless Redis has acknowledged everything; then the next round looks at it again.
        """
        if await self._redis.generations.empty_if_spoiled():
            logger.warning("somebody else wrote to keys of this service in Redis: all projections are made anew")
        before = await self._redis.checkpoints.read(VIEWS)
        if not before or not self._redis.generations.complete:
            await self._make_complete()
            return True
        heads = await self._log.feed_heads(before, _EVENTS_MAX)
        readable = [head for head in heads if head.version]
        self._acknowledged = before
        await self._bring_up(readable)
        reached = {head.bucket: head.position for head in heads}
        if not await self._redis.checkpoints.advance(VIEWS, reached, since=before):
            return True  # Redis went back meanwhile
        self._acknowledged = before | reached
        self._remember(self._acknowledged)
        for table, score in await self._redis.lists.owed():
            await self._settle(UUID(table))
            await self._redis.lists.paid(table, score)
        await self._redis.lists.forget_ended()
        return len(heads) == _EVENTS_MAX

    async def _bring_up(self, heads: Sequence[FeedHead]) -> None:
        newest = list({head.stream: head for head in heads}.values())
        behind = await self._behind(newest)
        if behind and not self._late:
            await asyncio.sleep(_GRACE_SECONDS)
            behind = await self._behind(list(behind))
        await self._settle_all(set(behind.values()))

    async def _behind(self, heads: Sequence[FeedHead]) -> dict[FeedHead, UUID]:
        """Return those of these ends of streams that Redis has not, each with its table."""
        lacking = await self._lacking({head.stream: head.version for head in heads})
        behind = {head: head.stream for head in heads if head.stream in lacking}
        private = await self._log.private_streams(list(behind))
        shown = await self._redis.views.private_versions([(str(table), seat) for table, seat in private.values()])
        has = dict(zip(private, shown, strict=True))
        return {
            head: private[stream][0] if stream in private else stream
            for head, stream in behind.items()
            if head.version > has.get(stream, 0)
        }

    async def _lacking(self, newest: Mapping[UUID, int]) -> dict[UUID, int]:
        """Return those of these tables that Redis has not at their version, in view and lists."""
        if not newest:
            return {}
        shown = await self._redis.views.versions([str(stream) for stream in newest])
        return {stream: version for (stream, version), has in zip(newest.items(), shown, strict=True) if has < version}

    async def _settle_all(self, streams: Iterable[UUID]) -> None:
        waiting = list(streams)
        for first in range(0, len(waiting), _AT_ONCE):
            await asyncio.gather(*[self._settle(stream) for stream in waiting[first : first + _AT_ONCE]])

    async def _settle(self, stream: UUID) -> None:
        """Write everything that Redis keeps of a table, nothing of other streams. Damage stays with its table."""
        try:
            table = await self._cache.get(stream)
            if table is not None:
                await self._views.settle(table)
        except (RedisUnavailableError, StoreUnavailableError, UnavailableError):
            raise
        except UnreadableError:  # reported by the cache; a newer program may show it
            return
        except Exception as error:  # whatever else a damaged stream leads to
            logger.error("table cannot be shown", table=str(stream), reason=repr(error))

    # without Redis

    def _remember(self, reached: Mapping[int, int]) -> None:
        now = time.monotonic()
        self._told.append((now, reached))
        while len(self._told) > 1 and self._told[1][0] < now - _TOLD_SECONDS:
            del self._told[0]

    async def _do_without(self, reason: str) -> None:
        """Serve bots from the feed while Redis does not tell who waits for them."""
        try:
            await self._log_owed(reason)
            if not self._told:
                heads = dict(enumerate(await self._log.bucket_heads()))
                async for stream in self._tables.newest(ended_max=0):
                    self._play_bots(stream)
                self._told = [(time.monotonic(), heads)]
            _, before = self._told[0]
            events = await self._log.feed_heads(before, _EVENTS_MAX)
            for stream in {event.stream for event in events}:
                self._play_bots(stream)
            self._told = [(time.monotonic(), {**before, **{event.bucket: event.position for event in events}})]
        except StoreError as error:
            logger.warning("bots wait for the database", reason=str(error))

    async def _log_owed(self, reason: str) -> None:
        if time.monotonic() - self._logged < _LOG_SECONDS:
            return
        self._logged = time.monotonic()
        heads = await self._log.feed_heads(self._acknowledged, _EVENTS_MAX) if self._acknowledged else []
        since = min((head.time for head in heads if head.version), default=None)
        seconds = None if since is None else round(time.time() - since / 1000, 1)
        logger.warning("Redis owes views and lists", reason=reason, oldest_event_seconds=seconds)

    # everything again

    async def _make_complete(self) -> None:
        """Write every table that is kept, after Redis was emptied."""
        await self._redis.generations.refresh()
        token = await self._redis.generations.begin_complete()
        heads = dict(enumerate(await self._log.bucket_heads()))
        count = await self._settle_kept(all_=False)
        await self._redis.checkpoints.advance(VIEWS, heads)
        if await self._redis.generations.mark_complete(token):
            logger.info("projections complete", tables=count, generation=self._redis.generations.current)

    async def _settle_kept(self, *, all_: bool) -> int:
        """Write the tables that are kept, all or those that Redis lacks; return how many are kept."""
        kept = [stream async for stream in self._tables.newest(ended_max=ENDED_MAX)]
        first = secrets.randbelow(len(kept)) if kept else 0  # several workers begin at different places
        waiting = kept[first:] + kept[:first]
        for place in range(0, len(waiting), _AT_ONCE):
            streams = waiting[place : place + _AT_ONCE]
            if all_:
                await self._settle_all(streams)
            else:
                await self._settle_all(await self._lacking(await self._log.last_versions(streams)))
        return len(kept)

    async def rebuild(self) -> tuple[int, int]:
        """Rebuild all projections from the log under a new generation, then switch to it.

        Returns the number of tables and the new generation. The service goes on meanwhile: from the
        announcement on every process writes to both generations. RedisUnavailableError if Redis fails meanwhile:
        then workers drop what was made, and it has to be begun again.
        """
        generations = self._redis.generations
        old, new = generations.current, generations.current + 1
        followed = {name: await self._redis.checkpoints.read(name) for name in (NAMES, DEPARTURES)}
        await generations.drop(new)  # what a rebuild left that was interrupted
        await generations.announce(new)
        keeping = asyncio.create_task(self._go_on(new))
        try:
            await asyncio.sleep(DOUBLE_WRITE_SECONDS)
            heads = dict(enumerate(await self._log.bucket_heads()))
            count = await self._settle_kept(all_=True)
            await self._standings.rebuild(new)
            await self._disputes.relist()
            await self._redis.lists.forget_ended(new)
            for projection, reached in {VIEWS: heads, **followed}.items():  # names are read later than their checkpoint
                await self._redis.checkpoints.advance(projection, reached, generation=new)
            await generations.go_on(new)
        finally:
            keeping.cancel()
        await generations.switch(new)
        await asyncio.sleep(DOUBLE_WRITE_SECONDS)
        await generations.drop(old)
        return count, new

    async def _go_on(self, generation: int) -> None:
        while True:
            await asyncio.sleep(_POLL_SECONDS)
            with suppress(RedisUnavailableError):  # the rebuild asks once more before it switches
                await self._redis.generations.go_on(generation)
