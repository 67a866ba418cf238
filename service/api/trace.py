"""What a connection says of itself: a header, its trace id (W3C Trace Context), its method."""

import os
import re
from functools import partial
from random import Random
from typing import Final

from litestar.enums import ScopeType
from litestar.types import Scope

_new_id: Final = partial(Random(os.urandom(32)).getrandbits, 128)  # noqa: S311
"""Unique, but no secret."""
_TRACEPARENT: Final = re.compile(rb"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_STATE_KEY: Final = "trace_id"


def header(scope: Scope, name: bytes) -> str | None:
    """Return the header of a name in lower case, None if absent; several lines as one list (RFC 9110)."""
    found: bytes | None = None
    for given, value in scope["headers"]:
        if given == name:
            found = value if found is None else found + b", " + value
    return None if found is None else found.decode("latin-1")


def trace_id_of(scope: Scope) -> str:
    """Return the trace id of a request: the caller's from `traceparent`, or a new one that stays the same."""
    state = scope["state"]
    known: str | None = state.get(_STATE_KEY)
    if known is None:
        known = state[_STATE_KEY] = _given(scope) or f"{_new_id():032x}"
    return known


def method_of(scope: Scope) -> str | None:
    """Return the method of a request, None for what is not HTTP."""
    return scope["method"] if scope["type"] == ScopeType.HTTP else None


def _given(scope: Scope) -> str | None:
    for name, value in scope["headers"]:
        if name == b"traceparent":
            match = _TRACEPARENT.fullmatch(value)
            return match[1].decode() if match else None
    return None
