"""The tables at which an account sits: to show its new name there, to leave them all."""

from contextlib import suppress
from typing import Final
from uuid import UUID

from domain.table.rules import seat_of
from projections.redis_connection import RedisUnavailableError
from projections.table_lists import TableLists
from service.errors import ConflictError, NotFoundError, UnreadableError
from service.store.log import Log
from service.tables.access import Access
from service.tables.cache import TableCache
from service.tables.tables import Tables
from service.tables.views import Views

_SCAN: Final = 200
"""Tables looked at per query when the log has to answer."""


class Memberships:
    """What happens at an account's tables when the account changes. One per process."""

    def __init__(
        self, log: Log, cache: TableCache, access: Access, tables: Tables, views: Views, lists: TableLists
    ) -> None:
        self._log = log
        self._cache = cache
        self._access = access
        self._tables = tables
        self._views = views
        self._lists = lists

    async def show_names_of(self, account: str) -> None:
        """Rewrite the views of the account's tables with its current name."""
        for stream in await self._tables_of(account):
            with suppress(UnreadableError):  # reported by the cache; nobody is shown it
                table = await self._access.existing(stream)
                async with table.lock:
                    await self._cache.catch_up(table)
                    await self._views.publish(table, rewrite=True)

    async def leave_all(self, account: str) -> None:
        """Leave every table at which the account still sits."""
        for stream in await self._tables_of(account):
            with suppress(ConflictError, NotFoundError, UnreadableError):  # over, left meanwhile, or damaged
                await self._tables.leave(await self._access.find(stream, account), account)

    async def _tables_of(self, account: str) -> list[UUID]:
        """The tables at which the account has a seat; from the log while Redis cannot tell."""
        with suppress(RedisUnavailableError):
            names = await self._lists.tables_of(account)
            if names is not None:
                return [UUID(name) for name in names]
        found: list[UUID] = []
        before: tuple[int, UUID] | None = None
        while page := await self._log.created(before, _SCAN):
            for _, stream in page:
                with suppress(UnreadableError):
                    table = await self._access.current(stream)
                    if seat_of(table.state, account) is not None:
                        found.append(stream)
            before = page[-1]
        return found
