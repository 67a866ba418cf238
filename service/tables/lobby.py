"""The list of public tables: from Redis, or from the log while Redis is unavailable or incomplete."""

from typing import Final
from uuid import UUID

from domain.table.model import Status
from projections.redis_connection import RedisUnavailableError
from projections.table_lists import TableLists
from service.cursors import open_cursor, seal_cursor
from service.errors import UnreadableError
from service.store.log import Log
from service.tables.cache import TableCache
from service.tables.views import Views

_SCAN: Final = 200
"""Tables looked at per query when the log has to answer."""


class Lobby:
    """Pages of public tables, newest first."""

    def __init__(self, lists: TableLists, log: Log, cache: TableCache, views: Views, *, key: bytes) -> None:
        self._lists = lists
        self._log = log
        self._cache = cache
        self._views = views
        self._key = key

    async def page(
        self, game: str | None, status: Status, cursor: str | None, limit: int
    ) -> tuple[list[bytes], str | None]:
        """Return up to `limit` summaries as JSON and the cursor of the next page, None at the end."""
        scope = f"tables:{game}:{status}"
        after = None if cursor is None else open_cursor(self._key, scope, cursor)
        found: list[tuple[str, bytes]] | None
        try:
            found = await self._lists.tables(game or "*", status, after, limit + 1)
        except RedisUnavailableError:
            found = None
        if found is None:
            found = await self._from_log(game, status, after, limit + 1)
        page = found[:limit]
        more = len(found) > limit
        return [summary for _, summary in page], seal_cursor(self._key, scope, page[-1][0]) if more else None

    async def _from_log(
        self, game: str | None, status: Status, after: str | None, limit: int
    ) -> list[tuple[str, bytes]]:
        found: list[tuple[str, bytes]] = []
        before = _place(after)
        while len(found) < limit:
            created = await self._log.created(before, _SCAN)
            for time, stream in created:
                try:
                    table = await self._cache.get(stream)
                    if table is None:
                        continue
                    async with table.lock:
                        await self._cache.catch_up(table)
                        projection = await self._views.projection(table)
                except UnreadableError:  # reported by the cache
                    continue
                if (
                    projection.header.visibility == "public"
                    and projection.header.status == status
                    and game in (None, projection.header.game)
                ):
                    found.append((f"{time:015d}:{stream}", projection.header.summary))
                    if len(found) == limit:
                        break
            if len(created) < _SCAN:
                break
            before = created[-1]
        return found


def _place(after: str | None) -> tuple[int, UUID] | None:
    if after is None:
        return None
    time, _, stream = after.partition(":")
    return int(time), UUID(stream)
