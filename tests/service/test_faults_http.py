"""Pulling the plug in the middle of matches: Redis emptied or away, connections cut, several API processes."""

import asyncio
import random
import threading
import time
from collections.abc import Iterator

import psycopg
import pytest
from redis import Redis

from tests.projections.dumped import dumped
from tests.service.any_game import choose_well
from tests.service.client import Player, choose_hearts, new_key, play_match, within
from tests.service.running import rebuild, running_service, settings_for
from tests.service.test_tables_http import cards_to_pass, code_of


@pytest.fixture(scope="module")
def urls(module_database_url: str, module_redis_url: str) -> Iterator[tuple[str, str]]:
    """Two API processes' worth of service on the same servers, one worker."""
    settings = settings_for(module_database_url, module_redis_url)
    with running_service(settings) as first, running_service(settings, worker=False) as second:
        yield first, second
        Player.close_all()


def moved_to(player: Player, base_url: str) -> Player:
    """The same account at another process."""
    other = Player(base_url, "spare")
    other.http.headers["Authorization"] = f"Bearer {player.token}"
    other.id, other.token = player.id, player.token
    return other


def test_a_match_goes_on_while_redis_is_emptied_again_and_again(urls: tuple[str, str], module_redis_url: str) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[1], "Ben")
    table = ada.create("hearts", options={"target_score": 30}, bots=[2, 3])
    ben.sit(table)
    ada.start(table)
    stop = threading.Event()

    def empty() -> None:
        with Redis.from_url(module_redis_url) as connection:
            while not stop.wait(0.3):
                connection.flushall()
                connection.script_flush()

    emptying = threading.Thread(target=empty)
    emptying.start()
    try:
        view = play_match([ada, ben], table, choose_hearts, random.Random(1), seconds=200)
    finally:
        stop.set()
        emptying.join()
    assert view["status"] == "finished"
    deadline = time.monotonic() + 10  # lists are filled again by the worker, not by who asks
    while table not in finished(ada):
        assert time.monotonic() < deadline, "an emptied Redis was not filled again"
        time.sleep(0.1)


def finished(player: Player) -> list[str]:
    listed = player.http.get("/v1/tables", params={"status": "finished", "limit": 100})
    return [item["table"] for item in listed.json()["items"]]


def test_views_are_the_same_bytes_from_redis_and_from_the_log(urls: tuple[str, str], module_redis_url: str) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[0], "Ben")
    table = ada.create("romme", seats=2)
    ben.sit(table)
    ada.start(table)
    for player in (ada, ben, ada, ben):
        view = player.view(table)
        if view["you"]["decision"] is not None:
            player.move(table, view["you"]["decision"], choose_well(view, random.Random(2)))
    seen = [player.http.get(f"/v1/tables/{table}").content for player in (ada, ben)]
    with Redis.from_url(module_redis_url) as connection:
        connection.flushall()
    for place, player in enumerate((ada, ben)):
        assert moved_to(player, urls[1]).http.get(f"/v1/tables/{table}").content == seen[place]
        assert player.http.get(f"/v1/tables/{table}").content == seen[place]


def test_a_rebuild_beside_the_running_service_gives_the_same_bytes(
    urls: tuple[str, str], module_database_url: str, module_redis_url: str
) -> None:
    ada = Player(urls[0], "Ada")
    for game, body in (("hearts", {}), ("romme", {"seats": 3}), ("herzeln", {"options": {"players": 3}})):
        ada.create(game, bots=[1, 2], **body)

    def but_queues(generation: int | None = None) -> dict[str, object]:
        content = dumped(module_redis_url, generation)
        return {name: value for name, value in content.items() if name not in ("wake", "bots")}

    settings = settings_for(module_database_url, module_redis_url)
    asyncio.run(rebuild(settings))
    before = but_queues()
    assert any(name.startswith("{standings}") for name in before)
    _, generation = asyncio.run(rebuild(settings))
    assert but_queues(generation) == before
    assert len(before) > 5


def test_cut_connections_cost_no_move(urls: tuple[str, str], module_database_url: str) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[1], "Ben")
    table = ada.create("hearts", options={"target_score": 20}, bots=[2, 3])
    ben.sit(table)
    ada.start(table)
    stop = threading.Event()

    def cut() -> None:
        with psycopg.connect(module_database_url, autocommit=True) as connection:
            while not stop.wait(0.5):
                connection.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity "
                    "where datname = current_database() and pid <> pg_backend_pid()"
                )

    cutting = threading.Thread(target=cut)
    cutting.start()
    try:
        view = play_match([ada, ben], table, choose_hearts, random.Random(3), seconds=200)
    finally:
        stop.set()
        cutting.join()
    assert view["status"] == "finished"
    with psycopg.connect(module_database_url) as connection:
        rows = connection.execute(
            "select version, decision, actor from events where stream = %s order by version", (table,)
        ).fetchall()
    assert [row[0] for row in rows] == list(range(1, view["version"] + 1))
    answered = [(row[2], row[1]) for row in rows if row[1] is not None]
    assert len(answered) == len(set(answered)), "no decision was answered twice"


def test_seats_act_at_once_through_different_processes(urls: tuple[str, str]) -> None:
    people = [Player(urls[number % 2], f"P{number}") for number in range(5)]
    table = people[0].create("hearts", options={"players": 5})
    for player in people[1:]:
        player.sit(table)
    people[0].start(table)
    answers: dict[int, int] = {}

    def commit(number: int) -> None:
        view = people[number].view(table)
        answers[number] = people[number].move(table, view["you"]["decision"], cards_to_pass(view)).status_code

    threads = [threading.Thread(target=commit, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == dict.fromkeys(range(5), 200)
    assert {player.view(table)["version"] for player in people} == {11}


def test_a_retry_through_another_process_is_the_same_move(urls: tuple[str, str]) -> None:
    ada = Player(urls[0], "Ada")
    key = new_key()
    body = {"game": "hearts", "bots": [1, 2, 3]}
    table = ada.post("/v1/tables", body, key=key).json()["table"]
    elsewhere = moved_to(ada, urls[1])
    assert elsewhere.post("/v1/tables", body, key=key).json()["table"] == table
    elsewhere.start(table)
    view = ada.view(table)
    first = ada.move(table, view["you"]["decision"], cards_to_pass(view))
    again = elsewhere.move(table, view["you"]["decision"], cards_to_pass(view))
    assert first.json()["version"] == again.json()["version"]
    assert first.json()["event"] == again.json()["event"]
    other = elsewhere.move(table, view["you"]["decision"], cards_to_pass(view, 4))
    assert code_of(other) == "decision_taken"


def test_hand_order_made_at_one_process_is_kept_by_the_other(urls: tuple[str, str]) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[0], "Ben")
    table = ada.create("romme", seats=2)
    ben.sit(table)
    ada.start(table)
    elsewhere = moved_to(ada, urls[1])
    elsewhere.view(table)
    hand = ada.view(table)["you"]["hand"]
    order = hand[::-1]
    for player, cards in ((ada, order), (elsewhere, hand), (ada, order)):
        done = player.http.put(f"/v1/tables/{table}/hand-order", json={"type": "arrange_hand", "cards": cards})
        assert done.json()["you"]["hand"] == cards
        assert ada.view(table)["you"]["hand"] == elsewhere.view(table)["you"]["hand"] == cards
    starter = ada if ada.view(table)["you"]["decision"] is not None else ben
    view = starter.view(table)
    made = starter.move(table, view["you"]["decision"], choose_well(view, random.Random(4)))
    assert made.status_code == 200
    kept = [card for card in order if card in elsewhere.view(table)["you"]["hand"]]
    assert elsewhere.view(table)["you"]["hand"] == kept


def test_hand_order_made_at_a_process_that_missed_a_move_is_shown_by_both(urls: tuple[str, str]) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[0], "Ben")
    table = ada.create("romme", seats=2)
    ben.sit(table)
    ada.start(table)
    people = (ada, ben)
    for player in (ada, ben, ada, ben):
        (seat,) = player.view(table)["to_act"]
        mover = moved_to(people[seat], urls[1])
        view = mover.view(table)
        made = mover.move(table, view["you"]["decision"], choose_well(view, random.Random(7)))
        order = player.view(table)["you"]["hand"][::-1]
        done = player.http.put(f"/v1/tables/{table}/hand-order", json={"type": "arrange_hand", "cards": order})
        assert done.json()["you"]["hand"] == order
        assert done.json()["version"] == made.json()["version"], "never behind what the player has seen"
        for url in urls:
            assert moved_to(player, url).view(table)["you"]["hand"] == order


def test_what_another_process_undid_is_done_again(urls: tuple[str, str]) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[0], "Ben")
    table = ada.create("romme", seats=2)
    ben.sit(table)
    elsewhere = moved_to(ben, urls[1])
    path = f"/v1/tables/{table}/ready"
    for player, ready in ((ben, True), (elsewhere, False), (ben, True)):
        answer = player.http.put(path, json={"ready": ready}).json()
        assert answer["seats"][1]["ready"] is ready
        assert ada.view(table)["seats"][1]["ready"] is ready
    ada.start(table)
    first = ben.view(table)["you"]["hand"]
    second = first[::-1]
    for player, cards in ((ben, first), (elsewhere, second), (ben, first)):
        player.http.put(f"/v1/tables/{table}/hand-order", json={"type": "arrange_hand", "cards": cards})
        assert ada.view(table)["version"] == ben.view(table)["version"]
        assert elsewhere.view(table)["you"]["hand"] == ben.view(table)["you"]["hand"] == cards


def test_without_redis_a_match_with_bots_is_played_all_the_same(module_database_url: str) -> None:
    settings = settings_for(module_database_url, "redis://127.0.0.1:9/0")
    with running_service(settings) as url:
        ada = Player(url, "Ada")
        table = ada.create("hearts", options={"target_score": 1, "players": 3}, bots=[1, 2])
        ada.start(table)
        owed = {"views": None, "names": 0, "departures": 0}
        ready = {"status": "degraded", "database": "ok", "views": "away", "log": "ok", "owed_seconds": owed}
        assert within(6, lambda: ada.http.get("/readyz").json() == ready), "by the next probe"
        view = play_match([ada], table, choose_hearts, random.Random(5), seconds=300)
        assert view["status"] == "finished"
        listed = ada.http.get("/v1/tables", params={"status": "finished", "limit": 50}).json()["items"]
        assert table in [item["table"] for item in listed]
        assert ada.http.patch("/v1/me", json={"name": "Ada L."}).status_code == 200
        Player.close_all()
