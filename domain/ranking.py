"""Places at the end of a match: standard competition ranking (1, 2, 2, 4)."""

from collections.abc import Sequence


def places(totals: Sequence[int], *, low_wins: bool) -> tuple[int, ...]:
    """Return the place of each seat, 1 is best; equal totals share a place and the next is skipped."""
    ranked = sorted(totals, reverse=not low_wins)
    return tuple([ranked.index(total) + 1 for total in totals])
