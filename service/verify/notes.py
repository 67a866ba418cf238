"""C2SP signed notes, verified with Ed25519."""

import base64
import hashlib
import re

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

_ALGORITHM = b"\x01"
_SIGNATURE = re.compile("\u2014 ([^ +\n]+) ([A-Za-z0-9+/]+={0,2})")
"""A line behind the text: who signed, and the key's id with the signature. Nothing else may stand there."""


def is_signed(note: str, verifier_key: str) -> bool:
    """Return whether the note has a valid signature by the key (`name+id+key`). ValueError if malformed."""
    name, key_id, public = _parsed_key(verifier_key)
    text, separator, signatures = note.rpartition("\n\n")
    lines = [_SIGNATURE.fullmatch(line) for line in signatures.removesuffix("\n").split("\n")]
    if not separator or not signatures.endswith("\n") or not all(lines):
        raise ValueError("the note does not end with signatures")
    for line in lines:
        if line is None or line[1] != name:
            continue
        raw = base64.b64decode(line[2], validate=True)
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
