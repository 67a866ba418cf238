"""How fast events are decoded and folded, on one core, without any server."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from time import process_time
from typing import Final

from domain.table.fold import apply
from service.tables.live_table import events_of, fold
from tests.bench.games import options_of
from tests.bench.matches import GAMES
from tests.bench.report import Aim, Cell, Row, Section
from tests.bench.streams import Stream, generate

_TRICK_GAMES: Final = ("hearts", "herzeln")
_COLUMNS: Final = (
    "events",
    "events/s, fold alone",
    "at its fastest",
    "events/s, decoded and folded",
    "bytes/event",
    "match ms",
)


@dataclass
class _Game:
    """Whole matches of one game, and how fast they went each time."""

    streams: Sequence[Stream]
    alone: list[float] = field(default_factory=list)
    """Events folded per second."""
    whole: list[float] = field(default_factory=list)
    """Events decoded and folded per second."""
    match_ms: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.events = sum(len(stream.rows) for stream in self.streams)
        self._first = [fold(stream.id, stream.secret, stream.rows[:1]) for stream in self.streams]
        pairs = zip(self._first, self.streams, strict=True)
        self._decoded = [events_of(live, stream.rows[1:]) for live, stream in pairs]

    def measure(self) -> None:
        """Fold all of them once."""
        begun = process_time()
        for live, steps in zip(self._first, self._decoded, strict=True):
            state = live.state
            for event in steps:
                state = apply(state, event.actor, event.facts)
        self.alone.append((self.events - len(self.streams)) / (process_time() - begun))
        begun = process_time()
        for stream in self.streams:
            start = process_time()
            fold(stream.id, stream.secret, stream.rows)
            self.match_ms.append((process_time() - start) * 1000)
        self.whole.append(self.events / (process_time() - begun))

    def cells(self) -> dict[str, Cell]:
        """Return the cells of its row: medians."""
        size = statistics.mean(len(row.envelope) + len(row.sealed) for stream in self.streams for row in stream.rows)
        figures = (self.events, median(self.alone), max(self.alone), median(self.whole), size, median(self.match_ms))
        return dict(zip(_COLUMNS, figures, strict=True))


def folding(keys: Sequence[str], *, matches: int, most: int, repetitions: int) -> Section:
    """Fold whole matches of the games in turn, again and again; figures are medians, in processor time."""
    games = {
        key: _Game([generate(GAMES[key], seed, options=options_of(key), most=most) for seed in range(matches)])
        for key in keys
    }
    for _ in range(repetitions):
        for game in games.values():
            game.measure()
    rows = tuple(Row(GAMES[key].title, game.cells()) for key, game in games.items())
    aims = [
        Aim(f"{GAMES[key].title}: events/s, fold alone", median(games[key].alone), 200_000, True)
        for key in _TRICK_GAMES
        if key in games
    ]
    if "hearts" in games:
        aims.append(Aim("hearts: replay of a whole match, ms", median(games["hearts"].match_ms), 5, False))
    note = "In processor time of one core, the games in turn. Match: decoded, folded and checked from its stored bytes."
    return Section("fold", "Folding", note, _COLUMNS, rows, tuple(aims))
