"""Which secret keys the service has had, by their fingerprints; the keys themselves are nowhere."""

from datetime import datetime
from typing import Final

from msgspec import Struct

from service.store.database import Database
from service.store.queries import statements

_SQL: Final = statements("secret_keys")


class KnownKey(Struct, frozen=True):
    """A secret key that the service has, or had."""

    fingerprint: bytes
    verifier_key: str
    """What verifies everything that was signed while it was in force."""
    since: datetime


class SecretKeyStore:
    """All keys, the one in force last. All methods raise StoreUnavailableError if the database does not answer."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def known(self) -> list[KnownKey]:
        """Return all keys in order; empty in a database that no service has used yet."""
        return [KnownKey(bytes(row[0]), row[1], row[2]) for row in await self._database.fetch(_SQL["known"])]

    async def record_first(self, fingerprint: bytes, verifier_key: str) -> None:
        """Record the key of a new service; does nothing if there is one already."""
        await self._database.change(_SQL["first"], (fingerprint, verifier_key))

    async def rotate(self, fingerprint: bytes, verifier_key: str) -> None:
        """Put another key in force."""
        await self._database.change(_SQL["rotate"], (fingerprint, verifier_key))
