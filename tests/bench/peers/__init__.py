"""Others beside the service, in one run on the same machine and the same PostgreSQL.

Each is driven by a program of ours in this folder, which keeps so many clients busy that each sends its next
move or append when the last one is answered. Rows have about the size of our events. What "answered" means
differs: boardgame.io answers before it stores; all others when the row is on disk.
"""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import mean
from typing import Any, Final

import psycopg

from tests.bench.report import Cell, Row, Section
from tests.bench.rig import Rig, rig
from tests.bench.store_append import append_rate, pgbench_rate
from tests.bench.supply import Moves

_FOLDER: Final = Path(__file__).parent
_COLUMNS: Final = ("clients", "per second", "median ms", "p99 ms", "answered when", "what")
_ROW_BYTES: Final = 600
"""Content of a row; our events have about that much."""
_CLIENTS: Final = 64
_LONG: Final = 1000
_NOTE: Final = (
    "HTTP: moves with rules, authentication, log, chain, seals and views. socket.io: moves with hardly any rules, one "
    "message to one viewer. bare: appends without any server in between."
)


def compared(*, quick: bool) -> Iterator[Section]:
    """Measure ourselves and the others."""
    if not (_FOLDER / "node_modules").exists():
        raise SystemExit("the others are not installed: make bench-peers")
    seconds = 2.0 if quick else 4.0
    with rig() as running:
        yield Section("peers", "Beside others", _NOTE, _COLUMNS, tuple(_rows(running, seconds)))
        yield _long_matches(running)


def _rows(running: Rig, seconds: float) -> Iterator[Row]:
    ours = Moves(running, "hearts").window(_CLIENTS, seconds, warm=1)
    yield _row("Blattwerk, Hearts over HTTP", ours.rate, ours.median_ms, ours.p99_ms, "on disk", "HTTP")
    for name, database in (
        ("boardgame.io, in memory", None),
        ("boardgame.io, bgio-postgres", _database(running, "bgio")),
    ):
        with _boardgame(running, database) as ports:
            seen = _node("boardgame_load.js", *ports, _CLIENTS, 1, seconds)
        yield _seen(name, seen, "never" if database is None else "not yet stored", "socket.io")
    host = str(running.servers.postgres.sockets)
    rate, median, p99 = append_rate(running.database_url, _CLIENTS, seconds)
    yield _row("Blattwerk, log alone", rate, median, p99, "on disk", "bare")
    seen = _node("emmett.js", host, _database(running, "emmett"), _CLIENTS, 1, seconds, _ROW_BYTES)
    yield _seen("Emmett", seen, "on disk", "bare")
    module = "tests.bench.peers.eventsourcing_load"
    arguments = (host, _database(running, "eventsourcing"), _CLIENTS, 1, seconds, _ROW_BYTES)
    yield _seen("eventsourcing", _json((sys.executable, "-m", module, *map(str, arguments))), "on disk", "bare")
    rate = pgbench_rate(running.database_url, _CLIENTS, seconds)
    yield _row("pgbench, single-row inserts", rate, _CLIENTS / rate * 1000, None, "on disk", "bare")


def _row(name: str, rate: float, median: float | None, p99: float | None, when: str, what: str) -> Row:
    cells: tuple[Cell, ...] = (_CLIENTS, rate, median, p99, when, what)
    return Row(name, dict(zip(_COLUMNS, cells, strict=True)))


def _seen(name: str, seen: dict[str, Any], when: str, what: str) -> Row:
    return _row(name, seen["count"] / seen["seconds"], seen["median_ms"], seen["p99_ms"], when, what)


def _long_matches(running: Rig) -> Section:
    """How fast one match of boardgame.io on PostgreSQL is at its start, and after a thousand moves."""
    with _boardgame(running, _database(running, "bgio_long")) as ports:
        latencies: list[float] = _node("boardgame_load.js", *ports, 1, 0, f"moves:{_LONG}")["ordered"]
    early, late = 1000 / mean(latencies[10:110]), 1000 / mean(latencies[-100:])
    columns = ("moves/s at 100", f"moves/s at {_LONG}", "ratio")
    row = Row("boardgame.io, bgio-postgres", dict(zip(columns, (early, late, late / early), strict=True)))
    note = "One client, one match; ours is under 'Move 100 and move 3000' of `make bench`."
    return Section("peers long", "One long match", note, columns, (row,))


# what runs


@contextmanager
def _boardgame(running: Rig, database: str | None) -> Iterator[tuple[int, int]]:
    ports = _free_port(), _free_port()
    stores = () if database is None else (str(running.servers.postgres.sockets), database)
    command = ("node", str(_FOLDER / "boardgame_server.js"), *map(str, ports), *stores)
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    try:
        if server.stdout is None or b"ready\n" not in server.stdout:
            raise RuntimeError("boardgame.io does not start")
        yield ports
    finally:
        server.terminate()
        server.wait(10)


def _node(script: str, *arguments: object) -> dict[str, Any]:
    return _json(("node", str(_FOLDER / script), *map(str, arguments)))


def _json(command: Sequence[str]) -> dict[str, Any]:
    """Run a program and return the JSON of its last line."""
    printed = subprocess.run(command, stdout=subprocess.PIPE, check=True, timeout=300).stdout
    seen: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return seen


def _database(running: Rig, name: str) -> str:
    """Make a database of its own for one of the others."""
    with psycopg.connect(running.database_url, autocommit=True) as connection:
        connection.execute(f"create database {name}".encode())
    return name


def _free_port() -> int:
    with socket.socket() as line:
        line.bind(("127.0.0.1", 0))
        port: int = line.getsockname()[1]
        return port
