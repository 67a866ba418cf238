"""An account survives its phone: recovery codes and transfer codes over HTTP, on two API processes."""

import hashlib
import random
import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import psycopg
import pytest
from redis import Redis

from service import codes
from service.composition import opened
from service.runtime.settings import Settings
from tests.service.any_game import choose_any
from tests.service.api_process import api_process
from tests.service.asked import Asked
from tests.service.client import Player, new_key
from tests.service.disputing import of_role
from tests.service.running import running_service, settings_for
from tests.service.test_limits_http import then_is_refused
from tests.service.test_tables_http import code_of

WRONG = "0" * 25


@pytest.fixture
def settings(database_url: str, redis_url: str) -> Settings:
    return settings_for(database_url, redis_url)


@pytest.fixture
def urls(settings: Settings) -> Iterator[tuple[str, str]]:
    """Two API processes' worth of service."""
    with running_service(settings) as first, running_service(settings, worker=False) as second:
        yield first, second
        Player.close_all()


def made(player: Player, kind: str, key: str | None = None) -> dict[str, Any]:
    """A new code of a player."""
    answer = player.http.post(f"/v1/me/{kind}-code", headers={"Idempotency-Key": key or new_key()})
    assert answer.status_code == 201, answer.text
    assert answer.headers["cache-control"] == "no-store"
    body: dict[str, Any] = answer.json()
    return body


def redeem(url: str, code: str, *, key: str | None = None, **body: Any) -> httpx.Response:
    """Ask for a token for a code, from a device without one."""
    headers = {"Idempotency-Key": key or new_key(), "Accept-Encoding": "gzip"}
    answer = httpx.post(
        f"{url}/v1/tokens", json={"code": code, "label": "new phone", **body}, headers=headers, timeout=30
    )
    assert "content-encoding" not in answer.headers
    return answer


def me(url: str, token: str) -> httpx.Response:
    return httpx.get(f"{url}/v1/me", headers={"Authorization": f"Bearer {token}"}, timeout=30)


def then_is_unknown(answer: httpx.Response) -> None:
    """It is the answer to every code that is not valid, and says no more."""
    assert (answer.status_code, code_of(answer)) == (404, "code_unknown"), answer.text
    assert answer.json()["detail"] == "This code is not valid: it is wrong, replaced, used or expired."


def test_a_reinstalled_app_finds_its_match(urls: tuple[str, str]) -> None:
    ada = Player(urls[0], "Ada")
    code = made(ada, "recovery")["code"]
    table = ada.create("hearts", bots=[1, 2, 3], visibility="private")
    ada.start(table)
    got = redeem(urls[1], code)
    assert got.status_code == 201, got.text
    assert got.headers["cache-control"] == "no-store"
    body = got.json()
    assert (body["player"], body["name"], body["label"]) == (ada.id, "Ada", "new phone")
    phone = {"Authorization": f"Bearer {body['token']}"}
    (found,) = httpx.get(f"{urls[1]}/v1/me/tables", headers=phone).json()["items"]
    assert (found["table"], found["waiting"]) == (table, True)
    view = httpx.get(f"{urls[1]}/v1/tables/{table}", headers=phone).json()
    move = {"game": "hearts", "decision": view["you"]["decision"], "move": choose_any(view, random.Random(1))}
    assert httpx.post(f"{urls[1]}/v1/tables/{table}/moves", headers=phone, json=move).status_code == 200
    assert me(urls[0], ada.token).status_code == 200, "the old token stays"
    labels = [item["label"] for item in ada.http.get("/v1/me/tokens").json()["items"]]
    assert labels == ["new phone", "first"]


def test_a_recovery_code_holds_until_it_is_replaced_and_me_says_since_when(urls: tuple[str, str]) -> None:
    ada = Player(urls[0], "Ada")
    assert ada.http.get("/v1/me").json()["recovery_code_created"] is None
    key = new_key()
    first = made(ada, "recovery", key)
    assert made(ada, "recovery", key) == first, "a retry"
    assert ada.http.get("/v1/me").json()["recovery_code_created"] == first["created"]
    tokens = {redeem(url, first["code"]).json()["token"] for url in (*urls, *urls)}
    assert len(tokens) == 4
    second = made(ada, "recovery")
    for url in urls:  # at once on every process
        then_is_unknown(redeem(url, first["code"]))
        assert redeem(url, second["code"]).status_code == 201
    late = ada.http.post("/v1/me/recovery-code", headers={"Idempotency-Key": key})
    assert (late.status_code, code_of(late)) == (422, "idempotency_key_reused"), "it does not bring the old one back"
    assert redeem(urls[0], second["code"]).status_code == 201


def test_a_transfer_code_is_for_one_device(urls: tuple[str, str]) -> None:
    ada, key = Player(urls[0], "Ada"), new_key()
    making = new_key()
    transfer = made(ada, "transfer", making)
    assert transfer["expires"] - transfer["created"] == 600_000
    first = redeem(urls[0], transfer["code"], key=key)
    assert first.status_code == 201
    assert redeem(urls[1], transfer["code"], key=key).json() == first.json(), "a retry, on another process"
    assert me(urls[1], first.json()["token"]).json()["player"] == ada.id
    then_is_unknown(redeem(urls[1], transfer["code"]))
    other = redeem(urls[0], transfer["code"], key=key, label="another")
    assert (other.status_code, code_of(other)) == (422, "idempotency_key_reused")
    again = ada.http.post("/v1/me/transfer-code", headers={"Idempotency-Key": making})
    assert (again.status_code, code_of(again)) == (422, "idempotency_key_reused")


def test_of_many_who_redeem_a_transfer_code_at_the_same_time_one_gets_a_token(urls: tuple[str, str]) -> None:
    ada = Player(urls[0], "Ada")
    for _ in range(5):
        code = made(ada, "transfer")["code"]
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda number, code=code: redeem(urls[number % 2], code), range(8)))
        assert sorted(answer.status_code for answer in answers) == [201] + [404] * 7


def test_many_codes_made_at_the_same_time_leave_one_that_is_valid(urls: tuple[str, str]) -> None:
    ada = Player(urls[0], "Ada")
    headers = dict(ada.http.headers)

    def ask(number: int) -> str:
        url = f"{urls[number % 2]}/v1/me/recovery-code"
        answer = httpx.post(url, headers={**headers, "Idempotency-Key": new_key()}, timeout=30)
        return str(answer.json()["code"])

    with ThreadPoolExecutor(8) as pool:
        several = list(pool.map(ask, range(8)))
    assert sorted(redeem(urls[0], code).status_code for code in several) == [201] + [404] * 7


@pytest.mark.parametrize(
    "spelled", [str.lower, lambda code: code.replace("-", " "), lambda code: code.replace("-", "")]
)
def test_case_spaces_and_dashes_do_not_count(urls: tuple[str, str], spelled: Any) -> None:
    ada = Player(urls[0], "Ada")
    code = made(ada, "recovery")["code"]
    assert redeem(urls[0], f" {spelled(code)} ").status_code == 201
    assert redeem(urls[0], code.replace("-", "–").replace("0", "O").replace("1", "l")).status_code == 201


def test_wrong_used_expired_replaced_and_erased_codes_get_one_answer(urls: tuple[str, str], database_url: str) -> None:
    ada, ben = Player(urls[0], "Ada"), Player(urls[0], "Ben")
    replaced, used, recovery = made(ada, "transfer"), made(ada, "transfer"), made(ben, "recovery")
    assert redeem(urls[0], used["code"]).status_code == 201
    expired = made(ada, "transfer")
    with psycopg.connect(database_url) as connection:
        connection.execute("update account_codes set expires_at = now() where used_at is null and kind = 'transfer'")
    transfer = made(ben, "transfer")
    assert ben.http.delete("/v1/me").status_code == 204
    bodies = []
    for code in (WRONG, "x", "0" * 12, *(one["code"] for one in (replaced, used, expired, recovery, transfer))):
        for url in urls:
            answer = redeem(url, code)
            then_is_unknown(answer)
            bodies.append({name: value for name, value in answer.json().items() if name != "trace_id"})
    assert all(body == bodies[0] for body in bodies)
    with psycopg.connect(database_url) as connection:
        left = connection.execute("select count(*) from account_codes where player = %s", (ben.id,)).fetchone()
    assert left == (0,)


def test_a_recovery_revokes_all_others_if_asked(urls: tuple[str, str]) -> None:
    ada, key = Player(urls[0], "Ada"), new_key()
    tablet = ada.post("/v1/me/tokens", {"label": "tablet"}, keyed=True).json()["token"]
    code = made(ada, "recovery")["code"]
    for url in urls:
        assert me(url, ada.token).status_code == 200  # both remember it
    got = redeem(urls[1], code, key=key, revoke_others=True)
    assert got.status_code == 201
    for url in urls:
        assert [me(url, token).status_code for token in (ada.token, tablet)] == [401, 401]
        assert me(url, got.json()["token"]).status_code == 200
    later = redeem(urls[0], code).json()["token"]
    assert redeem(urls[1], code, key=key, revoke_others=True).json() == got.json()
    assert me(urls[0], later).status_code == 200, "a retry revokes nothing that came after it"


def test_codes_are_kept_as_hashes_alone(urls: tuple[str, str], database_url: str, redis_url: str) -> None:
    ada = Player(urls[0], "Ada")
    several = [made(ada, kind)["code"] for kind in ("recovery", "transfer")]
    tokens = [redeem(urls[0], code).json()["token"] for code in several]
    with psycopg.connect(database_url) as connection:
        rows = connection.execute("select account_codes::text, sha256 from account_codes").fetchall()
        others = connection.execute("select tokens::text from tokens").fetchall()
    texts = "".join(text for text, _ in rows) + "".join(text for (text,) in others)
    secrets = [*several, *(code.replace("-", "") for code in several), *tokens]
    assert not [secret for secret in secrets if secret in texts]
    assert {hashlib.sha256(codes.read(code).encode()).digest() for code in several} == {digest for _, digest in rows}
    with Redis.from_url(redis_url) as redis:
        assert not [
            secret for secret in secrets for key in redis.scan_iter() if secret.encode() in (redis.dump(key) or b"")
        ]


def test_a_token_of_a_code_has_the_role_of_who_made_it(urls: tuple[str, str], settings: Settings) -> None:
    arbiter = of_role(urls[0], settings, "arbiter", "Iris")
    token = redeem(urls[0], made(arbiter, "recovery")["code"]).json()["token"]
    assert me(urls[0], token).json()["role"] == "arbiter"


def test_codes_are_limited_by_account_address_and_in_total(database_url: str, redis_url: str) -> None:
    limits = ("account_codes=3/3600", "redemptions_ipv4=4/3600", "redemptions_ipv6=2/3600", "redemptions_total=8/3600")
    settings = settings_for(database_url, redis_url, limits=limits, trusted_proxies=("127.0.0.1",))
    with api_process(settings) as api:
        ada, making, key = Player(api.url, "Ada"), new_key(), new_key()
        code = made(ada, "recovery", making)["code"]
        for _ in range(2):
            made(ada, "transfer")
        refused = ada.http.post("/v1/me/transfer-code", headers={"Idempotency-Key": new_key()})
        then_is_refused(refused, "account_codes", "q=3;w=3600")
        assert made(ada, "recovery", making)["code"] == code, "a retry"

        def attempt(address: str, code: str = WRONG, key: str | None = None) -> httpx.Response:
            headers = {"Idempotency-Key": key or new_key(), "X-Forwarded-For": address}
            return httpx.post(f"{api.url}/v1/tokens", json={"code": code, "label": "x"}, headers=headers, timeout=30)

        got = attempt("203.0.113.7", code, key)
        assert got.status_code == 201
        assert [attempt("203.0.113.7").status_code for _ in range(4)] == [404, 404, 404, 429]
        then_is_refused(attempt("203.0.113.7", code), "redemptions_ipv4", "q=4;w=3600")
        assert attempt("203.0.113.7", code, key).json() == got.json(), "a retry"
        network = [attempt(f"2001:db8::{number}") for number in range(3)]
        assert [answer.status_code for answer in network] == [404, 404, 429]
        assert [attempt("198.51.100.1").status_code for _ in range(3)] == [404, 404, 429]
        then_is_refused(attempt("198.51.100.2", code), "redemptions_total", "q=8;w=3600")
        Player.close_all()


def test_a_code_is_not_spent_where_the_account_has_no_room_for_a_token(database_url: str, redis_url: str) -> None:
    with running_service(settings_for(database_url, redis_url, limits=("tokens=2",))) as url:
        ada = Player(url, "Ada")
        code = made(ada, "transfer")["code"]
        ada.post("/v1/me/tokens", {"label": "tablet"}, keyed=True)
        then_is_refused(redeem(url, code), "tokens", "q=2")
        got = redeem(url, code, revoke_others=True)
        assert got.status_code == 201, got.text
        (only,) = httpx.get(f"{url}/v1/me/tokens", headers={"Authorization": f"Bearer {got.json()['token']}"}).json()[
            "items"
        ]
        assert only["token_id"] == got.json()["token_id"]
        Player.close_all()


async def test_the_same_is_asked_for_every_code_that_is_not_valid(
    settings: Settings, database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(settings) as services:
        ada = await services.accounts.create_guest("Ada", "1" * 32, "203.0.113.7")
        account = await services.accounts.authenticate(f"Bearer {ada.token}")
        recovery = services.recovery

        async def try_(code: str) -> None:
            key, host = new_key(), "203.0.113.7"
            await recovery.redeem(code, "phone", 365, revoke_others=False, key=key, host=host)

        replaced, used, old = [(await recovery.make(account, "transfer", new_key())).code for _ in range(3)]
        await try_(old)
        expired = (await recovery.make(account, "transfer", new_key())).code
        with psycopg.connect(database_url) as connection:
            connection.execute("update account_codes set expires_at = now() where used_at is null")
        asked = Asked(monkeypatch)
        each = [await asked.of(lambda code=code: try_(code)) for code in (WRONG, "x", replaced, used, old, expired)]  # type: ignore[misc]
        assert each[0][-1].startswith("NotFoundError")
        assert len(each[0]) == 5, "two limits, two statements, the answer"
        assert all(one == each[0] for one in each)
        valid = (await recovery.make(account, "transfer", new_key())).code
        assert (await asked.of(lambda: try_(valid)))[-1] == "done"


def test_codes_are_spelled_as_the_contract_says() -> None:
    for shape, bits in ((codes.RECOVERY, 122), (codes.TRANSFER, 58)):
        assert len(codes.ALPHABET) ** shape.length > 2**bits
        for _ in range(100):
            code = shape.random()
            assert re.fullmatch(shape.pattern, shape.shown(code))
            assert len(shape.shown(code)) == shape.shown_length
            assert codes.read(shape.shown(code)) == code
    assert codes.RECOVERY.from_bytes(b"\xff" * 32) != codes.RECOVERY.from_bytes(b"\xff" * 31 + b"\xfe")
    assert set(codes.ALPHABET).isdisjoint("AEIOUL")


@pytest.mark.parametrize("body", [{}, {"code": 7}, {"code": ""}, {"code": "x" * 65}, {"code": "x", "days": 1}])
def test_malformed_redemptions_are_refused(urls: tuple[str, str], body: dict[str, Any]) -> None:
    headers = {"Idempotency-Key": new_key()}
    refused = httpx.post(f"{urls[0]}/v1/tokens", json={"label": "phone", **body}, headers=headers)
    assert (refused.status_code, code_of(refused)) == (400, "invalid_request")


def test_who_is_erased_while_a_code_is_redeemed_has_no_token_left(urls: tuple[str, str], database_url: str) -> None:
    for _ in range(5):
        ada = Player(urls[0], "Ada")
        code = made(ada, "recovery")["code"]
        with ThreadPoolExecutor(6) as pool:
            asked = [pool.submit(redeem, urls[number % 2], code) for number in range(5)]
            erased = pool.submit(ada.http.delete, "/v1/me")
            assert erased.result().status_code == 204
            tokens = [one.result().json()["token"] for one in asked if one.result().status_code == 201]
        time.sleep(0.05)
        assert all(me(url, token).status_code == 401 for token in tokens for url in urls)
        with psycopg.connect(database_url) as connection:
            left = connection.execute("select count(*) from tokens where player = %s", (ada.id,)).fetchone()
        assert left == (0,)
