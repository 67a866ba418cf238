"""A table's events in pages: of a match, however long it is, one page is in memory at a time."""

from collections.abc import AsyncIterator
from typing import Final
from uuid import UUID

from service.runtime.deadline import restart_deadline
from service.store.log import Log, StoredEvent
from service.tables.live_table import LiveTable, fold, follow

PAGE_EVENTS: Final = 100
"""Events read from the log at once, of 1 to 10 kB each."""


async def pages(
    log: Log, stream: UUID, last: int, *, after: int = 0, events: int = PAGE_EVENTS
) -> AsyncIterator[list[StoredEvent]]:
    """Yield the events of a table up to version `last`, in order, so many at a time; fewer if the log has fewer.

    Each page is read when it is asked for, on a connection that it has for that time alone, and has the time of a
    request.
    """
    while after < last:
        restart_deadline()
        rows = await log.read(stream, after, min(events, last - after))
        if not rows:
            return
        after = rows[-1].version
        yield rows


async def fold_pages(log: Log, stream: UUID, last: int) -> LiveTable:
    """Return a table at its version `last`, folded from its first event without any snapshot.

    LookupError if it has no events, UnreadableError if they cannot be folded.
    """
    table: LiveTable | None = None
    async for rows in pages(log, stream, last):
        if table is None:
            table = fold(stream, await log.secret(stream), rows)
        else:
            follow(table, rows)
    if table is None:
        raise LookupError(f"table {stream} has no events")
    return table
