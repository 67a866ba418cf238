"""Accounts and tokens over HTTP."""

import secrets
import time
from uuid import uuid4

import httpx
import psycopg
import pytest

from service.api.operation import Operation
from service.api.routes import HANDLERS
from tests.service.client import Player, new_key, within
from tests.service.running import running_service, settings_for
from tests.service.test_tables_http import code_of


def test_a_guest_is_created_once_for_a_key(service_url: str) -> None:
    ada = Player(service_url, "Ada")
    key = new_key()
    first = ada.post("/v1/players", {"name": "Bea"}, key=key)
    again = ada.post("/v1/players", {"name": "Bea"}, key=key)
    assert first.json() == again.json()
    assert first.headers["cache-control"] == "no-store"
    assert code_of(ada.post("/v1/players", {"name": "Cora"}, key=key)) == "idempotency_key_reused"


def test_the_database_tells_how_old_the_key_of_an_account_is(
    service_url: str, module_database_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, key, now = Player(service_url, "Ada"), new_key(), time.time
    first = ada.post("/v1/players", {"name": "Bea"}, key=key).json()
    for days in (-3, 3):  # the clock of a process may be wrong
        with monkeypatch.context() as wrong:
            wrong.setattr(time, "time", lambda days=days: now() + days * 86_400)
            assert ada.post("/v1/players", {"name": "Bea"}, key=key).json() == first
    with psycopg.connect(module_database_url, autocommit=True) as connection:
        connection.execute(
            "update players set created_at = created_at - interval '25 hours' where id = %s", (first["player"],)
        )
    for _ in range(2):
        refused = ada.post("/v1/players", {"name": "Bea"}, key=key)
        assert (refused.status_code, code_of(refused)) == (422, "idempotency_key_reused")


@pytest.mark.parametrize("key", ["0123456789abcdef", "a-key-of-my-own-that-is-long-enough-really", "1" * 31])
def test_the_key_of_an_account_is_one_that_nobody_guesses(service_url: str, key: str) -> None:
    ada = Player(service_url, "Ada")
    of_time = "018f2b6e-7c1a-7d3e-9a44-5b6c7d8e9f01"  # a UUID of version 7, which tells when it was made
    for guessable in (key, of_time, of_time.replace("-7d", "-1d")):
        refused = ada.post("/v1/players", {"name": "Bea"}, key=f'"{guessable}"')
        assert (refused.status_code, code_of(refused)) == (400, "idempotency_key_required"), refused.text
        assert "version 4" in refused.json()["detail"]
    for random in (str(uuid4()), str(uuid4()).upper(), uuid4().hex, secrets.token_hex(64)):
        assert ada.post("/v1/players", {"name": "Bea"}, key=f'"{random}"').status_code == 201, random
    assert ada.post("/v1/me/tokens", {"label": "phone"}, key=f'"{key}"').status_code == 201, "a token needs a token"


@pytest.mark.parametrize("spelled", ["bearer {}", "BEARER {}", "Bearer  {}", "bEaReR     {}"])
def test_the_scheme_is_of_any_case_and_spaces_follow_it(service_url: str, spelled: str) -> None:
    ada = Player(service_url, "Ada")
    for _ in range(2):  # the second time it is remembered
        me = ada.http.get("/v1/me", headers={"Authorization": spelled.format(ada.token)})
        assert (me.status_code, me.json().get("player")) == (200, ada.id)


@pytest.mark.parametrize(
    "name",
    ["", " ", "a" * 41, "tab\tinside", "nul\0", "line\n", "\U000e0020Ada", "\U0001d159", "\u0301", 7, None, ["Ada"]],
)
def test_names_are_visible_text(service_url: str, name: object) -> None:
    ada = Player(service_url, "Ada")
    refused = ada.post("/v1/players", {"name": name}, keyed=True)
    assert (refused.status_code, code_of(refused)) == (400, "invalid_request"), refused.text
    assert refused.json()["errors"][0]["pointer"] == "/name"


def test_a_missing_or_wrong_token_is_401_with_a_challenge(service_url: str) -> None:
    ada = Player(service_url, "Ada")
    for header in (None, "", "Bearer", "Bearer nonsense", "Basic bw_x", "Bearer bw_" + "A" * 43, ada.token):
        headers = {} if header is None else {"Authorization": header}
        del ada.http.headers["Authorization"]
        refused = ada.http.get("/v1/me", headers=headers)
        ada.http.headers["Authorization"] = f"Bearer {ada.token}"
        assert (refused.status_code, code_of(refused)) == (401, "unauthenticated")
        assert refused.headers["www-authenticate"].startswith("Bearer")


def test_a_token_for_each_device_is_revoked_at_once(service_url: str) -> None:
    ada = Player(service_url, "Ada")
    key = new_key()
    made = ada.post("/v1/me/tokens", {"label": "phone", "expires_in_days": 30}, key=key).json()
    assert ada.post("/v1/me/tokens", {"label": "phone", "expires_in_days": 30}, key=key).json() == made
    phone = {"Authorization": f"Bearer {made['token']}"}
    assert ada.http.get("/v1/me", headers=phone).json()["player"] == ada.id
    listed = ada.http.get("/v1/me/tokens").json()["items"]
    assert {item["label"] for item in listed} == {"first", "phone"}
    assert [item["current"] for item in listed].count(True) == 1
    assert made["token"] not in ada.http.get("/v1/me/tokens").text
    assert ada.http.delete(f"/v1/me/tokens/{made['token_id']}").status_code == 204
    assert ada.http.get("/v1/me", headers=phone).status_code == 401
    assert ada.http.delete(f"/v1/me/tokens/{made['token_id']}").status_code == 204, "a retry is no error"
    ben = Player(service_url, "Ben")
    first = next(item["token_id"] for item in listed if item["label"] == "first")
    assert ben.http.delete(f"/v1/me/tokens/{first}").status_code == 404


def test_a_new_name_is_seen_at_all_tables(service_url: str) -> None:
    ada, ben = Player(service_url, "Ada"), Player(service_url, "Ben")
    table = ada.create("hearts")
    tag = ben.http.get(f"/v1/tables/{table}").headers["etag"]
    assert ada.http.patch("/v1/me", json={"name": "Ada L."}).json()["name"] == "Ada L."
    assert within(2, lambda: bool(ben.view(table)["seats"][0]["name"] == "Ada L."))
    assert tag
    assert ben.http.get(f"/v1/players/{ada.id}").json() == {"player": ada.id, "name": "Ada L.", "statistics": []}


def test_an_erased_account_leaves_its_tables_and_loses_its_name_and_tokens(service_url: str) -> None:
    ada, ben = Player(service_url, "Ada"), Player(service_url, "Ben")
    table = ada.create("hearts", bots=[2, 3])
    ben.sit(table)
    ada.start(table)
    assert ada.http.delete("/v1/me").status_code == 204
    assert ada.http.get("/v1/me").status_code == 401
    assert within(2, lambda: bool(ben.view(table)["seats"][0]["kind"] == "bot"))
    assert ben.view(table)["host"] == 1
    assert ben.http.get(f"/v1/players/{ada.id}").json() == {"player": ada.id, "name": None, "statistics": []}
    assert ben.http.get("/v1/players/00000000-0000-4000-8000-000000000000").status_code == 404


def test_http_is_spoken_properly(service_url: str) -> None:
    ada = Player(service_url, "Ada")
    assert ada.http.head("/v1/games").status_code == 200
    assert ada.http.head("/v1/games").content == b""
    options = ada.http.options("/v1/tables")
    assert (options.status_code, options.headers["allow"]) == (204, "GET, HEAD, OPTIONS, POST")
    wrong = ada.http.put("/v1/games")
    assert (wrong.status_code, code_of(wrong)) == (405, "method_not_allowed")
    assert "GET" in wrong.headers["allow"]
    assert code_of(ada.http.get("/v1/nothing")) == "not_found"
    form = ada.http.post("/v1/tables", data={"game": "hearts"}, headers={"Idempotency-Key": new_key()})
    assert (form.status_code, code_of(form)) == (415, "unsupported_media_type")
    for content in (b"", b"{", b"\xff", b"[" * 100_000 + b"]" * 10, b'{"name": "a'):
        headers = {"Content-Type": "application/json", "Idempotency-Key": new_key()}
        broken = ada.http.post("/v1/tables", content=content, headers=headers)
        assert (broken.status_code, code_of(broken)) in ((400, "malformed_body"), (413, "body_too_large"))
    headers = {"Content-Type": "application/json", "Idempotency-Key": new_key()}
    large = ada.http.post("/v1/tables", content=b'"' + b"x" * 70_000 + b'"', headers=headers)
    assert (large.status_code, code_of(large)) == (413, "body_too_large")
    seen = ada.http.get("/v1/games")
    assert seen.headers["x-content-type-options"] == "nosniff"
    assert seen.headers["content-security-policy"] == "default-src 'none'; frame-ancestors 'none'"
    trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    traced = ada.http.get("/v1/nothing", headers={"traceparent": f"00-{trace}-00f067aa0ba902b7-01"})
    assert traced.json()["trace_id"] == traced.headers["x-request-id"] == trace


def test_only_operators_read_the_figures(service_url: str) -> None:
    ada = Player(service_url, "Ada")
    assert code_of(ada.http.get("/metrics")) == "forbidden"
    assert within(10, lambda: ada.http.get("/readyz").json()["status"] == "ok"), "once it is known what is owed"
    ready = ada.http.get("/readyz").json()
    assert ready.pop("owed_seconds").keys() == {"views", "names", "departures"}
    assert ready == {"status": "ok", "database": "ok", "views": "ok", "log": "ok"}
    assert ada.http.get("/livez").json() == {"status": "ok"}


@pytest.mark.parametrize("operation", HANDLERS, ids=lambda operation: operation.id)
def test_every_path_of_the_contract_is_routed(service_url: str, operation: Operation) -> None:
    path = operation.path.replace("{game:str}", "hearts").replace("{seat:int}", "1").replace("{draft:str}", "p1")
    for name in ("table", "player", "token", "dispute"):
        path = path.replace(f"{{{name}:uuid}}", "018f2b6e-7c1a-4d3e-9a44-5b6c7d8e9f01")
    options = httpx.options(service_url + path)
    assert options.status_code == 204, path
    assert operation.method in options.headers["allow"].split(", ")
    unsigned = httpx.request(operation.method, service_url + path)
    assert (unsigned.status_code == 401) == (not operation.public), unsigned.text


def test_over_tls_clients_are_told_to_stay_there(module_database_url: str, module_redis_url: str) -> None:
    settings = settings_for(module_database_url, module_redis_url, public_url="https://blattwerk.test")
    with running_service(settings, worker=False) as url:
        assert httpx.get(f"{url}/livez").headers["strict-transport-security"].startswith("max-age=")


def test_without_tls_nothing_is_said_of_it(service_url: str) -> None:
    assert "strict-transport-security" not in httpx.get(f"{service_url}/livez").headers
