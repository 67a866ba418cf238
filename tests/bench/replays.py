"""How long a long match takes to open at any version: with everything cold, from Redis, from memory."""

import asyncio
import random
import statistics
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Final
from uuid import UUID

import redis

from service.composition import Services
from service.embedded import EmbeddedServers, embedded_servers
from service.runtime.settings import Secret, Settings
from service.store.migrations import migrate
from service.tables.replays import Replays
from service.tables.snapshots import Snapshots
from tests.bench.games import SEATS, longest_of
from tests.bench.matches import GAMES
from tests.bench.report import Aim, Row, Section
from tests.bench.streams import Stream, generate, insert

EVENTS: Final = 3000
PLAYERS: Final = tuple(str(UUID(int=number, version=4)) for number in range(SEATS))
_COLD: Final = "one version, new process and Redis empty"
_NEW: Final = "one version, new process"
_SEEN: Final = "one version, match opened before"
_RANGE: Final = "200 versions in one answer"
_COLUMNS: Final = ("median ms", "slowest ms", "times")


def replays(key: str, *, times: int) -> Section:
    """Open versions of a match of 3,000 events by chance, as a process that has not seen it and as one that has."""
    match = generate(GAMES[key], 0, options=longest_of(key) or {}, most=EVENTS, players=PLAYERS)
    last = len(match.rows)
    with tempfile.TemporaryDirectory() as folder, embedded_servers(Path(folder)) as servers:
        migrate(servers.database_url)
        insert(servers.database_url, [match])
        took = asyncio.run(_measured(servers, match, times))
    rows = tuple(
        Row(name, {"median ms": statistics.median(ms), "slowest ms": max(ms), "times": len(ms)})
        for name, ms in took.items()
    )
    aims = (
        Aim(f"{key}: any version of {last} events in a new process, ms", max(took[_NEW]), 100, False),
        Aim(f"{key}: any version of {last} events with nothing kept, ms", max(took[_COLD]), 2000, False),
    )
    note = f"Versions by chance of a running match of {last} events, as a player's seat sees them; in process."
    return Section("replay", f"Replay of a long match ({key})", note, _COLUMNS, rows, aims)


async def _measured(servers: EmbeddedServers, match: Stream, times: int) -> dict[str, list[float]]:
    settings = Settings(
        database_url=Secret(servers.database_url),
        redis_url=Secret(servers.redis_url),
        secret_key=Secret("42" * 32),
        public_url="http://blattwerk.test",
    )
    services = Services(settings)
    await services.open()
    rng, end = random.Random(1), len(match.rows)
    took: dict[str, list[float]] = {}

    def unknowing() -> Replays:
        folds = Snapshots(services.log, services.redis.snapshots, key=settings.key_bytes)
        return Replays(services.log, services.cache, folds, services.names)

    async def opened(name: str, replays: Replays, steps: int = 1) -> None:
        first = rng.randint(1, end + 1 - steps)
        begun = perf_counter()
        list((await replays.steps(match.id, PLAYERS[0], None, None, first, first + steps - 1)).steps)
        took.setdefault(name, []).append((perf_counter() - begun) * 1000)

    try:
        for _ in range(max(3, times // 10)):
            with redis.Redis.from_url(servers.redis_url) as connection:
                connection.flushall()
            await opened(_COLD, unknowing())
        for _ in range(times):
            await opened(_NEW, unknowing())
        knowing = unknowing()
        await opened(_RANGE, knowing, 200)
        for _ in range(times):
            await opened(_SEEN, knowing)
        for _ in range(max(3, times // 5)):
            await opened(_RANGE, knowing, 200)
    finally:
        await services.close()
    return took
