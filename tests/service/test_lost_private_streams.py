"""Private streams and a Redis that has lost what was made of them: no part of an older version is ever shown as the
newer one."""

import time
from collections.abc import Iterator
from typing import Any

import pytest
from redis import Redis

from tests.service.client import Player
from tests.service.running import running_service, settings_for
from tests.service.test_drafts_http import entry, prepare, started, through, two_processes, with_a_meld

__all__ = ["two_processes"]


@pytest.fixture
def redis(redis_url: str) -> Iterator[Redis]:
    with Redis.from_url(redis_url) as connection:
        yield connection


def sort_hand(player: Player, table: str, by: str) -> dict[str, Any]:
    made = player.http.put(f"/v1/tables/{table}/hand-order", json={"type": "sort_hand", "by": by})
    assert made.status_code == 200, made.text
    view: dict[str, Any] = made.json()
    return view


def on_turn_and_waiting(people: list[Player], table: str) -> tuple[Player, Player]:
    """The person who has to draw, and the other one."""
    for player, other in (people, people[::-1]):
        view = player.view(table)
        if entry(view, "discard") is not None:  # the opening: its first card goes
            made = player.move(table, view["you"]["decision"], {"type": "discard", "card": view["you"]["hand"][0]})
            assert made.status_code == 200
            return other, player
        if view["you"]["decision"] is not None:
            return player, other
    raise AssertionError("nobody is on turn")


def test_a_worker_that_makes_lost_views_again_knows_the_newest_drafts(
    database_url: str, redis_url: str, redis: Redis
) -> None:
    with running_service(settings_for(database_url, redis_url)) as url:
        people, table = started(url)
        player, _, meld, _ = with_a_meld(people, table)
        # given: the worker has folded the table and its private streams once
        redis.flushall()
        wait_for_view(redis, table)
        drafted = prepare(player, table, meld).json()
        # when: everything is lost again, and the worker makes it anew
        redis.flushall()
        wait_for_view(redis, table)
        # then
        seen = player.view(table)
        assert seen["you"] == drafted["you"]
        assert [draft["draft"] for draft in seen["you"]["private"]["drafts"]] == ["p1"]
        Player.close_all()


def wait_for_view(redis: Redis, table: str) -> None:
    deadline = time.monotonic() + 30
    while not any(table in key.decode() for key in redis.scan_iter("bw:*:1:{*}")):
        assert time.monotonic() < deadline, "the view is not made again"
        time.sleep(0.1)


def test_a_process_with_older_private_versions_catches_up_before_it_writes_what_was_lost(
    two_processes: tuple[str, str], redis: Redis
) -> None:
    here, there = two_processes
    people, table = started(here)
    player, other = on_turn_and_waiting(people, table)
    sort_hand(through(other, there), table, "suit")  # what the other process knows of the private stream
    sort_hand(through(other, here), table, "suit")
    sorted_ = sort_hand(other, table, "rank")["you"]["hand"]
    decision = player.view(table)["you"]["decision"]
    redis.flushall()
    drawn = through(player, there).move(table, decision, {"type": "draw_stock"})
    assert drawn.status_code == 200
    for url in two_processes:
        assert through(other, url).view(table)["you"]["hand"] == sorted_


def test_a_tag_that_names_the_newest_private_version_comes_with_it(
    two_processes: tuple[str, str], redis: Redis
) -> None:
    here, there = two_processes
    people = [Player(here, name) for name in ("Ada", "Ben", "Cem")]
    table = people[0].create("romme", seats=3)
    for guest in people[1:]:
        guest.sit(table)
    people[0].start(table)
    turn = next(seat for seat in range(3) if people[seat].view(table)["you"]["decision"] is not None)
    view = people[turn].view(table)
    if entry(view, "discard") is not None:  # the opening: its first card goes
        people[turn].move(table, view["you"]["decision"], {"type": "discard", "card": view["you"]["hand"][0]})
        turn = (turn + 1) % 3
    player, other = people[turn], people[(turn + 2) % 3]  # nothing of the other changes with this turn
    sort_hand(through(other, there), table, "suit")
    through(player, here)
    assert player.move(table, player.view(table)["you"]["decision"], {"type": "draw_stock"}).status_code == 200
    sort_hand(through(other, here), table, "suit")
    sorted_ = sort_hand(other, table, "rank")["you"]["hand"]
    # given: Redis is emptied, and the process with the older private version writes the view again without any move
    redis.flushall()
    host = through(people[0], there)
    assert host.http.post(f"/v1/tables/{table}/start", json={"round": 1}).status_code == 200
    # when: the one with the newer private version writes what has changed since its own last view
    through(player, here)
    view = player.view(table)
    allowed = entry(view, "discard")
    assert allowed is not None
    card = allowed["cards"][0]
    assert player.move(table, view["you"]["decision"], {"type": "discard", "card": card}).status_code == 200
    # then
    for url in two_processes:
        assert through(other, url).view(table)["you"]["hand"] == sorted_


def test_a_view_older_than_the_private_version_that_a_process_knows_is_not_served(
    two_processes: tuple[str, str], redis: Redis
) -> None:
    """As where the process that appended to a private stream ended before it wrote the view."""
    here, _ = two_processes
    people, table = started(here)
    _, other = on_turn_and_waiting(people, table)
    sort_hand(other, table, "suit")
    (key,) = [key for key in redis.scan_iter("bw:*:1:{*}") if table in key.decode()]
    before: dict[Any, Any] = redis.hgetall(key)
    sorted_ = sort_hand(other, table, "rank")["you"]["hand"]
    redis.delete(key)
    redis.hset(key, mapping=before)
    assert other.view(table)["you"]["hand"] == sorted_
