"""When bots answer: at a time that follows from the decision and the table's secret, however long they think."""

import asyncio
import time
from uuid import UUID

import psycopg
import pytest

from service.composition import Services
from service.jobs import bots as bots_module
from service.jobs.bots import THINKING_SECONDS, Bots, bots_to_act
from service.runtime.settings import Settings
from service.tables.live_table import LiveTable
from tests.service.client import Player, within
from tests.service.running import running_service, settings_for

PAUSE = 0.3


@pytest.fixture
def settings(database_url: str, redis_url: str) -> Settings:
    return settings_for(database_url, redis_url, bot_milliseconds=round(PAUSE * 1000))


def begun(url: str, pace: str, *, people: int = 1) -> tuple[Player, str]:
    """A match in which seat 3 and, beside one person, others are bots."""
    ada = Player(url, "Ada")
    made = ada.create("hearts", bots=list(range(people, 4)), bot_pace=pace)
    for name in ("Ben", "Cleo")[: people - 1]:
        Player(url, name).sit(made)
    ada.start(made)
    assert ada.view(made)["bot_pace"] == pace
    return ada, made


def waits(database_url: str, table: str) -> list[float]:
    """Seconds between the event that opened each decision of a bot and the answer."""
    sql = """select extract(epoch from a.received_at - o.received_at)::float8 from events a
      join events o on o.stream = a.stream and o.version = a.decision
      where a.stream = %s and a.actor > 0 order by a.version"""
    with psycopg.connect(database_url, autocommit=True) as connection:
        return [wait for (wait,) in connection.execute(sql, (table,))]


@pytest.mark.parametrize(("pace", "people", "least"), [("normal", 1, PAUSE), ("quick", 1, 0.05), ("quick", 2, PAUSE)])
def test_no_bot_answers_before_its_time(settings: Settings, pace: str, people: int, least: float) -> None:
    with running_service(settings) as url:
        ada, table = begun(url, pace, people=people)
        passed = ada.http.get(f"/v1/tables/{table}").json()
        assert within(20, lambda: len(waits(settings.database_dsn, table)) == 4 - people), passed
        Player.close_all()
    answered = waits(settings.database_dsn, table)
    assert min(answered) >= least - 0.001  # the log keeps whole milliseconds
    if least < PAUSE:
        assert min(answered) < PAUSE


async def test_thinking_does_not_move_the_time_and_is_told_if_it_takes_too_long(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_service(settings, worker=False) as url:
        ada, made = await asyncio.to_thread(begun, url, "normal")
        assert ada.view(made)["status"] == "running"
    services = Services(settings)
    await services.open()
    told = list[str]()
    try:
        monkeypatch.setattr(bots_module.logger, "warning", lambda event, **_: told.append(event), raising=False)
        table = await services.cache.get(UUID(made))
        assert table is not None
        quick = await planned(services.worker.bots, table)

        def slowly(table: LiveTable, seat: int, decision: int) -> int:
            time.sleep(THINKING_SECONDS + 0.01)
            return 7

        monkeypatch.setattr(bots_module, "bot_seed", slowly)
        slow = await planned(services.worker.bots, table)
    finally:
        await services.close()
    assert told == ["a bot thought for too long"] * 3
    assert slow.keys() == quick.keys()
    assert all(PAUSE <= due <= 1.5 * PAUSE + 0.1 for due in quick.values())
    assert all(abs(slow[bot] - due) < THINKING_SECONDS for bot, due in quick.items())
    assert len({round(due, 3) for due in quick.values()}) > 1, "each waits for a time of its own"


async def planned(bots: Bots, table: LiveTable) -> dict[tuple[int, int], float]:
    """Seconds from now until each bot answers."""
    begun = time.monotonic()
    plans = await bots._planned(table, {})
    assert plans.keys() == set(bots_to_act(table))
    return {bot: plan.due - begun for bot, plan in plans.items()}
