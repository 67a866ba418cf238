"""Whether a move, and a first look after a restart, cost more late in a match than early."""

import asyncio
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Final

import redis

from service.tables.live_table import fold
from tests.bench.games import SEATS
from tests.bench.matches import GAMES, Caller, Table, get_request, play, requests_of
from tests.bench.report import Aim, Row, Section
from tests.bench.rig import Rig
from tests.bench.streams import generate, insert

EARLY: Final = 100
LATE: Final = 3000
_AROUND: Final = 50
"""Moves measured before and after those."""
_SPARE: Final = 10
"""Moves kept for what comes after the measuring."""
_COLUMNS: Final = ("early ms", "late ms", "ratio")


@dataclass(slots=True)
class _Long:
    """A long match and the requests that are still to be sent."""

    table: Table
    left: list[bytes]

    def take(self, count: int) -> list[bytes]:
        taken, self.left = self.left[:count], self.left[count:]
        return taken


def reaches(key: str, options: Mapping[str, object]) -> bool:
    """Whether a match under these options goes on long enough to be compared."""
    needed = LATE + _AROUND + _SPARE
    return len(generate(GAMES[key], 0, options=options, most=needed).rows) > needed


def growth(rig: Rig, key: str, options: Mapping[str, object], *, pairs: int, restarts: int) -> Section:
    """Compare early and late moves, and first requests after a restart, of tables at both ends of a match."""
    early = _at(rig, key, options, EARLY - _AROUND, range(100, 100 + pairs))
    late = _at(rig, key, options, LATE - _AROUND, range(200, 200 + pairs))
    moves = _moves_in_turn(rig, early, late)
    views, first_moves, folds = _Pair(), _Pair(), _Pair()
    for _ in range(restarts):
        rig.api.restart()
        asyncio.run(_first_requests(rig, early, late, views, first_moves))
        rig.api.restart()
        _empty_redis(rig)
        asyncio.run(_first_requests(rig, early, late, folds, None))
    rows = (
        Row("a move", moves.cells()),
        Row("first view after a restart", views.cells()),
        Row("first move after a restart", first_moves.cells()),
        Row("first view after a restart, Redis empty", folds.cells()),
    )
    aims = (
        Aim(f"{GAMES[key].title}: move {LATE} against move {EARLY}", moves.ratio, 1.2, False),
        Aim(
            f"{GAMES[key].title}: first view after a restart, at version {LATE} against {EARLY}",
            views.ratio,
            1.2,
            False,
        ),
    )
    return Section(
        "growth",
        f"Move {EARLY} and move {LATE} of a match ({GAMES[key].title})",
        "Medians of one client.",
        _COLUMNS,
        rows,
        aims,
    )


class _Pair:
    """Times of the same thing early and late, in ms."""

    def __init__(self) -> None:
        self.early: list[float] = []
        self.late: list[float] = []

    @property
    def ratio(self) -> float:
        return statistics.median(self.late) / statistics.median(self.early)

    def cells(self) -> dict[str, float | str | None]:
        early, late = statistics.median(self.early), statistics.median(self.late)
        return {"early ms": early, "late ms": late, "ratio": self.ratio}


def _at(rig: Rig, key: str, options: Mapping[str, object], done: int, seeds: range) -> list[_Long]:
    """Return tables of matches of which `done` moves are in the log already, each looked at once."""
    matches = []
    for seed in seeds:
        players = asyncio.run(_players(rig))
        stream = generate(GAMES[key], seed, options=options, most=done, players=[player for player, _ in players])
        insert(rig.database_url, [stream])
        table = Table(stream.id, tuple(token for _, token in players))
        steps = play(fold(stream.id, stream.secret, stream.rows), seed, 2 * _AROUND + _SPARE)
        match = _Long(table, requests_of(table, steps))
        if len(match.left) < 2 * _AROUND + _SPARE:
            raise RuntimeError(f"a long match of {key} ended after {done + len(match.left)} moves")
        matches.append(match)
        asyncio.run(_look(rig, table))
    return matches


async def _look(rig: Rig, table: Table) -> None:
    caller = await Caller.connect(rig.api.address)
    for token in table.tokens:
        await _timed(caller, get_request(f"/v1/tables/{table.id}", token))
    caller.close()


def _moves_in_turn(rig: Rig, early: Sequence[_Long], late: Sequence[_Long]) -> _Pair:
    """Let one client send a move of an early table, one of a late table, and so on."""
    lane = [
        request
        for one, other in zip(early, late, strict=True)
        for couple in zip(one.take(2 * _AROUND), other.take(2 * _AROUND), strict=True)
        for request in couple
    ]
    rig.generator.lanes("in turn", [lane])
    latencies = rig.generator.finish("in turn", rig.api, clients=1).latencies_ms
    pair = _Pair()
    pair.early, pair.late = list(latencies[::2]), list(latencies[1::2])
    return pair


async def _first_requests(
    rig: Rig, early: Sequence[_Long], late: Sequence[_Long], views: _Pair, moves: _Pair | None
) -> None:
    """Time the first view, and then the first move, of each table in a fresh process."""
    caller = await Caller.connect(rig.api.address)
    await _warm(caller, early[0].table)
    for one, other in zip(early[1:], late[1:], strict=True):
        for match, view_times in ((one, views.early), (other, views.late)):
            request = get_request(f"/v1/tables/{match.table.id}", match.table.tokens[0])
            view_times.append(await _timed(caller, request))
        if moves is not None:
            for match, move_times in ((one, moves.early), (other, moves.late)):
                move_times.append(await _timed(caller, match.take(1)[0]))
    caller.close()


async def _warm(caller: Caller, table: Table) -> None:
    """Let the process do once what it does for the first time; on a table that is not measured."""
    for token in table.tokens * 5:
        await caller.ask(get_request(f"/v1/tables/{table.id}", token))
        await caller.ask(get_request(f"/v1/tables/{table.id}/events", token))


async def _timed(caller: Caller, request: bytes) -> float:
    begun = perf_counter()
    status, _, body = await caller.ask(request)
    lasted = (perf_counter() - begun) * 1000
    if status != 200:
        raise RuntimeError(f"a request was refused: {status} {body.decode()}")
    return lasted


def _empty_redis(rig: Rig) -> None:
    with redis.Redis.from_url(rig.servers.redis_url) as store:
        store.flushall()


def longest(rig: Rig, key: str, options: Mapping[str, object], *, repetitions: int, most: int) -> Section:
    """Read the view of the longest legal match, or of one of `most` commands, in a process that never saw it."""
    players = asyncio.run(_players(rig))
    stream = generate(GAMES[key], 1, options=options, most=most, players=[player for player, _ in players])
    insert(rig.database_url, [stream])
    table = Table(stream.id, tuple(token for _, token in players))
    times: dict[bool, list[float]] = {True: [], False: []}
    for _ in range(repetitions):
        for empty in (True, False):
            rig.api.restart()
            _forget(rig, table, everything=empty)
            times[empty].append(asyncio.run(_cold_view(rig, table)))
    medians = {empty: statistics.median(lasted) for empty, lasted in times.items()}
    rows = [
        Row(name, {"events": len(stream.rows), "ms": medians[empty]})
        for name, empty in (("new process, view evicted", False), ("new process, Redis empty", True))
    ]
    aim = Aim(f"{GAMES[key].title}: cold read of the longest match, ms", medians[False], 50, False)
    note = (
        "The first view after a restart, over HTTP. With the folds that Redis keeps of every hundredth version "
        "the log is read from the last of them; without any the whole match is folded."
    )
    title = f"Cold read of the longest match ({GAMES[key].title})"
    return Section("longest", title, note, ("events", "ms"), tuple(rows), (aim,))


def _forget(rig: Rig, table: Table, *, everything: bool) -> None:
    """Empty Redis, or drop the table's view as an eviction does."""
    with redis.Redis.from_url(rig.servers.redis_url) as store:
        if everything:
            store.flushall()
        else:
            store.delete(*store.scan_iter(f"bw:*:[0-9]*:{{{table.id}}}", count=10_000))


async def _players(rig: Rig) -> list[tuple[str, str]]:
    caller = await Caller.connect(rig.api.address)
    made = [await caller.post("/v1/players", {"name": "Bench"}) for _ in range(SEATS)]
    caller.close()
    return [(player["player"], player["token"]) for player in made]


async def _cold_view(rig: Rig, table: Table) -> float:
    caller = await Caller.connect(rig.api.address)
    for _ in range(5):
        await caller.ask(get_request("/v1/me", table.tokens[0]))
    lasted = await _timed(caller, get_request(f"/v1/tables/{table.id}", table.tokens[0]))
    caller.close()
    return lasted
