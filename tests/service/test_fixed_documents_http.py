"""The contract, games and rules over HTTP: compressed, tagged, kept for a day."""

import gzip
import random
import re

import httpx
import pytest

from service.api.routes import HANDLERS
from tests.service.client import Player, choose_hearts, new_key, play_match, within
from tests.service.disputing import begun, end, opened, people, play

PATHS = ("/openapi.json", "/v1/games", "/v1/games/hearts", "/v1/games/hearts/rules")

COMPRESSED = {
    **dict.fromkeys(("getContract", "listGames", "getGame", "getRules", "getLeaderboard"), "by_itself"),
    **dict.fromkeys(("getProblemType", "getRecord"), "always"),
    **dict.fromkeys(("listTables", "listMyTables", "listDisputes", "listEntries"), "always"),
    **dict.fromkeys(("listEvents", "getReplay"), "when_over"),
}


def test_nothing_else_is_compressed() -> None:
    """Whoever adds an operation here has made sure that its responses hold no secret and nothing of a running match.

    `tests.contract.answers` looks at what real responses have.
    """
    for operation in HANDLERS:
        assert operation.compressed == COMPRESSED.get(operation.id, "never"), operation.id
        assert ("Accept-Encoding" in operation.vary) == (operation.id in COMPRESSED), operation.id


def test_what_is_compressed_as_it_is_sent_has_no_tag_which_would_be_that_of_other_bytes() -> None:
    for operation in HANDLERS:
        if operation.compressed != "never":
            assert operation.conditional == (operation.compressed == "by_itself"), operation.id


def test_no_other_operation_compresses_whatever_is_accepted(service_url: str) -> None:
    ada = Player(service_url, "Ada")
    table = ada.create("romme", seats=2, bots=[1], visibility="private")
    ada.code(table)
    ada.code(table, "spectator")
    ada.start(table)
    known = {"table": table, "player": ada.id, "dispute": table, "token": table, "seat": "0", "draft": "p1"}
    called = 0
    for operation in HANDLERS:
        if operation.compressed != "never" or operation.id == "deleteMe":
            continue
        path = re.sub(r"\{(\w+):\w+\}", lambda found: known[found[1]], min(operation.paths))
        method = min(operation.http_methods)
        headers = {"Idempotency-Key": new_key()} if method == "POST" else {}
        for accepted in ("gzip", "*", "gzip;q=0", "identity"):
            answered = ada.http.request(method, path, headers={**headers, "Accept-Encoding": accepted})
            assert "content-encoding" not in answered.headers, (operation.id, accepted)
            assert "Accept-Encoding" not in answered.headers.get("vary", ""), operation.id
        called += 1
    assert called == len(HANDLERS) - len(COMPRESSED) - 1


def encodings(player: Player, path: str, **query: int) -> list[str | None]:
    """Return in which encodings a long response comes, by what is accepted."""
    found = []
    for accepted in ("gzip", "gzip;q=0", "identity", "gzip;q=0, *", "br;q=1, gzip;q=0.1"):
        response = player.http.get(path, params={**query}, headers={"Accept-Encoding": accepted})
        assert response.status_code == 200, response.text
        assert len(response.content) > 500, "shorter ones are never compressed"
        found.append(response.headers.get("content-encoding"))
    return found


BY_WEIGHT = ["gzip", None, None, None, "gzip"]
NEVER = [None] * 5


def test_events_and_replays_are_compressed_once_the_match_is_over(service_url: str) -> None:
    ada = Player(service_url, "Ada")
    table = ada.create("hearts", options={"players": 3, "target_score": 1}, bots=[1, 2])
    path = f"/v1/tables/{table}"
    view = ada.start(table)
    assert encodings(ada, f"{path}/events") == NEVER
    assert encodings(ada, f"{path}/replay") == NEVER
    assert encodings(ada, path) == NEVER
    assert view["status"] == "running"
    play_match([ada], table, choose_hearts, random.Random(8))
    assert encodings(ada, f"{path}/events") == BY_WEIGHT
    assert encodings(ada, f"{path}/replay", **{"from": 1, "to": 9}) == BY_WEIGHT
    assert encodings(ada, f"{path}/record") == BY_WEIGHT
    plain = ada.http.get(f"{path}/events", headers={"Accept-Encoding": "identity"})
    assert plain.content == ada.http.get(f"{path}/events").content, "unpacked they are the same"
    assert encodings(ada, path) == NEVER, "its tag is that of the view without an encoding"


def test_lists_are_compressed(service_url: str) -> None:
    ada = Player(service_url, "Ada")
    for _ in range(4):
        ada.create("hearts", options={"players": 3}, bots=[1, 2])
    assert encodings(ada, "/v1/me/tables") == BY_WEIGHT
    assert encodings(ada, "/v1/tables", limit=4) == BY_WEIGHT
    assert encodings(ada, "/problems/illegal-move") == BY_WEIGHT


def test_entries_of_the_log_disputes_and_a_leaderboard_are_compressed(service_url: str) -> None:
    ada, ben = people(service_url, 2)
    table = begun([ada, ben])
    version = play([ada, ben], table, 4)
    end([ada, ben], table)
    for disputed in range(version - 2, version + 1):
        opened(ada, table, disputed)
    assert encodings(ada, "/v1/disputes") == BY_WEIGHT
    for _ in range(4):
        end([ada], begun([ada]))
    assert within(20, lambda: len(ada.http.get("/v1/log/entries").json()["items"]) >= 5)
    assert encodings(ada, "/v1/log/entries") == BY_WEIGHT
    board = {
        accepted: ada.http.get("/v1/leaderboards/hearts", headers={"Accept-Encoding": accepted})
        for accepted in ("gzip", "gzip;q=0", "identity")
    }
    assert [response.headers.get("content-encoding") for response in board.values()] == ["gzip", None, None]
    assert board["gzip"].headers["etag"] != board["identity"].headers["etag"]


def got(url: str, encoding: str = "identity", **headers: str) -> httpx.Response:
    return httpx.get(url, headers={"Accept-Encoding": encoding, **headers})


@pytest.mark.parametrize("path", PATHS)
def test_it_comes_compressed_to_who_accepts_that_and_is_kept_for_a_day(service_url: str, path: str) -> None:
    plain, zipped = got(service_url + path), got(service_url + path, "br, gzip;q=0.5")
    assert "content-encoding" not in plain.headers
    assert zipped.headers["content-encoding"] == "gzip"
    assert zipped.content == plain.content  # httpx unpacks it
    assert int(plain.headers["content-length"]) == len(plain.content) > int(zipped.headers["content-length"])
    for response in (plain, zipped):
        assert response.headers["cache-control"] == "public, max-age=86400"
        assert "Accept-Encoding" in response.headers["vary"]
        assert "Authorization" not in response.headers["vary"]
    assert plain.headers["etag"] != zipped.headers["etag"]


@pytest.mark.parametrize("encoding", ["", "br", "gzip;q=0", "*;q=0", "gzip;q=0, *", "x-gzipped"])
def test_it_is_not_compressed_for_who_does_not_accept_that(service_url: str, encoding: str) -> None:
    assert "content-encoding" not in got(f"{service_url}/openapi.json", encoding).headers


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
@pytest.mark.parametrize("path", PATHS)
def test_who_has_it_gets_304_without_a_body(service_url: str, path: str, encoding: str) -> None:
    first = got(service_url + path, encoding)
    for tag in (first.headers["etag"], f"W/{first.headers['etag']}", "*"):
        again = got(service_url + path, encoding, **{"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")
        for name in ("etag", "cache-control", "vary"):
            assert again.headers[name] == first.headers[name], name
    assert got(service_url + path, encoding, **{"If-None-Match": '"other"'}).status_code == 200
    assert got(service_url + path, encoding, **{"If-None-Match": '"' + "x" * 9000 + '"'}).status_code == 400


@pytest.mark.parametrize("path", PATHS[1:])
def test_tags_differ_by_language(service_url: str, path: str) -> None:
    english, german = (got(service_url + path, **{"Accept-Language": language}) for language in ("en", "de"))
    assert english.headers["etag"] != german.headers["etag"]
    assert german.headers["content-language"] == "de"
    assert "Accept-Language" in german.headers["vary"]
    tagged = {"If-None-Match": english.headers["etag"], "Accept-Language": "de"}
    assert got(service_url + path, **tagged).status_code == 200


def test_the_compressed_contract_is_the_same_each_time(service_url: str) -> None:
    with httpx.Client(base_url=service_url) as client:
        raw = []
        for _ in range(2):
            with client.stream("GET", "/openapi.json", headers={"Accept-Encoding": "gzip"}) as response:
                raw.append(b"".join(response.iter_raw()))
    assert raw[0] == raw[1]
    assert gzip.decompress(raw[0]) == got(f"{service_url}/openapi.json").content
