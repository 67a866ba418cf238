"""The 256 parts of the log."""

import hashlib
from typing import Final
from uuid import UUID

BUCKETS: Final = 256
"""Fixed for ever: the number of a bucket is part of every key of the log."""


def bucket_of(stream: UUID) -> int:
    """Return the bucket of a stream, fixed for ever: the first byte of SHA-256 of the 16 bytes of its id."""
    return hashlib.sha256(stream.bytes).digest()[0]
