"""Ids and secrets that follow from an idempotency key, so that a retry needs no stored secret."""

import base64
import hmac
from typing import Final
from uuid import UUID

TOKEN_PREFIX: Final = "bw_"  # noqa: S105 - what secret scanners look for


class Derived:
    """What follows from idempotency keys and the service's secret key: nobody outside can predict it."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def id(self, label: str, account: str, key: str) -> UUID:
        """Return the id of what an account makes under a key."""
        return UUID(bytes=self.secret(f"{label} id", account, key)[:16], version=4)

    def token(self, account: str, key: str) -> str:
        """Return the token that an account makes under a key."""
        return TOKEN_PREFIX + base64.urlsafe_b64encode(self.secret("token", account, key)).rstrip(b"=").decode()

    def secret(self, label: str, account: str, key: str) -> bytes:
        """Return 32 bytes for what an account makes under a key."""
        return hmac.digest(self._key, f"blattwerk/account\0{label}\0{account}\0{key}".encode(), "sha256")
