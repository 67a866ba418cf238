"""Records of finished matches: the document for machines, a rendering for people, the audit of a table."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Final
from uuid import UUID

from msgspec import MsgspecError

from domain.codec import Event, split_parts
from domain.record import FORMAT, RecordEvent, RecordHead, RecordHeader, RecordResult, RecordSeat, chunks
from domain.verify import Report, verify
from service.errors import ConflictError, DamagedStreamError
from service.records.line import Line
from service.records.signer import Signer
from service.records.transparency import Transparency
from service.store.log import Log, StoredEvent
from service.tables.access import is_over
from service.tables.cache import TableCache
from service.tables.live_table import LiveTable, events_of, read_all
from service.verify.notes import is_signed

_WAITING_MAX: Final = 4
"""So many audits and texts wait for their turn; each takes up to seconds."""


class Records:
    """Exports of matches that are over."""

    def __init__(self, log: Log, cache: TableCache, signer: Signer, transparency: Transparency) -> None:
        self._log = log
        self._cache = cache
        self._signer = signer
        self._transparency = transparency
        self._line = Line(_WAITING_MAX)
        """For work on a whole match that takes long: others have to get their turn meanwhile."""

    async def document(self, table: LiveTable) -> AsyncIterator[bytes]:
        """Return the record in pieces. ConflictError while the match runs, or if none was played."""
        rows = await self._over(table)
        return _pieces(await self._header(table, rows), [_recorded(row) for row in rows])

    async def text(self, table: LiveTable) -> bytes:
        """Return the record for people: tags, then every command with what followed from it.

        UnavailableError if too many are waiting.
        """
        await self.require_over(table)
        async with self._line.turn():  # nothing of the match is held before
            rows = await self._over(table)
            header = await self._header(table, rows)
            return await asyncio.to_thread(lambda: "".join(_rendered(header, events_of(table, rows))).encode())

    async def audit(self, table: LiveTable) -> Report:
        """Return what verifying the record gives, made by the service itself.

        UnavailableError if too many are waiting.
        """
        await self.require_over(table)
        async with self._line.turn():
            return await self.verified(table, await self._over(table))

    async def verified(self, table: LiveTable, rows: list[StoredEvent]) -> Report:
        """Verify the rows of a whole stream as its record would be, apart from the event loop."""
        header = await self._header(table, rows)
        return await asyncio.to_thread(_verified, header, rows)

    async def require_over(self, table: LiveTable) -> None:
        """Catch up with a match that has to be over. ConflictError while it runs, or if none was played."""
        async with table.lock:
            await self._cache.catch_up(table)
        if not is_over(table):
            raise ConflictError("The match is not over; its record is available after its end.", code="match_running")
        if table.codec.game.views.round_number(table.state.game_state) == 0:
            raise ConflictError("No match was played at this table.", code="match_not_started")

    async def _header(self, table: LiveTable, rows: list[StoredEvent]) -> RecordHeader:
        """Return everything of a record but its events; `rows` are all of the table, whose match is over."""
        state, game = table.state, table.codec.game
        outcome = game.decider.outcome(state.game_state)
        final = state.final_version or len(rows)
        return RecordHeader(
            format=FORMAT,
            table=table.id,
            rules=game.rules_id,
            status=state.status,
            options=state.setup.options if game.lobby is None else game.lobby.options(state.game_state),
            seats=tuple(RecordSeat(seat, one.kind, one.player) for seat, one in enumerate(state.seats)),
            secret=table.secret.hex(),
            client_seeds=tuple(one.seed for one in state.seats),
            result=None if outcome is None else RecordResult(outcome.totals, outcome.places),
            head=self._head(table.stream, rows[final - 1]),
            key=self._signer.verifier_key,
            newest=None if final == len(rows) else self._head(table.stream, rows[-1]),
            inclusion=await self._transparency.of_record(table.stream),
        )

    def _head(self, stream: UUID, row: StoredEvent) -> RecordHead:
        time = row.time
        return RecordHead(row.version, row.hash.hex(), time, self._signer.head(stream, row.version, row.hash, time))

    async def _over(self, table: LiveTable) -> list[StoredEvent]:
        """Return all events of a match that is over."""
        await self.require_over(table)
        return (await read_all(self._log, table.stream))[: table.state.version]


def _verified(header: RecordHeader, rows: list[StoredEvent]) -> Report:
    return verify(b"".join(chunks(header, map(_recorded, rows))), check_note=is_signed)


async def _pieces(header: RecordHeader, events: list[RecordEvent]) -> AsyncIterator[bytes]:
    piece = b""
    for part in chunks(header, events):
        piece += part
        if len(piece) > 64 * 1024:
            yield piece
            piece = b""
            await asyncio.sleep(0)  # a long record lets others have their turn
    yield piece


def _recorded(row: StoredEvent) -> RecordEvent:
    try:
        parts = tuple(part.decode() for part in split_parts(row.sealed.encode()))
    except MsgspecError as error:
        reason = f"table {row.stream}, version {row.version}: {error}"
        raise DamagedStreamError(str(row.stream), reason) from error
    return RecordEvent(row.envelope, parts, row.hash.hex())


# for people


def _rendered(header: RecordHeader, events: list[Event]) -> Iterator[str]:
    yield f'[Table "{header.table}"]\n[Rules "{header.rules}"]\n'
    for name in header.options.__struct_fields__:
        yield f'[Option "{name} {_word(getattr(header.options, name))}"]\n'
    for seat in header.seats:
        yield f'[Seat "{seat.seat} {seat.kind} {seat.player or "-"}"]\n'
    yield f'[Secret "{header.secret}"]\n'
    if header.result is not None:
        yield f'[Totals "{_word(header.result.totals)}"]\n[Places "{_word(header.result.places)}"]\n'
    yield f'[Head "{header.head.version} {header.head.hash}"]\n\n'
    for event in events:
        who = "" if event.actor is None else f" seat {event.actor}"
        move = event.type if event.move is None else _said(event.move)
        yield f"{event.version}.{who} {move}\n"
        for fact in (*event.facts.table, *event.facts.game):
            yield f"    {_said(fact)}\n"


def _said(thing: Any) -> str:
    words = [thing.__struct_config__.tag]
    words += [f"{name}={_word(getattr(thing, name))}" for name in thing.__struct_fields__]
    return " ".join(words)


_SIMPLE: Final[dict[type, Callable[[Any], str]]] = {str: str, int: str, bool: lambda value: "yes" if value else "no"}


def _word(value: Any) -> str:
    """A value on one line: cards and numbers beside each other, structures in brackets."""
    if value is None:
        return "-"
    if type(value) in _SIMPLE:
        return _SIMPLE[type(value)](value)
    if isinstance(value, dict):
        return "(" + ", ".join(f"{name} {_word(one)}" for name, one in value.items()) + ")"
    if hasattr(value, "__struct_fields__"):
        return "(" + " ".join(_word(getattr(value, name)) for name in value.__struct_fields__) + ")"
    return " ".join(map(_word, value)) or "-"
