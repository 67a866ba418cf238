"""The list of an account's own tables: from Redis, or from memory while Redis is unavailable or incomplete.

Redis has the tables that are open and the last ones that are over; all those that are over are in the database, some
seconds after their end. Nothing is folded here: a view that is missing in Redis is made by the worker, and listed then.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from domain.table.rules import seat_of
from projections.own_tables import (
    ENDED,
    OwnTable,
    OwnTables,
    ended_after,
    ended_players,
    ended_table,
    own_table,
)
from projections.redis_connection import RedisUnavailableError
from service.accounts.public_names import PublicNames
from service.cursors import open_cursor, seal_cursor
from service.errors import UnreadableError
from service.store.ended_matches import EndedMatchStore
from service.store.errors import StoreUnavailableError
from service.tables.cache import TableCache
from service.tables.live_table import LiveTable
from service.tables.views import Views

LISTED_MAX: Final = 300
"""A cursor names so many open tables that were listed."""


class Inbox:
    """Pages of the tables at which an account sits, those first that wait for it."""

    def __init__(
        self,
        tables: OwnTables,
        ended: EndedMatchStore,
        names: PublicNames,
        cache: TableCache,
        views: Views,
        *,
        key: bytes,
    ) -> None:
        self._tables = tables
        self._ended = ended
        self._names = names
        self._cache = cache
        self._views = views
        self._key = key

    async def page(self, account: str, cursor: str | None, limit: int) -> tuple[list[bytes], str | None]:
        """Return up to `limit` tables as JSON and the cursor of the next page, None at the end.

        A table that has changed its place since an earlier page is listed with those that follow if it was not listed
        yet, and else no more; of who has more than `LISTED_MAX` open tables only those above it.
        """
        scope = f"own\0{account}"
        after, *listed = [""] if cursor is None else open_cursor(self._key, scope, cursor).split(" ")
        try:
            found = await self._tables.of(account)
        except RedisUnavailableError:
            found = None
        if found is None:
            found = await self._from_memory(account)
        by_place = {table.place: table for table in found if _follows(table.place, after, listed)}
        if sum(not place.startswith(ENDED) for place in by_place) <= limit:
            gone = set(listed).difference(_mark(table.place) for table in found if not table.place.startswith(ENDED))
            ended = await self._over(account, after, limit + 1 + len(gone))  # those may be over, and are passed by
            by_place = {table.place: table for table in ended if _follows(table.place, after, listed)} | by_place
        following = [by_place[place] for place in sorted(by_place)]
        page = following[:limit]
        content = [table.content() for table in page]
        if len(following) == len(page):
            return content, None
        listed += [_mark(table.place) for table in page if not table.place.startswith(ENDED)]
        reached = max(after, page[-1].place)  # new tables may come among those that are over
        return content, seal_cursor(self._key, scope, " ".join((reached, *listed[:LISTED_MAX])))

    async def _over(self, account: str, after: str, limit: int) -> list[OwnTable]:
        """Return tables that are over and follow a place; none while the database is unavailable."""
        try:
            rows = await self._ended.of_player(account, ended_after(after), limit)
        except StoreUnavailableError:
            return []
        names = await self._names.names_of({player for row in rows for player in ended_players(row.entry)})
        return [ended_table(row.entry, row.seat, row.version, names) for row in rows]

    async def _from_memory(self, account: str) -> list[OwnTable]:
        """Return those of the account's tables that this process has in memory, each as the log has it now."""
        known = [table for table in self._cache if seat_of(table.state, account) is not None]
        found = await asyncio.gather(*[self._current(table, account) for table in known])  # they share statements
        return [table for table in found if table is not None]

    async def _current(self, table: LiveTable, account: str) -> OwnTable | None:
        try:
            async with table.lock:
                await self._cache.catch_up(table)
                projection = await self._views.projection(table)
        except UnreadableError:  # reported by the cache
            return None
        return own_table(account, projection.public, projection.header.summary)


def _follows(place: str, after: str, listed: Sequence[str]) -> bool:
    """Whether a table belongs to the pages behind a cursor, which has a place and marks of open tables."""
    if _mark(place) in listed:
        return False
    keeps_its_place = place.startswith(ENDED) or len(listed) >= LISTED_MAX
    return place > after or not keeps_its_place


def _mark(place: str) -> str:
    """Return what a cursor names a table by: 32 random bits of its id, which are the end of its place."""
    return place[-8:]
