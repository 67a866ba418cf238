"""Standings in PostgreSQL: every part of the feed counts once, whoever reads it and however often."""

import asyncio
from contextlib import AsyncExitStack
from uuid import UUID, uuid4

import pytest

from domain.standings import Tally
from service.store.database import Database
from service.store.log import Log
from service.store.standings import PROJECTION, Place, Standing, StandingsStore
from tests.service.store.opened import opened_database

ADA, BEN, CLEO = (str(UUID(int=number + 1)) for number in range(3))


@pytest.fixture
def store(database: Database) -> StandingsStore:
    return StandingsStore(database)


def places(*counts: int, left: int = 0) -> Tally:
    return Tally((*counts, *[0] * (6 - len(counts))), left)


def hearts(player: str, *counts: int, left: int = 0) -> Standing:
    return Standing("hearts", player, places(*counts, left=left))


async def test_changes_add_up_and_the_checkpoint_moves_with_them(store: StandingsStore, log: Log) -> None:
    assert await store.apply(1, {}, {7: 3}, [hearts(ADA, 1), hearts(BEN, 0, 1, left=1)])
    assert await store.apply(1, {7: 3}, {7: 4, 9: 1}, [hearts(ADA, 0, 0, 1)])
    assert await store.page("hearts", None, 10) == [hearts(ADA, 1, 0, 1), hearts(BEN, 0, 1, left=1)]
    assert await store.page("romme", None, 10) == []
    assert await log.checkpoint(PROJECTION, 1) == {7: 4, 9: 1}


async def test_what_was_read_already_does_not_count_again(store: StandingsStore, log: Log) -> None:
    assert await store.apply(1, {}, {7: 3}, [hearts(ADA, 1)])
    for before in ({}, {7: 2}, {7: 4}):
        assert not await store.apply(1, before, {7: 5}, [hearts(ADA, 1)])
    assert not await store.apply(1, {}, {7: 3, 8: 1}, [hearts(ADA, 1)])
    assert not await store.apply(99, {}, {8: 1}, [hearts(ADA, 1)])
    assert await store.page("hearts", None, 10) == [hearts(ADA, 1)]
    assert await log.checkpoint(PROJECTION, 1) == {7: 3}


async def test_of_many_workers_with_the_same_part_one_counts_it(store: StandingsStore, database_url: str) -> None:
    async with AsyncExitStack() as stack:
        processes = [await stack.enter_async_context(opened_database(database_url)) for _ in range(3)]
        for position in range(1, 21):
            tries = [
                each.apply(1, {7: position - 1}, {7: position}, [hearts(ADA, 1), hearts(BEN, 0, 1)])
                for each in (store, *map(StandingsStore, processes))
            ]
            assert sorted(await asyncio.gather(*tries)) == [False, False, False, True]
    assert await store.page("hearts", None, 10) == [hearts(ADA, 20), hearts(BEN, 0, 20)]


async def test_a_match_that_is_taken_back_leaves_nobody_behind(store: StandingsStore) -> None:
    await store.apply(1, {}, {7: 1}, [hearts(ADA, 1), hearts(BEN, 0, 1)])
    await store.apply(1, {7: 1}, {7: 2}, [hearts(ADA, -1), hearts(BEN, 0, -1)])
    assert await store.page("hearts", None, 10) == []
    assert await store.of_player(UUID(ADA)) == []
    assert [one for _, one in await store.changed(1, 0, 10)] == [hearts(ADA, 0), hearts(BEN, 0)]


async def test_pages_follow_each_other_in_order_without_gaps(store: StandingsStore) -> None:
    players = [str(uuid4()) for _ in range(25)]
    given = [hearts(player, number % 4, number % 3, number % 5) for number, player in enumerate(players)]
    await store.apply(1, {}, {1: 1}, given)
    seen: list[Standing] = []
    after: Place | None = None
    while page := await store.page("hearts", after, 4):
        seen += page
        last = page[-1]
        after = Place(last.tally.places[0], last.tally.average_thousandths, last.player)
    expected = [one for one in given if one.tally.matches]
    expected.sort(key=lambda one: (-one.tally.places[0], one.tally.average_thousandths, one.player))
    assert seen == expected


async def test_changes_are_numbered_without_gaps_each_standing_under_its_last(store: StandingsStore) -> None:
    await store.apply(1, {}, {1: 1}, [hearts(ADA, 1), hearts(BEN, 0, 1)])
    await store.apply(1, {1: 1}, {1: 2}, [hearts(CLEO, 1), hearts(ADA, 1)])
    changed = await store.changed(1, 0, 10)
    assert [(number, one.player) for number, one in changed] == [(2, BEN), (3, CLEO), (4, ADA)]
    assert await store.changed(1, 3, 10) == [(4, hearts(ADA, 2))]


async def test_a_new_generation_is_read_once_it_is_ready(store: StandingsStore, log: Log) -> None:
    await store.apply(1, {}, {1: 1}, [hearts(ADA, 1)])
    generation = await store.begin()
    assert (generation, await store.generation()) == (2, 1)
    await store.apply(generation, {}, {1: 1}, [hearts(BEN, 1)])
    assert await store.page("hearts", None, 10) == [hearts(ADA, 1)]
    await store.switch(generation)
    assert await store.generation() == 2
    assert await store.page("hearts", None, 10) == [hearts(BEN, 1)]
    assert not await store.apply(1, {1: 1}, {1: 2}, [hearts(ADA, 1)])
    assert await log.checkpoint(PROJECTION, 1) == {}
    assert await log.checkpoint(PROJECTION, 2) == {1: 1}
