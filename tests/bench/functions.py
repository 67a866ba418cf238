"""What the functions of a game cost by themselves: judging, listing, showing, and the bot's thinking."""

import statistics
from collections.abc import Callable, Iterator, Sequence
from time import process_time
from typing import Any, Final

from domain.codec import Event
from domain.decider import AnyGame, view_of
from domain.fairness import MatchChance
from domain.table.fold import apply
from domain.table.model import TableState
from projections.table_view import project
from service.tables.live_table import events_of, fold
from tests.bench.games import options_of
from tests.bench.matches import GAMES
from tests.bench.report import Aim, Cell, Row, Section
from tests.bench.streams import Stream, generate

_COLUMNS: Final = ("median us", "p99 us", "slowest us", "calls")
_CHANCE: Final = MatchChance(bytes(32))
"""For judging alone; what it deals is thrown away."""


def functions(keys: Sequence[str], *, matches: int, most: int) -> Iterator[Section]:
    """Call the functions of each game on every state of matches of bots."""
    for key in keys:
        yield _functions(key, matches, most)


def _functions(key: str, matches: int, most: int) -> Section:
    game = GAMES[key]
    moments = [
        moment
        for seed in range(matches)
        for moment in _moments(generate(game, seed, options=options_of(key), most=most, bots=True))
    ]
    measured: list[tuple[str, list[float]]] = [
        ("decide", [_us(lambda m=m: game.decider.decide(m.game_state, m.seat, m.move, _CHANCE)) for m in moments]),  # type: ignore[misc]
        ("legal", [_us(lambda m=m: game.views.legal(m.game_state, m.seat)) for m in moments]),  # type: ignore[misc]
        ("all views of a table", [_us(lambda m=m: project(m.state, {})) for m in moments]),  # type: ignore[misc]
        ("bot", [_bot(game, moment) for moment in moments]),
    ]
    rows = [Row(name, _spread(times)) for name, times in measured]
    thinking = sorted(measured[-1][1])
    slow = thinking[len(thinking) * 99 // 100]
    aim = Aim(f"{GAMES[key].title}: a bot's thinking, 99th percentile in us", slow, 5000, False)
    note = "In processor time, on the states of matches of bots."
    return Section(
        f"functions/{key}", f"Functions of the game ({GAMES[key].title})", note, _COLUMNS, tuple(rows), (aim,)
    )


def _spread(times: Sequence[float]) -> dict[str, Cell]:
    ordered = sorted(times)
    figures = (statistics.median(ordered), ordered[len(ordered) * 99 // 100], ordered[-1], len(ordered))
    return dict(zip(_COLUMNS, figures, strict=True))


class _Moment:
    """A state in which a seat is about to make a move."""

    __slots__ = ("game_state", "move", "seat", "state")

    def __init__(self, state: TableState, event: Event) -> None:
        self.state = state
        self.game_state: Any = state.game_state
        self.seat: int = event.actor or 0
        self.move: Any = event.move


def _moments(stream: Stream) -> list[_Moment]:
    live = fold(stream.id, stream.secret, stream.rows[:1])
    state, moments = live.state, []
    for event in events_of(live, stream.rows[1:]):
        if event.decision is not None:
            moments.append(_Moment(state, event))
        state = apply(state, event.actor, event.facts)
    return moments


def _bot(game: AnyGame, moment: _Moment) -> float:
    view = view_of(game, moment.game_state, moment.seat)
    return _us(lambda: game.players.bot(view, 7))


def _us(call: Callable[[], object]) -> float:
    begun = process_time()
    call()
    return (process_time() - begun) * 1e6
