"""Who held a seat at a table: the players of a match, and everybody who cannot be its arbiter."""

from collections.abc import Iterable

from domain.codec import Event
from domain.table.model import MatchStarted, SeatFreed, SeatTaken, TableCreated


def people_of(events: Iterable[Event]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return who sat when the match started, in seat order, and everybody who ever sat down, by id.

    `events` are those of a table from the first one to at least the start of its match; nobody can sit
    down after that. Without a start there are no players yet.
    """
    sitting: dict[int, str] = {}
    everybody: dict[str, None] = {}
    for event in events:
        for fact in event.facts.table:
            match fact:
                case TableCreated():
                    sitting[0] = fact.player
                    everybody[fact.player] = None
                case SeatTaken():
                    sitting[fact.seat] = fact.player
                    everybody[fact.player] = None
                case SeatFreed():
                    sitting.pop(fact.seat, None)
                case MatchStarted():
                    return tuple(sitting[seat] for seat in sorted(sitting)), tuple(sorted(everybody))
                case _:
                    pass
    return (), tuple(sorted(everybody))
