"""A worker that does not know the rules of a match leaves its standings to one that does, and counts the others."""

import asyncio
import random
from uuid import UUID

import psycopg
import pytest

from domain.registry import CURRENT, GAMES
from service.composition import opened
from tests.service.client import Player, choose_hearts, play_match
from tests.service.running import running_service, settings_for

SHORT = {"players": 3, "target_score": 1}


async def test_matches_by_unknown_rules_are_left_to_a_newer_worker(
    database_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(database_url, redis_url)
    with running_service(settings) as url:
        ada = Player(url, "Ada")
        tables = [ada.create("hearts", options=SHORT, bots=[1, 2]) for _ in range(3)]
        for table in tables:
            ada.start(table)
            view = await asyncio.to_thread(play_match, [ada], table, choose_hearts, random.Random(1))
            assert view["status"] == "finished"
        Player.close_all()
    with psycopg.connect(settings.database_dsn, autocommit=True) as connection:
        connection.execute("alter table events disable trigger never_changed")
        connection.execute("update events set rules = 'hearts/99' where stream = %s", (tables[1],))
    async with opened(settings) as one, opened(settings) as other:
        # given: workers that do not know these rules count from the start
        generation = await one.standings_store.begin()
        while await one.standings.step(generation) == "more":
            pass
        await one.standings_store.switch(generation)
        await one.standings.pay(generation)
        (standing,) = await one.standings_store.of_player(UUID(ada.id))
        assert standing.tally.matches == 2
        # when: two workers know them
        monkeypatch.setitem(GAMES, "hearts/99", CURRENT["hearts"])
        await asyncio.gather(*[services.standings.pay(generation) for services in (one, other, one, other)])
        # then
        (standing,) = await one.standings_store.of_player(UUID(ada.id))
        assert standing.tally.matches == 3
        assert await one.standings_store.owed(generation, ["hearts/99"], 10) == []
