"""More requests than a process works on at once: the surplus is refused early, and nothing of it is recorded."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from functools import partial

import httpx
import psycopg
import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.composition import opened
from service.embedded import EmbeddedServers, embedded_servers
from service.runtime.load import Load
from service.runtime.settings import Settings
from service.store.migrations import migrate
from tests.service.client import Player, new_key, within
from tests.service.connections import connected, read_answer, request
from tests.service.running import running_service, settings_for
from tests.service.test_waits_http import frozen, match_of, next_move, versions

REQUESTS_MAX = 3
ORIGIN = "https://app.example"


@pytest.fixture(scope="module")
def own_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServers]:
    """Servers of this module alone, which it stops and locks."""
    with embedded_servers(tmp_path_factory.mktemp("data"), durable=False) as servers:
        migrate(servers.database_url)
        yield servers


@pytest.fixture(scope="module")
def settings(own_servers: EmbeddedServers) -> Settings:
    return settings_for(
        own_servers.database_url, own_servers.redis_url, requests_max=REQUESTS_MAX, cors_origins=(ORIGIN,)
    )


@pytest.fixture(scope="module")
def url(settings: Settings) -> Iterator[str]:
    """A process that works on three requests at once."""
    with running_service(settings, worker=False) as running:
        yield running
        Player.close_all()


@pytest.fixture(scope="module")
def operator(settings: Settings, url: str) -> dict[str, str]:
    """Headers of somebody who may read metrics."""

    async def token() -> str:
        async with opened(settings) as services:
            return (await services.accounts.create_with_role("operator", "operator")).token

    return {"Authorization": f"Bearer {asyncio.run(token())}"}


@contextmanager
def everything_locked(servers: EmbeddedServers) -> Iterator[None]:
    """A forgotten transaction that holds the whole log: moves wait."""
    with psycopg.connect(servers.database_url) as forgotten:
        forgotten.execute("select from buckets for update")
        yield
        forgotten.rollback()


@contextmanager
def jammed(url: str, operator: dict[str, str], *asks: Callable[[], httpx.Response]) -> Iterator[list[httpx.Response]]:
    """Ask for what waits, until the process has as much to do as it may; the answers are there at the end."""
    answers: list[httpx.Response] = []
    with ThreadPoolExecutor(len(asks)) as pool:
        waiting: list[Future[httpx.Response]] = [pool.submit(ask) for ask in asks]
        assert within(4, lambda: figure(url, operator, "blattwerk_requests_in_work") == len(asks))
        yield answers
        answers += [one.result() for one in waiting]


def figure(url: str, operator: dict[str, str], name: str) -> float:
    """A figure of `/metrics`, which is never refused."""
    text = httpx.get(f"{url}/metrics", headers=operator).raise_for_status().text
    (sample,) = [
        sample for family in text_string_to_metric_families(text) for sample in family.samples if sample.name == name
    ]
    return sample.value


def then_is_refused(answer: httpx.Response) -> None:
    """It is the one refusal, with everything that responses have."""
    assert answer.status_code == 503, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["retry-after"] in ("1", "2", "3", "4", "5")
    assert answer.headers["x-content-type-options"] == "nosniff"
    problem = answer.json()
    assert problem.pop("trace_id") == answer.headers["x-request-id"]
    assert problem == {
        "type": "/problems/overloaded",
        "title": "The service is overloaded",
        "status": 503,
        "detail": "The service has too much to do at the moment; this request recorded nothing. Send it again.",
        "code": "overloaded",
    }


def test_the_surplus_is_refused_at_once_and_recorded_when_it_is_sent_again(
    url: str, own_servers: EmbeddedServers, operator: dict[str, str]
) -> None:
    matches = [match_of(url) for _ in range(REQUESTS_MAX + 1)]
    moves = [next_move(people[0], table) for table, people in matches]
    before = [len(versions(own_servers, table)) for table, _ in matches]
    asks = [partial(people[0].move, table, *move) for (table, people), move in zip(matches, moves, strict=True)]
    ada, created, tables = matches[-1][1][0], new_key(), "select count(*) from events where version = 1"
    refused = figure(url, operator, "blattwerk_requests_refused_total")
    with ExitStack() as jam:
        jam.enter_context(everything_locked(own_servers))
        answers = jam.enter_context(jammed(url, operator, *asks[:-1]))
        surplus = [
            asks[-1](),
            ada.http.get(f"/v1/tables/{matches[0][0]}"),
            ada.post("/v1/tables", {"game": "hearts"}, key=created),
            httpx.get(f"{url}/v1/me"),
            httpx.get(f"{url}/v1/nothing"),
        ]
        assert figure(url, operator, "blattwerk_requests_in_work") == REQUESTS_MAX, "those in work waited for the lock"
        assert figure(url, operator, "blattwerk_requests_refused_total") - refused == len(surplus)
        assert httpx.get(f"{url}/livez").status_code == 200
        assert httpx.get(f"{url}/readyz").status_code == 200
    for answer in surplus:
        then_is_refused(answer)
    assert [len(versions(own_servers, matches[-1][0]))] == before[-1:], "a refused move is not recorded"
    for ask, answer in zip(asks, answers, strict=False):
        assert answer.status_code == 200 or ask().status_code == 200, answer.text
    with psycopg.connect(own_servers.database_url) as connection:
        assert connection.execute(tables).fetchone() == (len(matches),), "a refused creation makes nothing"
    assert asks[-1]().status_code == 200
    made = [ada.post("/v1/tables", {"game": "hearts"}, key=created) for _ in range(2)]
    assert [answer.status_code for answer in made] == [201, 201], made[0].text
    assert made[0].json()["table"] == made[1].json()["table"]
    assert [len(versions(own_servers, table)) for table, _ in matches] == [number + 1 for number in before]
    assert figure(url, operator, "blattwerk_requests_in_work") == 0


def test_a_redis_that_hangs_holds_no_more_requests_than_may_be_in_work(url: str, own_servers: EmbeddedServers) -> None:
    table, people = match_of(url)
    look = partial(people[0].http.get, f"/v1/tables/{table}")
    with ThreadPoolExecutor(2 * REQUESTS_MAX) as pool:
        with frozen(own_servers.redis.pid):
            looks = [pool.submit(look) for _ in range(2 * REQUESTS_MAX)]
            assert within(4, lambda: sum(one.done() for one in looks) == REQUESTS_MAX), "the others wait for Redis"
            then_is_refused(people[1].http.get("/v1/me"))
            assert httpx.get(f"{url}/livez").status_code == 200
        answers = [one.result() for one in looks]
    assert [answer.status_code for answer in answers].count(200) == REQUESTS_MAX
    for answer in answers:
        if answer.status_code != 200:
            then_is_refused(answer)
    assert within(20, lambda: look().status_code == 200)
    assert people[1].http.get("/v1/me").status_code == 200


def test_a_page_of_a_known_origin_may_read_the_refusal_and_may_ask_before(
    url: str, own_servers: EmbeddedServers, operator: dict[str, str]
) -> None:
    matches = [match_of(url) for _ in range(REQUESTS_MAX)]
    asks = [partial(people[0].move, table, *next_move(people[0], table)) for table, people in matches]
    preflight = {"Origin": ORIGIN, "Access-Control-Request-Method": "GET"}
    with everything_locked(own_servers), jammed(url, operator, *asks):
        known, unknown = (
            httpx.get(f"{url}/v1/games", headers={"Origin": origin}) for origin in (ORIGIN, "https://other.example")
        )
        asked = httpx.options(f"{url}/v1/games", headers=preflight)
    for answer in (known, unknown):
        then_is_refused(answer)
        assert answer.headers["vary"] == "Origin"
    assert known.headers["access-control-allow-origin"] == ORIGIN
    assert "Retry-After" in known.headers["access-control-expose-headers"]
    assert "access-control-allow-origin" not in unknown.headers
    assert (asked.status_code, asked.headers["access-control-allow-origin"]) == (204, ORIGIN)


def test_a_refused_sender_goes_on_over_the_same_connection(
    url: str, own_servers: EmbeddedServers, operator: dict[str, str]
) -> None:
    matches = [match_of(url) for _ in range(REQUESTS_MAX)]
    asks = [partial(people[0].move, table, *next_move(people[0], table)) for table, people in matches]
    with everything_locked(own_servers), jammed(url, operator, *asks), connected(httpx.URL(url).port or 0) as sender:
        for _ in range(2):
            sender.sendall(request("POST", "/v1/players", b'{"name":"Ada"}'))
            assert b'"overloaded"' in read_answer(sender)
        sender.sendall(request("GET", "/livez"))
        assert read_answer(sender).startswith(b"HTTP/1.1 200")


def test_slow_senders_keep_nobody_out(url: str) -> None:
    ada = Player(url, "Ada")
    key = {"Idempotency-Key": new_key()}
    head, _, body = request("POST", "/v1/players", b'{"name":"Ben"}', **key).partition(b"\r\n\r\n")
    with ExitStack() as senders:
        slow = [senders.enter_context(connected(httpx.URL(url).port or 0)) for _ in range(2 * REQUESTS_MAX)]
        for half in (slow[:REQUESTS_MAX], slow[REQUESTS_MAX:]):
            for sender in half:
                sender.sendall(head + b"\r\n\r\n" + body[:1])
            assert within(10, lambda: ada.http.get("/v1/me").status_code == 200)
        for sender in slow:
            sender.sendall(body[1:])
            assert read_answer(sender).startswith((b"HTTP/1.1 201", b"HTTP/1.1 503"))


def test_there_is_room_for_so_many_and_for_another_when_one_leaves() -> None:
    load = Load(2)
    assert [load.enter() for _ in range(4)] == [True, True, False, False]
    load.leave(0.0)
    assert [load.enter(), load.enter()] == [True, False]
    assert (load.in_work, load.refused) == (2, 3)


def test_room_shrinks_until_nine_of_ten_answers_are_quick_but_never_below_what_locks_may_hold() -> None:
    load = Load(100)

    def answered(seconds: float, times: int) -> int:
        for _ in range(times):
            assert load.enter()
            load.leave(seconds)
        return load.room

    assert answered(0.4, 5) == 100
    assert answered(0.6, 1) == 91
    assert answered(0.4, 5) == 96
    for _ in range(20):
        answered(0.6, 1)
        assert answered(0.4, 9) == 96, "one of ten may be slow"
    assert answered(4.5, 30) == 32
    assert answered(0.1, 67) == 99
    assert answered(0.1, 9) == 100


def test_who_waits_long_for_a_body_makes_room_and_needs_room_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    patience = "service.runtime.load._BODY_SECONDS"
    load = Load(2)
    assert load.enter()
    slow = load.body_begins()
    assert load.enter()
    monkeypatch.setattr(patience, 3600)
    assert not load.enter(), "nobody has waited for long"
    monkeypatch.setattr(patience, 0)
    assert load.enter(), "the first one has"
    assert not load.enter()
    assert not load.body_ends(slow), "its room is taken"
    load.leave(0.0)
    quick = load.body_begins()
    assert load.body_ends(quick)
    load.leave(0.0)
    load.leave(0.0)
    assert load.in_work == 0
