"""Refuses to work with another secret key than the one in force, unless an operator has rotated it."""

import hmac
from typing import Final

from service.records.signer import Signer
from service.store.errors import StoreSetupError
from service.store.secret_keys import KnownKey, SecretKeyStore

_LABEL: Final = b"blattwerk/fingerprint"


class KeyCheck:
    """Compares this process's secret key with what the database knows. One per process."""

    def __init__(self, store: SecretKeyStore, signer: Signer, *, key: bytes) -> None:
        self._store = store
        self._verifier_key = signer.verifier_key
        self._fingerprint = hmac.digest(key, _LABEL, "sha256")

    async def require_in_force(self) -> None:
        """StoreSetupError if another key is in force; the first key that a database sees is."""
        await self._store.record_first(self._fingerprint, self._verifier_key)
        in_force = (await self._store.known())[-1]
        if in_force.fingerprint != self._fingerprint:
            raise StoreSetupError(
                "BLATTWERK_SECRET_KEY is another key than the one that this database was used with since "
                f"{in_force.since:%Y-%m-%d %H:%M} UTC; give that one, or run blattwerk key rotate"
            )

    async def is_in_force(self) -> bool:
        """Whether this process's key is the one in force."""
        known = await self._store.known()
        return bool(known) and known[-1].fingerprint == self._fingerprint

    async def rotate(self) -> list[KnownKey]:
        """Put this process's key in force; return all keys, the one in force last."""
        if not await self.is_in_force():
            await self._store.rotate(self._fingerprint, self._verifier_key)
        return await self._store.known()
