"""New names reach views and lists within two seconds, erased ones leave them, and nobody else is held up by it."""

import random
import threading
import time
from collections.abc import Iterable, Iterator, Mapping

import pytest
from redis import Redis

from service.accounts.public_names import PublicNames
from service.runtime.settings import Settings
from tests.service.client import Player, choose_hearts, within
from tests.service.running import rebuild, running_service, settings_for

SECONDS = 2.0


@pytest.fixture(scope="module")
def settings(module_database_url: str, module_redis_url: str) -> Settings:
    return settings_for(module_database_url, module_redis_url)


@pytest.fixture(scope="module")
def urls(settings: Settings) -> Iterator[tuple[str, str]]:
    """Two processes of the API, each with a worker."""
    with running_service(settings) as first, running_service(settings) as second:
        yield first, second
        Player.close_all()


@pytest.fixture
def redis(module_redis_url: str) -> Iterator[Redis]:
    with Redis.from_url(module_redis_url) as connection:
        yield connection


def said_in(redis: Redis, text: str) -> list[bytes]:
    """The tables whose views or entries in lists have this text."""
    keys = [key for key in redis.scan_iter("*{*}*") if redis.type(key) == b"hash"]
    return [key for key in keys if any(text.encode() in field for field in redis.hvals(key))]


def listed_name(player: Player, url: str, table: str) -> str | None:
    items = player.http.get(f"{url}/v1/tables", params={"status": "lobby", "limit": 100}).json()["items"]
    (name,) = [item["seats"][0]["name"] for item in items if item["table"] == table]
    assert name is None or isinstance(name, str)
    return name


def test_a_new_name_is_in_views_and_lists_of_all_processes(urls: tuple[str, str], redis: Redis) -> None:
    here, there = urls
    ada, ben = Player(here, "Ada Byron"), Player(there, "Ben")
    table, private = ada.create("hearts"), ada.create("romme", seats=2, visibility="private")
    ben.sit(table)
    for name in ('"Ada" \\ King', "Äda 🂱", "Ada Lovelace"):
        assert ada.http.patch("/v1/me", json={"name": name}).json()["name"] == name
        assert within(SECONDS, lambda name=name: ben.view(table)["seats"][0]["name"] == name)  # type: ignore[misc]
        assert within(SECONDS, lambda name=name: ada.view(private)["seats"][0]["name"] == name)  # type: ignore[misc]
        assert within(SECONDS, lambda name=name: listed_name(ben, there, table) == name)  # type: ignore[misc]
    assert said_in(redis, "Byron") == []


async def test_names_that_were_rewritten_equal_a_rebuild(urls: tuple[str, str], settings: Settings) -> None:
    ada, ben = Player(urls[0], "Ada 1"), Player(urls[1], "Ben")
    table = ada.create("hearts", bots=[2, 3])
    ben.sit(table)
    ada.start(table)
    ada.http.patch("/v1/me", json={"name": "Ada 2"})
    ben.http.delete("/v1/me")
    assert within(SECONDS, lambda: ada.view(table)["seats"][1]["kind"] == "bot")
    assert within(SECONDS, lambda: ada.view(table)["seats"][0]["name"] == "Ada 2")
    view, items = ada.http.get(f"/v1/tables/{table}"), ada.http.get("/v1/tables", params={"status": "lobby"})
    await rebuild(settings)
    again = ada.http.get(f"/v1/tables/{table}")
    if again.json()["version"] == view.json()["version"]:  # bots may have moved meanwhile
        assert (again.content, again.headers["ETag"]) == (view.content, view.headers["ETag"])
    assert again.json()["seats"][0] == view.json()["seats"][0]
    assert ada.http.get("/v1/tables", params={"status": "lobby"}).content == items.content


def test_an_erased_name_is_nowhere_two_seconds_later_and_bots_take_the_seats(
    urls: tuple[str, str], redis: Redis
) -> None:
    ada, ben = Player(urls[0], "Ada Ephemera"), Player(urls[1], "Ben")
    tables = [ada.create("hearts", bots=[2, 3]) for _ in range(10)]
    for table in tables:
        ben.sit(table)
        ada.start(table)
    lobby = ada.create("hearts")
    assert said_in(redis, "Ephemera")
    assert ada.http.delete("/v1/me").status_code == 204
    assert within(SECONDS, lambda: said_in(redis, "Ephemera") == [])
    assert within(10, lambda: all(ben.view(table)["seats"][0]["kind"] == "bot" for table in tables))
    assert within(10, lambda: ben.view(lobby)["status"] == "closed")
    assert said_in(redis, "Ephemera") == []


def test_a_view_that_was_written_with_the_name_before_is_written_over(urls: tuple[str, str], redis: Redis) -> None:
    """A process that has not heard of the change yet writes after the worker did."""
    ada = Player(urls[0], "Ada Before")
    table = ada.create("hearts")
    (key,) = said_in(redis, "Ada Before")
    fields = ("names", "public", "summary")
    before = dict(zip(fields, redis.hmget(key, fields), strict=True))
    ada.http.patch("/v1/me", json={"name": "Ada After"})
    assert within(SECONDS, lambda: ada.view(table)["seats"][0]["name"] == "Ada After")
    redis.hset(key, mapping=before)  # type: ignore[arg-type]
    assert ada.view(table)["seats"][0]["name"] == "Ada Before"
    assert within(SECONDS, lambda: ada.view(table)["seats"][0]["name"] == "Ada After")
    assert said_in(redis, "Ada Before") == []


def test_an_account_with_400_tables_is_renamed_everywhere_also_while_redis_hangs(
    urls: tuple[str, str], redis: Redis
) -> None:
    ada = Player(urls[0], "Ada Many")
    for _ in range(400):
        ada.create("hearts")
    begun = time.monotonic()
    assert ada.http.patch("/v1/me", json={"name": "Ada Moved"}).status_code == 200
    assert time.monotonic() - begun < 1
    assert within(SECONDS, lambda: said_in(redis, "Ada Many") == [])
    assert len(said_in(redis, "Ada Moved")) == 400
    redis.client_pause(3000)
    begun = time.monotonic()
    assert ada.http.patch("/v1/me", json={"name": "Ada Paused"}).status_code == 200
    assert time.monotonic() - begun < 5
    redis.ping()  # it answers again
    assert within(SECONDS, lambda: said_in(redis, "Ada Moved") == [])
    assert len(said_in(redis, "Ada Paused")) == 400
    assert ada.http.delete("/v1/me").status_code == 204
    assert within(SECONDS, lambda: said_in(redis, "Ada Paused") == [])


def test_guests_who_rename_themselves_in_a_loop_hold_up_nobody_else(
    urls: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there = urls
    asked: list[set[str]] = []
    names_of = PublicNames.names_of

    async def noted(names: PublicNames, players: Iterable[str]) -> Mapping[str, str]:
        asked.append(set(players))
        return await names_of(names, asked[-1])

    monkeypatch.setattr(PublicNames, "names_of", noted)
    ada, guests = Player(here, "Ada"), [Player(there, f"Guest {number}") for number in range(8)]
    table = ada.create("hearts", options={"players": 3, "target_score": 1}, bots=[1, 2])
    ada.start(table)
    for guest in guests:
        guest.create("hearts")
    over = threading.Event()
    renamed: list[int] = []

    def rename(guest: Player) -> None:
        count = 0
        while not over.is_set():
            assert guest.http.patch("/v1/me", json={"name": f"Guest {count}"}).status_code == 200
            count += 1
        renamed.append(count)

    threads = [threading.Thread(target=rename, args=(guest,)) for guest in guests]
    for thread in threads:
        thread.start()
    slowest, moves = 0.0, 0
    try:
        rng, until = random.Random(7), time.monotonic() + 30
        while moves < 15 and time.monotonic() < until:
            view = ada.view(table)
            if view["you"]["decision"] is None:
                time.sleep(0.01)
                continue
            begun = time.monotonic()
            assert ada.move(table, view["you"]["decision"], choose_hearts(view, rng)).status_code == 200
            slowest, moves = max(slowest, time.monotonic() - begun), moves + 1
            if ada.view(table)["status"] == "finished":
                break
    finally:
        over.set()
        for thread in threads:
            thread.join()
    assert len(renamed) == 8
    assert moves >= 10
    assert slowest < 2, renamed
    mine = sum(ada.id in players for players in asked)
    assert mine < moves, "no rename of others makes moves ask for names again"


def test_names_follow_when_redis_has_hung(urls: tuple[str, str], redis: Redis) -> None:
    ada, ben, cleo = Player(urls[0], "Ada Hung"), Player(urls[0], "Ben Hung"), Player(urls[1], "Cleo")
    tables = [ada.create("hearts"), ben.create("hearts", bots=[2, 3])]
    cleo.sit(tables[1])
    ben.start(tables[1])
    assert within(SECONDS, lambda: len(said_in(redis, " Hung")) == 2)
    redis.client_pause(6000)
    begun = time.monotonic()
    assert ada.http.patch("/v1/me", json={"name": "Ada Free"}).json()["name"] == "Ada Free"
    assert time.monotonic() - begun < 5
    assert ben.http.delete("/v1/me").status_code == 204, "once no process takes its tokens any more"
    assert time.monotonic() - begun < 10
    redis.ping()  # it answers again
    assert within(SECONDS, lambda: said_in(redis, " Hung") == [])
    assert cleo.view(tables[0])["seats"][0]["name"] == "Ada Free"
    assert within(10, lambda: cleo.view(tables[1])["seats"][0]["kind"] == "bot")
