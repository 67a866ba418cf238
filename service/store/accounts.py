"""Players and their tokens. Every method is a statement that may be repeated without harm.

All methods raise StoreUnavailableError if the database is unavailable for longer than the timeout.
"""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias
from uuid import UUID

from msgspec import Struct

from service.store.database import Database
from service.store.errors import StoreError
from service.store.queries import statements

Role: TypeAlias = Literal["player", "arbiter", "operator"]


class TokenRow(Struct, frozen=True):
    """A token; times in milliseconds since 1970 UTC."""

    id: UUID
    player: UUID
    role: Role
    label: str
    created: int
    last_used: int | None
    expires: int | None


class PlayerRow(Struct, frozen=True):
    """An account."""

    id: UUID
    name: str | None
    """None once erased."""
    created: int
    """Milliseconds since 1970 UTC."""
    age: int
    """Milliseconds since then on the database's clock, which is the same for all processes."""


class NameChange(Struct, frozen=True):
    """An entry of the feed of names."""

    position: int
    """From 1, without gaps."""
    player: UUID
    erased: bool
    """Whether the account was erased; otherwise it has another name."""


_SQL: Final = statements("accounts")


class AccountStore:
    """Rows of players and tokens."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # tokens

    async def tokens_by_digest(self, digests: Sequence[bytes]) -> dict[bytes, TokenRow]:
        """Return those tokens with these SHA-256 that are valid: neither revoked nor expired."""
        rows = await self._database.fetch(_SQL["tokens_by_digest"], (list(digests),))
        return {bytes(digest): TokenRow(*row) for digest, *row in rows}

    async def touch(self, token_ids: Sequence[UUID]) -> None:
        """Note that tokens are used now."""
        await self._database.fetch(_SQL["touch"], (list(token_ids),))

    async def create_token(
        self, token_id: UUID, player: UUID, *, role: str, digest: bytes, label: str, days: int, most: int
    ) -> TokenRow | None:
        """Create a token that expires after `days`; if there is one of this id, return that as it is.

        None if the player has `most` valid tokens. StoreError if there is no such player, or the account was erased.
        """
        token = {"id": token_id, "player": player, "role": role, "digest": digest, "label": label, "days": days}
        token["most"] = most
        rows = await self._database.change(_SQL["create_token"], token)
        rows = rows or await self._database.fetch(_SQL["token_by_id"], (token_id, player))
        if rows:
            return TokenRow(*rows[0])
        if await self.name(player) is None:
            raise StoreError(f"there is no account {player} for a token")
        return None

    async def tokens(self, player: UUID, after: UUID | None = None, limit: int = 100) -> list[TokenRow]:
        """Return a player's valid tokens, newest first: those that follow one, or the first ones."""
        asked = {"player": player, "after": after, "limit": limit}
        return [TokenRow(*row) for row in await self._database.fetch(_SQL["tokens_of_player"], asked)]

    async def revoke(self, player: UUID, token_id: UUID) -> bytes | None:
        """Revoke a token and return its SHA-256; None if the player has no such token."""
        rows = await self._database.change(_SQL["revoke"], (player, token_id))
        return bytes(rows[0][0]) if rows else None

    # players

    async def create_player(
        self, id_: UUID, name: str, *, token_id: UUID, role: str, digest: bytes, label: str
    ) -> bool:
        """Create an account with its first token; False, and nothing written, if the id exists already."""
        parameters = {"id": id_, "name": name, "token_id": token_id, "role": role, "digest": digest, "label": label}
        return bool(await self._database.change(_SQL["create_player"], parameters))

    async def player(self, id_: UUID) -> PlayerRow | None:
        """Return an account, erased ones too; None if there never was one."""
        rows = await self._database.fetch(_SQL["player"], (id_,))
        return PlayerRow(*rows[0]) if rows else None

    async def name(self, id_: UUID) -> str | None:
        """Return a player's name, None if the account does not exist or was erased."""
        return (await self.names([id_])).get(id_)

    async def names(self, ids: Sequence[UUID]) -> dict[UUID, str]:
        """Return the names of those players that have one."""
        return dict(await self._database.fetch(_SQL["names"], (list(ids),)))

    async def rename(self, id_: UUID, name: str) -> None:
        """Change a player's name; an erased account stays without."""
        await self._database.change(_SQL["rename"], (name, id_))

    async def erase(self, id_: UUID) -> list[bytes]:
        """Erase a player's name, tokens, codes and leave to watch for good; the SHA-256 of the tokens.

        The statement runs twice: the first time it does not see tokens and codes that were made while it waited for
        the player's row.
        """
        for_good = [await self._database.change(_SQL["erase"], (id_,)) for _ in range(2)]
        return [bytes(digest) for rows in for_good for (digest,) in rows]

    # the feed of names

    async def name_changes(self, after: int, limit: int) -> list[NameChange]:
        """Return the changes of names that follow a position, in their order."""
        return [NameChange(*row) for row in await self._database.fetch(_SQL["name_changes"], (after, limit))]

    async def name_changed_at(self, after: int) -> int | None:
        """Return when the first change after a position was made, ms since 1970 UTC; None if there is none."""
        rows = await self._database.fetch(_SQL["name_changed_at"], (after,))
        return int(rows[0][0]) if rows else None

    async def last_name_change(self) -> int:
        """Return the position of the newest change of a name; 0 if there is none."""
        ((position,),) = await self._database.fetch(_SQL["last_name_change"])
        return int(position)
