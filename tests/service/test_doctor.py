"""`blattwerk doctor` names everything that is wrong, in full."""

import asyncio
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psycopg
import pytest
from redis import Redis

from service.embedded import EmbeddedServers, embedded_servers
from service.processes import doctor
from service.processes.doctor import Finding, examine
from service.runtime.settings import Settings
from service.store.migrations import migrate
from tests.service.client import Player, within
from tests.service.running import running_service, settings_for

ROOT: Final = Path(__file__).parent.parent.parent


@pytest.fixture
def own_servers(tmp_path: Path) -> Iterator[EmbeddedServers]:
    """Servers of one test alone."""
    with embedded_servers(tmp_path / "data", durable=False) as servers:
        migrate(servers.database_url)
        yield servers
        Player.close_all()


def settings_of(servers: EmbeddedServers) -> Settings:
    return settings_for(servers.database_url, servers.redis_url)


async def found(settings: Settings) -> dict[str, Finding]:
    return {finding.about: finding for finding in await examine(settings)}


async def test_what_is_missing_is_named_in_full(own_servers: EmbeddedServers) -> None:
    assert all(finding.well for finding in (await found(settings_of(own_servers))).values()), "nothing was made yet"
    alone = settings_for("postgresql://blattwerk:hunter2@127.0.0.1:9/blattwerk", "redis://127.0.0.1:9/0")
    findings = await examine(alone)
    assert [finding.well for finding in findings] == [False, False, False]
    assert "127.0.0.1" in findings[1].detail
    assert not any("hunter2" in finding.detail for finding in findings)


async def test_what_is_owed_and_since_when(own_servers: EmbeddedServers, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = settings_of(own_servers)
    with running_service(settings) as url, Redis.from_url(own_servers.redis_url) as redis:
        ada = Player(url, "Ada")
        ada.create("hearts", bots=[1])
        assert within(5, lambda: redis.exists(*redis.keys("bw:*:checkpoint:views") or ["none"]) == 1)
        await asyncio.sleep(2)
        assert (await found(settings))["owed to Redis"] == Finding("owed to Redis", True, "nothing")
    with running_service(settings, worker=False) as url:
        Player(url, "Ben").create("hearts", bots=[1])
        await asyncio.sleep(1.2)
        owed = (await found(settings))["owed to Redis"]
        assert owed.well, "for a second"
        assert owed.detail.startswith("views since 2")
        monkeypatch.setattr(doctor, "OWED_SECONDS_MAX", 1.0)
        assert not (await found(settings))["owed to Redis"].well
    with Redis.from_url(own_servers.redis_url) as redis:
        redis.flushall()
    owed = (await found(settings))["owed to Redis"]
    assert (owed.well, owed.detail.partition(":")[0]) == (False, "not known of views")
    without = settings_for(own_servers.database_url, "redis://127.0.0.1:9/0")
    findings = await found(without)
    assert not findings["log"].well, "only Redis knows what was signed"
    assert not findings["owed to Redis"].well
    assert findings["tables"].well


def test_tables_that_cannot_be_read_are_named(own_servers: EmbeddedServers) -> None:
    settings = settings_of(own_servers)
    with running_service(settings) as url:
        ada = Player(url, "Ada")
        tables = [ada.create("hearts", bots=[1]) for _ in range(20)]
        closed = ada.create("hearts")
        ada.http.delete(f"/v1/tables/{closed}/seats/me")
        command = (sys.executable, "-m", "service.cli", "doctor")
        environment = settings.environment() | {"PYTHONPATH": str(ROOT)}
        time.sleep(2)
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "tables: ok, all 20 open tables can be read")
        with psycopg.connect(own_servers.database_url, autocommit=True) as connection:
            connection.execute("alter table events disable trigger never_changed")
            for change, table in (("rules = 'hearts/99'", tables[3]), ("sealed = left(sealed, -1)", tables[5])):
                connection.execute(f"update events set {change} where stream = %s", (table,))
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        named = f"{tables[5]} (table_damaged), {tables[3]} (rules_unknown)"
        line = f"tables: WRONG, 2 of all 20 open tables cannot be read: {named}; run blattwerk audit"
        assert (done.returncode, done.stdout.splitlines()[-1]) == (1, line)
