"""`GET /v1/me/tables`: the tables at which a player sits, what waits for him first."""

import asyncio
import random
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from redis import Redis

from projections.own_tables import own_table
from service.embedded import EmbeddedServers
from tests.projections.dumped import prefix_of
from tests.service.any_game import choose_any, choose_well
from tests.service.client import Player, play_match, within
from tests.service.disputing import end
from tests.service.running import rebuild, running_service, settings_for
from tests.service.test_tables_http import cards_to_pass, code_of


@pytest.fixture
def urls(database_url: str, redis_url: str) -> Iterator[tuple[str, str]]:
    """Two API processes' worth of service, one of them with a worker."""
    settings = settings_for(database_url, redis_url)
    with running_service(settings) as first, running_service(settings, worker=False) as second:
        yield first, second
        Player.close_all()


def mine(player: Player, url: str | None = None, **query: Any) -> dict[str, Any]:
    answer = player.http.get(f"{url or ''}/v1/me/tables", params=query)
    assert answer.status_code == 200, answer.text
    page: dict[str, Any] = answer.json()
    return page


def listed(player: Player, url: str | None = None) -> list[tuple[str, str, bool]]:
    return [(item["table"], item["status"], item["waiting"]) for item in mine(player, url, limit=100)["items"]]


def with_bots(ada: Player, **body: Any) -> str:
    """A table at which a player and three bots pass cards."""
    table = ada.create("hearts", bots=[1, 2, 3], **body)
    ada.start(table)
    return table


def test_what_waits_comes_first_then_what_runs_then_lobbies_then_what_is_over(urls: tuple[str, str]) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[1], "Ben")
    over = with_bots(ada)
    end([ada], over)
    ended = ada.create("hearts", visibility="private")
    lobby = ada.create("hearts", visibility="private")
    runs = ada.create("hearts", bots=[1, 2])
    ben.sit(runs)
    ada.start(runs)
    seen = ada.view(runs)
    assert ada.move(runs, seen["you"]["decision"], cards_to_pass(seen)).status_code == 200
    waits = with_bots(ada, visibility="private")
    ben.create("hearts")  # not Ada's
    end([ada], ended)
    expected = [(waits, "running", True), (runs, "running", False), (lobby, "lobby", False)]
    for url in urls:  # at once on every process
        assert listed(ada, url) == expected, "who leaves sits there no more"
    assert listed(ben)[0] == (runs, "running", True)
    both = {item["table"]: item for item in mine(ada)["items"]}
    assert (both[waits]["visibility"], both[runs]["visibility"]) == ("private", "public")
    assert both[runs]["seat"] == 0
    assert both[runs]["version"] == ada.view(runs)["version"]
    assert mine(ben)["items"][0]["seat"] == 3


def test_matches_that_are_over_come_last_and_the_host_is_waited_for_between_rounds(urls: tuple[str, str]) -> None:
    ada, seed = Player(urls[0], "Ada"), random.randrange(2**32)
    over = ada.create("herzeln", bots=[1, 2], options={"players": 3, "match_length": "one_series"})
    ada.start(over)
    assert play_match([ada], over, choose_any, random.Random(seed))["status"] == "finished", seed
    between = ada.create("romme", seats=2, bots=[1], options={"rounds": 2})
    ada.start(between)
    rng = random.Random(seed)
    while (view := ada.view(between))["status"] == "running":
        if view["you"]["decision"] is not None:
            ada.move(between, view["you"]["decision"], choose_well(view, rng))
    lobby = ada.create("hearts")
    expected = [(between, "between_rounds", True), (lobby, "lobby", False), (over, "finished", False)]
    for url in urls:
        assert listed(ada, url) == expected, seed


def test_pages_follow_each_other_and_their_cursors_are_for_one_account(urls: tuple[str, str]) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[1], "Ben")
    tables = [ada.create("hearts") for _ in range(5)]
    first = ada.http.get("/v1/me/tables", params={"limit": 2})
    assert [item["table"] for item in first.json()["items"]] == [tables[4], tables[3]]
    assert 'rel="next"' in first.headers["link"]
    assert first.headers["cache-control"] == "private, no-cache"
    second = ada.http.get(first.links["next"]["url"]).json()
    assert [item["table"] for item in second["items"]] == [tables[2], tables[1]]
    last = mine(ada, limit=2, cursor=second["next_cursor"])
    assert ([item["table"] for item in last["items"]], last["next_cursor"]) == ([tables[0]], None)
    forged = ben.http.get("/v1/me/tables", params={"cursor": first.json()["next_cursor"]})
    assert (forged.status_code, code_of(forged)) == (404, "not_found")


def finished(ada: Player, seed: int, **body: Any) -> str:
    """A match of Hearts against bots that is over."""
    table = ada.create("hearts", bots=[1, 2], options={"players": 3, "target_score": 1}, **body)
    ada.start(table)
    assert play_match([ada], table, choose_any, random.Random(seed))["status"] == "finished", seed
    return table


def in_ended_matches(database_url: str, count: int) -> bool:
    with psycopg.connect(database_url) as connection:
        row = connection.execute("select count(*) from ended_matches where entry is not null").fetchone()
    return row == (count,)


def test_matches_that_are_over_are_listed_however_long_ago_they_were(
    urls: tuple[str, str], database_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = Player(urls[0], "Ada")
    over = [finished(ada, seed, visibility=("public", "private")[seed % 2]) for seed in range(4)]
    lobby = ada.create("hearts")
    expected = [lobby, *over[::-1]]
    assert [table for table, *_ in listed(ada)] == expected, "at once"
    assert within(10, lambda: in_ended_matches(database_url, 4))
    before = mine(ada)
    # when: Redis keeps none that is over
    monkeypatch.setattr("projections.table_lists.ENDED_MAX", 0)
    ada.create("hearts", visibility="private")  # something for the worker to do
    with Redis.from_url(redis_url) as redis:
        assert within(10, lambda: not list(redis.scan_iter(f"{prefix_of(redis)}:*:ended")))
    now = mine(ada)
    assert now["items"][1:] == before["items"], "with the same bytes of each"
    pages, cursor = [], None
    while True:
        page = mine(ada, limit=2, **({} if cursor is None else {"cursor": cursor}))
        pages.append([item["table"] for item in page["items"]])
        if (cursor := page["next_cursor"]) is None:
            break
    assert [table for page in pages for table in page] == [item["table"] for item in now["items"]]
    assert [len(page) for page in pages] == [2, 2, 2]
    # names are today's, and nobody else's matches are listed
    ada.http.patch("/v1/me", json={"name": "Ada L."})
    assert within(5, lambda: mine(ada)["items"][-1]["seats"][0]["name"] == "Ada L.")
    assert listed(Player(urls[1], "Ben")) == []
    # a rebuild makes the same, and so does a worker that begins, of what none could read before
    settings = settings_for(database_url, redis_url)
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute("delete from ended_seats")
        asyncio.run(rebuild(settings))
        assert [item["table"] for item in mine(ada)["items"]] == [item["table"] for item in now["items"]]
        connection.execute("delete from ended_seats")
        connection.execute("update ended_matches set entry = null")
    assert [item["status"] for item in mine(ada)["items"]] == ["lobby", "lobby"]
    with running_service(settings):
        assert within(10, lambda: in_ended_matches(database_url, 4))
    assert [item["table"] for item in mine(ada)["items"]] == [item["table"] for item in now["items"]]


def test_tables_that_change_their_place_between_pages_come_once(urls: tuple[str, str]) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[1], "Ben")
    over = [finished(ada, seed) for seed in range(3)]
    lobby = ada.create("hearts", bots=[1, 2, 3])
    with_ben = [ada.create("hearts", bots=[1, 2]) for _ in range(2)]
    for table in with_ben:
        ben.sit(table)
        ada.start(table)
    runs, waits = with_ben
    passed(ada, runs)
    ends = ada.create("hearts", bots=[1, 2], options={"players": 3, "target_score": 1})
    ada.start(ends)

    first = mine(ada, limit=2)
    assert [item["table"] for item in first["items"]] == [ends, waits]
    ada.start(lobby)  # waits now, which is before what was listed
    passed(ada, waits)  # waits no more, which is after it
    assert play_match([ada], ends, choose_any, random.Random(1))["status"] == "finished"
    second = mine(ada, urls[1], limit=2, cursor=first["next_cursor"])
    assert [item["table"] for item in second["items"]] == [lobby, runs]
    third = mine(ada, limit=2, cursor=second["next_cursor"])
    assert [item["table"] for item in third["items"]] == [over[2], over[1]]
    new = ada.create("hearts")
    last = mine(ada, limit=2, cursor=third["next_cursor"])
    assert [item["table"] for item in last["items"]] == [new, over[0]]
    assert last["next_cursor"] is None


def test_who_has_more_open_tables_than_a_cursor_names_gets_all_of_them(
    urls: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("service.tables.inbox.LISTED_MAX", 2)
    ada = Player(urls[0], "Ada")
    tables = [ada.create("hearts") for _ in range(6)]
    page = mine(ada, limit=1)
    found = page["items"]
    while page["next_cursor"] is not None:
        page = mine(ada, limit=1, cursor=page["next_cursor"])
        found += page["items"]
    assert [item["table"] for item in found] == tables[::-1]


def passed(player: Player, table: str) -> None:
    """Pass cards at a table of Hearts."""
    view = player.view(table)
    assert player.move(table, view["you"]["decision"], cards_to_pass(view)).status_code == 200


def test_without_redis_the_list_comes_from_memory_and_a_rebuild_makes_the_same(
    servers: EmbeddedServers, urls: tuple[str, str], database_url: str, redis_url: str
) -> None:
    ada = Player(urls[0], "Ada")
    waits = with_bots(ada)
    ada.create("hearts", visibility="private")
    assert within(5, lambda: ada.view(waits)["to_act"] == [0]), "the bots have passed cards"
    before = ada.http.get("/v1/me/tables").content
    asyncio.run(rebuild(settings_for(database_url, redis_url)))
    assert ada.http.get("/v1/me/tables").content == before
    with Redis.from_url(redis_url) as redis:
        redis.flushall()  # until the worker has made everything again it comes from memory
        assert within(2, lambda: ada.http.get("/v1/me/tables").content == before)
        assert within(5, lambda: ada.http.get(f"{urls[1]}/v1/me/tables").content == before)
    servers.redis.stop()
    try:
        assert ada.http.get("/v1/me/tables").content == before
    finally:
        servers.redis.start()
    assert within(5, lambda: ada.http.get(f"{urls[1]}/v1/me/tables").content == before)


def test_a_view_that_is_missing_is_left_out_until_the_worker_has_made_it(
    database_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(database_url, redis_url)
    with running_service(settings, worker=False) as url, Redis.from_url(redis_url) as redis:
        ada = Player(url, "Ada")
        kept, lost = ada.create("hearts"), ada.create("hearts")
        prefix = prefix_of(redis)
        redis.hset(f"{prefix}:generation", "current", 1)
        redis.delete(f"{prefix}:1:{{{lost}}}")
        assert [table for table, *_ in listed(ada)] == [kept]
        with running_service(settings):
            assert within(5, lambda: [table for table, *_ in listed(ada)] == [lost, kept])
        Player.close_all()


def test_a_table_is_nobodys_who_does_not_sit_there() -> None:
    public = (
        b'{"table":"t","status":"running","version":3,"visibility":"private","created":1,"host":0,'
        b'"seats":[{"player":"a"},{"player":null}],"to_act":[0],"board":{"hand_sizes":[1]}}'
    )
    assert own_table("b", public, b'{"table":"t"}') is None
    own = own_table("a", public, b'{"table":"t"}')
    assert own is not None
    assert own.content() == b'{"table":"t","seat":0,"version":3,"visibility":"private","waiting":true}'
