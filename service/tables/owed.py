"""How long Redis has owed what the log has: for operators."""

import math
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from projections.checkpoints import DEPARTURES, NAMES, VIEWS, Checkpoints
from projections.redis_connection import RedisUnavailableError
from service.store.accounts import AccountStore
from service.store.errors import StoreUnavailableError
from service.store.log import Log

PROJECTIONS: Final = (VIEWS, NAMES, DEPARTURES)
UNKNOWN: Final[Mapping[str, float]] = dict.fromkeys(PROJECTIONS, math.nan)
OWED_SECONDS_MAX: Final = 10.0
"""What Redis owes for longer an operator should look at."""
_EVENTS_MAX: Final = 5000


def is_sound(seconds: Mapping[str, float]) -> bool:
    """Whether nothing is owed for long; what is not known is not sound."""
    return all(each <= OWED_SECONDS_MAX for each in seconds.values())


class Owed:
    """The age of the oldest event and change of a name that Redis has not acknowledged. One per process."""

    def __init__(self, log: Log, accounts: AccountStore, checkpoints: Checkpoints) -> None:
        self._log = log
        self._accounts = accounts
        self._checkpoints = checkpoints
        self._known: dict[str, dict[int, int]] = {}
        """By projection the checkpoint that Redis had when it last answered."""

    async def seconds(self) -> dict[str, float]:
        """Return by projection the age in seconds, 0 if nothing is owed; NaN if it is not known."""
        return {projection: await self._seconds(projection) for projection in PROJECTIONS}

    async def _seconds(self, projection: str) -> float:
        with suppress(RedisUnavailableError):  # else from what it had acknowledged when it was last asked
            self._known[projection] = await self._checkpoints.read(projection)
        try:
            oldest = await self._oldest(projection, self._known.get(projection, {}))
        except StoreUnavailableError:
            return math.nan
        return 0.0 if oldest is None else time.time() - oldest / 1000

    async def _oldest(self, projection: str, checkpoint: dict[int, int]) -> float | None:
        """Return when what is owed first was made, ms since 1970 UTC; None if nothing is owed, NaN if unknown."""
        if projection == VIEWS:
            events = await self._log.feed_heads(checkpoint, _EVENTS_MAX if checkpoint else 1)
            if events and not checkpoint:  # Redis was emptied a moment ago, or has not answered yet
                return math.nan
            return min((event.time for event in events if event.version), default=None)
        oldest = await self._accounts.name_changed_at(max(checkpoint.values(), default=0))
        return math.nan if oldest is not None and not checkpoint else oldest
