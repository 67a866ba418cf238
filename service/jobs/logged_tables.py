"""The tables that the log has, for whoever has to go through them without Redis."""

from collections.abc import AsyncIterator
from typing import Final
from uuid import UUID

from service.store.log import Log
from service.store.transparency import TransparencyStore

_PAGE: Final = 500


class LoggedTables:
    """Goes through tables. One per process."""

    def __init__(self, log: Log, ended: TransparencyStore) -> None:
        self._log = log
        self._ended = ended

    async def newest(self, *, ended_max: int) -> AsyncIterator[UUID]:
        """Yield tables, newest first: those that are open, and so many that have ended."""
        before: tuple[int, UUID] | None = None
        left = ended_max
        while created := await self._log.created(before, _PAGE):
            streams = [stream for _, stream in created]
            over = await self._ended.with_leaf(streams) | await self._log.closed(streams)
            for stream in streams:
                if stream not in over:
                    yield stream
                elif left > 0:
                    left -= 1
                    yield stream
            before = created[-1]
