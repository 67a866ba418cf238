"""What one caller may do: refused with 429 once a limit is reached, and told when it goes on."""

import hashlib
import math
from collections.abc import Mapping
from typing import Final, NoReturn

from projections.buckets import Buckets
from projections.redis_connection import RedisUnavailableError
from service.errors import LimitError
from service.languages.message import Message
from service.limits.local import LocalBuckets
from service.runtime.limits import Limit

_LATER_SECONDS: Final = 60
"""When to ask again where nobody knows when something is given up."""
_WINDOW_WITHOUT_REDIS: Final = 3600
"""Where what somebody has cannot be counted, it is counted how much he gets in so many seconds."""


class Limits:
    """All limits. One per process."""

    def __init__(self, limits: Mapping[str, Limit], buckets: Buckets, *, key: bytes) -> None:
        self._limits = limits
        self._buckets = buckets
        self._key = key
        self._local = {
            name: LocalBuckets(limit.quota, limit.seconds or _WINDOW_WITHOUT_REDIS) for name, limit in limits.items()
        }

    def quota(self, name: str) -> int:
        """Return how many there may be."""
        return self._limits[name].quota

    async def take(self, name: str, subject: str) -> None:
        """Count one for an account or an address, in all processes. LimitError if there were too many."""
        limit = self._limits[name]
        try:
            wait = await self._buckets.take(name, self._hidden(subject), limit.quota, limit.seconds or 0)
        except RedisUnavailableError:
            self.take_here(name, subject)
        else:
            if wait:
                self._refuse(name, wait)

    def take_here(self, name: str, subject: str) -> None:
        """Count one in this process alone. LimitError if there were too many."""
        wait = self._local[name].take(subject)
        if wait:
            self._refuse(name, wait)

    def require_room(self, name: str, count: int) -> None:
        """LimitError if somebody has as many of something already as there may be."""
        if count >= self._limits[name].quota:
            self._refuse(name, None)

    def _refuse(self, name: str, wait: float | None) -> NoReturn:
        limit = self._limits[name]
        seconds = None if wait is None else max(1, math.ceil(wait))
        window = "" if limit.seconds is None else f";w={limit.seconds}"
        raise LimitError(
            Message("Too many: {quota} {what} at once.", quota=limit.quota, what=limit.what)
            if limit.seconds is None
            else Message(
                "Too many: {quota} {what} within {seconds} s.",
                quota=limit.quota,
                what=limit.what,
                seconds=limit.seconds,
            ),
            headers={
                "Retry-After": str(seconds or _LATER_SECONDS),
                "RateLimit-Policy": f'"{name}";q={limit.quota}{window}',
                "RateLimit": f'"{name}";r=0' + ("" if seconds is None else f";t={seconds}"),
            },
        )

    def _hidden(self, subject: str) -> str:
        """Return what stands for a subject in Redis, which need not know addresses."""
        return hashlib.blake2b(subject.encode(), key=self._key, digest_size=16).hexdigest()
