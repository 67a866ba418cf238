"""What late copies of requests do, and other things that networks do to them."""

import random
import socket
from urllib.parse import urlsplit

import pytest
from redis import Redis

from tests.service.any_game import choose_well
from tests.service.client import Player, new_key, within
from tests.service.running import running_service, settings_for
from tests.service.test_tables_http import code_of


@pytest.fixture(scope="module")
def people(service_url: str) -> list[Player]:
    return [Player(service_url, name) for name in ("Ada", "Ben", "Cleo")]


def test_a_late_copy_of_sitting_down_does_not_seat_anybody_again(people: list[Player]) -> None:
    table, key = people[0].create("hearts"), new_key()
    path = f"/v1/tables/{table}/seats"
    assert people[1].post(path, {"seat": 1}, key=key).status_code == 201
    assert people[1].http.delete(f"{path}/me").status_code == 204
    late = people[1].post(path, {"seat": 1}, key=key)
    assert (late.status_code, late.json()["version"]) == (201, 3)
    assert late.json()["seats"][1]["kind"] == "open"
    bot = new_key()
    assert people[0].post(path, {"seat": 2, "bot": True}, key=bot).status_code == 201
    people[0].http.delete(f"{path}/2")
    late = people[0].post(path, {"seat": 2, "bot": True}, key=bot)
    assert (late.status_code, late.json()["version"]) == (201, 5)


def test_a_key_belongs_to_one_body(people: list[Player]) -> None:
    table, key = people[0].create("hearts"), new_key()
    path = f"/v1/tables/{table}/seats"
    assert people[1].post(path, {"seat": 1}, key=key).status_code == 201
    other = people[1].post(path, {"client_seed": "ab" * 32}, key=key)
    assert (other.status_code, code_of(other)) == (422, "idempotency_key_reused")
    assert people[1].post(path, {"client_seed": "ab" * 32}, keyed=True).status_code == 201


def test_a_late_copy_of_a_draft_does_not_prepare_it_again(people: list[Player]) -> None:
    rng = random.Random(3)
    table = people[0].create("romme", seats=2, options={"first_meld_min": 0})
    people[1].sit(table)
    people[0].start(table)
    for _ in range(400):
        for player in people[:2]:
            view = player.view(table)
            if view["you"]["decision"] is None:
                continue
            for ready in view["you"]["private"]["preparable"]:
                cards = ready["draft"]["cards"]
                key, path = new_key(), f"/v1/tables/{table}/drafts"
                first = player.post(path, {"type": "prepare", "cards": cards}, key=key)
                assert first.status_code == 201, first.text
                assert len(player.http.get(path).json()["drafts"]) == 1
                assert player.http.delete(path).status_code == 200
                assert player.post(path, {"type": "prepare", "cards": cards}, key=key).status_code == 201
                assert player.http.get(path).json()["drafts"] == []
                return
            player.move(table, view["you"]["decision"], choose_well(view, rng))
    raise AssertionError("nobody could prepare a meld")


def test_an_account_is_erased_from_its_tables_although_redis_has_just_lost_them(
    service_url: str, module_redis_url: str
) -> None:
    ada, ben = Player(service_url, "Ada"), Player(service_url, "Ben")
    table = ada.create("hearts", bots=[2, 3])
    ben.sit(table)
    ada.start(table)
    with Redis.from_url(module_redis_url) as connection:
        connection.flushall()
    assert ada.http.delete("/v1/me").status_code == 204
    assert within(10, lambda: bool(ben.view(table)["seats"][0]["kind"] == "bot"))
    assert ben.view(table)["host"] == 1


def test_a_new_name_changes_the_tag_of_a_view(people: list[Player]) -> None:
    table = people[0].create("hearts")
    tag = people[1].http.get(f"/v1/tables/{table}").headers["etag"]
    people[0].http.patch("/v1/me", json={"name": "Ada L."})
    known = {"If-None-Match": tag}
    assert within(2, lambda: people[1].http.get(f"/v1/tables/{table}", headers=known).status_code == 200)
    seen = people[1].http.get(f"/v1/tables/{table}", headers=known)
    assert seen.json()["seats"][0]["name"] == "Ada L."
    assert seen.headers["etag"] != tag


@pytest.mark.parametrize(
    "content",
    [
        b'{"name": 5, garbage',
        b'{"foo": 1, @@',
        b'{"name":1,"x":NaN}',
        b'{"name": 5, "x": "\xff"}',
        b'{"name": 5, "x": ' + b"[" * 30_000,
    ],
)
def test_a_body_that_is_wrong_twice_is_malformed(people: list[Player], content: bytes) -> None:
    headers = {"Content-Type": "application/json", "Idempotency-Key": new_key()}
    refused = people[0].http.post("/v1/players", content=content, headers=headers)
    assert (refused.status_code, code_of(refused)) == (400, "malformed_body")


@pytest.mark.parametrize("depth", [*range(965, 1000), 5000])
def test_nesting_of_any_depth_is_answered(people: list[Player], depth: int) -> None:
    content = b'{"game":"hearts","options":{"zz":' + b"[" * depth + b"]" * depth + b"}}"
    headers = {"Content-Type": "application/json", "Idempotency-Key": new_key()}
    refused = people[0].http.post("/v1/tables", content=content, headers=headers)
    assert refused.status_code == 400, refused.text


def test_a_body_that_does_not_come_is_given_up(database_url: str, redis_url: str) -> None:
    with running_service(settings_for(database_url, redis_url, body_seconds=1), worker=False) as url:
        address = urlsplit(url)
        _then_half_a_body_is_given_up(str(address.hostname), address.port or 0)


def _then_half_a_body_is_given_up(host: str, port: int) -> None:
    with socket.create_connection((host, port), timeout=10) as connection:
        connection.sendall(
            b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b'Idempotency-Key: "0123456789abcdef0123456789abcdef"\r\nContent-Length: 500\r\n\r\n{"name'
        )
        assert connection.recv(100).startswith(b"HTTP/1.1 400 ")
