"""Passes over the functions of one version's games, each when standard input asks for it: a process of `--functions`.

    PYTHONPATH=ROOT python -P tests/bench/passes.py MATCHES

ROOT is the version that is measured, which may be an earlier one than this file. So the file uses only what every
version since 5484482 has under the same name, and does not import its neighbours of today.
"""

import gc
import sys
from collections.abc import Callable, Iterator
from functools import cache
from time import process_time
from typing import Any, Final

import domain
from domain.decider import view_of
from domain.table.fold import apply
from service.tables.live_table import events_of, fold
from tests.bench.games import options_of
from tests.bench.matches import GAMES
from tests.bench.streams import Stream, generate

_MOMENTS: Final = 300
"""Moves of a game that `legal` and the bot are called for, at most."""
_LISTINGS: Final = 10
"""How often `legal` goes over them in one pass, which would be too short to measure otherwise."""


class _Game:
    """The recorded matches of a game, and a pass for each thing measured, which returns its number of calls."""

    def __init__(self, key: str, matches: int) -> None:
        game: Any = GAMES[key]
        self.legal: Callable[..., object] = getattr(game, "views", game).legal
        self.bot: Callable[..., object] = getattr(game, "players", game).bot
        self.streams = [_stream(key, seed, bots=False) for seed in range(matches)]
        self.first = [fold(stream.id, stream.secret, stream.rows[:1]) for stream in self.streams]
        self.steps = [events_of(live, stream.rows[1:]) for live, stream in zip(self.first, self.streams, strict=True)]
        moments = [moment for seed in range(2) for moment in _moments(_stream(key, seed, bots=True))]
        self.moments = moments[:: -(-len(moments) // _MOMENTS)]
        self.views = [view_of(game, state, seat) for state, seat in self.moments]

    def folds(self) -> int:
        """Fold decoded events."""
        for live, steps in zip(self.first, self.steps, strict=True):
            state = live.state
            for event in steps:
                state = apply(state, event.actor, event.facts)
        return sum(map(len, self.steps))

    def decodes(self) -> int:
        """Decode, fold and check events from their stored bytes."""
        for stream in self.streams:
            fold(stream.id, stream.secret, stream.rows)
        return sum(len(stream.rows) for stream in self.streams)

    def lists(self) -> int:
        """List the legal moves of the seat that is about to move."""
        for _ in range(_LISTINGS):
            for state, seat in self.moments:
                self.legal(state, seat)
        return _LISTINGS * len(self.moments)

    def thinks(self) -> int:
        """Let the bot choose the moves."""
        for view in self.views:
            self.bot(view, 7)
        return len(self.views)


_PASSES: Final[dict[str, Callable[[_Game], int]]] = {
    "fold": _Game.folds,
    "decode+fold": _Game.decodes,
    "legal": _Game.lists,
    "bot": _Game.thinks,
}


def _stream(key: str, seed: int, *, bots: bool) -> Stream:
    return generate(GAMES[key], seed, options=options_of(key), most=400 if bots else 1000, bots=bots)


def _moments(stream: Stream) -> Iterator[tuple[Any, int]]:
    live = fold(stream.id, stream.secret, stream.rows[:1])
    state = live.state
    for event in events_of(live, stream.rows[1:]):
        if event.decision is not None:
            yield state.game_state, event.actor or 0
        state = apply(state, event.actor, event.facts)


def main() -> None:
    """Answer each line `WHAT GAME` with the processor time of one pass in seconds and the number of calls in it.

    The first line tells where the measured code lies.
    """
    print(domain.__file__, flush=True)
    matches = int(sys.argv[1])
    made = cache(lambda key: _Game(key, matches))
    for line in sys.stdin:
        what, key = line.split()
        game = made(key)
        gc.collect()
        begun = process_time()
        calls = _PASSES[what](game)
        print(process_time() - begun, calls, flush=True)


if __name__ == "__main__":
    main()
