"""The transparency log over matches that are over: what its leaves are, and its checkpoints as text.

A leaf is 64 bytes: a tag of the table and a commitment to the head at the end of its match. Both are
hashes over the table's random id, so a leaf tells nothing to somebody who does not know that id; who has
the record of the match makes the leaf again. Two leaves with one tag would be two ends of one match.

Checkpoints are C2SP tlog-checkpoints: the text of a signed note with origin, tree size and root hash.
"""

import base64
import hashlib
import re
import struct
from typing import Final

from msgspec import Struct

_SIZE: Final = re.compile(r"0|[1-9][0-9]{0,18}")
_HASH_BYTES: Final = 32


class Checkpoint(Struct, frozen=True):
    """A tree as its log signs it."""

    origin: str
    size: int
    root: bytes


class Consistency(Struct, frozen=True, rename={"old": "from", "new": "to"}):
    """That the tree of `new` leaves begins with the tree of `old` leaves (RFC 9162, section 2.1.4)."""

    old: int
    new: int
    proof: tuple[str, ...]
    """Hashes in hex."""


def leaf_of(table: bytes, version: int, hash_: bytes) -> bytes:
    """Return the leaf of a match whose last event has this version and chain hash. `table`: 16 bytes of its id."""
    tag = hashlib.sha256(b"bw1/log-table\0" + table).digest()
    return tag + hashlib.sha256(b"bw1/log-head\0" + table + struct.pack(">I", version) + hash_).digest()


def checkpoint_text(origin: str, size: int, root: bytes) -> str:
    """Return the text of a checkpoint, to be signed."""
    return f"{origin}\n{size}\n{base64.b64encode(root).decode()}\n"


def parse_checkpoint(note: str) -> Checkpoint:
    """Return what a signed checkpoint says; its signature is not looked at. ValueError if it is none."""
    text, separator, _ = note.rpartition("\n\n")
    lines = text.split("\n")
    if not separator or len(lines) < 3 or not all(lines):
        raise ValueError("not a signed checkpoint")
    origin, size, root = lines[:3]
    raw = base64.b64decode(root, validate=True)
    if not _SIZE.fullmatch(size) or len(raw) != _HASH_BYTES or base64.b64encode(raw).decode() != root:
        raise ValueError("not a tree's size and hash")
    return Checkpoint(origin, int(size), raw)
