"""Pages of events through a process that knows less of the table than its views show."""

import random
from collections.abc import Iterator
from typing import Any

import pytest

from service.runtime.settings import Settings
from tests.service.client import Player, choose_hearts, play_match
from tests.service.running import running_service, settings_for


@pytest.fixture(scope="module")
def settings(module_database_url: str, module_redis_url: str) -> Settings:
    return settings_for(module_database_url, module_redis_url)


@pytest.fixture(scope="module")
def urls(settings: Settings) -> Iterator[tuple[str, str]]:
    """Two processes of the API, each with a worker."""
    with running_service(settings) as first, running_service(settings) as second:
        yield first, second
        Player.close_all()


def page(url: str, player: Player, table: str, **query: int) -> dict[str, Any]:
    found = player.http.get(f"{url}/v1/tables/{table}/events", params=query)
    assert found.status_code == 200, found.text
    content: dict[str, Any] = found.json()
    return content


def viewed(url: str, player: Player, table: str) -> dict[str, Any]:
    content: dict[str, Any] = player.http.get(f"{url}/v1/tables/{table}").json()
    return content


def test_a_full_page_is_as_new_as_the_view_and_open_after_the_end(urls: tuple[str, str]) -> None:
    here, there = urls
    ada = Player(here, "Ada")
    table = ada.create("hearts", options={"players": 3, "target_score": 1}, bots=[1, 2])
    ada.start(table)
    begun = page(there, ada, table, after=0, limit=2)
    assert "order" not in str(begun["items"]), "the deal is hidden, and the other process has the table in memory"
    moved = ada.move(table, ada.view(table)["you"]["decision"], choose_hearts(ada.view(table), random.Random(1)))
    assert moved.status_code == 200
    told = viewed(there, ada, table)["version"]
    running = page(there, ada, table, after=0, limit=2)
    assert running["version"] >= told > begun["version"]
    assert running["next_after"] == 2
    empty = page(there, ada, table, after=10_000, limit=2)
    assert (empty["items"], empty["next_after"]) == ([], None)
    play_match([ada], table, choose_hearts, random.Random(2))
    view = viewed(there, ada, table)
    assert view["status"] == "finished"
    over = page(there, ada, table, after=0, limit=2)
    assert over["version"] == view["version"]
    deal = next(fact for event in over["items"] for fact in event["facts"] if fact["type"] == "round_dealt")
    assert len(deal["order"]) == 51
    last = page(there, ada, table, after=view["version"] - 2, limit=2)
    assert ([event["version"] for event in last["items"]][-1], last["next_after"]) == (view["version"], None)
