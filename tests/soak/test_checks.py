"""What the soak checks at rest is found if it does not hold."""

import random
import time
from collections.abc import Iterator

import psycopg
import pytest
from redis import Redis

from service.runtime.settings import Settings
from tests.service.client import Player
from tests.service.running import running_service, settings_for
from tests.soak.checks import check_log, check_redis
from tests.soak.journal import Journal
from tests.soak.moves import choose
from tests.soak.report import found


@pytest.fixture
def settings(database_url: str, redis_url: str) -> Settings:
    return settings_for(database_url, redis_url)


@pytest.fixture
def journal(settings: Settings) -> Iterator[Journal]:
    """The journal of one acknowledged move, while the service runs."""
    journal = Journal(first_byte_seconds_max=10)
    journal.begin("a fault", answers_may_be_lost=False)
    with running_service(settings) as url:
        ada = Player(url, "Ada")
        table = ada.create("hearts", bots=[1, 2, 3])
        ada.start(table)
        you = ada.view(table)["you"]
        made = ada.move(table, you["decision"], choose(you["legal"], random.Random(1)))
        journal.acknowledge(table, you["seat"], you["decision"], made.json()["version"])
        yield journal
        Player.close_all()


def test_a_move_that_is_in_the_log_once_is_neither_lost_nor_doubled(journal: Journal, settings: Settings) -> None:
    check_log(settings, journal)
    check_redis(settings, journal)
    assert found(journal) == []


def test_a_move_that_is_not_in_the_log_is_lost(journal: Journal, settings: Settings) -> None:
    (move,) = journal.moves
    journal.acknowledge(move.table, move.seat, move.decision + 1, None)
    journal.acknowledge(move.table, move.seat, move.decision, (move.version or 0) + 1)
    check_log(settings, journal)
    check_log(settings, journal)
    assert found(journal) == ["a fault: 2 acknowledged moves lost"]


def test_a_decision_with_two_answers_in_the_log_is_doubled(journal: Journal, settings: Settings) -> None:
    (move,) = journal.moves
    with psycopg.connect(settings.database_dsn) as connection:
        connection.execute(
            "insert into events select bucket, stream, version + 1000, position + 1000, received_at, "
            "gen_random_uuid(), actor, decision, type, rules, digest, previous_hash, hash, envelope, sealed "
            "from events where stream = %s and decision = %s and actor = %s",
            (move.table, move.decision, move.seat),
        )
    check_log(settings, journal)
    assert found(journal) == ["a fault: 1 decisions answered twice"]


def test_a_view_that_is_not_that_of_the_log_is_found(journal: Journal, settings: Settings) -> None:
    (move,) = journal.moves
    time.sleep(2)  # until nothing more is written by itself
    with Redis.from_url(settings.redis_dsn) as redis:
        (key,) = redis.scan_iter(f"bw:*:1:{{{move.table}}}")
        redis.hset(key, "public", "{}")
    check_redis(settings, journal)
    assert any("Redis differs from a rebuild" in finding for finding in found(journal))


def test_an_answer_that_comes_late_or_not_at_all_is_found() -> None:
    journal = Journal(first_byte_seconds_max=10)
    journal.begin("a fault", answers_may_be_lost=False)
    journal.answered("GET /v1/me", 200, 10.5)
    journal.cut("GET /v1/me", 1.0, ConnectionResetError())
    journal.begin("a kill", answers_may_be_lost=True)
    journal.answered("GET /v1/me", 503, 4.5)
    journal.cut("GET /v1/me", 1.0, ConnectionResetError())
    assert found(journal) == [
        "a fault: 1 x GET /v1/me: first byte after more than 10 s",
        "a fault: 1 x GET /v1/me: no answer (ConnectionResetError)",
    ]
