"""Opaque page cursors that cannot be forged: a place, authenticated with the service's key."""

import base64
import hashlib
from binascii import Error as Base64Error

from service.errors import NotFoundError

_TAG_BYTES = 12


def seal_cursor(key: bytes, scope: str, place: str) -> str:
    """Return the cursor for `place` in the list that `scope` names (list and filters)."""
    return base64.urlsafe_b64encode(_tag(key, scope, place) + place.encode()).rstrip(b"=").decode()


def open_cursor(key: bytes, scope: str, cursor: str) -> str:
    """Return the place of a cursor. NotFoundError if it is not one of ours for this list."""
    try:
        raw = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        place = raw[_TAG_BYTES:].decode()
    except (Base64Error, ValueError):
        raise _bad_cursor() from None
    if raw[:_TAG_BYTES] != _tag(key, scope, place):
        raise _bad_cursor()
    return place


def _tag(key: bytes, scope: str, place: str) -> bytes:
    return hashlib.blake2b(f"{scope}\0{place}".encode(), key=key, digest_size=_TAG_BYTES).digest()


def _bad_cursor() -> NotFoundError:
    return NotFoundError("This cursor is not valid; start again without one.")
