"""Codes of accounts, as their SHA-256, and the tokens that they are redeemed for.

All methods raise StoreUnavailableError if the database is unavailable for longer than the timeout; each is one
statement that may be repeated without harm.
"""

from typing import Final, Literal, TypeAlias
from uuid import UUID

from msgspec import Struct

from service.store.accounts import Role, TokenRow
from service.store.database import Database
from service.store.queries import statements

CodeKind: TypeAlias = Literal["recovery", "transfer"]
_SQL: Final = statements("account_codes")


class CodeRow(Struct, frozen=True):
    """A code without itself; times in milliseconds since 1970 UTC."""

    created: int
    expires: int | None
    valid: bool
    """Whether it can be redeemed: it was neither replaced nor used, and has not expired."""


class NewTokenRow(Struct, frozen=True):
    """A token to be made for who redeems a code."""

    id: UUID
    digest: bytes
    """Its SHA-256."""
    label: str
    days: int
    """It expires after so many."""


class Redeemed(Struct, frozen=True):
    """What a valid code was redeemed for."""

    player: UUID
    token: TokenRow | None
    """None if there is no room for another token, or there is one of this id."""


class AccountCodeStore:
    """Rows of codes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def make(
        self, id_: UUID, player: UUID, kind: CodeKind, *, role: Role, digest: bytes, seconds: int | None
    ) -> CodeRow | None:
        """Make a code that replaces the account's others of its kind; it expires after so many seconds, or never.

        None, and nothing is made, if there is one of this id, or no such account: it may be erased.
        """
        code = {"id": id_, "player": player, "kind": kind, "role": role, "digest": digest, "seconds": seconds}
        rows = await self._database.change(_SQL["make"], code)
        return CodeRow(*rows[0]) if rows else None

    async def made(self, id_: UUID, player: UUID) -> CodeRow | None:
        """Return a code that an account made; None if there is none of this id."""
        rows = await self._database.fetch(_SQL["made"], {"id": id_, "player": player})
        return CodeRow(*rows[0]) if rows else None

    async def recovery_code_since(self, player: UUID) -> int | None:
        """Return when the account's recovery code was made, ms since 1970 UTC; None if it has none."""
        rows = await self._database.fetch(_SQL["recovery_code_since"], (player,))
        return int(rows[0][0]) if rows else None

    async def redeem(self, code: bytes, new: NewTokenRow, *, revoke_others: bool, most: int) -> Redeemed | None:
        """Redeem the code of this SHA-256 for a token; None if it is not valid.

        Without `revoke_others` the account may have at most so many valid tokens.
        """
        asked = {"code": code, "id": new.id, "digest": new.digest, "label": new.label, "days": new.days}
        asked |= {"revoke_others": revoke_others, "most": most}
        rows = await self._database.change(_SQL["redeem"], asked)
        if not rows:
            return None
        player, *token = rows[0]
        return Redeemed(player, None if token[0] is None else TokenRow(*token))

    async def redeemed(self, new: NewTokenRow, seconds: int) -> tuple[TokenRow, bool] | None:
        """Return the token of this id, and whether it is valid, the same and not older than `seconds`.

        None if there is none.
        """
        given = {"id": new.id, "digest": new.digest, "seconds": seconds}
        rows = await self._database.fetch(_SQL["redeemed"], given)
        return (TokenRow(*rows[0][:-1]), rows[0][-1]) if rows else None
