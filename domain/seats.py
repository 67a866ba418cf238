"""What every seat has: one entry for each, in a tuple."""

from collections.abc import Sequence
from typing import TypeVar

EntryT = TypeVar("EntryT")


def with_entry(entries: Sequence[EntryT], seat: int, entry: EntryT) -> tuple[EntryT, ...]:
    """Return the entries of all seats with that of one seat, which there must be, replaced."""
    changed = [*entries]
    changed[seat] = entry
    return tuple(changed)
