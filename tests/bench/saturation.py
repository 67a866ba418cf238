"""More clients than there is room for: what is accepted and how fast, and what becomes of the rest.

    python -m tests.bench.saturation                  on one API process, then on two; about two minutes
    python -m tests.bench.saturation --processes 1

Clients answer decisions of real matches and look at the table after each move, in turn. 64 clients give the rate to
compare with; then come 500 and 2,000 of them, which send again after `Retry-After` when they are refused; then
requests that come at a multiple of that rate, however many are answered; then 2,000 clients that do not wait.
"""

import argparse
import asyncio
import json
import pickle
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, Final
from uuid import UUID

import msgspec

from tests.bench.crowd import Seen
from tests.bench.matches import Caller, Table, get_request
from tests.bench.report import Aim, Row, Section, text
from tests.bench.rig import Rig, rig
from tests.bench.supply import scripts

_GAME: Final = "hearts"
_SEATS: Final = 3
_GROUPS: Final = 50
"""Groups of people that share the tables."""
_SETUP_AT_ONCE: Final = 16
_MOVES_EACH: Final = 150
CROWD: Final = 2000
"""The most clients."""
_TABLES: Final = CROWD + 100
_FEW: Final = 64
_PATIENT: Final = (_FEW, 500, CROWD)
_MULTIPLES: Final = (1, 2, 5)
_SECONDS: Final = 2.0
_WARM_SECONDS: Final = 1.0
_P99_MS_MAX: Final = 1000.0
_RATIO_MIN: Final = 0.9
_COLUMNS: Final = (
    "asked",
    "accepted",
    "ratio",
    "median ms",
    "p99 ms",
    "refused",
    "share",
    "refused ms",
    "its p99",
    "failed",
    "unsent",
    "API us",
    "API",
    "stores",
    "generator",
    "others",
)
_NOTE: Final = (
    "asked, accepted, refused: per second; share: of the answers that are refusals. ratio: of what is accepted, to the "
    "best rate of clients that wait. failed: answers that are neither; unsent: requests that were due while all 2,000 "
    "connections waited for an answer. API us: processor time of the API for each request that is accepted, refusals "
    "included: on a busy machine compare this, not rates. API, stores, generator, others: cores used meanwhile."
)


@dataclass(frozen=True, slots=True)
class Shape:
    """A kind of load."""

    name: str
    clients: int
    multiple: int | None = None
    """How many times the rate of few clients; None for clients that wait for answers."""
    patient: bool = True


@dataclass(slots=True)
class Windows:
    """The windows of one shape. Every figure is their median."""

    seen: list[Seen] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Accepted per second."""
        return statistics.median(seen.accepted.count / seen.seconds for seen in self.seen)

    @property
    def p99_ms(self) -> float:
        """99th percentile of what is accepted."""
        return statistics.median(seen.accepted.p99_ms for seen in self.seen)

    @property
    def cores(self) -> list[float]:
        """Cores that API, stores, generator and everything else used."""
        return [statistics.median(used) for used in zip(*(seen.cores for seen in self.seen), strict=True)]

    @property
    def failed(self) -> int:
        """Answers that are neither success nor refusal, in all windows."""
        return sum(sum(seen.failed.values()) for seen in self.seen)

    def cells(self, peak: float) -> dict[str, float | str | None]:
        """Return the cells of a row."""
        refused = statistics.median(seen.refused.count / seen.seconds for seen in self.seen)
        unsent = statistics.median(seen.unsent / seen.seconds for seen in self.seen)
        api, stores, generator, others = self.cores
        return {
            "asked": self.rate + refused + unsent,
            "accepted": self.rate,
            "ratio": self.rate / peak,
            "median ms": statistics.median(seen.accepted.median_ms for seen in self.seen),
            "p99 ms": self.p99_ms,
            "refused": refused,
            "share": refused / max(1.0, self.rate + refused),
            "refused ms": statistics.median(seen.refused.median_ms for seen in self.seen),
            "its p99": statistics.median(seen.refused.p99_ms for seen in self.seen),
            "failed": self.failed,
            "unsent": unsent,
            "API us": api / max(1.0, self.rate) * 1e6,
            "API": api,
            "stores": stores,
            "generator": generator,
            "others": others,
        }


class Crowd:
    """The process of `tests.bench.crowd`."""

    def __init__(self, running: Rig) -> None:
        self._rig = running
        self._stores = (running.servers.postgres.pid or 0, running.servers.redis.pid or 0)
        command = [sys.executable, "-m", "tests.bench.crowd"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def hand_over(self, lanes: Sequence[Sequence[bytes]]) -> None:
        """Give it requests."""
        file = self._rig.folder / "crowd.pickle"
        file.write_bytes(pickle.dumps(lanes))
        self._told({"do": "lanes", "file": str(file)}, type(None))
        file.unlink()

    def window(self, windows: Windows, **order: Any) -> None:
        """Measure one window. RuntimeError if there were too few moves for it."""
        order |= {"do": "run", "address": self._rig.api.address, "watched": [self._rig.api.pids, self._stores]}
        seen = self._told(order, Seen)
        if seen.starved:
            raise RuntimeError("there are not enough moves for so fast a machine")
        windows.seen.append(seen)

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(30)

    def _told(self, order: dict[str, Any], type_: Any) -> Any:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the crowd has no pipes")
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        return msgspec.json.decode(self._process.stdout.readline(), type=type_)


def saturation(running: Rig, processes: Sequence[int] = (1, 2), *, repetitions: int = 3) -> list[Section]:
    """Measure everything on so many API processes each."""
    with closing(Crowd(running)) as crowd:
        tables = asyncio.run(_start_tables(running.api.address))
        crowd.hand_over(_lanes(running, tables))
        return [_section(running, crowd, number, repetitions) for number in processes]


def _section(running: Rig, crowd: Crowd, processes: int, repetitions: int) -> Section:
    if len(running.api.pids) != processes:
        running.api.restart(processes)
    crowd.window(Windows(), clients=CROWD, warm=3.0, seconds=0.1, rate=None, patient=True)  # loads the tables
    patient = [Shape(f"{clients:,} clients", clients) for clients in _PATIENT]
    rows = {shape: Windows() for shape in patient}
    for _ in range(repetitions):
        for shape in patient:
            _measure(crowd, shape, rows[shape], None)
    few = rows[patient[0]].rate
    for shape in _more_than_patient():
        rows[shape] = Windows()
        _measure(crowd, shape, rows[shape], few)
    peak = max(rows[shape].rate for shape in patient)
    aims = [aim for shape in patient[1:] for aim in _aims(shape.name, rows[shape], peak)]
    return Section(
        f"saturation {processes}",
        f"Saturation ({processes} API process{'es' if processes > 1 else ''})",
        _NOTE,
        _COLUMNS,
        tuple(Row(shape.name, windows.cells(peak)) for shape, windows in rows.items()),
        tuple(aims),
    )


def _more_than_patient() -> list[Shape]:
    return [
        *(Shape(f"{multiple}x the rate of {_FEW}", CROWD, multiple) for multiple in _MULTIPLES),
        Shape(f"{CROWD:,} that do not wait", CROWD, patient=False),
    ]


def _measure(crowd: Crowd, shape: Shape, windows: Windows, few: float | None) -> None:
    rate = None if shape.multiple is None or few is None else shape.multiple * few
    crowd.window(windows, clients=shape.clients, warm=_WARM_SECONDS, seconds=_SECONDS, rate=rate, patient=shape.patient)


def _aims(name: str, windows: Windows, peak: float) -> list[Aim]:
    return [
        Aim(f"{name}: accepted, ratio to the peak", windows.rate / peak, _RATIO_MIN, True),
        Aim(f"{name}: p99 of what is accepted, ms", windows.p99_ms, _P99_MS_MAX, False),
        Aim(f"{name}: answers that are neither success nor refusal", windows.failed, 0, False),
    ]


async def _start_tables(address: tuple[str, int]) -> list[Table]:
    """Start a match for each client, among a few people: accounts take longer to make than tables."""
    caller = await Caller.connect(address)
    groups = [
        tuple([(await caller.post("/v1/players", {"name": "Bench"}))["token"] for _ in range(_SEATS)])
        for _ in range(_GROUPS)
    ]
    caller.close()
    left = list(range(_TABLES))
    tables: list[Table] = []

    async def work() -> None:
        caller = await Caller.connect(address)
        while left:
            tables.append(await _start_table(caller, groups[left.pop() % _GROUPS]))
        caller.close()

    await asyncio.gather(*[work() for _ in range(_SETUP_AT_ONCE)])
    return tables


async def _start_table(caller: Caller, tokens: tuple[str, ...]) -> Table:
    made = await caller.post("/v1/tables", {"game": _GAME, "options": {"players": _SEATS}}, tokens[0])
    path = f"/v1/tables/{made['table']}"
    for token in tokens[1:]:
        await caller.post(f"{path}/seats", {}, token)
    await caller.post(f"{path}/start", {"round": 1}, tokens[0])
    return Table(UUID(made["table"]), tokens)


def _lanes(running: Rig, tables: list[Table]) -> list[list[bytes]]:
    """Return each table's requests: a move, and a look by one of its seats, and so on."""
    lanes = []
    moves = scripts(running.database_url, tables, 1, _MOVES_EACH)
    for table, lane in zip([*tables[0::2], *tables[1::2]], moves, strict=True):
        looks = [get_request(f"/v1/tables/{table.id}", token) for token in table.tokens]
        lanes.append([each for place, move in enumerate(lane) for each in (move, looks[place % _SEATS])])
    return lanes


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.saturation", description=__doc__)
    parser.add_argument("--processes", default="1,2", help="numbers of API processes, such as 1,2")
    parser.add_argument("--repetitions", type=int, default=3, help="windows of each number of clients")
    given = parser.parse_args()
    begun = time.monotonic()
    with rig() as running:
        for section in saturation(running, [*map(int, given.processes.split(","))], repetitions=given.repetitions):
            print(text(section), flush=True)
    print(f"({time.monotonic() - begun:.0f} s)")


if __name__ == "__main__":
    main()
