"""Buckets of one process."""

import time
from typing import Final

_SUBJECTS_MAX: Final = 50_000


class LocalBuckets:
    """Buckets of one limit: each holds `quota` and fills up within `seconds`."""

    def __init__(self, quota: int, seconds: float) -> None:
        self._window = float(seconds)
        self._each = seconds / quota
        self._full: dict[str, float] = {}
        """When each bucket is full again, by the monotonic clock."""

    def take(self, subject: str) -> float:
        """Take one; return how many seconds there will be none, 0 if one was taken."""
        now = time.monotonic()
        full = self._full.get(subject, 0.0)
        full = (full if full > now else now) + self._each
        wait = full - now - self._window
        if wait > 1e-9:
            return wait
        if len(self._full) >= _SUBJECTS_MAX:
            self._forget_full(now)
        self._full[subject] = full
        return 0.0

    def _forget_full(self, now: float) -> None:
        """Forget buckets that are full, and all where that leaves no room."""
        self._full = {subject: full for subject, full in self._full.items() if full > now}
        if len(self._full) >= _SUBJECTS_MAX:
            self._full.clear()
