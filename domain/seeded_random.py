"""Seeded random numbers for bots: the same seed gives the same play, on every machine and version."""

from collections.abc import Callable
from typing import Final

_MASK: Final = 2**64 - 1


def seeded_random(seed: int) -> Callable[[], float]:
    """Return a function that gives the next number in [0, 1) of a seed (SplitMix64).

    For bots alone: decks are shuffled by `domain.fairness`.
    """
    state = seed & _MASK

    def random() -> float:
        nonlocal state
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        return ((mixed ^ (mixed >> 31)) >> 11) / 2**53

    return random
