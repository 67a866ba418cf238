"""When the request that is worked on has to be answered: one moment, which all its waits share.

Waits for a table's lock, for a connection, for a statement and for a commit end then at the latest, and no round trip
to Redis begins after it. What works for no request, as a worker does, has no deadline: each wait has its own bound.
"""

import asyncio
import math
from contextvars import ContextVar
from typing import Final

REQUEST_SECONDS: Final = 6.0
"""How long a request may wait for others in all, beside the time that its body takes to arrive."""

_SHARED_SECONDS_MIN: Final = 0.25


class RequestDeadline:
    """The deadline of one request, on the clock of the event loop."""

    __slots__ = ("at", "recorded")

    def __init__(self) -> None:
        self.at = 0.0
        self.recorded = False
        """Whether the request has changed something that stays."""
        self.restart()

    def restart(self) -> None:
        """Give the request its whole time from now on: its body is complete, or a piece of its answer was taken."""
        self.at = asyncio.get_running_loop().time() + REQUEST_SECONDS


_CURRENT: Final[ContextVar[RequestDeadline | None]] = ContextVar("deadline", default=None)


def begin_deadline() -> RequestDeadline:
    """Begin the deadline of a request, for everything that its task does."""
    deadline = RequestDeadline()
    _CURRENT.set(deadline)
    return deadline


def restart_deadline() -> None:
    """Give the request its whole time from now on: a piece of its work is done. No effect where there is none."""
    current = _CURRENT.get()
    if current is not None:
        current.restart()


def deadline_at(seconds: float = math.inf) -> float:
    """Return until when to wait: the request's deadline, or so many seconds from now if that comes first."""
    current, own = _CURRENT.get(), asyncio.get_running_loop().time() + seconds
    return own if current is None else min(own, current.at)


def work_until(at: float) -> None:
    """Give this task, which works for several requests, the deadline of the earliest, but a moment at least."""
    begin_deadline().at = max(at, asyncio.get_running_loop().time() + _SHARED_SECONDS_MIN)


def is_late() -> bool:
    """Whether the request should have been answered by now."""
    current = _CURRENT.get()
    return current is not None and current.at <= asyncio.get_running_loop().time()


def note_recorded() -> None:
    """Note that the request has changed something that stays, whatever else happens to it."""
    current = _CURRENT.get()
    if current is not None:
        current.recorded = True


def has_recorded() -> bool:
    """Whether the request has changed something that stays."""
    current = _CURRENT.get()
    return current is not None and current.recorded
