"""Which log this is: it may be another one than a moment ago, restored to an earlier point or from a late replica.

All methods raise StoreUnavailableError if the database is unavailable for longer than the timeout.
"""

from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct

from service.store.buckets import BUCKETS
from service.store.damage import read_around
from service.store.database import Database
from service.store.queries import statements

_SQL: Final = statements("incarnation")


class Incarnation(Struct, frozen=True):
    """A log at some moment."""

    system: str
    """The system identifier of the PostgreSQL cluster."""
    timeline: int
    """A new one begins with every promotion and with every restore to a point in time."""
    heads: dict[int, tuple[int, str]]
    """By bucket the position of its last event, and the first 16 hexadecimal digits of that event's hash."""


class IncarnationStore:
    """What the database says of itself."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def present(self) -> Incarnation | None:
        """Return the log as it is now, None while the server recovers."""
        ((system, timeline),) = await self._database.fetch(_SQL["identity"])
        if timeline == 0:
            return None
        heads, _ = await read_around(self._heads, range(BUCKETS))
        return Incarnation(system, timeline, {bucket: (position, hash_) for bucket, position, hash_ in heads})

    async def continues(self, present: Incarnation, earlier: Incarnation) -> bool:
        """Whether the log is the one of `earlier`, with every event that was its bucket's last then."""
        if (present.system, present.timeline) != (earlier.system, earlier.timeline):
            return False
        moved = {bucket: head for bucket, head in earlier.heads.items() if present.heads.get(bucket) != head}
        if not moved:
            return True
        lost, _ = await read_around(self._lost, [(bucket, *head) for bucket, head in moved.items()])
        return not lost

    async def _heads(self, buckets: Sequence[int]) -> list[tuple[Any, ...]]:
        return await self._database.fetch(_SQL["heads"], (list(buckets),))

    async def _lost(self, heads: Sequence[tuple[int, int, str]]) -> list[tuple[Any, ...]]:
        """Return those of these ends of buckets that the log has not; what cannot be read is not lost."""
        return await self._database.fetch(_SQL["lost"], [list(column) for column in zip(*heads, strict=True)])

    async def accept_loss(self, size: int, root: bytes, remaining: int) -> None:
        """Record that an operator accepts the loss of a signed tree; `remaining` leaves are left."""
        await self._database.fetch(_SQL["accept_loss"], (size, root, remaining))

    async def accepted(self, size: int, root: bytes) -> bool:
        """Whether the loss of a signed tree was accepted."""
        ((found,),) = await self._database.fetch(_SQL["accepted"], (size, root))
        return bool(found)
