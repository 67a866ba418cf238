"""Players and their tokens. Every method is one statement that may be repeated without harm.

All methods raise StoreUnavailableError if the database is away for longer than the patience.
"""

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias
from uuid import UUID

from msgspec import Struct

from projections.coalescer import Coalescer
from service.store.connections import UNAVAILABLE_TIMEOUT_SECONDS, Pool
from service.store.errors import StoreError

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


def _ms(column: str) -> str:
    return f"(extract(epoch from {column}) * 1000)::bigint"


_TOKEN: Final = f"id, player, role, label, {_ms('created_at')}, {_ms('last_used_at')}, {_ms('expires_at')}"
_VALID: Final = "revoked_at is null and (expires_at is null or expires_at > now())"

_TOKENS_OF: Final = f"select sha256, {_TOKEN} from tokens where sha256 = any (%s::bytea[]) and {_VALID}"  # noqa: S608
_TOUCH: Final = """
update tokens set last_used_at = now()
where id = any(%s) and (last_used_at is null or last_used_at < now() - interval '10 seconds')"""
_CREATE_PLAYER: Final = """
with player as (
  insert into players (id, name) values (%(id)s, %(name)s) on conflict do nothing returning id
), token as (
  insert into tokens (id, player, role, sha256, label)
  select %(token_id)s, id, %(role)s, %(digest)s, %(label)s from player
)
select 1 from player"""
_PLAYER: Final = f"select id, name, {_ms('created_at')} from players where id = %s"  # noqa: S608
_NAMES: Final = "select id, name from players where id = any (%s::uuid[]) and name is not null"
_RENAME: Final = "update players set name = %s where id = %s and erased_at is null"
_ERASE: Final = """
with erased as (
  update players set name = null, erased_at = coalesce(erased_at, now()) where id = %s returning id
)
delete from tokens using erased where tokens.player = erased.id returning tokens.sha256"""
_CREATE_TOKEN: Final = f"""
insert into tokens (id, player, role, sha256, label, expires_at)
select %s, id, %s, %s, %s, now() + make_interval(days => %s) from players where id = %s and erased_at is null
on conflict (id) do nothing
returning {_TOKEN}"""  # noqa: S608
_TOKEN_BY_ID: Final = f"select {_TOKEN} from tokens where id = %s and player = %s"  # noqa: S608
_TOKENS: Final = f"""
select {_TOKEN} from tokens where player = %s and {_VALID} order by created_at desc, id"""  # noqa: S608
_REVOKE: Final = """
update tokens set revoked_at = coalesce(revoked_at, now()) where player = %s and id = %s returning sha256"""


class AccountStore:
    """Rows of players and tokens. One per process; `open` before use, `close` at the end."""

    def __init__(self, database_url: str, *, timeout_seconds: float = UNAVAILABLE_TIMEOUT_SECONDS) -> None:
        self._pool = Pool(database_url, size=4, timeout_seconds=timeout_seconds)
        self._tokens: Coalescer[bytes, TokenRow | None] = Coalescer(self._tokens_together)

    async def open(self) -> None:
        """Connect. StoreUnavailableError or StoreSetupError if that cannot be."""
        await self._pool.open()

    async def close(self) -> None:
        """Finish what is under way and disconnect."""
        await self._tokens.close()
        await self._pool.close()

    # tokens

    async def token(self, digest: bytes) -> TokenRow | None:
        """Return the valid token with this SHA-256; None if there is none, or it is revoked or expired."""
        return await self._tokens.submit(digest)

    async def touch(self, token_ids: Sequence[UUID]) -> None:
        """Note that tokens are used now."""
        await self._pool.fetch(_TOUCH, (list(token_ids),))

    async def create_token(
        self, token_id: UUID, player: UUID, *, role: str, digest: bytes, label: str, days: int
    ) -> TokenRow:
        """Create a token that expires after `days`; if there is one of this id, return that as it is.

        StoreError if there is no such player, or the account was erased.
        """
        rows = await self._pool.fetch(_CREATE_TOKEN, (token_id, role, digest, label, days, player))
        rows = rows or await self._pool.fetch(_TOKEN_BY_ID, (token_id, player))
        if not rows:
            raise StoreError(f"there is no account {player} for a token")
        return TokenRow(*rows[0])

    async def tokens(self, player: UUID) -> list[TokenRow]:
        """Return a player's valid tokens, newest first."""
        return [TokenRow(*row) for row in await self._pool.fetch(_TOKENS, (player,))]

    async def revoke(self, player: UUID, token_id: UUID) -> bytes | None:
        """Revoke a token and return its SHA-256; None if the player has no such token."""
        rows = await self._pool.fetch(_REVOKE, (player, token_id))
        return bytes(rows[0][0]) if rows else None

    # players

    async def create_player(
        self, id_: UUID, name: str, *, token_id: UUID, role: str, digest: bytes, label: str
    ) -> bool:
        """Create an account with its first token; False, and nothing written, if the id exists already."""
        parameters = {"id": id_, "name": name, "token_id": token_id, "role": role, "digest": digest, "label": label}
        return bool(await self._pool.fetch(_CREATE_PLAYER, parameters))

    async def player(self, id_: UUID) -> PlayerRow | None:
        """Return an account, erased ones too; None if there never was one."""
        rows = await self._pool.fetch(_PLAYER, (id_,))
        return PlayerRow(*rows[0]) if rows else None

    async def name(self, id_: UUID) -> str | None:
        """Return a player's name, None if the account does not exist or was erased."""
        return (await self.names([id_])).get(id_)

    async def names(self, ids: Sequence[UUID]) -> dict[UUID, str]:
        """Return the names of those players that have one."""
        return dict(await self._pool.fetch(_NAMES, (list(ids),)))

    async def rename(self, id_: UUID, name: str) -> None:
        """Change a player's name; an erased account stays without."""
        await self._pool.fetch(_RENAME, (name, id_))

    async def erase(self, id_: UUID) -> list[bytes]:
        """Erase a player's name and tokens for good; the SHA-256 of the tokens that were there."""
        return [bytes(digest) for (digest,) in await self._pool.fetch(_ERASE, (id_,))]

    async def _tokens_together(self, digests: list[bytes]) -> list[TokenRow | Exception | None]:
        """Look many tokens up with one statement."""
        found = {bytes(digest): TokenRow(*row) for digest, *row in await self._pool.fetch(_TOKENS_OF, (digests,))}
        return [found.get(digest) for digest in digests]
