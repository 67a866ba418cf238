"""The list of public tables: from Redis, or from memory while Redis is unavailable or incomplete.

A list never folds a table: a view that is missing in Redis is made by the worker, and listed then.
"""

from domain.table.model import Status
from projections.redis_connection import RedisUnavailableError
from projections.table_lists import TableLists
from service.cursors import open_cursor, seal_cursor
from service.errors import UnreadableError
from service.tables.cache import TableCache
from service.tables.live_table import LiveTable
from service.tables.views import Views


class Lobby:
    """Pages of public tables, newest first."""

    def __init__(self, lists: TableLists, cache: TableCache, views: Views, *, key: bytes) -> None:
        self._lists = lists
        self._cache = cache
        self._views = views
        self._key = key

    async def page(
        self, game: str | None, status: Status, cursor: str | None, limit: int
    ) -> tuple[list[bytes], str | None]:
        """Return up to `limit` summaries as JSON and the cursor of the next page, None at the end."""
        scope = f"tables:{game}:{status}"
        after = None if cursor is None else open_cursor(self._key, scope, cursor)
        found: list[tuple[str, bytes | None]] | None
        try:
            found = await self._lists.tables(game or "*", status, after, limit + 1)
        except RedisUnavailableError:
            found = None
        if found is None:
            found = await self._from_memory(game, status, after, limit + 1)
        page = found[:limit]
        more = len(found) > limit
        summaries = [summary for _, summary in page if summary is not None]
        return summaries, seal_cursor(self._key, scope, page[-1][0]) if more else None

    async def _from_memory(
        self, game: str | None, status: Status, after: str | None, limit: int
    ) -> list[tuple[str, bytes | None]]:
        """Return the tables that this process has in memory, newest first, each as the log has it now."""
        known = {_place(table): table for table in self._cache if _may_be(table, game, status)}
        found: list[tuple[str, bytes | None]] = []
        for place in sorted(known, reverse=True):
            if len(found) == limit:
                break
            if after is not None and place >= after:
                continue
            table = known[place]
            try:
                async with table.lock:
                    await self._cache.catch_up(table)
                    header = (await self._views.projection(table)).header
            except UnreadableError:  # reported by the cache
                continue
            if header.status == status:
                found.append((place, header.summary))
        return found


def _may_be(table: LiveTable, game: str | None, status: Status) -> bool:
    """Whether a table, as this process knows it, belongs to a list."""
    setup = table.state.setup
    return setup.visibility == "public" and table.state.status == status and game in (None, setup.game.key)


def _place(table: LiveTable) -> str:
    return f"{table.state.setup.created:015d}:{table.id}"
