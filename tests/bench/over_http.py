"""Moves and views over HTTP, with everything they mean, beside requests that do nothing on the same server."""

import asyncio
import statistics
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass

from tests.bench.games import options_of
from tests.bench.matches import GAMES, Caller, Table, get_request, play, read_back, requests_of, start_tables
from tests.bench.report import Aim, Row, Section
from tests.bench.rig import Rig
from tests.bench.store_append import commit_ms
from tests.bench.windows import COLUMNS, COLUMNS_NOTE, Kind, Series, alternate, cells

_NOOP_BODY = b'{"decision":41,"move":{"type":"play","card":"QS"}}'
_MOST_CLIENTS = 64


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is measured."""

    tables: int
    """Tables of each game; at least as many as there are clients."""
    moves: int
    """Most moves of a table."""
    clients: tuple[int, ...]
    repetitions: int
    seconds: float


def prepare(rig: Rig, keys: Sequence[str], plan: Plan) -> dict[str, list[Table]]:
    """Start tables of each game and hand the requests of their whole matches to the generator."""
    started: dict[str, list[Table]] = {}
    with ProcessPoolExecutor(2) as pool:
        for key in keys:
            mine = asyncio.run(start_tables(rig.api.address, GAMES[key], plan.tables, options=options_of(key)))
            halves = [pool.submit(_lanes, rig.database_url, mine[part::2], part, plan.moves) for part in range(2)]
            rig.generator.lanes(f"moves {key}", [lane for half in halves for lane in half.result()])
            started[key] = mine
    token = next(iter(started.values()))[0].tokens[0]
    rig.generator.lanes("noop post", [[_noop_post(token)]] * _MOST_CLIENTS, repeat=True)
    rig.generator.lanes("noop get", [[get_request("/noop", token)]] * _MOST_CLIENTS, repeat=True)
    return started


def _lanes(database_url: str, tables: list[Table], part: int, most: int) -> list[list[bytes]]:
    lives = asyncio.run(read_back(database_url, tables))
    return [
        requests_of(table, play(live, 2 * number + part, most))
        for number, (table, live) in enumerate(zip(tables, lives, strict=True))
    ]


def _noop_post(token: str) -> bytes:
    """A POST that does nothing, with the headers and the body of a move."""
    head = (
        f"POST /noop HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(_NOOP_BODY)}\r\n\r\n"
    )
    return head.encode() + _NOOP_BODY


def moves(rig: Rig, keys: Sequence[str], plan: Plan) -> Section:
    """Measure moves of every game at every number of clients."""
    kinds = [
        Kind("trivial server", "noop post", rig.trivial),
        Kind("no-op POST", "noop post", rig.api),
        *(Kind(f"{GAMES[key].title} move", f"moves {key}", rig.api) for key in keys),
    ]
    rows: list[Row] = []
    aims: list[Aim] = []
    for clients in plan.clients:
        commits = [commit_ms(rig.database_url)] if clients == 1 else []
        series = alternate(rig, kinds, clients, repetitions=plan.repetitions, seconds=plan.seconds)
        ceiling = series["no-op POST"]
        if clients == 1:
            commit = statistics.mean([*commits, commit_ms(rig.database_url)])
            rows.append(Row("one commit (pgbench)", {"clients": 1, "per second": 1000 / commit, "median ms": commit}))
            bound = 3 * ceiling.median_ms + commit
            aims += [_one_client_aim(key, series[f"{GAMES[key].title} move"].median_ms, bound) for key in keys]
        rows += [Row(kind.name, cells(series[kind.name], ceiling, clients)) for kind in kinds]
        if clients == _MOST_CLIENTS:
            aims += [_move_aim(key, series[f"{GAMES[key].title} move"].rate / ceiling.rate) for key in keys]
    return Section("moves", "Moves over HTTP", COLUMNS_NOTE, COLUMNS, tuple(rows), tuple(aims))


def _one_client_aim(key: str, median_ms: float, bound: float) -> Aim:
    text = f"{GAMES[key].title} move of one client, median ms, against 3 no-ops and a commit"
    return Aim(text, median_ms, bound, False)


def _move_aim(key: str, ratio: float) -> Aim:
    return Aim(f"{GAMES[key].title} moves at 64 clients, ratio to the no-op", ratio, 0.5, True)


def reads(rig: Rig, started: dict[str, list[Table]], plan: Plan) -> Section:
    """Measure views of every game, whole ones and unchanged ones, at the numbers of clients."""
    kinds = [Kind("no-op GET", "noop get", rig.api)]
    for key, tables in started.items():
        asyncio.run(prepare_reads(rig, key, tables[:_MOST_CLIENTS]))
        kinds += [
            Kind(f"{GAMES[key].title} view", f"views {key}", rig.api),
            Kind(f"{GAMES[key].title} view, 304", f"unchanged {key}", rig.api),
        ]
    rows: list[Row] = []
    aims: list[Aim] = []
    for clients in (1, _MOST_CLIENTS):
        series = alternate(rig, kinds, clients, repetitions=plan.repetitions, seconds=plan.seconds * 2 / 3)
        ceiling = series["no-op GET"]
        rows += [Row(kind.name, cells(series[kind.name], ceiling, clients)) for kind in kinds]
        if clients == _MOST_CLIENTS:
            for key in started:
                aims += _read_aims(key, series, ceiling)
    return Section("reads", "Views over HTTP", "", COLUMNS, tuple(rows), tuple(aims))


def _read_aims(key: str, series: dict[str, Series], ceiling: Series) -> list[Aim]:
    title = GAMES[key].title
    return [
        Aim(f"{name} at 64 clients, ratio to the no-op", series[name].rate / ceiling.rate, bound, True)
        for name, bound in ((f"{title} view", 0.6), (f"{title} view, 304", 0.8))
    ]


async def prepare_reads(rig: Rig, key: str, tables: list[Table]) -> None:
    """One lane for each table: its seats read in turn, with a tag that has changed and with the present one."""
    caller = await Caller.connect(rig.api.address)
    views, unchanged = [], []
    for table in tables:
        path = f"/v1/tables/{table.id}"
        tags = [(await caller.ask(get_request(path, token)))[1]["etag"] for token in table.tokens]
        views.append([get_request(path, token, f'"1.0-{seat}"') for seat, token in enumerate(table.tokens)])
        unchanged.append([get_request(path, token, tag) for token, tag in zip(table.tokens, tags, strict=True)])
    caller.close()
    rig.generator.lanes(f"views {key}", views, repeat=True)
    rig.generator.lanes(f"unchanged {key}", unchanged, repeat=True)


def processes(rig: Rig, key: str, plan: Plan) -> Section:
    """Measure moves on one and on two API processes, and with every table's moves spread over connections."""
    shapes = (("1 process", 1, 1), ("2 processes", 2, 1), ("2 processes, each table over 4 connections", 2, 4))
    series = {name: Series() for name, _, _ in shapes}
    for _ in range(plan.repetitions):
        for name, count, connections in shapes:
            rig.api.restart(count)
            run = rig.generator.run(
                f"moves {key}", rig.api, clients=64, seconds=plan.seconds, warm=1.0, connections=connections
            )
            series[name].runs.append(run)
    one = series["1 process"]
    rows = tuple(Row(name, cells(series[name], one, 64)) for name, _, _ in shapes)
    aim = Aim("two API processes, ratio to one", series["2 processes"].rate / one.rate, 1.0, True)
    rig.api.restart()
    note = "ratio: to one process. Load generator, database and Redis share the machine's cores with them."
    return Section("processes", f"API processes ({GAMES[key].title})", note, COLUMNS, rows, (aim,))
