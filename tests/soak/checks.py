"""What has to hold at rest: the log has what was acknowledged, once; audits pass; Redis equals a rebuild."""

import asyncio
import gzip
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

import psycopg
from redis import Redis

from service.composition import opened
from service.runtime.settings import Settings
from service.store.standings import PROJECTION
from tests.projections.dumped import dumped, prefix_of
from tests.service.running import rebuild
from tests.service.test_owed import Running, but_queues
from tests.soak.clients import Client
from tests.soak.journal import Journal
from tests.soak.system import System

REST_SECONDS: Final = 60.0
"""How long Redis may take to have all that the log has, once nothing is broken and nobody plays."""
_ENDED: Final = "select distinct stream::text from events where envelope like '%secret_revealed%'"


def check_log(settings: Settings, journal: Journal) -> None:
    """Count for each fault the acknowledged moves that are lost, and decisions that were answered twice."""
    with psycopg.connect(settings.database_dsn) as connection:
        moves = connection.execute(
            "select stream::text, actor, decision, version from events where decision is not null"
        ).fetchall()
        tables = {table for (table,) in connection.execute("select distinct stream::text from events").fetchall()}
    answered = Counter((table, seat, decision) for table, seat, decision, _ in moves)
    exact = set(moves)
    for move in journal.moves:
        answer = (move.table, move.seat, move.decision)
        if answer not in answered or (move.version is not None and (*answer, move.version) not in exact):
            journal.lost(move)
    for answer, times in answered.items():
        if times > 1:
            journal.doubled(*answer)
    for table, fault in journal.tables:
        if table not in tables:
            journal.wrong("an acknowledged table is not in the log", fault)


def check_audit(system: System, journal: Journal) -> None:
    """Audit the whole log."""
    audited = system.services[0].run("audit", "--all")
    if audited.returncode != 0:
        journal.wrong(f"blattwerk audit --all: {audited.stdout[-500:]} {audited.stderr[-500:]}")


def check_records(clients: Sequence[Client], journal: Journal, folder: Path, rng: Random, records_max: int) -> None:
    """Verify records of at most so many matches that are over, as people do who do not trust the service."""
    finished = [(client, table, token) for client in clients for table, token in client.finished]
    for client, table, token in rng.sample(finished, min(records_max, len(finished))):
        record = folder / f"{table}.json.gz"
        record.write_bytes(gzip.compress(client.record(table, token)))
        command = (sys.executable, "-m", "service.verify", str(record))
        verified = subprocess.run(command, capture_output=True, text=True, check=False)
        record.unlink()
        if verified.returncode != 0:
            journal.wrong(f"the record of {table}: {verified.stdout} {verified.stderr}")


def check_redis(settings: Settings, journal: Journal) -> None:
    """Wait until Redis owes nothing, and compare it, byte by byte, with what a rebuild makes of the log."""
    with Redis.from_url(settings.redis_dsn) as redis:
        running = Running(("", ""), settings.database_dsn, settings.redis_dsn, redis, 0)
        running.prefix = f"{prefix_of(redis)}:{_generation(redis)}:"
        until = time.monotonic() + REST_SECONDS
        while missing := _missing(running):
            if time.monotonic() > until:
                journal.wrong(f"Redis still owes after {REST_SECONDS:.0f} s of rest: {missing}")
                return
            time.sleep(0.2)
    if not asyncio.run(_standings_follow(settings)):
        journal.wrong(f"standings are still owed after {REST_SECONDS:.0f} s of rest")
        return
    before = but_queues(dumped(settings.redis_dsn))
    _, generation = asyncio.run(rebuild(settings))
    after = but_queues(dumped(settings.redis_dsn, generation))
    for name in sorted(before.keys() | after.keys()):
        if before.get(name) != after.get(name):
            journal.wrong(f"Redis differs from a rebuild: {name}: {_differences(before.get(name), after.get(name))}")


async def _standings_follow(settings: Settings) -> bool:
    """Wait until standings have all that the log has, and Redis all that they have; False if they do not in time."""
    async with opened(settings) as services:
        until = time.monotonic() + REST_SECONDS
        while time.monotonic() < until:
            generation = await services.standings_store.generation()
            left = await services.log.feed_ends(await services.log.checkpoint(PROJECTION, generation), 1)
            copied = await services.redis.standings.copied()
            since = -1 if copied is None or copied.generation != generation else copied.change
            if not left and since >= 0 and not await services.standings_store.changed(generation, since, 1):
                return True
            await asyncio.sleep(0.2)
    return False


def _generation(redis: Any) -> int:
    return int(redis.hget(f"{prefix_of(redis)}:generation", "current") or 1)


def _missing(running: Running) -> str:
    """Return what Redis does not have yet of the log; empty if it has all. Not all ended tables are kept there."""
    shown, versions = running.shown(), running.versions()
    with psycopg.connect(running.database_url) as connection:
        ended = {table for (table,) in connection.execute(_ENDED).fetchall()}
    late = {
        table
        for table, version in versions.items()
        if shown.get(table, 0 if table not in ended else version) != version
    }
    waiting = running.bots_wait()
    return ", ".join([*sorted(late)[:3], *(f"bots at {table}" for table in waiting[:3])])


def _differences(before: Any, after: Any) -> str:
    if isinstance(before, dict) and isinstance(after, dict):
        return str([name for name in before.keys() | after.keys() if before.get(name) != after.get(name)][:5])
    if isinstance(before, list) and isinstance(after, list):
        gone, new = (
            [each for each in one if each not in other][:3] for one, other in ((before, after), (after, before))
        )
        return f"without a rebuild {gone}, with one {new}"
    return "missing before" if before is None else "missing after" if after is None else "another kind"
