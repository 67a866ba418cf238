"""What a seat keeps to itself is made up for like everything else that Redis did not take."""

import time
from typing import Any

import msgspec
import pytest

from tests.service.test_drafts_http import prepare, started, through, with_a_meld
from tests.service.test_lost_private_streams import on_turn_and_waiting, sort_hand
from tests.service.test_owed import (
    PAID_SECONDS_MAX,
    Running,
    read_only,
    running,
    stopped,
    until,
    without_replicas,
)

__all__ = ["running"]


def seat_part_of(running: Running, table: str, seat: int) -> bytes:
    part = running.redis.hget(f"{running.prefix}{{{table}}}", f"seat:{seat}")
    assert isinstance(part, bytes)
    return part


@pytest.mark.parametrize("failure", [read_only, without_replicas, stopped])
def test_a_hand_order_that_redis_did_not_take_is_made_up_for(running: Running, failure: Any) -> None:
    here, there = running.urls
    people, table = started(here)
    _, other = on_turn_and_waiting(people, table)
    sort_hand(other, table, "suit")
    until(lambda: running.shown() == running.versions(), time.monotonic() + 5)
    with failure(running):
        sorted_ = sort_hand(other, table, "rank")["you"]
        # within a second each process knows that Redis takes no writes, and reads nothing there
        until(lambda: through(other, there).view(table)["you"] == sorted_, time.monotonic() + 8)
    since, seat = time.monotonic(), sorted_["seat"]
    cards = msgspec.json.encode(sorted_["hand"])
    until(lambda: cards in seat_part_of(running, table, seat), since + PAID_SECONDS_MAX)
    assert through(other, there).view(table)["you"] == sorted_
    running.then_paid(since)


def test_a_draft_of_a_process_that_ended_before_it_told_redis_is_made_up_for(running: Running) -> None:
    here, there = running.urls
    people, table = started(here)
    player, _, meld, _ = with_a_meld(people, table)
    sort_hand(player, table, "suit")
    until(lambda: running.shown() == running.versions(), time.monotonic() + 5)
    key = f"{running.prefix}{{{table}}}"
    time.sleep(1.5)  # until everything is behind the checkpoint
    before = running.redis.hgetall(key)
    with running.redis.pipeline() as pipeline:
        drafted = prepare(player, table, meld).json()
        pipeline.delete(key)
        pipeline.hset(key, mapping=before)
        pipeline.execute()
    since = time.monotonic()
    seat = drafted["you"]["seat"]
    until(lambda: b'"p1"' in seat_part_of(running, table, seat), since + PAID_SECONDS_MAX)
    assert through(player, there).view(table)["you"] == drafted["you"]
    running.then_paid(since)
