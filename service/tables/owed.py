"""How long Redis has owed what the log has: for operators."""

import math
import time
from contextlib import suppress
from typing import Final

from projections.checkpoints import VIEWS, Checkpoints
from projections.redis_connection import RedisUnavailableError
from service.store.errors import StoreUnavailableError
from service.store.log import Log

_EVENTS_MAX: Final = 5000


class Owed:
    """The age of the oldest event whose views and lists Redis has not acknowledged. One per process."""

    def __init__(self, log: Log, checkpoints: Checkpoints) -> None:
        self._log = log
        self._checkpoints = checkpoints
        self._known: dict[int, int] = {}
        """The checkpoint that Redis had when it last answered."""

    async def seconds(self) -> float:
        """Return the age in seconds, 0 if nothing is owed; NaN if it is not known."""
        with suppress(RedisUnavailableError):  # else from what it had acknowledged when it was last asked
            self._known = await self._checkpoints.read(VIEWS)
        if not self._known:  # emptied a moment ago
            return math.nan
        try:
            events = await self._log.feed_heads(self._known, _EVENTS_MAX)
        except StoreUnavailableError:
            return math.nan
        return max((time.time() - event.time / 1000 for event in events), default=0.0)
