"""The lock of a table, for which no request waits longer than it has time."""

import asyncio
import math
from typing import Literal

from service.runtime.deadline import deadline_at
from service.store.errors import StoreUnavailableError


class TableLock(asyncio.Lock):
    """A lock for which a request waits no longer than it has time."""

    def __init__(self) -> None:
        super().__init__()
        self._queued = 0

    async def acquire(self) -> Literal[True]:
        """Wait for the lock. StoreUnavailableError if its holders need longer than the request has."""
        if not self.locked() and not self._queued:
            return await super().acquire()  # without a timer: nobody is before us
        deadline = deadline_at()
        self._queued += 1
        try:
            async with asyncio.timeout_at(None if deadline == math.inf else deadline):
                return await super().acquire()
        except TimeoutError:
            raise StoreUnavailableError("the table is busy") from None
        finally:
            self._queued -= 1
