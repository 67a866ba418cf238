"""Which accounts may see a table."""

from typing import Final, Protocol
from uuid import UUID

from domain.table.model import TableState
from domain.table.rules import seat_of
from service.errors import NotFoundError, UnreadableError
from service.store.errors import StoreDamagedError
from service.store.table_codes import Relation
from service.tables.cache import TableCache
from service.tables.live_table import LiveTable

DAMAGE: Final = (UnreadableError, StoreDamagedError)
"""What is raised where a table cannot be read."""


class Relations(Protocol):
    """What accounts are to tables."""

    async def relation(self, stream: UUID, account: str) -> Relation:
        """Return what an account is to a table, after the same exchanges whether there is such a table or not."""
        ...


class Access:
    """Finds tables for accounts. One per process.

    Nobody else is to learn whether a private table exists, not by the time of an answer either. So before anything is
    asked about a table that the caller may not see, `relation` is: one statement, after which a stranger is refused.
    What is in memory, in Redis or in the log plays no part in that. Only who sees the table anyway is let past it.
    """

    def __init__(self, cache: TableCache, relations: Relations) -> None:
        self._cache = cache
        self._relations = relations

    async def find(self, stream: UUID, account: str) -> LiveTable:
        """Return a table as it is known here, if it exists for this account.

        NotFoundError if there is no such table for the account.
        """
        table = self.seen_here(stream, account)
        if table is not None:
            return table
        relation = await self.relation(stream, account)
        if relation == "stranger":
            raise no_table()
        table = await self.existing(stream)
        if not may_see(table.state, account, relation):
            async with table.lock:
                await self._cache.catch_up(table)
            if not may_see(table.state, account, relation):
                raise no_table()
        return table

    def seen_here(self, stream: UUID, account: str) -> LiveTable | None:
        """Return a table that is in memory, if it is public or the account has a seat as far as it is known here."""
        table = self._cache.in_memory(stream)
        if table is None or not may_see(table.state, account, "named"):
            return None
        return table

    async def relation(self, stream: UUID, account: str) -> Relation:
        """Return what an account is to a table; `stranger` also where there is no table."""
        try:
            return await self._relations.relation(stream, account)
        except StoreDamagedError:  # of this stream or another one: its events have to tell
            return "named"

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


def may_see(state: TableState, account: str, relation: Relation) -> bool:
    """Whether an account may see a table: a private one has to be its own, or the host has to let it in."""
    if state.setup.visibility == "public" or relation == "invited":
        return True
    return seat_of(state, account) is not None


def is_over(table: LiveTable) -> bool:
    """Whether everything about the match is open to everyone."""
    return everything_open(table.state)


def everything_open(state: TableState) -> bool:
    """Whether the table is over: from then on everything about it is open to everyone."""
    return state.status in ("finished", "closed")


def no_table() -> NotFoundError:
    """Return the error for a table that does not exist for the caller."""
    return NotFoundError("There is no such table, or it is not available to you.")
