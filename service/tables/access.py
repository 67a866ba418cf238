"""Which accounts may see a table."""

from contextlib import suppress
from typing import Final, Protocol
from uuid import UUID

from domain.table.model import TableState
from domain.table.rules import seat_of
from service.errors import NotFoundError, UnreadableError
from service.store.errors import StoreDamagedError
from service.store.log import Log
from service.tables.cache import TableCache
from service.tables.live_table import LiveTable

DAMAGE: Final = (UnreadableError, StoreDamagedError)
"""What is raised where a table cannot be read; see `Access.hide_damage`."""


class Spectators(Protocol):
    """Who may read a private table without a seat."""

    async def watches(self, stream: UUID, player: str) -> bool:
        """Whether the host lets an account read a table."""
        ...


class Access:
    """Finds tables for accounts. One per process."""

    def __init__(self, log: Log, cache: TableCache, spectators: Spectators) -> None:
        self._log = log
        self._cache = cache
        self._spectators = spectators

    async def find(self, stream: UUID, account: str) -> LiveTable:
        """Return a table as it is known here, if it exists for this account: see `may_see`.

        NotFoundError if there is no such table for the account.
        """
        try:
            return await self._find(stream, account)
        except DAMAGE:
            await self.hide_damage(stream, account)
            raise

    async def _find(self, stream: UUID, account: str) -> LiveTable:
        table = self._cache.in_memory(stream) or await self.existing(stream)
        if table.state.setup.visibility == "private" and seat_of(table.state, account) is None:
            async with table.lock:
                await self._cache.catch_up(table)
            if not await self.may_see(table.state, account):
                raise no_table()
        return table

    async def may_see(self, state: TableState, account: str) -> bool:
        """Whether this account may see the table: a private one has to be its own, or the host has to let it in."""
        if state.setup.visibility != "private" or seat_of(state, account) is not None:
            return True
        return await self._spectators.watches(UUID(state.setup.table), account)

    async def watches(self, stream: UUID, account: str) -> bool:
        """Whether the host of a private table lets this account read it."""
        return await self._spectators.watches(stream, account)

    async def hide_damage(self, stream: UUID, account: str) -> None:
        """NotFoundError, in place of a problem of a table, if the table does not exist for this account.

        Such a table cannot be folded: its people are those whom its events name, and those whom its host let in.
        """
        with suppress(StoreDamagedError):  # then nobody can tell
            if await self._log.is_private(stream) and not await self._may_know(stream, account):
                raise no_table()

    async def _may_know(self, stream: UUID, account: str) -> bool:
        if account and await self._log.names_account(stream, account):
            return True
        return await self._spectators.watches(stream, account)

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


def no_table() -> NotFoundError:
    """Return the error for a table that does not exist for the caller."""
    return NotFoundError("There is no such table, or it is not available to you.")
