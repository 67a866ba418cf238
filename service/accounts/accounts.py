"""Accounts and their tokens: guests, names, devices, roles.

Tokens are opaque, 256 bits, and kept only as SHA-256. A valid one is remembered for five seconds in each process; a
revocation is broadcast to all processes, and while a process cannot prove that it hears them it remembers nothing. A
revocation that could not be broadcast is answered once nobody remembers what was read before it.
"""

import asyncio
import hashlib
import secrets
import time
from contextlib import suppress
from typing import Final, Literal, TypeAlias
from uuid import UUID, uuid4

from msgspec import Struct

from projections.broadcasts import Broadcasts
from projections.coalescer import Coalescer
from projections.redis_connection import RedisUnavailableError
from service.accounts import names
from service.accounts.derived import TOKEN_PREFIX, Derived
from service.accounts.public_names import PublicNames
from service.cursors import open_cursor, seal_cursor
from service.errors import (
    FieldError,
    InvalidRequestError,
    KeyReusedError,
    LimitError,
    NotFoundError,
    UnauthenticatedError,
)
from service.languages.message import Message
from service.limits.addresses import limit_of_address
from service.limits.limits import Limits
from service.store.accounts import AccountStore, TokenRow
from service.store.errors import StoreError

Role: TypeAlias = Literal["player", "arbiter", "operator"]

_REMEMBER_SECONDS: Final = 5.0
_REMEMBERED_MAX: Final = 50_000
_HEADER_LENGTH_MAX: Final = 120
_REVOCATION: Final = "tokens"
"""What processes broadcast when tokens were revoked."""
_TOUCH_MILLISECONDS: Final = 60_000
_RECORD_USE_SECONDS: Final = 2.0
KEY_SECONDS: Final = 24 * 3600
"""How long, on the database's clock, the idempotency key of a new account returns its token again."""


class Account(Struct, frozen=True):
    """Who asks: the account, its role and the token used."""

    id: str
    role: Role
    token: UUID


class NewAccount(Struct, frozen=True):
    """A new account with its first token in plain text."""

    id: UUID
    name: str
    token_id: UUID
    token: str


class Accounts:
    """Use cases of accounts. One per process."""

    def __init__(
        self, store: AccountStore, broadcasts: Broadcasts, public_names: PublicNames, limits: Limits, *, key: bytes
    ) -> None:
        self._store = store
        self._public_names = public_names
        self._limits = limits
        self._tokens: Coalescer[bytes, TokenRow | None] = Coalescer(self._find_tokens)
        self._broadcasts = broadcasts
        self._key = key
        self._derived = Derived(key)
        self._remembered: dict[bytes, tuple[float, Account]] = {}
        """By SHA-256 of the header: until when it is remembered, and the account."""
        self._tokens_epoch = 0
        """Changes when a token may have been revoked: accounts that were read before are not remembered."""
        self._used: set[UUID] = set()
        self._recording_use: asyncio.Task[None] | None = None

    def listen(self) -> None:
        """Follow what other processes broadcast about revoked tokens."""
        self._broadcasts.listen(self._on_broadcast, self._forget_all)

    # who asks

    def remembered(self, header: str | None) -> Account | None:
        """Return the account of an Authorization header if its token was found valid a moment ago."""
        if header is None or len(header) > _HEADER_LENGTH_MAX:
            return None
        found = self._remembered.get(digest_of(header))
        if found is None or found[0] <= time.monotonic() or not self._broadcasts.listening:
            return None
        return found[1]

    async def authenticate(self, header: str | None) -> Account:
        """Return the account of an Authorization header. UnauthenticatedError if it has no valid token."""
        remembered = self.remembered(header)
        if remembered is not None:
            return remembered
        scheme, _, token = (header or "").partition(" ")
        token = token.lstrip(" ")  # one space or more (RFC 6750)
        if scheme.lower() != "bearer" or not token.startswith(TOKEN_PREFIX) or len(token) > 100:
            raise UnauthenticatedError("Send a valid token: Authorization: Bearer bw_...")
        now, epoch = time.monotonic(), self._tokens_epoch
        row = await self._tokens.submit(digest_of(token))
        if row is None:
            raise UnauthenticatedError("Send a valid token: Authorization: Bearer bw_...")
        account = Account(str(row.player), row.role, row.id)
        if self._broadcasts.listening and epoch == self._tokens_epoch:
            if len(self._remembered) >= _REMEMBERED_MAX:
                self._remembered.clear()
            left = _REMEMBER_SECONDS if row.expires is None else row.expires / 1000 - time.time()
            self._remembered[digest_of(header or "")] = (now + min(_REMEMBER_SECONDS, left), account)
        if row.last_used is None or time.time() * 1000 - row.last_used > _TOUCH_MILLISECONDS:
            self._used.add(row.id)
            if self._recording_use is None:
                self._recording_use = asyncio.create_task(self._record_use())
        return account

    async def _find_tokens(self, digests: list[bytes]) -> list[TokenRow | Exception | None]:
        """Look up with one statement the valid tokens that several requests ask for at the same time."""
        found = await self._store.tokens_by_digest(digests)
        return [found.get(digest) for digest in digests]

    async def _record_use(self) -> None:
        """Record in one statement, apart from any request, which tokens were used."""
        await asyncio.sleep(_RECORD_USE_SECONDS)
        used, self._used = self._used, set()
        self._recording_use = None
        with suppress(StoreError):  # it is recorded when the token is used again
            await self._store.touch(list(used))

    async def close(self) -> None:
        """Finish what is under way, and record the uses of tokens that were not recorded yet."""
        await self._tokens.close()
        if self._recording_use is not None:
            self._recording_use.cancel()
            await asyncio.wait([self._recording_use])
            self._recording_use = None
            with suppress(StoreError):
                await self._store.touch(list(self._used))

    # accounts

    async def create_guest(self, name: str, key: str, host: str) -> NewAccount:
        """Create a guest who asks from an address. The same key and name again give the same account and token.

        LimitError if the address had too many new ones; those that there are it gets all the same.
        """
        clean = clean_name(name)
        id_, token_id = self._derived.id("player", "", key), self._derived.id("token", "", key)
        token = self._derived.token("", key)
        try:
            await self._limits.take(*limit_of_address("guests", host))
        except LimitError:
            if await self._store.player(id_) is None:
                raise
        created = await self._store.create_player(
            id_, clean, token_id=token_id, role="player", digest=digest_of(token), label="first"
        )
        if not created:
            row = await self._store.player(id_)
            if row is None or row.name != clean:
                raise KeyReusedError
            if row.age > KEY_SECONDS * 1000:
                raise KeyReusedError("This Idempotency-Key is no longer valid; choose a new one for a new account.")
            if await self._tokens.submit(digest_of(token)) is None:
                raise KeyReusedError("The token made under this Idempotency-Key was revoked.")
        return NewAccount(id_, clean, token_id, token)

    async def create_with_role(self, role: Role, name: str) -> NewAccount:
        """Create an account with a role; for operators at the command line."""
        id_, token_id, token = uuid4(), uuid4(), _new_token()
        await self._store.create_player(id_, name, token_id=token_id, role=role, digest=digest_of(token), label=role)
        return NewAccount(id_, name, token_id, token)

    async def me(self, account: Account) -> tuple[str | None, int]:
        """Return the caller's name and when the account was created (ms since 1970 UTC)."""
        row = await self._store.player(UUID(account.id))
        if row is None:
            raise NotFoundError("There is no such account.")
        return row.name, row.created

    async def rename(self, account: Account, name: str) -> str:
        """Change the caller's public name."""
        clean = clean_name(name)
        await self._limits.take("renames", account.id)
        await self._store.rename(UUID(account.id), clean)
        self._public_names.forget(account.id)
        return clean

    async def erase(self, account: Account) -> None:
        """Erase the name and all tokens, at once everywhere; the log keeps only the random id."""
        await self._store.erase(UUID(account.id))
        self._public_names.forget(account.id)
        await self.broadcast_revocation()

    async def public_name(self, player: UUID) -> str | None:
        """Return a player's name, None once erased. NotFoundError if there never was one."""
        row = await self._store.player(player)
        if row is None:
            raise NotFoundError("There is no such player.")
        return row.name

    # tokens

    async def create_token(self, account: Account, asked: str, days: int, key: str) -> tuple[TokenRow, str]:
        """Create a token for a device. The same key again gives the same token."""
        label = clean_name(asked, "/label")
        token_id, token = self._derived.id("token", account.id, key), self._derived.token(account.id, key)
        most = self._limits.quota("tokens")
        row = await self._store.create_token(
            token_id, UUID(account.id), role=account.role, digest=digest_of(token), label=label, days=days, most=most
        )
        if row is None:
            self._limits.require_room("tokens", most)
            raise NotFoundError("There is no such account.")
        lasts = None if row.expires is None else round((row.expires - row.created) / 86_400_000)
        if row.label != label or lasts != days:
            raise KeyReusedError
        return row, token

    async def tokens(self, account: Account, cursor: str | None, limit: int) -> tuple[list[TokenRow], str | None]:
        """Return a page of the caller's valid tokens, newest first, and the cursor of the next one.

        NotFoundError if the cursor is not one of ours.
        """
        scope = f"tokens\0{account.id}"
        after = None if cursor is None else UUID(open_cursor(self._key, scope, cursor))
        rows = await self._store.tokens(UUID(account.id), after, limit + 1)
        following = seal_cursor(self._key, scope, str(rows[limit - 1].id)) if len(rows) > limit else None
        return rows[:limit], following

    async def revoke(self, account: Account, token: UUID) -> None:
        """Revoke one of the caller's tokens, at once everywhere. NotFoundError if the caller has no such token."""
        if await self._store.revoke(UUID(account.id), token) is None:
            raise NotFoundError("You have no such token.")
        await self.broadcast_revocation()

    # between processes

    async def broadcast_revocation(self) -> None:
        """Tell all processes, or wait until none remembers a token that it read before this."""
        forgotten = time.monotonic() + _REMEMBER_SECONDS
        self._on_broadcast(_REVOCATION)
        try:
            await self._broadcasts.broadcast(_REVOCATION)
        except RedisUnavailableError:
            await asyncio.sleep(forgotten - time.monotonic())

    def _on_broadcast(self, message: str) -> None:
        if message == _REVOCATION:
            self._forget_all()

    def _forget_all(self) -> None:
        self._remembered.clear()
        self._tokens_epoch += 1


def clean_name(name: str, field: str = "/name") -> str:
    """Return a name without surrounding spaces. InvalidRequestError if it is none by the rule of names."""
    clean = names.clean(name)
    if clean is None:
        detail = Message(
            "must begin with a visible character and hold no control, format, private or unassigned characters"
        )
        raise InvalidRequestError("A field of the body is invalid.", errors=(FieldError(field, detail),))
    return clean


def _new_token() -> str:
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def digest_of(token: str) -> bytes:
    """Return what is kept of a token."""
    return hashlib.sha256(token.encode()).digest()
