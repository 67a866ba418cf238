"""C2SP signed notes, verified with Ed25519."""

import base64
import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

_ALGORITHM = b"\x01"


def is_signed(note: str, verifier_key: str) -> bool:
    """Return whether the note has a valid signature by the key (`name+id+key`). ValueError if malformed."""
    name, key_id, public = _parsed_key(verifier_key)
    text, separator, signatures = note.rpartition("\n\n")
    if not separator:
        raise ValueError("the note has no signature")
    prefix = f"\u2014 {name} "
    for line in signatures.splitlines():
        if not line.startswith(prefix):
            continue
        raw = base64.b64decode(line[len(prefix) :], validate=True)
        if raw[:4] != key_id:
            continue
        try:
            Ed25519PublicKey.from_public_bytes(public).verify(raw[4:], f"{text}\n".encode())
        except InvalidSignature:
            return False
        return True
    return False


def _parsed_key(verifier_key: str) -> tuple[str, bytes, bytes]:
    name, id_hex, encoded = verifier_key.split("+", 2)
    raw = base64.b64decode(encoded, validate=True)
    expected = hashlib.sha256(name.encode() + b"\n" + raw).digest()[:4]
    if raw[:1] != _ALGORITHM or len(raw) != 33 or bytes.fromhex(id_hex) != expected:
        raise ValueError("not an Ed25519 key")
    return name, expected, raw[1:]
