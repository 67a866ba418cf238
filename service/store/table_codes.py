"""Codes of tables, and the accounts that may read a private table by one.

All methods raise StoreUnavailableError if the database is unavailable for longer than the timeout; each is one
statement that may be repeated without harm.
"""

from typing import Final, Literal, TypeAlias, cast
from uuid import UUID

from msgspec import Struct

from service.store.buckets import bucket_of
from service.store.database import Database
from service.store.queries import statements

TableCodeKind: TypeAlias = Literal["join", "watch"]
Relation: TypeAlias = Literal["stranger", "named", "invited", "public"]
"""What an account is to a table: `public` if everybody may read it, `invited` if its host lets the account read it,
`named` if the account has a seat at it or had one, `stranger` if none of this holds, or there is no such table.
"""
_SQL: Final = statements("table_codes")
_NOBODY: Final = UUID(int=0)


class TableCodeRow(Struct, frozen=True):
    """A code of a table."""

    code: str
    newest: bool
    """Whether no other one of the table and kind came after it."""


class ToJoin(Struct, frozen=True):
    """The table to which a join code leads."""

    stream: UUID
    joined: bool
    """Whether the same command has joined it before."""


class TableCodeStore:
    """Rows of codes and spectators."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def make(self, id_: UUID, stream: UUID, kind: TableCodeKind, code: str) -> TableCodeRow | None:
        """Make a code that replaces the table's other one of its kind.

        None, and nothing is made, if there is one of this id, or another table has this very code.
        """
        parameters = {"id": id_, "bucket": bucket_of(stream), "stream": stream, "kind": kind, "code": code}
        rows = await self._database.change(_SQL["make"], parameters)
        return TableCodeRow(*rows[0]) if rows else None

    async def made(self, id_: UUID) -> TableCodeRow | None:
        """Return a code that was made; None if there is none of this id."""
        rows = await self._database.fetch(_SQL["made"], (id_,))
        return TableCodeRow(*rows[0]) if rows else None

    async def current(self, stream: UUID, kind: TableCodeKind) -> str | None:
        """Return a table's newest code of a kind; None if there is none, or it was withdrawn."""
        rows = await self._database.fetch(_SQL["current"], (stream, kind))
        return rows[0][0] if rows else None

    async def to_join(self, code: str, command: UUID) -> ToJoin | None:
        """Return the table in whose lobby one may sit down by a code; None for every other code.

        A command that has joined the table before finds it by the code that it had then.
        """
        rows = await self._database.fetch(_SQL["to_join"], {"code": code, "command": command})
        return ToJoin(*rows[0]) if rows else None

    # spectators

    async def watch(self, code: str, player: UUID) -> UUID | None:
        """Let an account read the table of a spectator code, and return the table; None if the code is not valid."""
        rows = await self._database.change(_SQL["watch"], {"code": code, "player": player})
        return rows[0][0] if rows else None

    async def relation(self, stream: UUID, account: str) -> Relation:
        """Return what an account is to a table, by the same exchange whether there is such a table or not."""
        player = _player(account)
        asked = {"bucket": bucket_of(stream), "stream": stream, "player": player, "account": str(player)}
        ((relation,),) = await self._database.fetch(_SQL["relation"], asked)
        return cast("Relation", relation)

    async def withdraw(self, stream: UUID) -> None:
        """Let no spectator code of a table be valid any more, and nobody read it who came by one."""
        await self._database.change(_SQL["withdraw"], (stream,))


def _player(account: str) -> UUID:
    """Return the id of an account; of who has none, that of nobody."""
    try:
        return UUID(account)
    except ValueError:
        return _NOBODY
