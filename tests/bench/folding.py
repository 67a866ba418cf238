"""How fast events are decoded and folded, on one core, without any server."""

import statistics
from collections.abc import Sequence
from time import process_time
from typing import Final

from domain.table.fold import apply
from service.live import events_of, fold
from tests.bench.games import options_of
from tests.bench.matches import GAMES
from tests.bench.report import Aim, Row, Section
from tests.bench.streams import Stream, generate

_TRICK_GAMES: Final = ("hearts", "herzeln")
_COLUMNS: Final = ("events", "events/s, fold alone", "events/s, decoded and folded", "bytes/event", "match ms")


def folding(keys: Sequence[str], *, matches: int, most: int, repetitions: int) -> Section:
    """Fold whole matches of each game again and again; every figure is a median in processor time."""
    rows: list[Row] = []
    aims: list[Aim] = []
    for key in keys:
        streams = [generate(GAMES[key], seed, options=options_of(key), most=most) for seed in range(matches)]
        alone, whole, match_ms = _speeds(streams, repetitions)
        size = statistics.mean(len(row.envelope) + len(row.sealed) for stream in streams for row in stream.rows)
        events = sum(len(stream.rows) for stream in streams)
        rows.append(Row(GAMES[key].title, dict(zip(_COLUMNS, (events, alone, whole, size, match_ms), strict=True))))
        if key in _TRICK_GAMES:
            aims.append(Aim(f"{GAMES[key].title}: events/s, fold alone", alone, 200_000, True))
        if key == "hearts":
            aims.append(Aim("hearts: replay of a whole match, ms", match_ms, 5, False))
    note = "In processor time of one core. A match here: decoded, folded and checked from its stored bytes."
    return Section("fold", "Folding", note, _COLUMNS, tuple(rows), tuple(aims))


def _speeds(streams: Sequence[Stream], repetitions: int) -> tuple[float, float, float]:
    """Return events per second of the fold alone and with decoding, and the median time of a whole match in ms."""
    alone, whole, single = [], [], []
    events = sum(len(stream.rows) for stream in streams)
    first = [fold(stream.id, stream.secret, stream.rows[:1]) for stream in streams]
    decoded = [events_of(live, stream.rows[1:]) for live, stream in zip(first, streams, strict=True)]
    for _ in range(repetitions):
        begun = process_time()
        for live, steps in zip(first, decoded, strict=True):
            state = live.state
            for event in steps:
                state = apply(state, event.actor, event.facts)
        alone.append((events - len(streams)) / (process_time() - begun))
        begun = process_time()
        for stream in streams:
            start = process_time()
            fold(stream.id, stream.secret, stream.rows)
            single.append((process_time() - start) * 1000)
        whole.append(events / (process_time() - begun))
    return statistics.median(alone), statistics.median(whole), statistics.median(single)
