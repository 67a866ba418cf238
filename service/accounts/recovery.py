"""Codes by which an account survives its phone: one to recover it, one to bring another device in.

Only their SHA-256 is kept. What is wrong with a code that is not valid nobody learns: it is answered with the same
words, after the same statements.
"""

import hashlib
from typing import Final
from uuid import UUID

from msgspec import Struct

from service import codes
from service.accounts.accounts import KEY_SECONDS, Account, Accounts, clean_name, digest_of
from service.accounts.derived import Derived
from service.errors import KeyReusedError, LimitError, NotFoundError
from service.limits.addresses import limit_of_address
from service.limits.limits import Limits
from service.store.account_codes import AccountCodeStore, CodeKind, CodeRow, NewTokenRow
from service.store.accounts import TokenRow

TRANSFER_SECONDS: Final = 600
"""How long a transfer code is valid."""
_EVERYBODY: Final = ""
_SHAPES: Final[dict[CodeKind, codes.Shape]] = {"recovery": codes.RECOVERY, "transfer": codes.TRANSFER}
_SECONDS: Final[dict[CodeKind, int | None]] = {"recovery": None, "transfer": TRANSFER_SECONDS}


class NewCode(Struct, frozen=True):
    """A code that was made, in plain text; times in milliseconds since 1970 UTC."""

    code: str
    created: int
    expires: int | None


class NewDevice(Struct, frozen=True):
    """The token that a code was redeemed for."""

    row: TokenRow
    name: str | None
    token: str


class Recovery:
    """Makes codes and redeems them. One per process."""

    def __init__(self, store: AccountCodeStore, accounts: Accounts, limits: Limits, *, key: bytes) -> None:
        self._store = store
        self._accounts = accounts
        self._limits = limits
        self._derived = Derived(key)

    async def make(self, account: Account, kind: CodeKind, key: str) -> NewCode:
        """Make a code that replaces the account's other one of this kind. The same key again gives the same code.

        LimitError if the account makes too many.
        """
        id_, shape = self._derived.id(f"{kind} code", account.id, key), _SHAPES[kind]
        code = shape.from_bytes(self._derived.secret(f"{kind} code", account.id, key))
        player, row = UUID(account.id), None
        try:
            await self._limits.take("account_codes", account.id)
        except LimitError:
            row = await self._store.made(id_, player)
            if row is None:
                raise
        else:
            row = await self._store.make(
                id_, player, kind, role=account.role, digest=_digest(code), seconds=_SECONDS[kind]
            )
        return _made(row or await self._store.made(id_, player), shape.shown(code))

    async def since(self, account: Account) -> int | None:
        """Return when the caller's recovery code was made, ms since 1970 UTC; None if there is none."""
        return await self._store.recovery_code_since(UUID(account.id))

    async def redeem(self, given: str, asked: str, days: int, *, revoke_others: bool, key: str, host: str) -> NewDevice:
        """Return a new token of the account whose code this is. The same key and body again give the same token.

        With `revoke_others` it is the account's only one. NotFoundError if the code is not valid, LimitError if too
        many are tried or the account has too many tokens.
        """
        label, code = clean_name(asked, "/label"), codes.read(given)
        request = hashlib.sha256(f"{code}\0{key}".encode()).hexdigest()
        body = hashlib.sha256(f"{request}\0{label}\0{days}\0{int(revoke_others)}".encode()).hexdigest()
        token = self._derived.token("", f"redeemed {body}")
        new = NewTokenRow(self._derived.id("redeemed token", "", request), digest_of(token), label, days)
        row = await self._redeem(code, new, revoke_others=revoke_others, host=host)
        if revoke_others:
            await self._accounts.broadcast_revocation()
        name = await self._accounts.public_name(row.player)
        return NewDevice(row, name, token)

    async def _redeem(self, code: str, new: NewTokenRow, *, revoke_others: bool, host: str) -> TokenRow:
        try:
            await self._limits.take(*limit_of_address("redemptions", host))
            await self._limits.take("redemptions_total", _EVERYBODY)
        except LimitError:
            again = await self._again(new)
            if again is None:
                raise
            return again
        most = self._limits.quota("tokens")
        redeemed = await self._store.redeem(_digest(code), new, revoke_others=revoke_others, most=most)
        if redeemed is not None and redeemed.token is not None:
            return redeemed.token
        again = await self._again(new)
        if again is not None:
            return again
        if redeemed is not None:
            self._limits.require_room("tokens", most)
        raise NotFoundError("This code is not valid: it is wrong, replaced, used or expired.", code="code_unknown")

    async def _again(self, new: NewTokenRow) -> TokenRow | None:
        """Return the token that was made by the same request before. KeyReusedError if it is not that any more."""
        found = await self._store.redeemed(new, KEY_SECONDS)
        if found is None:
            return None
        row, same = found
        if not same:
            raise KeyReusedError("This Idempotency-Key was used with another body, or its token was revoked.")
        return row


def _made(row: CodeRow | None, code: str) -> NewCode:
    if row is None:
        raise NotFoundError("There is no such account.")
    if not row.valid:
        raise KeyReusedError("The code made under this Idempotency-Key was replaced or used, or has expired.")
    return NewCode(code, row.created, row.expires)


def _digest(code: str) -> bytes:
    return hashlib.sha256(code.encode()).digest()
