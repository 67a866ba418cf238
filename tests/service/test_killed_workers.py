"""Workers that are killed at any moment: every match is in the transparency log once, and counts once."""

import asyncio
import os
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from domain.decider import view_of
from domain.seeded_random import seeded_random
from service.composition import Services
from service.runtime.settings import Settings
from tests.service.running import settings_for
from tests.service.store.test_transparency import then_tree_is_whole

ROOT: Final = Path(__file__).parent.parent.parent
MATCHES: Final = 16
WORKERS: Final = 2


async def play(services: Services, account: str, number: int) -> UUID:
    """A match of the account against bots, with every move made here."""
    made = await services.tables.create(
        account,
        f"a key for match {number:04d}",
        game="hearts",
        options={"players": 3, "target_score": 1},
        seats=None,
        bots=(1, 2),
        visibility="public",
        digest=b"",
    )
    table = await services.tables.find(made.table, account)
    await services.tables.start(table, account, 1)
    toss = seeded_random(number)
    while True:
        await services.worker.bots.play(made.table)
        table = await services.access.current(made.table)
        if table.state.status == "finished":
            return made.table
        decision, game = table.state.decisions[0], table.codec.game
        if decision is not None:
            move = game.players.sample(view_of(game, table.state.game_state, 0), lambda n: int(toss() * n))
            await services.tables.move(table, account, decision, move)


def worker_of(settings: Settings) -> "subprocess.Popen[bytes]":
    environment = {**os.environ, **settings.environment(), "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "service.processes.process", "worker"]
    return subprocess.Popen(command, env=environment, cwd=ROOT, stderr=subprocess.DEVNULL)


async def killing(settings: Settings, rng: random.Random, done: asyncio.Event) -> int:
    """Run workers, kill each after a moment and start it again; how many were killed."""
    workers = [worker_of(settings) for _ in range(WORKERS)]
    killed = 0
    while not done.is_set():
        await asyncio.sleep(rng.uniform(0.3, 1.2))
        place = rng.randrange(WORKERS)
        workers[place].send_signal(signal.SIGKILL)
        workers[place].wait()
        killed += 1
        workers[place] = worker_of(settings)
    for worker in workers:
        worker.kill()
        worker.wait()
    return killed


async def test_workers_that_are_killed_lose_nothing_and_repeat_nothing(database_url: str, redis_url: str) -> None:
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")
    settings, rng, done = settings_for(database_url, redis_url), random.Random(seed), asyncio.Event()
    services = Services(settings)
    await services.open()
    account = (await services.accounts.create_guest("Ada", "a key for the account", "127.0.0.1")).id
    deaths = asyncio.create_task(killing(settings, rng, done))
    tables = [await play(services, str(account), number) for number in range(MATCHES)]
    await asyncio.sleep(4)  # they are killed while they catch up, too
    done.set()
    assert await deaths >= 3
    last = worker_of(settings)
    try:
        await asyncio.wait_for(counted(services, MATCHES), 60)
        await asyncio.sleep(1.5)
    finally:
        last.terminate()
        last.wait()
    assert sorted(then_tree_is_whole(database_url)) == sorted(tables)
    assert await services.transparency.check() is None
    await then_standings_are_those_of(services, str(account), tables)
    await services.close()


async def counted(services: Services, matches: int) -> None:
    """Return when so many matches are in the log and count."""
    while True:
        page, _ = await services.standings.page("hearts", None, 10)
        if sum(one.tally.matches for one in page) >= matches and await services.transparency_store.size() >= matches:
            return
        await asyncio.sleep(0.1)


async def then_standings_are_those_of(services: Services, account: str, tables: list[UUID]) -> None:
    """Hold what counts, in PostgreSQL and in Redis, against the results."""
    places: list[int] = []
    for table in tables:
        live: Any = await services.cache.get(table)
        places.append(live.codec.game.decider.outcome(live.state.game_state).places[0])
    expected = tuple(places.count(place) for place in range(1, 7))
    (stored,) = await services.standings_store.page("hearts", None, 10)
    copied = await services.standings._copy.page("hearts", None, 10)
    assert copied is not None
    assert (stored.player, stored.tally.places) == (account, expected)
    assert [(one.player, one.tally.places) for one in copied] == [(account, expected)]
