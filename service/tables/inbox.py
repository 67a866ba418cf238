"""The list of an account's own tables: from Redis, or from memory while Redis is unavailable or incomplete.

Redis has the tables that are open and the last ones that are over; all those that are over are in the database, some
seconds after their end. Nothing is folded here: a view that is missing in Redis is made by the worker, and listed then.
"""

import asyncio

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
        """Return up to `limit` tables as JSON and the cursor of the next page, None at the end."""
        scope = f"own\0{account}"
        after = "" if cursor is None else open_cursor(self._key, scope, cursor)
        found: list[OwnTable] | None
        try:
            found = await self._tables.of(account)
        except RedisUnavailableError:
            found = None
        if found is None:
            found = await self._from_memory(account)
        by_place = {table.place: table for table in found if table.place > after}
        if sum(not place.startswith(ENDED) for place in by_place) <= limit:
            by_place = {table.place: table for table in await self._over(account, after, limit + 1)} | by_place
        following = [by_place[place] for place in sorted(by_place)]
        page = following[:limit]
        more = len(following) > limit
        return [table.content() for table in page], seal_cursor(self._key, scope, page[-1].place) if more else None

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
