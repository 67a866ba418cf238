"""Cross-origin requests (Fetch standard): only the origins that an operator names may read responses."""

from collections.abc import Iterator

import httpx
import pytest

from tests.service.client import Player
from tests.service.running import running_service, settings_for

ORIGIN = "https://app.example"


@pytest.fixture(scope="module")
def open_url(module_database_url: str, module_redis_url: str) -> Iterator[str]:
    """A service that names an origin."""
    settings = settings_for(module_database_url, module_redis_url, cors_origins=(ORIGIN,))
    with running_service(settings, worker=False) as url:
        yield url
        Player.close_all()


def vary(response: httpx.Response) -> set[str]:
    return set(", ".join(response.headers.get_list("vary")).split(", "))


def test_a_named_origin_may_read_responses_and_their_headers(open_url: str) -> None:
    response = httpx.get(f"{open_url}/v1/games", headers={"Origin": ORIGIN})
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == ORIGIN
    assert {"ETag", "Location", "Link", "Retry-After"} <= set(
        response.headers["access-control-expose-headers"].split(", ")
    )
    assert "Origin" in vary(response)
    assert "access-control-allow-credentials" not in response.headers


def test_a_named_origin_may_read_problems_too(open_url: str) -> None:
    for path in ("/v1/me", "/v1/nothing"):
        response = httpx.get(f"{open_url}{path}", headers={"Origin": ORIGIN})
        assert response.status_code in (401, 404)
        assert response.headers["access-control-allow-origin"] == ORIGIN


def test_another_origin_gets_a_response_that_its_browser_keeps_from_it(open_url: str) -> None:
    response = httpx.get(f"{open_url}/v1/games", headers={"Origin": f"{ORIGIN}.evil.example"})
    assert response.status_code == 200
    assert "access-control-allow-origin" not in response.headers
    assert "Origin" in vary(response)


@pytest.mark.parametrize("origin", [ORIGIN, "https://evil.example", None])
def test_caches_keep_responses_apart_by_who_asks_and_from_where(open_url: str, origin: str | None) -> None:
    ada = Player(open_url, "Ada")
    headers = {} if origin is None else {"Origin": origin}
    assert vary(ada.http.get(f"/v1/tables/{ada.create('hearts')}", headers=headers)) == {"Authorization", "Origin"}


@pytest.mark.parametrize("origin", [ORIGIN, "https://evil.example"])
def test_compressed_responses_are_kept_apart_too(open_url: str, origin: str) -> None:
    response = httpx.get(f"{open_url}/v1/games/hearts/rules", headers={"Origin": origin, "Accept-Encoding": "gzip"})
    assert response.headers["content-encoding"] == "gzip"
    assert vary(response) == {"Accept-Encoding", "Accept-Language", "Origin"}


def test_a_preflight_of_a_named_origin_is_answered(open_url: str) -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    response = httpx.options(f"{open_url}/v1/tables", headers={"Origin": ORIGIN} | asked)
    assert (response.status_code, response.text) == (204, "")
    assert response.headers["access-control-allow-origin"] == ORIGIN
    assert "POST" in response.headers["access-control-allow-methods"]
    allowed = response.headers["access-control-allow-headers"].lower().split(", ")
    assert {"authorization", "idempotency-key", "if-none-match"} <= set(allowed)
    refused = httpx.options(f"{open_url}/v1/tables", headers={"Origin": "https://evil.example"} | asked)
    assert refused.status_code == 400
    assert "access-control-allow-origin" not in refused.headers


def test_without_origins_nothing_is_said_of_them(service_url: str) -> None:
    response = httpx.get(f"{service_url}/v1/games", headers={"Origin": ORIGIN})
    assert vary(response) == {"Accept-Encoding", "Accept-Language"}
    assert not [name for name in response.headers if name.startswith("access-control")]
    options = httpx.options(f"{service_url}/v1/games", headers={"Origin": ORIGIN})
    assert options.headers["allow"] == "GET, HEAD, OPTIONS"
