"""Records of finished matches: the document for machines, a rendering for people, the audit of a table."""

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator, Sequence
from typing import Any, Final
from uuid import UUID

from msgspec import MsgspecError

from domain.codec import Event, split_parts
from domain.record import (
    DOCUMENT_END,
    FORMAT,
    RecordEvent,
    RecordHead,
    RecordHeader,
    RecordResult,
    RecordSeat,
    document_events,
    document_start,
)
from domain.verify import RecordChecks, Report
from service.errors import ConflictError, DamagedStreamError
from service.records.signer import Signer
from service.records.transparency import Transparency
from service.store.log import Log, StoredEvent
from service.tables.access import is_over
from service.tables.cache import TableCache
from service.tables.line import Line, in_thread
from service.tables.live_table import LiveTable, events_of
from service.tables.pages import PAGE_EVENTS, pages
from service.verify.notes import is_signed

_WAITING_MAX: Final = 4
"""So many audits and texts wait for their turn; each takes up to seconds."""


class Records:
    """Exports of matches that are over. They are made page by page: no match is in memory as a whole.

    Iterators give the pieces of a document of one version, however the table goes on; each piece is made when it is
    asked for. Whether there is a document is known with its first piece.
    """

    def __init__(
        self,
        log: Log,
        cache: TableCache,
        signer: Signer,
        transparency: Transparency,
        *,
        page_events: int = PAGE_EVENTS,
    ) -> None:
        self._log = log
        self._cache = cache
        self._signer = signer
        self._transparency = transparency
        self._page_events = page_events
        self._line = Line(_WAITING_MAX)
        """For work on a whole match that takes long: others have to get their turn meanwhile."""

    async def document(self, table: LiveTable) -> AsyncGenerator[bytes, None]:
        """Yield the record. ConflictError while the match runs, or if none was played."""
        await self.require_over(table)
        header = await self._header(table)
        piece, first = document_start(header), True
        async for rows in self._pages(table, header):
            piece += document_events(map(_recorded, rows), first=first)
            yield piece
            piece, first = b"", False
        yield piece + DOCUMENT_END

    async def text(self, table: LiveTable) -> AsyncGenerator[bytes, None]:
        """Yield the record for people: tags, then every command with what followed from it.

        Errors as of `document`; UnavailableError if too many are waiting.
        """
        await self.require_over(table)
        reading: AsyncIterator[list[StoredEvent]] | None = None
        text = ""
        while True:
            async with self._line.turn(begun=reading is not None):  # nothing of the match is held before
                if reading is None:
                    header = await self._header(table)
                    reading, text = self._pages(table, header), _tags(header)
                rows = await anext(reading, None)
                if rows is None:
                    break
                text += await in_thread(_rendered, table, rows)
            yield text.encode()
            text = ""

    async def audit(self, table: LiveTable) -> Report:
        """Return what verifying the record gives, made by the service itself.

        Errors as of `text`.
        """
        await self.require_over(table)
        async with self._line.turn():
            return await self.verified(table)

    async def verified(self, table: LiveTable) -> Report:
        """Verify the record of a table whose match is over, apart from the event loop."""
        header = await self._header(table)
        checks = RecordChecks(header, is_signed)
        checks.take((), len(document_start(header)) + len(DOCUMENT_END))
        first = True
        async for rows in self._pages(table, header):
            await in_thread(_check, checks, rows, first)
            first = False
        return checks.report()

    def _pages(self, table: LiveTable, header: RecordHeader) -> AsyncIterator[list[StoredEvent]]:
        last = (header.newest or header.head).version
        return pages(self._log, table.stream, last, events=self._page_events)

    async def require_over(self, table: LiveTable) -> None:
        """Catch up with a match that has to be over. ConflictError while it runs, or if none was played."""
        async with table.lock:
            await self._cache.catch_up(table)
        if not is_over(table):
            raise ConflictError("The match is not over; its record is available after its end.", code="match_running")
        if table.codec.game.views.round_number(table.state.game_state) == 0:
            raise ConflictError("No match was played at this table.", code="match_not_started")

    async def _header(self, table: LiveTable) -> RecordHeader:
        """Return everything of a record but its events, of a table whose match is over."""
        state, game = table.state, table.codec.game
        outcome = game.decider.outcome(state.game_state)
        final = state.final_version or state.version
        head = await self._head(table.stream, final)
        newest = None if final == state.version else await self._head(table.stream, state.version)
        return RecordHeader(
            format=FORMAT,
            table=table.id,
            rules=game.rules_id,
            status=state.status,
            options=game.views.options(state.game_state),
            seats=tuple(RecordSeat(seat, one.kind, one.player) for seat, one in enumerate(state.seats)),
            secret=table.secret.hex(),
            client_seeds=tuple(one.seed for one in state.seats),
            result=None if outcome is None else RecordResult(outcome.totals, outcome.places),
            head=head,
            key=self._signer.verifier_key,
            newest=newest,
            inclusion=await self._transparency.of_record(table.stream),
        )

    async def _head(self, stream: UUID, version: int) -> RecordHead:
        """Return the signed head of a version. DamagedStreamError if the log does not have it."""
        for row in await self._log.read(stream, version - 1, 1):
            if row.version == version:
                note = self._signer.head(stream, version, row.hash, row.time)
                return RecordHead(version, row.hash.hex(), row.time, note)
        raise DamagedStreamError(str(stream), f"table {stream}: version {version} is missing")


def _check(checks: RecordChecks, rows: Sequence[StoredEvent], first: bool) -> None:
    events = tuple(map(_recorded, rows))
    checks.take(events, len(document_events(events, first=first)))


def _recorded(row: StoredEvent) -> RecordEvent:
    try:
        parts = tuple(part.decode() for part in split_parts(row.sealed.encode()))
    except MsgspecError as error:
        reason = f"table {row.stream}, version {row.version}: {error}"
        raise DamagedStreamError(str(row.stream), reason) from error
    return RecordEvent(row.envelope, parts, row.hash.hex())


# for people


def _tags(header: RecordHeader) -> str:
    return "".join(_tag_lines(header))


def _tag_lines(header: RecordHeader) -> Iterator[str]:
    yield f'[Table "{header.table}"]\n[Rules "{header.rules}"]\n'
    for name in header.options.__struct_fields__:
        yield f'[Option "{name} {_word(getattr(header.options, name))}"]\n'
    for seat in header.seats:
        yield f'[Seat "{seat.seat} {seat.kind} {seat.player or "-"}"]\n'
    yield f'[Secret "{header.secret}"]\n'
    if header.result is not None:
        yield f'[Totals "{_word(header.result.totals)}"]\n[Places "{_word(header.result.places)}"]\n'
    yield f'[Head "{header.head.version} {header.head.hash}"]\n\n'


def _rendered(table: LiveTable, rows: Sequence[StoredEvent]) -> str:
    return "".join(_commands(events_of(table, rows)))


def _commands(events: Sequence[Event]) -> Iterator[str]:
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
