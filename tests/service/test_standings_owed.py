"""Workers that do not know the rules of a match leave its standings to one that does, and count the others."""

import asyncio
import random

import psycopg
import pytest

from domain.registry import CURRENT, GAMES
from tests.service.client import Player, choose_hearts, play_match, within
from tests.service.running import running_service, settings_for

SHORT = {"players": 3, "target_score": 1}


def matches_at(url: str, player: Player) -> list[int]:
    """How many matches of each game a process tells of a player."""
    statistics = player.http.get(f"{url}/v1/players/{player.id}").json()["statistics"]
    return [one["matches"] for one in statistics]


async def test_matches_by_unknown_rules_are_left_to_a_newer_worker(
    database_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(database_url, redis_url)
    with running_service(settings, worker=False) as first, running_service(settings, worker=False) as second:
        people = [Player(url, name) for url, name in ((first, "Ada"), (second, "Ben"), (first, "Cleo"))]
        tables = [people[0].create("hearts", options=SHORT) for _ in range(3)]
        for table in tables:
            for guest in people[1:]:
                guest.sit(table)
            people[0].start(table)
            view = await asyncio.to_thread(play_match, people, table, choose_hearts, random.Random(1))
            assert view["status"] == "finished"
    with psycopg.connect(settings.database_dsn, autocommit=True) as connection:
        connection.execute("alter table events disable trigger never_changed")
        connection.execute("update events set rules = 'hearts/98' where stream = %s", (tables[1],))
    with running_service(settings) as first, running_service(settings) as second:
        # given: two workers that do not know these rules count from the start
        def everywhere(count: int) -> bool:
            return all(matches_at(url, person) == [count] for url in (first, second) for person in people)

        assert await asyncio.to_thread(within, 20, lambda: everywhere(2))
        await asyncio.sleep(1.5)
        assert everywhere(2)
        # when: they learn them
        monkeypatch.setitem(GAMES, "hearts/98", CURRENT["hearts"])
        # then: it counts once
        assert await asyncio.to_thread(within, 20, lambda: everywhere(3))
        await asyncio.sleep(1.5)
        assert everywhere(3)
        Player.close_all()
    with psycopg.connect(settings.database_dsn) as connection:
        assert connection.execute("select count(*) from standings_owed").fetchone() == (0,)
