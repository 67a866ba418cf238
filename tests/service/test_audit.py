"""What the audit finds at tables whose match is still running."""

import asyncio
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import psycopg
import pytest

from service.composition import Services
from service.records.audit import Damage
from service.runtime.settings import Settings
from tests.service.client import Player, choose_hearts
from tests.service.running import settings_for


@pytest.fixture
def settings(module_database_url: str, module_redis_url: str) -> Settings:
    return settings_for(module_database_url, module_redis_url)


@pytest.fixture
def running(service_url: str) -> str:
    """A match of Hearts in its first round."""
    ada, ben = Player(service_url, "Ada"), Player(service_url, "Ben")
    table = ada.create("hearts", options={"players": 3}, bots=[2])
    ben.sit(table)
    ada.start(table)
    rng, until = random.Random(1), time.monotonic() + 60
    while (version := max(player.view(table)["version"] for player in (ada, ben))) < 12:
        assert time.monotonic() < until, version
        for player in (ada, ben):
            view = player.view(table)
            if view["you"]["decision"] is not None:
                assert player.move(table, view["you"]["decision"], choose_hearts(view, rng)).status_code == 200
    return table


def audited(settings: Settings, table: str) -> Damage | None:
    async def run() -> Damage | None:
        services = Services(settings)
        await services.open()
        try:
            return await services.audit.check_table(UUID(table))
        finally:
            await services.close()

    return asyncio.run(run())


@contextmanager
def changed(database_url: str, table: str, change: str) -> Iterator[None]:
    """The log with one row as somebody changed it who owns the disk."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("alter table events disable trigger never_changed")
        row = ("select sealed from events where stream = %s and version = 8", (table,))
        before = connection.execute(*row).fetchone()
        assert before is not None
        try:
            connection.execute(f"update events set sealed = {change} where stream = %s and version = 8", (table,))
            assert connection.execute(*row).fetchone() != before
            yield
        finally:
            connection.execute("update events set sealed = %s where stream = %s and version = 8", (*before, table))
            connection.execute("alter table events enable always trigger never_changed")


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ('replace(sealed, \'"move":{"type"\', \'"move":{"kind"\')', "event"),
        ('regexp_replace(sealed, \'"type":"[a-z_]*"\', \'"type":"nothing"\')', "event"),
        ("replace(sealed, '[],', '[ ],')", "seals"),
        ("left(sealed, -1)", "fold"),
    ],
)
def test_a_part_that_is_not_what_was_sealed_is_found(
    running: str, settings: Settings, module_database_url: str, change: str, kind: str
) -> None:
    assert audited(settings, running) is None
    with changed(module_database_url, running, change):
        damage = audited(settings, running)
    assert damage is not None
    assert (damage.kind, damage.version) == (kind, None if kind == "fold" else 8)
