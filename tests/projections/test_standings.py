"""The copy of standings in Redis: it follows change by change, and never shows half of itself."""

from collections.abc import AsyncIterator
from uuid import UUID

import pytest
from redis import Redis

from domain.standings import Tally
from projections.redis_connection import connect
from projections.redis_store import RedisStore
from projections.standings import Copied, Ranked, StandingsCopy, place_of

ADA, BEN, CLEO = (str(UUID(int=number + 1)) for number in range(3))


def ranked(player: str, *counts: int, left: int = 0) -> Ranked:
    return Ranked(player, Tally((*counts, *[0] * (6 - len(counts))), left))


@pytest.fixture
async def store(redis_url: str) -> AsyncIterator[RedisStore]:
    store = RedisStore(connect(redis_url))
    await store.open("test")
    yield store
    await store.close()


@pytest.fixture
def copy(store: RedisStore) -> StandingsCopy:
    return store.standings


def hearts(*standings: Ranked) -> list[tuple[str, Ranked]]:
    return [("hearts", one) for one in standings]


async def test_a_copy_shows_nothing_before_it_is_complete(copy: StandingsCopy) -> None:
    assert await copy.copied() is None
    assert await copy.page("hearts", None, 10) is None
    assert await copy.of_player(ADA) is None
    half = Copied(1, 5, False)
    assert await copy.copy(None, half, hearts(ranked(ADA, 1)))
    assert await copy.copied() == half
    assert await copy.page("hearts", None, 10) is None
    assert await copy.of_player(ADA) is None
    assert await copy.copy(half, Copied(1, 6, True), hearts(ranked(BEN, 0, 1, left=1)))
    assert await copy.page("hearts", None, 10) == [ranked(ADA, 1), ranked(BEN, 0, 1, left=1)]
    assert await copy.of_player(BEN) == [("hearts", ranked(BEN, 0, 1, left=1))]
    assert await copy.page("romme", None, 10) == []
    assert await copy.of_player(CLEO) == []


async def test_changes_move_players_and_take_them_away(copy: StandingsCopy) -> None:
    at = Copied(1, 2, True)
    await copy.copy(None, at, hearts(ranked(ADA, 1), ranked(BEN, 0, 1)))
    then = Copied(1, 4, True)
    assert await copy.copy(at, then, hearts(ranked(BEN, 2, 1), ranked(ADA, 0)))
    assert await copy.page("hearts", None, 10) == [ranked(BEN, 2, 1)]
    assert await copy.of_player(ADA) == []


async def test_what_was_copied_already_or_elsewhere_is_refused(copy: StandingsCopy) -> None:
    at = Copied(1, 2, True)
    assert await copy.copy(None, at, hearts(ranked(ADA, 1)))
    assert not await copy.copy(None, at, hearts(ranked(ADA, 9)))
    assert not await copy.copy(Copied(1, 1, True), Copied(1, 3, True), hearts(ranked(ADA, 9)))
    assert not await copy.copy(Copied(1, 3, True), Copied(1, 4, True), hearts(ranked(ADA, 9)))
    assert await copy.page("hearts", None, 10) == [ranked(ADA, 1)]


async def test_a_newer_generation_begins_anew_and_an_older_one_is_refused(copy: StandingsCopy) -> None:
    await copy.copy(None, Copied(1, 2, True), hearts(ranked(ADA, 1)))
    assert await copy.copy(None, Copied(2, 1, True), hearts(ranked(BEN, 1)))
    assert await copy.page("hearts", None, 10) == [ranked(BEN, 1)]
    assert not await copy.copy(None, Copied(1, 3, True), hearts(ranked(ADA, 1)))
    assert await copy.page("hearts", None, 10) == [ranked(BEN, 1)]


async def test_a_copy_of_nothing_grows(copy: StandingsCopy) -> None:
    empty = Copied(1, 0, True)
    assert await copy.copy(None, empty, [])
    assert await copy.page("hearts", None, 10) == []
    assert await copy.copy(empty, Copied(1, 1, True), hearts(ranked(ADA, 1)))
    assert await copy.page("hearts", None, 10) == [ranked(ADA, 1)]


@pytest.mark.parametrize("lost", [("at",), ("hearts",), ("hearts:list",), ("hearts", "hearts:list")], ids=str)
async def test_a_copy_of_which_something_was_evicted_is_not_read(
    copy: StandingsCopy, redis_url: str, lost: tuple[str, ...]
) -> None:
    await copy.copy(None, Copied(1, 1, True), hearts(ranked(ADA, 1)))
    with Redis.from_url(redis_url) as connection:
        assert connection.delete(*(f"bw:test:1:{{standings}}:{name}" for name in lost)) == len(lost)
    assert await copy.page("hearts", None, 10) is None
    assert await copy.of_player(ADA) is None
    assert await copy.copied() is None
    assert await copy.copy(None, Copied(1, 1, True), hearts(ranked(ADA, 1)))
    assert await copy.page("hearts", None, 10) == [ranked(ADA, 1)]


async def test_pages_follow_each_other(copy: StandingsCopy) -> None:
    standings = [ranked(str(UUID(int=number)), number % 3, 1 + number % 2) for number in range(1, 20)]
    await copy.copy(None, Copied(1, 19, True), hearts(*standings))
    seen: list[Ranked] = []
    after = None
    while page := await copy.page("hearts", after, 4):
        seen += page
        after = place_of(page[-1].tally.places[0], page[-1].tally.average_thousandths, page[-1].player)
    standings.sort(key=lambda one: (-one.tally.places[0], one.tally.average_thousandths, one.player))
    assert seen == standings


async def test_generations_of_redis_are_apart(copy: StandingsCopy) -> None:
    await copy.copy(None, Copied(1, 1, True), hearts(ranked(ADA, 1)))
    await copy.copy(None, Copied(1, 1, True), hearts(ranked(BEN, 1)), 2)
    assert await copy.page("hearts", None, 10) == [ranked(ADA, 1)]
    assert await copy.copied(2) == Copied(1, 1, True)
