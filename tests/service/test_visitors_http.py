"""Public matches that are over may be read without a token, and nothing else may."""

import random
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import httpx
import pytest

from service.api.routes import HANDLERS
from tests.service.client import Player, choose_hearts, play_match, within
from tests.service.running import running_service, settings_for
from tests.service.test_tables_http import code_of

OPEN = {
    "getTable": "",
    "listEvents": "/events",
    "getHead": "/head",
    "getRecord": "/record",
    "auditTable": "/audit",
    "getReplay": "/replay?from=1&to=20&seat=1",
    "explainMove": "/explain?version=3&seat=0",
}


@pytest.fixture(scope="module")
def url(module_database_url: str, module_redis_url: str) -> Iterator[str]:
    limits = ("audits=3/600",)
    with running_service(settings_for(module_database_url, module_redis_url, limits=limits)) as url:
        yield url
        Player.close_all()


@pytest.fixture(scope="module")
def ada(url: str) -> Player:
    return Player(url, "Ada")


def played(ada: Player, visibility: str) -> str:
    table = ada.create("hearts", visibility=visibility, options={"players": 3, "target_score": 1}, bots=[1, 2])
    ada.start(table)
    play_match([ada], table, choose_hearts, random.Random(1))
    return table


@pytest.fixture(scope="module")
def over(url: str, ada: Player) -> str:
    """A public match that is over, and in the transparency log."""
    table = played(ada, "public")
    assert within(20, lambda: httpx.get(f"{url}/v1/tables/{table}").status_code == 200)
    return table


def test_these_operations_need_no_token_then(url: str) -> None:
    assert {one.id for one in HANDLERS if one.public_when_over} == OPEN.keys()
    contract = httpx.get(f"{url}/openapi.json").json()
    declared = {one["operationId"]: one.get("security") for path in contract["paths"].values() for one in path.values()}
    assert {name for name, security in declared.items() if security == [{"bearer": []}, {}]} == OPEN.keys()


@pytest.mark.parametrize("name", OPEN)
def test_a_public_match_that_is_over_is_read_without_a_token(url: str, ada: Player, over: str, name: str) -> None:
    path = f"/v1/tables/{over}{OPEN[name]}"
    seen, cleo = httpx.get(url + path), Player(url, "Cleo")
    assert seen.status_code == 200, seen.text
    assert seen.json() == cleo.http.get(path).json() or name in ("getHead", "auditTable"), "what any spectator gets"
    assert "Authorization" in seen.headers["vary"]
    wrong = httpx.get(url + path, headers={"Authorization": "Bearer bw_wrong"})
    assert (wrong.status_code, code_of(wrong)) == (401, "unauthenticated")


def test_a_visitor_has_no_seat(url: str, over: str) -> None:
    view: dict[str, Any] = httpx.get(f"{url}/v1/tables/{over}").json()
    assert (view["status"], view["you"]) == ("finished", None)


@pytest.mark.parametrize("name", OPEN)
def test_whatever_is_not_both_is_as_if_it_did_not_exist(url: str, ada: Player, name: str) -> None:
    running = ada.create("hearts", bots=[1, 2, 3])
    ada.start(running)
    tables = [running, ada.create("hearts"), ada.create("hearts", visibility="private"), str(uuid4())]
    answers = [httpx.get(f"{url}/v1/tables/{table}{OPEN[name]}") for table in tables]
    for answer in answers:
        assert (answer.status_code, code_of(answer)) == (401, "unauthenticated")
        assert answer.headers.keys() == answers[-1].headers.keys()
        assert {**answer.json(), "trace_id": ""} == {**answers[-1].json(), "trace_id": ""}


def test_a_private_match_that_is_over_stays_private(url: str, ada: Player, over: str) -> None:
    table = played(ada, "private")
    assert within(20, lambda: ada.http.get(f"/v1/log/tables/{table}").status_code in (200, 404))
    later = played(ada, "public")
    assert within(20, lambda: httpx.get(f"{url}/v1/tables/{later}").status_code == 200), "the log has got past it"
    for path in OPEN.values():
        assert httpx.get(f"{url}/v1/tables/{table}{path}").status_code == 401


def test_other_operations_at_such_a_table_need_a_token(url: str, over: str) -> None:
    for method, path in (("GET", "/drafts"), ("POST", "/moves"), ("DELETE", "/seats/me"), ("POST", "/disputes")):
        assert httpx.request(method, f"{url}/v1/tables/{over}{path}", json={}).status_code == 401


def test_visitors_share_the_limit_of_their_address(url: str, over: str) -> None:
    answers = [httpx.get(f"{url}/v1/tables/{over}/audit") for _ in range(4)]
    assert answers[-1].status_code == 429
    assert "Retry-After" in answers[-1].headers
    assert Player(url, "Dora").http.get(f"/v1/tables/{over}/audit").status_code == 200, "an account has its own"
