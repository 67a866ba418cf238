"""Which accounts may see a table."""

from contextlib import suppress
from typing import Final
from uuid import UUID

from domain.table.model import TableState
from domain.table.rules import seat_of
from service.errors import NotFoundError, UnreadableError
from service.store.errors import StoreDamagedError
from service.store.log import Log
from service.tables.cache import TableCache
from service.tables.live_table import LiveTable, is_code, join_code

DAMAGE: Final = (UnreadableError, StoreDamagedError)
"""What is raised where a table cannot be read; see `hide_damage`."""


async def hide_damage(log: Log, stream: UUID, account: str, code: str | None) -> None:
    """NotFoundError, in place of a problem of a table, if the table does not exist for this account.

    Such a table cannot be folded: its people are those whom its events name.
    """
    with suppress(StoreDamagedError):  # then nobody can tell
        if await log.is_private(stream) and not await _may_know(log, stream, account, code):
            raise no_table()


async def _may_know(log: Log, stream: UUID, account: str, code: str | None) -> bool:
    if account and await log.names_account(stream, account):
        return True
    try:
        return code is not None and is_code(code, join_code(stream, await log.secret(stream)))
    except StoreDamagedError:
        return False


class Access:
    """Finds tables for accounts. One per process."""

    def __init__(self, log: Log, cache: TableCache) -> None:
        self._log = log
        self._cache = cache

    async def find(self, stream: UUID, account: str, code: str | None = None) -> LiveTable:
        """Return a table as it is known here, if it exists for this account: a private one for its people only.

        `code` is the join code that the caller gave. NotFoundError if there is no such table for the account.
        """
        try:
            return await self._find(stream, account, code)
        except DAMAGE:
            await hide_damage(self._log, stream, account, code)
            raise

    async def _find(self, stream: UUID, account: str, code: str | None) -> LiveTable:
        table = self._cache.in_memory(stream) or await self.existing(stream)
        if table.state.setup.visibility == "private" and seat_of(table.state, account) is None:
            async with table.lock:
                await self._cache.catch_up(table)
            if not may_see(table.state, account, code, table.join_code):
                raise no_table()
        return table

    async def existing(self, stream: UUID) -> LiveTable:
        """Return a table, whoever asks. NotFoundError if there is none."""
        table = await self._cache.get(stream)
        if table is None:
            raise no_table()
        return table

    async def current(self, stream: UUID) -> LiveTable:
        """Return a table as the log has it now, whoever asks. NotFoundError if there is none."""
        table = await self.existing(stream)
        async with table.lock:
            await self._cache.catch_up(table)
        return table


def is_over(table: LiveTable) -> bool:
    """Whether everything about the match is open to everyone."""
    return everything_open(table.state)


def everything_open(state: TableState) -> bool:
    """Whether the table is over: from then on everything about it is open to everyone."""
    return state.status in ("finished", "closed")


def may_see(state: TableState, account: str, code: str | None, join_code: str | None) -> bool:
    """Whether this account may see the table. A private table is visible to its players, and with its join code."""
    if state.setup.visibility != "private" or seat_of(state, account) is not None:
        return True
    return is_code(code, join_code)


def no_table() -> NotFoundError:
    """Return the error for a table that does not exist for the caller."""
    return NotFoundError("There is no such table, or it is not available to you.")
