"""Signed heads: C2SP signed notes (Ed25519) over the end of a table's chain."""

import base64
import hashlib
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from domain.record import head_text

_ALGORITHM = b"\x01"
"""Ed25519 in the signed-note format."""


class Signer:
    """Signs notes with the service's Ed25519 key, which follows from its secret key."""

    def __init__(self, secret_key: bytes, origin: str) -> None:
        seed = HKDF(SHA256(), 32, None, b"blattwerk/heads/ed25519").derive(secret_key)
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.origin = origin
        self._public = self._private.public_key().public_bytes_raw()
        self._key_id = hashlib.sha256(origin.encode() + b"\n" + _ALGORITHM + self._public).digest()[:4]

    @property
    def verifier_key(self) -> str:
        """The public key as C2SP writes it: name, key id in hex, algorithm and key in base64."""
        return f"{self.origin}+{self._key_id.hex()}+{base64.b64encode(_ALGORITHM + self._public).decode()}"

    def sign(self, text: str) -> str:
        """Return the signed note of a text whose last character is a newline."""
        signature = base64.b64encode(self._key_id + self._private.sign(text.encode())).decode()
        return f"{text}\n\u2014 {self.origin} {signature}\n"

    def head(self, table: UUID, version: int, hash_: bytes, time: int) -> str:
        """Return the signed head of a table: origin, table, version, hash in base64, time in ms."""
        return self.sign(head_text(self.origin, str(table), version, base64.b64encode(hash_).decode(), time))
