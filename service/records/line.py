"""A line for work on whole matches: it is done one after the other, and few wait for it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from service.errors import UnavailableError

_LATER_SECONDS = 5


class Line:
    """One turn at a time, and at most so many who wait for theirs."""

    def __init__(self, waiting_max: int) -> None:
        self._waiting_max = waiting_max
        self._lock = asyncio.Lock()
        self._asking = 0
        """Who has a turn or waits for one."""

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn and have it. UnavailableError at once if too many wait already."""
        if self._asking > self._waiting_max:
            raise UnavailableError(
                "Too many wait for audits and texts; try again.", headers={"Retry-After": str(_LATER_SECONDS)}
            )
        self._asking += 1
        try:
            async with self._lock:
                yield
        finally:
            self._asking -= 1
