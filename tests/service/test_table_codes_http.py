"""Join codes and spectator codes over HTTP, on two API processes."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psycopg
import pytest

from service.composition import opened
from service.runtime.settings import Settings
from tests.service.api_process import api_process
from tests.service.asked import Asked
from tests.service.client import Player, new_key
from tests.service.disputing import end
from tests.service.running import running_service, settings_for
from tests.service.test_limits_http import then_is_refused
from tests.service.test_tables_http import code_of

WRONG = "00000000"
READS = ("", "/events", "/replay", "/head", "/explain?seat=0")


@pytest.fixture
def settings(database_url: str, redis_url: str) -> Settings:
    return settings_for(database_url, redis_url, limits=(), public_url="https://cards.example")


@pytest.fixture
def urls(settings: Settings) -> Iterator[tuple[str, str]]:
    """Two API processes' worth of service."""
    with running_service(settings) as first, running_service(settings, worker=False) as second:
        yield first, second
        Player.close_all()


def private(host: Player, **body: Any) -> str:
    return host.create("hearts", visibility="private", **body)


def join(player: Player, code: str, url: str = "", *, key: str | None = None, **body: Any) -> httpx.Response:
    return player.post(f"{url}/v1/join", {"code": code, **body}, key=key or new_key())


def watch(player: Player, code: str, url: str = "") -> httpx.Response:
    return player.post(f"{url}/v1/watch", {"code": code})


def then_is_unknown(answer: httpx.Response) -> None:
    """It is the answer to every code that is not valid, and says no more."""
    assert (answer.status_code, code_of(answer)) == (404, "code_unknown"), answer.text
    assert answer.json()["detail"] == "This code is not valid: it is wrong or replaced, or its time is over."


# joining


def test_a_code_alone_sits_its_sender_down(urls: tuple[str, str]) -> None:
    ada, ben, cleo = (Player(urls[number % 2], name) for number, name in enumerate(("Ada", "Ben", "Cleo")))
    table = private(ada, bots=[3])
    made = ada.http.post(
        f"/v1/tables/{table}/join-code", headers={"Idempotency-Key": new_key(), "Accept-Encoding": "gzip, br, zstd"}
    )
    assert made.headers["cache-control"] == "no-store"
    assert "content-encoding" not in made.headers
    code = made.json()["code"]
    assert made.json()["link"] == f"https://cards.example/join#{code}"
    sat = join(ben, code, client_seed="20" * 32)
    assert sat.status_code == 201
    assert sat.json()["you"]["seat"] == 1
    assert sat.headers["location"] == f"/v1/tables/{table}"
    assert code not in sat.text
    typed = join(cleo, f" {code.lower().replace('-', ' ')} ")
    assert typed.json()["you"]["seat"] == 2
    for seated in (ada, ben, cleo):
        known = seated.http.get(f"/v1/tables/{table}/join-code")
        assert known.json() == made.json()
        assert known.headers["cache-control"] == "no-store"
        assert "join_code" not in seated.http.get(f"/v1/tables/{table}").text
    full = join(Player(urls[0], "Dora"), code)
    assert (full.status_code, code_of(full)) == (409, "table_full")
    again = join(ben, code)
    assert (again.status_code, code_of(again)) == (409, "already_seated")


def test_a_code_that_is_replaced_on_one_process_is_dead_on_the_other_at_once(urls: tuple[str, str]) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[1], "Ben")
    table, key = private(ada), new_key()
    path = f"/v1/tables/{table}/join-code"
    first = ada.http.post(path, headers={"Idempotency-Key": key}).json()["code"]
    assert ada.http.post(f"{urls[1]}{path}", headers={"Idempotency-Key": key}).json()["code"] == first, "a retry"
    for number in range(10):
        url, other = urls[number % 2], urls[(number + 1) % 2]
        second = ada.http.post(f"{url}{path}", headers={"Idempotency-Key": new_key()}).json()["code"]
        assert second != first
        then_is_unknown(join(ben, first, other))
        first = second
    late = ada.http.post(path, headers={"Idempotency-Key": key})
    assert (late.status_code, code_of(late)) == (422, "idempotency_key_reused")
    assert join(ben, first).status_code == 201


def test_of_codes_that_are_made_at_the_same_time_one_stays(urls: tuple[str, str]) -> None:
    ada = Player(urls[0], "Ada")
    table, headers = private(ada), dict(ada.http.headers)

    def ask(number: int) -> str:
        url = f"{urls[number % 2]}/v1/tables/{table}/join-code"
        answer = httpx.post(url, headers={**headers, "Idempotency-Key": new_key()}, timeout=30)
        return str(answer.json()["code"])

    with ThreadPoolExecutor(6) as pool:
        several = list(pool.map(ask, range(6)))
    known = ada.http.get(f"{urls[1]}/v1/tables/{table}/join-code").json()["code"]
    ben = Player(urls[1], "Ben")
    for code in several:
        if code != known:
            then_is_unknown(join(ben, code))
    assert join(ben, known).status_code == 201


def test_a_code_is_dead_with_the_start_and_with_the_last_who_left(urls: tuple[str, str]) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[1], "Ben")
    started, closed = private(ada, bots=[1, 2, 3]), private(ada)
    codes = [ada.code(table) for table in (started, closed)]
    ada.start(started)
    end([ada], closed)
    for code in codes:
        then_is_unknown(join(ben, code))
        then_is_unknown(join(ben, code, urls[0]))
    path = f"/v1/tables/{started}/join-code"
    refused = (ada.http.get(path), ada.http.post(path, headers={"Idempotency-Key": new_key()}))
    assert [(answer.status_code, code_of(answer)) for answer in refused] == [(409, "match_started")] * 2


def test_a_retry_gets_the_same_answer_though_the_code_is_dead(urls: tuple[str, str]) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[1], "Ben")
    table, key = private(ada, bots=[2, 3]), new_key()
    code = ada.code(table)
    first = join(ben, code, key=key)
    assert first.status_code == 201
    newer = ada.code(table)
    assert join(ben, code, urls[0], key=key).json() == first.json()
    other = join(ben, newer, key=key)
    assert (other.status_code, code_of(other)) == (422, "idempotency_key_reused")
    ada.start(table)
    again = join(ben, code, key=key)
    assert (again.status_code, again.json()["you"]["seat"]) == (201, 1)
    then_is_unknown(join(Player(urls[0], "Cleo"), code, key=key))


def test_only_the_host_makes_codes_and_a_public_table_may_have_one_too(urls: tuple[str, str]) -> None:
    ada, ben, cleo = (Player(urls[0], name) for name in ("Ada", "Ben", "Cleo"))
    table = ada.create("hearts")
    assert ada.http.get(f"/v1/tables/{table}/join-code").status_code == 404, "there is none yet"
    ben.join(ada.code(table))
    for kind in ("join", "spectator"):
        path = f"/v1/tables/{table}/{kind}-code"
        asked = [player.http.post(path, headers={"Idempotency-Key": new_key()}) for player in (ben, cleo)]
        assert [code_of(answer) for answer in asked] == ["not_host", "not_seated"]
    assert code_of(cleo.http.get(f"/v1/tables/{table}/join-code")) == "not_seated"
    assert code_of(ben.http.get(f"/v1/tables/{table}/spectator-code")) == "not_host"
    assert code_of(ben.http.delete(f"/v1/tables/{table}/spectator-code")) == "not_host"
    end([ada], table)
    assert ben.code(table), "who is host after him"


async def test_the_same_is_asked_for_every_code_that_is_not_valid(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    with running_service(settings) as url:
        ada, ben = Player(url, "Ada"), Player(url, "Ben")
        replaced, started, closed = private(ada), private(ada, bots=[1, 2, 3]), private(ada)
        dead = [ada.code(table) for table in (replaced, started, closed)]
        ada.code(replaced)
        ada.start(started)
        end([ada], closed)
        old, withdrawn, newest = (ada.code(replaced, "spectator") for _ in range(3))
        assert ada.http.delete(f"/v1/tables/{replaced}/spectator-code").status_code == 204
        async with opened(settings) as services:
            codes, host = services.table_codes, "203.0.113.7"
            asked = Asked(monkeypatch)

            async def joins(code: str) -> list[str]:
                return await asked.of(
                    lambda: codes.join(code, ben.id, new_key(), host=host, client_seed=None, digest=bytes(32))
                )

            async def watches(code: str) -> list[str]:
                return await asked.of(lambda: codes.watch(code, ben.id, host=host))

            wrong = [WRONG, "x", "0" * 12]
            for each in (
                [await joins(code) for code in (*wrong, *dead, newest)],
                [await watches(code) for code in (*wrong, old, withdrawn, newest, dead[0])],
            ):
                assert each[0][-1].startswith("NotFoundError")
                assert len(each[0]) == 5, "three limits, one statement, the answer"
                assert [one for one in each if one != each[0]] == []
            assert (await joins(ada.code(private(ada))))[-1] == "done"
        Player.close_all()


def test_codes_are_limited_by_account_address_and_in_total(database_url: str, redis_url: str) -> None:
    limits = ("table_codes=2/3600", "joins=3/3600", "joins_ipv4=4/3600", "joins_ipv6=2/3600", "joins_total=9/3600")
    settings = settings_for(database_url, redis_url, limits=limits, trusted_proxies=("127.0.0.1",))
    with api_process(settings) as api:
        people = [Player(api.url, f"Player {number}") for number in range(6)]
        ada, ben, *others = people
        table, making, key = private(ada), new_key(), new_key()
        path = f"/v1/tables/{table}/join-code"
        code = ada.http.post(path, headers={"Idempotency-Key": making}).json()["code"]
        assert ada.code(table, "spectator")
        then_is_refused(ada.http.post(path, headers={"Idempotency-Key": new_key()}), "table_codes", "q=2;w=3600")
        assert ada.http.post(path, headers={"Idempotency-Key": making}).json()["code"] == code, "a retry"

        def attempt(by: Player, address: str, code: str = WRONG, key: str | None = None) -> httpx.Response:
            headers = {"Idempotency-Key": key or new_key(), "X-Forwarded-For": address}
            return by.http.post("/v1/join", json={"code": code}, headers=headers)

        sat = attempt(ben, "203.0.113.7", code, key)
        assert sat.status_code == 201
        assert [attempt(ben, "203.0.113.7").status_code for _ in range(3)] == [404, 404, 429]
        then_is_refused(attempt(ben, "203.0.113.7", code), "joins", "q=3;w=3600")
        assert attempt(ben, "203.0.113.7", code, key).json() == sat.json(), "a retry"
        assert attempt(others[0], "203.0.113.7").status_code == 404
        then_is_refused(attempt(others[0], "203.0.113.7", code), "joins_ipv4", "q=4;w=3600")
        network = [attempt(others[1], f"2001:db8::{number}").status_code for number in range(3)]
        assert network == [404, 404, 429]
        assert [attempt(others[2], "198.51.100.1").status_code for _ in range(3)] == [404, 404, 404]
        then_is_refused(attempt(others[3], "198.51.100.2", code), "joins_total", "q=9;w=3600")
        refused = others[3].post("/v1/watch", {"code": WRONG})
        then_is_refused(refused, "joins_total", "q=9;w=3600")
        Player.close_all()


# watching


def test_whom_the_host_invites_reads_a_private_table_until_that_is_withdrawn(urls: tuple[str, str]) -> None:
    ada, ben, cleo = (Player(urls[number % 2], name) for number, name in enumerate(("Ada", "Ben", "Cleo")))
    table = private(ada, bots=[1, 2, 3])
    ada.start(table)
    code, path = ada.code(table, "spectator"), f"/v1/tables/{table}"
    known = ada.http.get(f"{path}/spectator-code")
    assert known.json() == {"code": code, "link": f"https://cards.example/watch#{code}"}
    assert known.headers["cache-control"] == "no-store"
    for url in urls:
        assert ben.http.get(f"{url}{path}").status_code == 404
    seen = watch(ben, code.lower())
    assert (seen.status_code, seen.json()["you"], seen.json()["table"]) == (200, None, table)
    assert watch(ben, code, urls[0]).status_code == 200, "sent again"
    etag = seen.headers["etag"]
    for url in urls:
        answers = [ben.http.get(f"{url}{path}{read}") for read in READS[:4]]
        assert [answer.status_code for answer in answers] == [200] * 4
        assert code_of(ben.http.get(f"{url}{path}/join-code")) == "not_seated"
        assert code_of(ben.http.get(f"{url}{path}{READS[4]}")) == "match_running"
    assert ben.http.get(path, headers={"If-None-Match": etag}).status_code in (200, 304)
    assert cleo.http.get(path).status_code == 404, "it is for the account that redeemed the code"
    newer = ada.code(table, "spectator")
    then_is_unknown(watch(cleo, code))
    assert ben.http.get(path).status_code == 200, "who came by the old one stays"
    assert watch(cleo, newer).status_code == 200
    assert ada.http.delete(f"{path}/spectator-code").status_code == 204
    assert ada.http.delete(f"{path}/spectator-code").status_code == 204
    for url in urls:  # at once on every process
        for player in (ben, cleo):
            assert [player.http.get(f"{url}{path}{read}").status_code for read in READS] == [404] * 5
            assert player.http.get(f"{url}{path}", headers={"If-None-Match": etag}).status_code == 404
        then_is_unknown(watch(ben, newer, url))
    assert ada.http.get(f"{path}/spectator-code").status_code == 404
    assert watch(cleo, ada.code(table, "spectator")).status_code == 200
    assert ben.http.get(path).status_code == 404


def test_the_invitation_holds_without_redis_and_after_the_match(servers: Any, urls: tuple[str, str]) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[1], "Ben")
    table = private(ada, bots=[1, 2, 3])
    ada.start(table)
    watch(ben, ada.code(table, "spectator"))
    servers.redis.stop()
    try:
        assert ben.http.get(f"/v1/tables/{table}").status_code == 200
        assert Player(urls[1], "Cleo").http.get(f"/v1/tables/{table}").status_code == 404
    finally:
        servers.redis.start()
    end([ada], table)
    assert ben.http.get(f"/v1/tables/{table}/record").status_code == 200
    closed = ada.http.post(f"/v1/tables/{table}/spectator-code", headers={"Idempotency-Key": new_key()})
    assert (closed.status_code, code_of(closed)) == (404, "not_found"), "who has left is a stranger"


def test_what_an_erased_account_might_watch_is_forgotten(urls: tuple[str, str], database_url: str) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[1], "Ben")
    watch(ben, ada.code(private(ada), "spectator"))
    assert ben.http.delete("/v1/me").status_code == 204
    with psycopg.connect(database_url) as connection:
        assert connection.execute("select count(*) from spectators").fetchone() == (0,)


def test_who_is_let_in_leaves_no_trace_at_the_table(urls: tuple[str, str]) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[1], "Ben")
    table = private(ada)
    before, events = ada.http.get(f"/v1/tables/{table}"), ada.http.get(f"/v1/tables/{table}/events").content
    watch(ben, ada.code(table, "spectator"))
    after = ada.http.get(f"/v1/tables/{table}")
    assert (after.content, after.headers["etag"]) == (before.content, before.headers["etag"])
    assert ada.http.get(f"/v1/tables/{table}/events").content == events


@pytest.mark.parametrize("path", ["join", "watch"])
@pytest.mark.parametrize("body", [{}, {"code": 7}, {"code": ""}, {"code": "x" * 65}, {"code": "x", "table": "y"}])
def test_malformed_codes_are_refused(urls: tuple[str, str], path: str, body: dict[str, Any]) -> None:
    refused = Player(urls[0], "Ada").post(f"/v1/{path}", body, keyed=True)
    assert (refused.status_code, code_of(refused)) == (400, "invalid_request")
