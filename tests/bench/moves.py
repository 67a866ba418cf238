"""Moves over HTTP, with everything a move means, beside a request that does nothing on the same server."""

import asyncio
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.bench.matches import GAMES, Table, play, read_back, requests_of, start_tables
from tests.bench.rig import Rig, Run

NOOP_BODY = b'{"decision":41,"move":{"type":"play","card":"QS"}}'


@dataclass(slots=True)
class Series:
    """The windows of one kind of request at one number of clients."""

    runs: list[Run] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return statistics.median(run.rate for run in self.runs)

    @property
    def median_ms(self) -> float:
        return statistics.median(run.median_ms for run in self.runs)

    @property
    def p99_ms(self) -> float:
        return statistics.median(run.p99_ms for run in self.runs)

    @property
    def api_us(self) -> float:
        return statistics.median(run.api_us for run in self.runs)

    @property
    def stores_us(self) -> float:
        return statistics.median(run.stores_us for run in self.runs)


def noop_requests(token: str) -> list[bytes]:
    """Return a POST that does nothing, with headers and body of a move."""
    head = (
        f"POST /noop HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(NOOP_BODY)}\r\n\r\n"
    )
    return [head.encode() + NOOP_BODY]


def prepare(rig: Rig, keys: Sequence[str], tables: int, most: int) -> dict[str, list[Table]]:
    """Start tables of each game and hand the requests of their whole matches to the generator."""
    started: dict[str, list[Table]] = {}
    for key in keys:
        mine = asyncio.run(start_tables(rig.api.address, GAMES[key], tables, options={}))
        lives = asyncio.run(read_back(rig.database_url, mine))
        lanes = [
            requests_of(table, play(live, seed, most))
            for seed, (table, live) in enumerate(zip(mine, lives, strict=True))
        ]
        rig.generator.lanes(f"moves {key}", lanes)
        started[key] = mine
    token = next(iter(started.values()))[0].tokens[0]
    rig.generator.lanes("noop post", [noop_requests(token)] * 64, repeat=True)
    return started


def measure(
    rig: Rig, names: Sequence[str], clients: Sequence[int], *, repetitions: int, seconds: float
) -> dict[tuple[str, int], Series]:
    """Run all names at all numbers of clients, interleaved, several times."""
    series: dict[tuple[str, int], Series] = {(name, count): Series() for count in clients for name in names}
    for _ in range(repetitions):
        for count in clients:
            for name in names:
                run = rig.generator.run(name, rig.api, clients=count, seconds=seconds)
                series[name, count].runs.append(run)
    return series
