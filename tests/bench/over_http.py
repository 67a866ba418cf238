"""Moves and views over HTTP, with everything they mean, beside requests that do less on the same server.

Two no-ops stand beside a move, both through the same server, middleware and framework: one does nothing, the other
what every move pays before anything of ours begins (see `tests.bench.api`).
"""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tests.bench.matches import GAMES
from tests.bench.report import Aim, Row, Section
from tests.bench.rig import Rig
from tests.bench.store_append import commit_ms
from tests.bench.supply import MOST_CLIENTS, Moves, noop_get, noop_moves, noop_post, repeated, views
from tests.bench.windows import COLUMNS, COLUMNS_NOTE, Kind, Series, alternate, cells

OF_THE_NOOP: Final = {"hearts": 0.45, "herzeln": 0.45, "von_herzen": 0.42, "romme": 0.38}
"""The least that moves at 64 clients should reach of their no-op."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    clients: tuple[int, ...]
    repetitions: int
    seconds: float


def moves(rig: Rig, supplies: Mapping[str, Moves], plan: Plan) -> Section:
    """Measure moves of every game at every number of clients."""
    noops = [[noop_post()]] * MOST_CLIENTS
    kinds = [
        Kind("trivial server", repeated(rig.generator, "trivial", noops, rig.trivial)),
        Kind("no-op POST", repeated(rig.generator, "no-op POST", noops, rig.api)),
    ]
    for key, supply in supplies.items():
        kinds += [Kind(_noop(key), noop_moves(rig, key)), Kind(_move(key), supply.window)]
    rows: list[Row] = []
    aims: list[Aim] = []
    for clients in plan.clients:
        commits = [commit_ms(rig.database_url)] if clients == 1 else []
        series = alternate(kinds, clients, repetitions=plan.repetitions, seconds=plan.seconds)
        ceiling = series["no-op POST"]
        if clients == 1:
            commit = statistics.mean([*commits, commit_ms(rig.database_url)])
            rows.append(Row("one commit (pgbench)", {"clients": 1, "per second": 1000 / commit, "median ms": commit}))
            bound = 3 * ceiling.median_ms + commit
            aims += [_one_client_aim(key, series[_move(key)].median_ms, bound) for key in supplies]
        compared = {_move(key): series[_noop(key)] for key in supplies}
        rows += [Row(kind.name, cells(series[kind.name], compared.get(kind.name, ceiling), clients)) for kind in kinds]
        if clients == MOST_CLIENTS:
            for key in supplies:
                aims += _move_aims(key, series[_move(key)], series[_noop(key)])
    note = f"A move is compared with its own no-op, everything else with the no-op that does nothing.\n{COLUMNS_NOTE}"
    return Section("moves", "Moves over HTTP", note, COLUMNS, tuple(rows), tuple(aims))


def _move(key: str) -> str:
    return f"{GAMES[key].title} move"


def _noop(key: str) -> str:
    return f"{GAMES[key].title} no-op"


def _one_client_aim(key: str, median_ms: float, bound: float) -> Aim:
    text = f"{GAMES[key].title} move of one client, median ms, against 3 no-ops and a commit"
    return Aim(text, median_ms, bound, False)


def _move_aims(key: str, moves: Series, noop: Series) -> list[Aim]:
    bound = OF_THE_NOOP.get(key, min(OF_THE_NOOP.values()))
    return [
        Aim(f"{_move(key)}s at 64 clients, ratio to their no-op", moves.rate / noop.rate, bound, True),
        Aim(f"{_move(key)}s at 64 clients, the same in processor time", noop.api_us / moves.api_us, bound, True),
    ]


def reads(rig: Rig, keys: Sequence[str], plan: Plan) -> Section:
    """Measure views of every game, changed and unchanged ones, by one client and by many."""
    kinds = [Kind("no-op GET", repeated(rig.generator, "no-op GET", [[noop_get()]] * MOST_CLIENTS, rig.api))]
    for key in keys:
        changed, unchanged = views(rig, key)
        kinds += [Kind(f"{GAMES[key].title} view", changed), Kind(f"{GAMES[key].title} view, 304", unchanged)]
    rows: list[Row] = []
    aims: list[Aim] = []
    for clients in (1, MOST_CLIENTS):
        series = alternate(kinds, clients, repetitions=plan.repetitions, seconds=plan.seconds * 2 / 3)
        ceiling = series["no-op GET"]
        rows += [Row(kind.name, cells(series[kind.name], ceiling, clients)) for kind in kinds]
        if clients == MOST_CLIENTS:
            for key in keys:
                aims += _read_aims(key, series, ceiling)
    return Section("reads", "Views over HTTP", "", COLUMNS, tuple(rows), tuple(aims))


def _read_aims(key: str, series: dict[str, Series], ceiling: Series) -> list[Aim]:
    title = GAMES[key].title
    return [
        Aim(f"{name} at 64 clients, ratio to the no-op", series[name].rate / ceiling.rate, bound, True)
        for name, bound in ((f"{title} view", 0.6), (f"{title} view, 304", 0.8))
    ]


def processes(rig: Rig, key: str, supply: Moves, plan: Plan) -> Section:
    """Measure moves on one and on two API processes, and with every table's moves spread over connections."""
    shapes = (("1 process", 1, 1), ("2 processes", 2, 1), ("2 processes, each table over 4 connections", 2, 4))
    series = {name: Series() for name, _, _ in shapes}
    for _ in range(plan.repetitions):
        for name, count, connections in shapes:
            rig.api.restart(count)
            run = supply.window(MOST_CLIENTS, plan.seconds, warm=1.0, connections=connections)
            series[name].runs.append(run)
    one = series["1 process"]
    rows = tuple(Row(name, cells(series[name], one, MOST_CLIENTS)) for name, _, _ in shapes)
    aim = Aim("two API processes, ratio to one", series["2 processes"].rate / one.rate, 1.0, True)
    rig.api.restart()
    note = "ratio: to one process. Load generator, database and Redis share the machine's cores with them."
    return Section("processes", f"API processes ({GAMES[key].title})", note, COLUMNS, rows, (aim,))
