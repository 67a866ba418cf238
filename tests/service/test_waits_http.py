"""Servers that hang, locks that stay, connections that are cut: every answer comes in time and says what is known."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Final
from uuid import UUID

import httpx
import psutil
import psycopg
import pytest

from service.embedded import EmbeddedServers, embedded_servers
from service.runtime.deadline import REQUEST_SECONDS
from service.store.buckets import bucket_of
from service.store.migrations import migrate
from tests.service.client import Player, choose_hearts, within
from tests.service.running import running_service, settings_for

READ_SECONDS: Final = REQUEST_SECONDS + 1.0
"""The time of a single read while the database hangs, with a second for a machine that has other work."""
ANSWER_SECONDS: Final = 10.0
"""The time of any first byte."""


@pytest.fixture(scope="module")
def own_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServers]:
    """Servers of this module alone, which it stops and locks."""
    with embedded_servers(tmp_path_factory.mktemp("data"), durable=False) as servers:
        migrate(servers.database_url)
        yield servers


@pytest.fixture(scope="module")
def urls(own_servers: EmbeddedServers) -> Iterator[tuple[str, str]]:
    """Two API processes' worth of service."""
    settings = settings_for(own_servers.database_url, own_servers.redis_url)
    with running_service(settings, worker=False) as first, running_service(settings, worker=False) as second:
        yield first, second
        Player.close_all()


@contextmanager
def frozen(*pids: int | None) -> Iterator[None]:
    """Stop servers, and what they have started, as a machine does that hangs."""
    all_ = [process for pid in pids for process in (psutil.Process(pid), *psutil.Process(pid).children())]
    for process in all_:
        os.kill(process.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in all_:
            with suppress(ProcessLookupError):  # it may have been one that ended just then
                os.kill(process.pid, signal.SIGCONT)


def timed(ask: Callable[[], httpx.Response]) -> tuple[float, httpx.Response]:
    begun = time.monotonic()
    answer = ask()
    return time.monotonic() - begun, answer


def together(asks: list[Callable[[], httpx.Response]]) -> list[tuple[float, httpx.Response]]:
    """Ask at the same time; the seconds and the answer of each."""
    answers: dict[int, tuple[float, httpx.Response]] = {}

    def ask(place: int) -> None:
        answers[place] = timed(asks[place])

    threads = [threading.Thread(target=ask, args=(place,)) for place in range(len(asks))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [answers[place] for place in range(len(asks))]


def match_of(url: str, seats: int = 3) -> tuple[str, list[Player]]:
    """A match of Hearts of people alone."""
    people = [Player(url, f"P{number}") for number in range(seats)]
    table = people[0].create("hearts", options={"players": seats})
    for player in people[1:]:
        player.sit(table)
    people[0].start(table)
    return table, people


def next_move(player: Player, table: str) -> tuple[int, dict[str, Any]]:
    view = player.view(table)
    return view["you"]["decision"], choose_hearts(view, random.Random(1))


def versions(servers: EmbeddedServers, table: str) -> list[int]:
    with psycopg.connect(servers.database_url) as connection:
        rows = connection.execute("select version from events where stream = %s order by version", (table,))
        return [version for (version,) in rows.fetchall()]


def recovered(player: Player, *tables: str) -> None:
    """Wait until everything answers again."""
    heads = [f"/v1/tables/{table}/head" for table in tables]
    assert within(20, lambda: {player.http.get(head).status_code for head in heads} == {200})


def is_unavailable(answer: httpx.Response) -> bool:
    return answer.status_code == 503 and "retry-after" in answer.headers


def test_moves_at_one_table_and_reads_end_in_time_while_the_database_hangs(
    urls: tuple[str, str], own_servers: EmbeddedServers
) -> None:
    table, people = match_of(urls[0])
    moves = [next_move(player, table) for player in people]
    before = versions(own_servers, table)
    asks = [partial(people[n % 3].move, table, *moves[n % 3]) for n in range(10)]
    reads = [
        lambda: people[0].http.get(f"/v1/tables/{table}/head"),
        lambda: people[1].http.get("/v1/me"),
        lambda: people[2].http.get(f"/v1/tables/{table}/events"),
    ]
    with frozen(own_servers.postgres.pid):
        answers = together([*asks, *reads])
    assert all(is_unavailable(answer) for _, answer in answers), [answer.text for _, answer in answers]
    assert max(seconds for seconds, _ in answers) < READ_SECONDS, [seconds for seconds, _ in answers]
    codes = [answer.json()["code"] for _, answer in answers]
    assert set(codes[:10]) == {"outcome_unknown", "unavailable"}, "one was sent, the others waited for it"
    assert set(codes[10:]) == {"unavailable"}
    recovered(people[0], table)
    for (_, answer), (player, move) in zip(answers, [(people[n % 3], moves[n % 3]) for n in range(10)], strict=False):
        recorded = len(versions(own_servers, table))
        again = player.move(table, *move)
        assert again.status_code == 200, (answer.text, again.text)
        assert len(versions(own_servers, table)) - recorded <= 1
    assert versions(own_servers, table) == list(range(1, len(before) + 4)), "each move is there once"


def test_views_end_in_time_while_both_servers_hang(urls: tuple[str, str], own_servers: EmbeddedServers) -> None:
    table, people = match_of(urls[0])
    with frozen(own_servers.postgres.pid, own_servers.redis.pid):
        answers = together([partial(player.http.get, f"/v1/tables/{table}") for player in people for _ in range(3)])
    assert all(is_unavailable(answer) for _, answer in answers), [answer.text for _, answer in answers]
    assert max(seconds for seconds, _ in answers) < READ_SECONDS, [seconds for seconds, _ in answers]
    recovered(people[0], table)


def test_only_the_first_view_waits_for_a_redis_that_hangs(urls: tuple[str, str], own_servers: EmbeddedServers) -> None:
    table, people = match_of(urls[0])
    with frozen(own_servers.redis.pid):
        seconds, answer = timed(lambda: people[0].http.get(f"/v1/tables/{table}"))
        assert answer.status_code == 200
        assert seconds < 4
        until, longest = time.monotonic() + 6, 0.0
        while time.monotonic() < until:
            seconds, answer = timed(lambda: people[1].http.get(f"/v1/tables/{table}"))
            assert answer.status_code == 200
            longest = max(longest, seconds)
            time.sleep(0.05)
        assert longest < 1, "a view waited for Redis though it was known to hang"
    recovered(people[0], table)


def test_a_locked_bucket_stops_its_own_tables_alone(urls: tuple[str, str], own_servers: EmbeddedServers) -> None:
    locked, its_people = match_of(urls[0])
    others = [match_of(urls[0]) for _ in range(3)]
    others = [(table, people) for table, people in others if bucket_of(UUID(table)) != bucket_of(UUID(locked))]
    assert others
    with psycopg.connect(own_servers.database_url) as forgotten:
        forgotten.execute("select from buckets where bucket = %s for update", (bucket_of(UUID(locked)),))
        waits = threading.Thread(target=lambda: held.append(timed(lambda: its_people[0].move(locked, *move))))
        held: list[tuple[float, httpx.Response]] = []
        move = next_move(its_people[0], locked)
        waits.start()
        time.sleep(0.05)
        longest = []
        for table, people in others:
            for player in people:
                seconds, answer = timed(partial(player.move, table, *next_move(player, table)))
                assert answer.status_code == 200, answer.text
                longest.append(seconds)
        assert max(longest) < 2, longest
        assert sorted(longest)[-2] < 0.5, "only the batch that met the lock waits for it"
        waits.join()
        ((seconds, answer),) = held
        assert is_unavailable(answer)
        assert answer.json()["code"] == "unavailable", "what waits for a lock is not recorded"
        assert seconds < READ_SECONDS
        assert len(versions(own_servers, locked)) == its_people[0].view(locked)["version"]
        freed = threading.Thread(target=lambda: held.append(timed(lambda: its_people[0].move(locked, *move))))
        freed.start()
        time.sleep(1)
        forgotten.rollback()
        freed.join()
        assert held[1][1].status_code == 200, "an event that waited for the lock goes in once it is free"


def test_what_was_recorded_is_never_called_unrecorded(urls: tuple[str, str], own_servers: EmbeddedServers) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[0], "Ben")
    table = ada.create("hearts", options={"players": 3})
    ben.view(table)
    with psycopg.connect(own_servers.database_url) as names:
        names.execute("lock table players in access exclusive mode")  # the view needs the names of who sits there
        seconds, answer = timed(lambda: ben.post(f"/v1/tables/{table}/seats", {}, keyed=True))
    assert is_unavailable(answer)
    assert answer.json()["code"] == "recorded", answer.text
    assert seconds < ANSWER_SECONDS
    assert ben.view(table)["you"]["seat"] == 1


def test_a_database_that_is_away_has_recorded_nothing(urls: tuple[str, str], own_servers: EmbeddedServers) -> None:
    table, people = match_of(urls[1])
    moves = [next_move(player, table) for player in people]
    before = versions(own_servers, table)
    own_servers.postgres.stop()
    try:
        time.sleep(0.5)  # until the committer has noticed
        people[0].http.get("/v1/me")
        pairs = zip(people, moves, strict=True)
        answers = together([partial(player.move, table, *move) for player, move in pairs])
    finally:
        own_servers.postgres.start()
    assert {answer.json()["code"] for _, answer in answers} <= {"unavailable", "outcome_unknown"}
    assert "unavailable" in {answer.json()["code"] for _, answer in answers}
    assert max(seconds for seconds, _ in answers) < READ_SECONDS
    recovered(people[0], table)
    assert versions(own_servers, table) == before
