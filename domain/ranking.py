"""Places at the end of a match: standard competition ranking (1, 2, 2, 4)."""

from collections.abc import Sequence


def places(totals: Sequence[int], *, low_wins: bool) -> tuple[int, ...]:
    """Return the place of each seat, 1 is best; equal totals share a place and the next is skipped."""
    if low_wins:
        return tuple(1 + sum(other < total for other in totals) for total in totals)
    return tuple(1 + sum(other > total for other in totals) for total in totals)
