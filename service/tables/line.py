"""A line for work on whole matches: it is done one after the other, and few wait for it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from service.errors import UnavailableError
from service.runtime.deadline import REQUEST_SECONDS, deadline_at

ResultT = TypeVar("ResultT")
_LATER_SECONDS = 5


class Line:
    """One turn at a time, and at most so many who wait for theirs."""

    def __init__(self, waiting_max: int) -> None:
        self._waiting_max = waiting_max
        self._lock = asyncio.Lock()
        self._asking = 0
        """Who has a turn or waits for one."""

    @asynccontextmanager
    async def turn(self, *, begun: bool = False) -> AsyncIterator[None]:
        """Wait for a turn and have it.

        UnavailableError at once if too many wait already, and later if the turn does not come by the request's
        deadline. Not for work that has `begun` in a turn before: it waits as long as it takes.
        """
        if self._asking > self._waiting_max and not begun:
            raise _full()
        self._asking += 1
        try:
            await self._take(None if begun else deadline_at(REQUEST_SECONDS))
            try:
                yield
            finally:
                self._lock.release()
        finally:
            self._asking -= 1

    async def _take(self, until: float | None) -> None:
        try:
            async with asyncio.timeout_at(until):
                await self._lock.acquire()
        except TimeoutError:
            raise _full() from None


async def in_thread(work: Callable[..., ResultT], *arguments: Any) -> ResultT:
    """Return what the work gives, done apart from the event loop. Who is cancelled meanwhile waits for its end first:
    a turn lasts as long as its work.
    """
    working = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait((working,))
        raise


def _full() -> UnavailableError:
    return UnavailableError(
        "Too many wait for audits and texts; try again.", headers={"Retry-After": str(_LATER_SECONDS)}
    )
