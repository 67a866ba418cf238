"""What a process needs to keep running tables in memory, with what it last wrote to Redis of each.

Run as `python -m tests.bench.memory GAME TABLES`: prints bytes of resident memory before and after.
"""

import asyncio
import gc
import json
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final
from uuid import UUID

import psutil

from projections.table_view import project
from service.tables.cache import TableCache
from service.tables.live_table import fold
from service.tables.snapshots import Latest
from tests.bench.games import options_of
from tests.bench.matches import GAMES
from tests.bench.report import Aim, Row, Section
from tests.bench.streams import Stream, generate

_DIFFERENT: Final = 100
"""Matches that the tables are made from; each table is decoded anew, so tables share nothing by that."""
_COLUMNS: Final = ("tables", "MB", "KB per table", "kept of one more")


class _Log:
    """Streams as the log would give them, each match under many ids."""

    def __init__(self, streams: Sequence[Stream]) -> None:
        self._streams = streams

    async def latest(self, stream: UUID) -> Latest:
        """Return a table, folded anew."""
        match = self._of(stream)
        live = fold(match.id, match.secret, match.rows)
        return Latest(live.state, live.hash, live.time)

    async def secret(self, stream: UUID) -> bytes:
        """Return a table's secret."""
        return self._of(stream).secret

    def _of(self, stream: UUID) -> Stream:
        return self._streams[stream.int % len(self._streams)]


async def fill(key: str, tables: int) -> tuple[int, int, int]:
    """Load tables into a cache; return resident bytes before and after, and how many one table more left in it."""
    streams = [generate(GAMES[key], seed, options=options_of(key), most=20 + seed) for seed in range(_DIFFERENT)]
    log: Any = _Log(streams)
    cache = TableCache(log, log, tables)
    await _load(cache, UUID(int=0))
    gc.collect()
    before = psutil.Process().memory_info().rss
    for number in range(1, tables):
        await _load(cache, UUID(int=number))
    gc.collect()
    after = psutil.Process().memory_info().rss
    await _load(cache, UUID(int=tables))
    return before, after, len(cache)


async def _load(cache: TableCache, stream: UUID) -> None:
    table = await cache.get(stream)
    if table is None:
        raise RuntimeError("a generated stream is no table")
    names = {seat.player: "Bench" for seat in table.state.seats if seat.player is not None}
    table.projection = project(table.state, names)


def memory(keys: Sequence[str], tables: int) -> Section:
    """Measure each game in a process of its own, two at a time."""
    rows: list[Row] = []
    aims: list[Aim] = []
    with ThreadPoolExecutor(2) as pool:
        measured = list(pool.map(lambda key: _measured(key, tables), keys))
    for key, (before, after, kept) in zip(keys, measured, strict=True):
        title = GAMES[key].title
        megabytes = (after - before) / 1e6
        row = (tables, megabytes, (after - before) / tables / 1000, kept)
        rows.append(Row(title, dict(zip(_COLUMNS, row, strict=True))))
        aims.append(Aim(f"{title}: MB of 10,000 running tables", megabytes * 10_000 / tables, 200, False))
    note = "Resident memory. 'kept of one more': tables in a full cache after another one was loaded."
    return Section("memory", "Memory of tables in the cache", note, _COLUMNS, tuple(rows), tuple(aims))


def _measured(key: str, tables: int) -> tuple[int, int, int]:
    command = [sys.executable, "-m", "tests.bench.memory", key, str(tables)]
    before, after, kept = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return before, after, kept


if __name__ == "__main__":
    print(json.dumps(asyncio.run(fill(sys.argv[1], int(sys.argv[2])))))
