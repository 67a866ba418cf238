"""PostgreSQL is put back to an earlier point beside an unchanged Redis: views, moves, bots and audit are right."""

import asyncio
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import psycopg
import pytest
from msgspec import structs
from redis import Redis

from service.composition import Services, opened
from service.embedded import EmbeddedServers, embedded_servers
from service.processes.doctor import examine
from service.records.audit import Damage
from service.runtime.settings import Settings
from service.store.incarnation import IncarnationStore
from service.store.migrations import migrate
from tests.service.client import Player, choose_hearts, in_log, play_match
from tests.service.running import running_service, settings_for
from tests.service.store.opened import opened_database

ROOT: Final = Path(__file__).parent.parent.parent
NOTED_SECONDS: Final = 1.5
"""In this time every process has looked at the log, and Redis knows how far it is."""


@pytest.fixture
def own_servers(tmp_path: Path) -> Iterator[EmbeddedServers]:
    """Servers of this test alone, which it stops."""
    with embedded_servers(tmp_path / "data", durable=False) as servers:
        migrate(servers.database_url)
        yield servers
        Player.close_all()


class Past:
    """A copy of the database as it was."""

    def __init__(self, servers: EmbeddedServers) -> None:
        self._servers = servers
        self._copy = servers.folder / "copy"
        self._stopped(lambda home: self._replace(home, self._copy))

    def restore(self) -> None:
        """Put the copy back."""
        self._stopped(lambda home: self._replace(self._copy, home))

    def _stopped(self, act: Callable[[Path], None]) -> None:
        self._servers.postgres.stop()
        act(self._servers.postgres.home)
        self._servers.postgres.start()

    @staticmethod
    def _replace(source: Path, target: Path) -> None:
        shutil.rmtree(target, ignore_errors=True)
        subprocess.run(("cp", "-a", str(source), str(target)), check=True)


def settings_of(servers: EmbeddedServers) -> Settings:
    return settings_for(servers.database_url, servers.redis_url)


def at(url: str, player: Player) -> Player:
    """The same account at another process; needs no write."""
    moved = Player.__new__(Player)
    moved.http = type(player.http)(base_url=url, timeout=30)
    Player._opened.append(moved.http)
    moved.http.headers["Authorization"] = f"Bearer {player.token}"
    moved.id, moved.token = player.id, player.token
    return moved


def eventually(check: Callable[[], bool], seconds: float = 15) -> None:
    until = time.monotonic() + seconds
    while not check():
        assert time.monotonic() < until
        time.sleep(0.05)


def waiting_view(player: Player, table: str) -> dict[str, Any]:
    """The view once the bots wait for the player."""
    seen: list[dict[str, Any]] = []

    def waits() -> bool:
        seen.append(player.view(table))
        return seen[-1]["you"]["decision"] is not None and len(seen[-1]["to_act"]) == 1

    eventually(waits)
    return seen[-1]


def played(player: Player, table: str, moves: int, seed: int) -> dict[str, Any]:
    for _ in range(moves):
        view = waiting_view(player, table)
        made = player.move(table, view["you"]["decision"], choose_hearts(view, random.Random(seed)))
        assert made.status_code == 200, made.text
    return waiting_view(player, table)


def given_table(player: Player) -> str:
    table = player.create("hearts", bots=[1, 2], options={"players": 3, "target_score": 1})
    player.start(table)
    return table


def last_version(settings: Settings, table: str) -> int:
    with psycopg.connect(settings.database_dsn) as connection:
        row = connection.execute("select max(version) from events where stream = %s", (table,)).fetchone()
    assert row is not None
    return int(row[0])


def shown_version(settings: Settings, table: str) -> int:
    with Redis.from_url(settings.redis_dsn) as redis:
        return max((int(redis.hget(key, "version") or 0) for key in redis.keys(f"bw:*:1:{{{table}}}")), default=0)


def damages(settings: Settings) -> list[Damage]:
    async def audited() -> list[Damage]:
        services = Services(settings)
        await services.open()
        try:
            found: list[Damage] = []
            await services.audit.check_all(lambda _: None, found.append)
            return found
        finally:
            await services.close()

    return asyncio.run(audited())


async def first_look(settings: Settings, table: str, player: Player) -> int:
    """The version that a process tells which has only just been started."""
    async with opened(settings) as services:
        seen = await services.views.see(UUID(table), player.id, ())
        assert seen is not None
        return seen.version


def doctor_says(settings: Settings) -> str:
    """What `blattwerk doctor` says of the log."""
    (found,) = [finding for finding in asyncio.run(examine(settings)) if finding.about == "log"]
    return found.detail


def metric(settings: Settings, player: Player, name: str) -> float:
    async def token() -> str:
        services = Services(settings)
        await services.open()
        try:
            return (await services.accounts.create_with_role("operator", "operator")).token
        finally:
            await services.close()

    headers = {"Authorization": f"Bearer {asyncio.run(token())}"}
    lines = player.http.get("/metrics", headers=headers).text.splitlines()
    (line,) = [line for line in lines if line.startswith(name + "{")]
    return float(line.split()[-1])


def test_after_a_restore_while_the_service_was_stopped_everybody_sees_the_log(own_servers: EmbeddedServers) -> None:
    settings = settings_of(own_servers)
    with running_service(settings) as url:
        ada = Player(url, "Ada")
        table = given_table(ada)
        before = played(ada, table, 2, 1)
    past = Past(own_servers)
    with running_service(settings) as url:
        later = played(at(url, ada), table, 4, 2)
        lost = given_table(at(url, ada))
        assert later["version"] > before["version"]
        time.sleep(NOTED_SECONDS)
    past.restore()
    assert asyncio.run(first_look(settings, table, ada)) == before["version"], "the first view is of the log"
    assert shown_version(settings, table) == later["version"], "and Redis is as it was"
    with running_service(settings) as first, running_service(settings) as second:
        for url in (first, second):
            seen = at(url, ada).view(table)
            assert (seen["version"], seen["you"]) == (before["version"], before["you"])
            assert at(url, ada).http.get(f"/v1/tables/{lost}").status_code == 404
            listed = at(url, ada).http.get("/v1/tables", params={"status": "running"}).json()["items"]
            assert [(item["table"], item["version"]) for item in listed if "version" in item] in (
                [],
                [(table, before["version"])],
            )
            assert [item["table"] for item in listed] == [table]
            assert at(url, ada).http.get("/readyz").json()["log"] == "restored"
        assert metric(settings, at(first, ada), "blattwerk_log_restored_timestamp_seconds") > time.time() - 60
        again = played(at(first, ada), table, 1, 3)
        eventually(lambda: shown_version(settings, table) == last_version(settings, table) == again["version"])
        eventually(lambda: at(first, ada).http.get("/readyz").json()["views"] == "ok")
        view = play_match([at(first, ada), at(second, ada)][:1], table, choose_hearts, random.Random(4))
        assert view["status"] == "finished"
        eventually(lambda: shown_version(settings, table) == last_version(settings, table) == view["version"])
        assert at(second, ada).view(table)["version"] == view["version"]
        assert at(first, ada).http.get("/readyz").json()["log"] == "restored"
        assert in_log(at(first, ada), table)
    assert damages(settings) == []


def test_a_restore_beneath_the_running_service_is_noticed(own_servers: EmbeddedServers) -> None:
    settings = settings_of(own_servers)
    with running_service(settings) as url:
        ada = Player(url, "Ada")
        table = given_table(ada)
        before = played(ada, table, 2, 1)
    past = Past(own_servers)
    with running_service(settings) as first, running_service(settings) as second:
        later = played(at(first, ada), table, 4, 2)
        assert at(second, ada).view(table)["version"] == later["version"]
        assert at(first, ada).http.get("/readyz").json()["log"] == "ok"
        time.sleep(NOTED_SECONDS)
        past.restore()
        for url in (first, second):
            eventually(lambda url=url: at(url, ada).view(table)["version"] == before["version"])  # type: ignore[misc]
        view = play_match([at(second, ada)], table, choose_hearts, random.Random(5))
        assert view["status"] == "finished"
        assert in_log(at(first, ada), table)
        eventually(lambda: shown_version(settings, table) == last_version(settings, table) == view["version"])
        for url in (first, second):
            assert at(url, ada).view(table)["version"] == view["version"]
            assert at(url, ada).http.get("/readyz").json()["log"] == "restored"
    assert damages(settings) == []


def test_while_a_signed_checkpoint_is_lost_nothing_is_written(own_servers: EmbeddedServers) -> None:
    settings = settings_of(own_servers)
    with running_service(settings) as url:
        ada = Player(url, "Ada")
        table = given_table(ada)
        before = played(ada, table, 1, 1)
    past = Past(own_servers)
    with running_service(settings) as url:
        play_match([at(url, ada)], table, choose_hearts, random.Random(2))
        assert in_log(at(url, ada), table)  # with a signed checkpoint
        time.sleep(NOTED_SECONDS)
    past.restore()
    with running_service(settings) as first, running_service(settings) as second:
        for url in (first, second):
            mine = at(url, ada)
            assert mine.view(table)["version"] == before["version"]
            answers = [
                mine.move(table, before["you"]["decision"], choose_hearts(before, random.Random(3))),
                mine.post("/v1/players", {"name": "Ben"}, keyed=True),
                mine.post("/v1/tables", {"game": "hearts", "bots": [1, 2, 3]}, keyed=True),
                mine.http.patch("/v1/me", json={"name": "Ada L."}),
            ]
            for answer in answers:
                assert (answer.status_code, answer.json()["code"]) == (503, "log_went_back"), answer.text
                assert answer.json()["retry"] is False
                assert "Retry-After" not in answer.headers
            reads = ["/v1/me", "/v1/tables", f"/v1/tables/{table}/events", "/v1/log/checkpoint", "/v1/games"]
            assert {mine.http.get(path).status_code for path in reads} == {200}
            ready = mine.http.get("/readyz")
            assert (ready.status_code, ready.json()["status"], ready.json()["log"]) == (200, "degraded", "went_back")
        assert last_version(settings, table) == before["version"]
        assert metric(settings, at(first, ada), "blattwerk_log_went_back") == 1
        assert "log_went_back" in doctor_says(settings)
        command = (sys.executable, "-m", "service.cli", "log", "accept-loss")
        environment = settings.environment() | {"PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        assert done.stdout == "Accepted: a checkpoint over 1 matches was signed; the log has 0.\n"
        for url in (first, second):
            eventually(lambda url=url: at(url, ada).http.get("/readyz").json()["log"] == "restored")  # type: ignore[misc]
        view = play_match([at(first, ada)], table, choose_hearts, random.Random(6))
        assert view["status"] == "finished"
        assert in_log(at(second, ada), table)
        time.sleep(NOTED_SECONDS)
        assert metric(settings, at(first, ada), "blattwerk_log_went_back") == 0
        assert "restored or replaced at 2" in doctor_says(settings)
        again = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
        assert again.stdout == "Nothing was lost.\n"
    assert damages(settings) == []


async def test_another_timeline_or_server_is_another_log_though_nothing_known_is_missing(database_url: str) -> None:
    """A promotion may have lost the commits of the last second, which nobody has noted yet."""
    async with opened_database(database_url) as database:
        store = IncarnationStore(database)
        present = await store.present()
        assert present is not None
        assert await store.continues(present, present)
        assert not await store.continues(present, structs.replace(present, timeline=present.timeline + 1))
        assert not await store.continues(present, structs.replace(present, system="7" * 19))
