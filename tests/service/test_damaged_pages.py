"""Pages of the log that PostgreSQL itself cannot read: the damage stays with the tables whose events lie there."""

import asyncio
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psycopg
import pytest
from redis import Redis

from service.composition import opened
from service.embedded import EmbeddedServers, embedded_servers
from service.records.audit import Damage
from service.runtime.settings import Settings
from service.store.migrations import migrate
from tests.service.client import Player, choose_hearts, play_match
from tests.service.running import rebuild, running_service, settings_for
from tests.service.test_restored_log import at, eventually, waiting_view

PAGE_BYTES: Final = 8192
TABLES: Final = 6


@pytest.fixture
def own_servers(tmp_path: Path) -> Iterator[EmbeddedServers]:
    """Servers of this test alone, which it stops."""
    with embedded_servers(tmp_path / "data", durable=False) as servers:
        migrate(servers.database_url)
        yield servers
        Player.close_all()


def overwritten(servers: EmbeddedServers) -> set[str]:
    """Overwrite the pages with the events of one table; returns all tables that have events there."""
    with psycopg.connect(servers.database_url, autocommit=True) as connection:
        connection.execute("cluster events using events_version")
        rows = connection.execute(
            "select stream::text, (ctid::text::point)[0]::int from events order by ctid"
        ).fetchall()
        located = connection.execute("select pg_relation_filepath('events')").fetchone()
        connection.execute("checkpoint")
    assert located is not None
    pages = {page for stream, page in rows if stream == rows[0][0]}
    servers.postgres.stop()
    with (servers.postgres.home / located[0]).open("r+b") as file:
        for page in pages:
            file.seek(page * PAGE_BYTES)
            file.write(b"\xa5" * PAGE_BYTES)
    servers.postgres.start()
    return {stream for stream, page in rows if page in pages}


def damages(settings: Settings) -> set[str]:
    async def audited() -> set[str]:
        async with opened(settings) as services:
            found: list[Damage] = []
            await services.audit.check_all(lambda _: None, found.append)
            return {str(damage.table) for damage in found}

    return asyncio.run(audited())


def test_a_page_that_cannot_be_read_harms_nobody_else(own_servers: EmbeddedServers) -> None:
    settings = settings_for(own_servers.database_url, own_servers.redis_url)
    with running_service(settings) as url:
        ada = Player(url, "Ada")
        tables = [ada.create("hearts", options={"players": 3, "target_score": 1}, bots=[1, 2]) for _ in range(TABLES)]
        for table in tables:
            ada.start(table)
            waiting_view(ada, table)
    damaged = overwritten(own_servers)
    sound = set(tables) - damaged
    assert damaged
    assert sound
    with Redis.from_url(own_servers.redis_url) as redis:
        redis.flushall()
    with running_service(settings) as first, running_service(settings) as second:
        for url in (first, second):
            mine = at(url, ada)
            for table in damaged:
                seen = mine.http.get(f"/v1/tables/{table}")
                events = mine.http.get(f"/v1/tables/{table}/events")
                move = mine.move(table, 3, {"type": "play", "card": "2C"})
                for answer in (seen, events, move):
                    assert (answer.status_code, answer.json()["code"]) == (503, "table_damaged"), answer.text
                    assert answer.json()["retry"] is False
                    assert "Retry-After" not in answer.headers
            assert mine.http.get("/readyz").status_code == 200
        new = at(first, ada).create("hearts", options={"players": 3, "target_score": 1}, bots=[1, 2])
        at(second, ada).start(new)

        def listed() -> set[str]:
            items = at(second, ada).http.get("/v1/tables", params={"status": "running"}).json()["items"]
            return {item["table"] for item in items}

        eventually(lambda: listed() == {*sound, new})
        for table in (min(sound), new):
            view = play_match([at(first, ada)], table, choose_hearts, random.Random(1))
            assert view["status"] == "finished"
        counted = at(second, ada)
        eventually(lambda: counted.http.get(f"/v1/players/{ada.id}").json()["statistics"] != [])
        eventually(lambda: counted.http.get("/readyz").json()["owed_seconds"]["views"] == 0)
        asyncio.run(rebuild(settings))
        assert at(first, ada).view(new)["status"] == "finished"
        time.sleep(1.5)  # every process has looked at the log once more
        assert at(first, ada).http.get("/readyz").json()["log"] == "ok"
    assert damages(settings) == damaged
