"""The feed: all events of all tables, bucket by bucket in position order, from a checkpoint on."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import Final, Generic, TypeAlias, TypeVar

from service.store.errors import StoreUnavailableError
from service.store.events import FeedEnd, FeedHead
from service.store.log import Log

_logger: Final = logging.getLogger(__name__)

PlaceT = TypeVar("PlaceT", FeedHead, FeedEnd)
Read: TypeAlias = Callable[[Mapping[int, int], int], Awaitable[list[PlaceT]]]
"""What gives the events after a checkpoint, at most so many: `Log.feed_heads` or `Log.feed_ends`."""


class Feed(Generic[PlaceT]):
    """Leads one reader through the feed, and keeps its place under the name of a projection.

    Nothing is missed: positions have no gaps and become visible in their order. While it runs nothing is
    given twice. After a crash the batch that was being worked on comes again, so what a reader does with
    an event has to bear repetition.
    """

    def __init__(
        self,
        log: Log,
        projection: str,
        read: Read[PlaceT],
        *,
        generation: int = 0,
        poll_seconds: float = 1.0,
        events_max: int = 500,
    ) -> None:
        self._log = log
        self._read: Read[PlaceT] = read
        self._projection = projection
        self._generation = generation
        self._poll_seconds = poll_seconds
        self._events_max = events_max

    async def batches(self) -> AsyncGenerator[list[PlaceT], None]:
        """Yield what is new, again and again, forever. A batch counts as read when the next one is asked for.

        While the database is unavailable this waits for it.
        """
        checkpoint: dict[int, int] | None = None
        while True:
            try:
                if checkpoint is None:
                    checkpoint = await self._log.checkpoint(self._projection, self._generation)
                heads = await self._read(checkpoint, self._events_max)
            except StoreUnavailableError as error:
                _logger.warning("the feed of %s waits for the database: %s", self._projection, error)
                await asyncio.sleep(self._poll_seconds)
                continue
            if heads:
                yield heads
                reached = {head.bucket: head.position for head in heads}
                checkpoint |= reached
                await self._save(reached)
            # under load a few more are there already: read later, they cost less together
            if len(heads) < self._events_max:
                await asyncio.sleep(self._poll_seconds)

    async def _save(self, reached: dict[int, int]) -> None:
        try:
            await self._log.save_checkpoint(self._projection, reached, self._generation)
        except StoreUnavailableError as error:  # a restart would read the batch again, no more
            _logger.warning("the checkpoint of %s was not saved: %s", self._projection, error)
