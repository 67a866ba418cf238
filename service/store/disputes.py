"""Disputes in the database: appending to their streams, the list of them, their texts.

All methods raise StoreUnavailableError if the database is unavailable for longer than the timeout, and may be
repeated without harm.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, Final
from uuid import UUID

from msgspec import Struct
from msgspec.structs import asdict

from domain.disputes.model import Claim, DisputeStatus
from service.store.database import Database
from service.store.encoding import encode_row
from service.store.events import NewEvent
from service.store.queries import statements


class Outcome(IntEnum):
    """What became of an event of a dispute."""

    CONFLICT = 0
    """Another event has the version, in the dispute or at the table."""
    APPENDED = 1
    PRESENT = 2
    """This very event is already there."""
    BROKEN = 3
    """Its predecessor is not there, or has another hash."""
    EXISTS = 4
    """The player disputes this version already."""
    TOO_MANY = 5
    """The player has opened too many within a day."""


class DisputeRow(Struct, frozen=True):
    """What is known of a dispute at once. Times in milliseconds since 1970 UTC."""

    dispute: UUID
    bucket: int
    stream: UUID
    """The disputed table."""
    version: int
    player: UUID
    opened: int
    claim: Claim
    status: DisputeStatus
    people: tuple[UUID, ...]


class NewText(Struct, frozen=True):
    """A text to be kept apart from the event that has its hash."""

    author: UUID
    salt: bytes
    text: str


class Opening(Struct, frozen=True):
    """What the list gets to know of a new dispute."""

    stream: UUID
    version: int
    claim: str
    people: tuple[str, ...]
    opened_max: int
    """The most disputes that one player may open within a day."""


_SQL: Final = statements("disputes")
_NEWEST: Final = (253_402_300_799_999, UUID(int=2**128 - 1))
"""After everything: the last millisecond of the year 9999."""


class DisputeStore:
    """Rows of disputes."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def record(
        self,
        event: NewEvent,
        status: str,
        *,
        text: NewText | None = None,
        opening: Opening | None = None,
        also: NewEvent | None = None,
    ) -> Outcome:
        """Append an event to a dispute, which then has this status; `also` goes to its table, both or none.

        The first event has a `text`, whose author opens the dispute, and an `opening`.
        """
        absent = dict.fromkeys((*NewText.__struct_fields__, *Opening.__struct_fields__))
        parameters: dict[str, Any] = absent | {"event": encode_row(event), "also": None, "status": status}
        if also is not None:
            parameters["also"] = encode_row(also)
        if text is not None:
            parameters |= asdict(text)
        if opening is not None:
            parameters |= asdict(opening) | {"people": [UUID(person) for person in opening.people]}
        ((outcome,),) = await self._database.change(_SQL["record"], parameters)
        return Outcome(outcome)

    async def row(self, dispute: UUID) -> DisputeRow | None:
        """Return a dispute as the list has it, None if there is none."""
        rows = await self._database.fetch(_SQL["row"], (dispute,))
        return _row(rows[0]) if rows else None

    async def row_for(self, dispute: UUID, player: UUID | None) -> DisputeRow | None:
        """Return a dispute of a player's match (None: any); None if there is none, after the same exchange."""
        rows = await self._database.fetch(_SQL["row_for"], {"dispute": dispute, "player": player})
        return _row(rows[0]) if rows else None

    async def page(
        self, *, player: UUID | None, status: str | None, before: tuple[int, UUID] | None, limit: int
    ) -> list[DisputeRow]:
        """Return disputes newest first: those of a player's matches (None: all), in a status (None: any).

        `before` is when the last one of the page before was opened, and its id.
        """
        time, dispute = _NEWEST if before is None else before
        given = {"player": player, "status": status, "time": time, "dispute": dispute, "limit": limit}
        return [_row(row) for row in await self._database.fetch(_SQL["page"], given)]

    async def others(self, dispute: UUID, player: UUID, stream: UUID, version: int) -> tuple[int, int]:
        """Return how many other disputes a player has about a version, and how many he opened within 24 hours."""
        given = {"dispute": dispute, "player": player, "stream": stream, "version": version}
        ((same, today),) = await self._database.fetch(_SQL["others"], given)
        return same, today

    async def texts(self, dispute: UUID) -> dict[int, tuple[bytes, str]]:
        """Return salt and text of those events of a dispute whose text is not erased."""
        return {
            version: (bytes(salt), text)
            for version, salt, text in await self._database.fetch(_SQL["texts"], (dispute,))
        }

    async def erase_texts(self, author: UUID) -> int:
        """Erase every text that an account wrote, with its salt; return how many there were."""
        ((count,),) = await self._database.change(_SQL["erase_texts"], (author,))
        return int(count)

    async def relist(self) -> int:
        """Make the list again from the log; return how many disputes there are."""
        ((count,),) = await self._database.fetch(_SQL["relist"])
        return int(count)


def _row(row: Sequence[Any]) -> DisputeRow:
    dispute, bucket, stream, version, player, opened, claim, status, people = row
    return DisputeRow(dispute, bucket, stream, version, player, opened, claim, status, tuple(people))
