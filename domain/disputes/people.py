"""Who held a seat at a table: the players of a match, and everybody who cannot be its arbiter."""

from collections.abc import Iterable

from domain.codec import Event
from domain.table.model import MatchStarted, SeatFreed, SeatTaken, TableCreated


def people_of(events: Iterable[Event]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return who sat when the match started, in seat order, and everybody who ever sat down, by id.

    `events` are those of a table from the first one to at least the start of its match; nobody can sit
    down after that. Without a start there are no players yet.
    """
    people = SeatedPeople()
    people.take(events)
    return people.players, people.everybody


class SeatedPeople:
    """The people of a table, from its events in pieces."""

    def __init__(self) -> None:
        self.started = False
        """Whether the match has started, so that later events change nothing."""
        self._sitting: dict[int, str] = {}
        self._everybody: dict[str, None] = {}

    @property
    def players(self) -> tuple[str, ...]:
        """Who sat when the match started, in seat order; nobody before."""
        return tuple(self._sitting[seat] for seat in sorted(self._sitting)) if self.started else ()

    @property
    def everybody(self) -> tuple[str, ...]:
        """Everybody who ever sat down."""
        return tuple(sorted(self._everybody))

    def take(self, events: Iterable[Event]) -> None:
        """Look at the events that follow those taken before."""
        for fact in (fact for event in events for fact in event.facts.table):
            if self.started:
                return
            match fact:
                case TableCreated():
                    self._sit(0, fact.player)
                case SeatTaken():
                    self._sit(fact.seat, fact.player)
                case SeatFreed():
                    self._sitting.pop(fact.seat, None)
                case MatchStarted():
                    self.started = True
                case _:
                    pass

    def _sit(self, seat: int, player: str) -> None:
        self._sitting[seat] = player
        self._everybody[player] = None
