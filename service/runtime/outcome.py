"""Whether the request that is worked on has changed something that stays: what a 503 tells its caller."""

from contextvars import ContextVar
from typing import Final


class _Outcome:
    """What has become of one request so far."""

    __slots__ = ("recorded",)

    def __init__(self) -> None:
        self.recorded = False


_CURRENT: Final[ContextVar[_Outcome | None]] = ContextVar("outcome", default=None)


def begin_outcome() -> None:
    """Begin with nothing recorded, for everything that this task does."""
    _CURRENT.set(_Outcome())


def note_recorded() -> None:
    """Note that the request has changed something that stays, whatever else happens to it."""
    current = _CURRENT.get()
    if current is not None:
        current.recorded = True


def has_recorded() -> bool:
    """Whether the request has changed something that stays."""
    current = _CURRENT.get()
    return current is not None and current.recorded
