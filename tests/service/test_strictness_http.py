"""What the API is stricter about than the framework it stands on."""

from collections.abc import Iterator
from uuid import uuid4

import httpx
import pytest

from service.api.bodies import BODY_BYTES_MAX
from service.api.operation import Operation
from service.api.routes import HANDLERS
from tests.service.client import Player, new_key
from tests.service.test_tables_http import code_of

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def ada(service_url: str) -> Iterator[Player]:
    yield Player(service_url, "Ada")
    Player.close_all()


@pytest.fixture(scope="module")
def table(ada: Player) -> str:
    return ada.create("hearts", bots=[1, 2, 3])


def test_a_resource_has_one_address(ada: Player, table: str) -> None:
    for spelled in (table.upper(), table.replace("-", ""), f"{{{table}}}", "1"):
        assert code_of(ada.http.get(f"/v1/tables/{spelled}")) == "not_found", spelled
    for seat in ("+1", "01", "1_0", "-1", "6", "x", "9" * 5000):
        refused = ada.http.delete(f"/v1/tables/{table}/seats/{seat}")
        assert (refused.status_code, code_of(refused)) == (404, "not_found"), seat


def test_doubled_headers_are_one_list_and_never_the_first_of_two(ada: Player) -> None:
    token, key = ada.http.headers["Authorization"], new_key()
    for lines in ([("Authorization", token), ("Authorization", "Bearer bw_other")], [("Authorization", token)] * 2):
        assert httpx.get(f"{ada.http.base_url}/v1/me", headers=lines).status_code == 401
    given = [("Idempotency-Key", key), ("Idempotency-Key", new_key()), *JSON.items()]
    refused = httpx.post(f"{ada.http.base_url}/v1/players", headers=given, content=b'{"name":"Eve"}')
    assert (refused.status_code, code_of(refused)) == (400, "idempotency_key_required")
    given = [("Idempotency-Key", key), *JSON.items(), ("Content-Type", "text/plain")]
    refused = httpx.post(f"{ada.http.base_url}/v1/players", headers=given, content=b'{"name":"Eve"}')
    assert refused.status_code == 415


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "", "application/jsonx"])
def test_a_body_that_is_not_json_by_its_media_type_is_refused(ada: Player, table: str, content_type: str) -> None:
    for path, content in (("start", b'{"round":1}'), ("start", b""), ("moves", b"{}"), ("options", b"{}")):
        method = "PATCH" if path == "options" else "POST"
        headers = {"Content-Type": content_type} if content_type else {}
        refused = ada.http.request(method, f"/v1/tables/{table}/{path}", content=content, headers=headers)
        assert (refused.status_code, code_of(refused)) == (415, "unsupported_media_type"), path


@pytest.mark.parametrize("content", [b"", b"{", b"[1", b"\xff", b'"', b"[" * 30_000, b"[" * 30_000 + b"]" * 30_000])
def test_a_body_that_is_not_json_is_malformed(ada: Player, table: str, content: bytes) -> None:
    for method, path in (("POST", "start"), ("POST", "moves"), ("PATCH", "options"), ("PUT", "hand-order")):
        refused = ada.http.request(method, f"/v1/tables/{table}/{path}", content=content, headers=JSON)
        assert (refused.status_code, code_of(refused)) == (400, "malformed_body"), path


@pytest.mark.parametrize(
    ("content", "pointer"),
    [
        (b'{"round":"1"}', "/round"),
        (b'{"round":1.5}', "/round"),
        (b'{"round":true}', "/round"),
        (b'{"round":0}', "/round"),
        (b'{"round":1,"more":1}', "/more"),
        (b'{"round":1,"More than a name":1}', "/?"),
        (b"{}", "/round"),
        (b"null", ""),
        (b"[]", ""),
    ],
)
def test_a_body_has_exactly_its_fields_and_types(ada: Player, table: str, content: bytes, pointer: str) -> None:
    refused = ada.http.post(f"/v1/tables/{table}/start", content=content, headers=JSON)
    assert (refused.status_code, code_of(refused)) == (400, "invalid_request")
    assert [error["pointer"] for error in refused.json()["errors"]] == [pointer]


def test_a_whole_number_is_an_integer_however_it_is_written(ada: Player) -> None:
    table = ada.create("hearts", bots=[1, 2, 3])
    for content in (b'{"round":1.0}', b'{"round":1e0}'):
        headers = {"Content-Type": "Application/JSON; charset=utf-8"}
        assert ada.http.post(f"/v1/tables/{table}/start", content=content, headers=headers).status_code == 200


def test_a_body_is_at_most_so_long(ada: Player) -> None:
    def sent(content: bytes) -> str:
        return code_of(ada.http.post("/v1/players", content=content, headers={**JSON, "Idempotency-Key": new_key()}))

    assert sent(b'"' + b"x" * (BODY_BYTES_MAX - 2) + b'"') == "invalid_request"
    assert sent(b'"' + b"x" * (BODY_BYTES_MAX - 1) + b'"') == "body_too_large"


def test_who_asks_comes_first_then_whether_it_exists_then_what_was_sent(service_url: str, ada: Player) -> None:
    path = f"/v1/tables/{uuid4()}/moves"
    headers = {"Content-Type": "text/plain"}
    assert httpx.post(service_url + path.upper(), content=b"{", headers=headers).status_code == 404
    assert httpx.post(service_url + path, content=b"{", headers=headers).status_code == 401
    assert ada.http.post(path, content=b"{", headers=headers).status_code == 404
    assert ada.http.post(f"/v1/tables/{ada.create('hearts')}/moves", content=b"{", headers=headers).status_code == 415


OF_QUERIES = [operation for operation in HANDLERS if operation.query is not None]


@pytest.mark.parametrize("operation", OF_QUERIES, ids=lambda operation: operation.id)
def test_an_operation_takes_the_query_parameters_of_the_contract_and_no_others(
    ada: Player, operation: Operation
) -> None:
    assert operation.query is not None
    path = operation.path.replace("{game:str}", "hearts").replace(":uuid}", "}")
    for name in ("table", "dispute"):
        path = path.replace(f"{{{name}}}", "018f2b6e-7c1a-4d3e-9a44-5b6c7d8e9f01")
    refused = ada.http.request(operation.method, path, params={"unknown": "1"})
    assert (refused.status_code, [error["pointer"] for error in refused.json()["errors"]]) == (400, ["#unknown"])
    for name in operation.query.__struct_encode_fields__:
        twice = ada.http.request(operation.method, f"{path}?{name}=1&{name}=1")
        assert (twice.status_code, [error["pointer"] for error in twice.json()["errors"]]) == (400, [f"#{name}"])


def test_head_is_get_without_a_body(ada: Player, table: str) -> None:
    for path in ("/v1/me", f"/v1/tables/{table}", "/openapi.json", "/v1/games/hearts/rules"):
        got, head = ada.http.get(path), ada.http.head(path)
        assert (head.status_code, head.content) == (200, b"")
        for name in ("content-length", "content-type", "etag", "cache-control", "vary"):
            assert head.headers.get(name) == got.headers.get(name), name
    assert ada.http.head(f"/v1/tables/{uuid4()}").status_code == 404


def test_every_method_of_a_path_is_named(service_url: str) -> None:
    for path, methods in (
        ("/v1/me", "DELETE, GET, HEAD, OPTIONS, PATCH"),
        (f"/v1/tables/{uuid4()}/drafts", "DELETE, GET, HEAD, OPTIONS, POST"),
        (f"/v1/tables/{uuid4()}/moves", "OPTIONS, POST"),
    ):
        options = httpx.options(service_url + path)
        assert (options.status_code, options.headers["allow"]) == (204, methods)
        refused = httpx.request("TRACE", service_url + path)
        assert (refused.status_code, code_of(refused)) == (405, "method_not_allowed")
        assert refused.headers["allow"] == methods


def test_an_encoded_slash_is_no_slash(ada: Player, table: str) -> None:
    for spelled in ("/v1%2fme", "/v1%2Fme", "/v1%2fgames", f"/v1/tables%2f{table}", "/v1/g%61mes%2Fhearts"):
        refused = ada.http.get(httpx.URL(str(ada.http.base_url), raw_path=spelled.encode()))
        assert (refused.status_code, code_of(refused)) == (404, "not_found"), spelled


def tagged_requests(ada: Player, path: str, *values: str) -> tuple[int, bytes]:
    """Status and body of a GET with If-None-Match on as many lines."""
    seen = ada.http.get(path, headers=[("If-None-Match", value) for value in values])
    return seen.status_code, seen.content


@pytest.mark.parametrize("path", ["/v1/tables/{table}", "/v1/leaderboards/hearts"])
def test_if_none_match_is_a_list_on_any_number_of_lines_or_anything(ada: Player, table: str, path: str) -> None:
    path = path.format(table=table)
    tag = ada.http.get(path).headers["etag"]
    other, long = '"2000000000.0.00000000-0"', ", ".join(f'"{number}"' for number in range(800))
    for known in ([tag], [f"W/{tag}"], [f"{other}, {tag}"], [f'"a,b" ,W/{tag},{other}'], [f"{long}, {tag}"], ["*"]):
        assert tagged_requests(ada, path, *known) == (304, b""), known
    assert tagged_requests(ada, path, other, tag) == (304, b"")
    assert tagged_requests(ada, path, tag, long) == (304, b"")
    for unknown in ([other], [long], [f"{other}, {long}"], [tag.strip('"')], [other, '"b"'], [f'"*", {other}'], [""]):
        status, body = tagged_requests(ada, path, *unknown)
        assert (status, body[:1]) == (200, b"{"), unknown


def test_what_is_not_accepted_is_not_sent(ada: Player, table: str) -> None:
    refused = ada.http.get(f"/v1/tables/{table}", headers={"Accept": "text/html"})
    assert (refused.status_code, code_of(refused)) == (406, "not_acceptable")
    assert refused.headers["content-type"] == "application/problem+json"


def test_a_host_that_is_none_is_a_problem(service_url: str) -> None:
    refused = httpx.get(f"{service_url}/livez", headers={"Host": "a b"})
    assert (refused.status_code, code_of(refused)) == (400, "invalid_request")


def test_only_what_holds_no_secret_is_compressed(ada: Player, table: str) -> None:
    rules = ada.http.get("/v1/games/hearts/rules", headers={"Accept-Encoding": "gzip"})
    assert (rules.headers["content-encoding"], rules.json()["game"]) == ("gzip", "hearts")
    assert "Accept-Encoding" in rules.headers["vary"]
    for path in (f"/v1/tables/{table}", f"/v1/tables/{table}/events", f"/v1/tables/{table}/replay", "/v1/me/tokens"):
        seen = ada.http.get(path, headers={"Accept-Encoding": "gzip"})
        assert seen.status_code == 200
        assert "content-encoding" not in seen.headers, path
