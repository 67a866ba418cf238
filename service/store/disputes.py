"""Disputes in the database: appending to their streams, the list of them, their texts.

All methods raise StoreUnavailableError if the database is away for longer than the patience, and may be
repeated without harm.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, Final
from uuid import UUID

from msgspec import Struct

from domain.disputes.model import Claim, DisputeStatus
from service.store.connections import UNAVAILABLE_TIMEOUT_SECONDS, Pool
from service.store.encoding import EncodedRow, encode_row
from service.store.events import NewEvent


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
    most: int
    """Disputes of one player within a day."""


_COLUMNS: Final = (
    "dispute, bucket, stream, version, player, (extract(epoch from opened_at) * 1000)::bigint, claim, status, people"
)
_RECORD: Final = "select record_dispute(%b, %b::new_event, %s, %s, %s, %s, %s, %s, %s, %s::uuid[], %s)"
_ROW: Final = f"select {_COLUMNS} from disputes where dispute = %s"  # noqa: S608 - columns of our own
_OTHERS: Final = """
select count(*) filter (where stream = %s and version = %s and status <> 'withdrawn'),
  count(*) filter (where opened_at > now() - interval '24 hours')
from disputes where player = %s and dispute <> %s"""
_TEXTS: Final = "select version, salt, text from dispute_texts where dispute = %s and text is not null"
_ERASE: Final = "select erase_dispute_texts(%s)"
_LIST: Final = f"""
select {_COLUMNS} from disputes
where (%(player)s::uuid is null or people @> array[%(player)s::uuid])
  and (%(status)s::text is null or status = %(status)s)
  and (opened_at, dispute) < (to_timestamp(%(time)s::bigint / 1000.0), %(dispute)s)
order by opened_at desc, dispute desc limit %(limit)s"""  # noqa: S608
_NEWEST: Final = (253_402_300_799_999, UUID(int=2**128 - 1))
"""After everything: the last millisecond of the year 9999."""


class DisputeStore:
    """Rows of disputes. One per process; `open` before use, `close` at the end."""

    def __init__(self, database_url: str, *, timeout_seconds: float = UNAVAILABLE_TIMEOUT_SECONDS) -> None:
        self._pool = Pool(database_url, size=2, timeout_seconds=timeout_seconds)

    async def open(self) -> None:
        """Connect. StoreUnavailableError or StoreSetupError if that cannot be."""
        await self._pool.open()

    async def close(self) -> None:
        """Finish what is under way and disconnect."""
        await self._pool.close()

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
        parameters: list[Any] = [
            EncodedRow(encode_row(event)),
            None if also is None else EncodedRow(encode_row(also)),
            status,
        ]
        parameters += [None] * 3 if text is None else [text.author, text.salt, text.text]
        if opening is None:
            parameters += [None] * 5
        else:
            people = [UUID(one) for one in opening.people]
            parameters += [opening.stream, opening.version, opening.claim, people, opening.most]
        ((outcome,),) = await self._pool.fetch(_RECORD, parameters)
        return Outcome(outcome)

    async def row(self, dispute: UUID) -> DisputeRow | None:
        """Return a dispute as the list has it, None if there is none."""
        rows = await self._pool.fetch(_ROW, (dispute,))
        return _row(rows[0]) if rows else None

    async def page(
        self, *, player: UUID | None, status: str | None, before: tuple[int, UUID] | None, limit: int
    ) -> list[DisputeRow]:
        """Return disputes newest first: those of a player's matches (None: all), in a status (None: any).

        `before` is when the last one of the page before was opened, and its id.
        """
        time, dispute = _NEWEST if before is None else before
        given = {"player": player, "status": status, "time": time, "dispute": dispute, "limit": limit}
        return [_row(row) for row in await self._pool.fetch(_LIST, given)]

    async def others(self, dispute: UUID, player: UUID, stream: UUID, version: int) -> tuple[int, int]:
        """Return how many other disputes a player has about a version, and how many he opened within 24 hours."""
        ((same, today),) = await self._pool.fetch(_OTHERS, (stream, version, player, dispute))
        return same, today

    async def texts(self, dispute: UUID) -> dict[int, tuple[bytes, str]]:
        """Return salt and text of those events of a dispute whose text is not erased."""
        return {version: (bytes(salt), text) for version, salt, text in await self._pool.fetch(_TEXTS, (dispute,))}

    async def erase_texts(self, author: UUID) -> int:
        """Erase every text that an account wrote, with its salt; return how many there were."""
        ((count,),) = await self._pool.fetch(_ERASE, (author,))
        return int(count)

    async def relist(self) -> int:
        """Make the list again from the log; return how many disputes there are."""
        ((count,),) = await self._pool.fetch("select relist_disputes()")
        return int(count)


def _row(row: Sequence[Any]) -> DisputeRow:
    dispute, bucket, stream, version, player, opened, claim, status, people = row
    return DisputeRow(dispute, bucket, stream, version, player, opened, claim, status, tuple(people))
