"""What saves a client requests: missed events with a view or a move, moves sent again, responses without a view."""

import random
import time
from collections.abc import Iterator
from typing import Any

import pytest

from domain.registry import CURRENT
from tests.conformance.hooks import short_match
from tests.service.any_game import choose_well
from tests.service.client import Player
from tests.service.test_tables_http import code_of


@pytest.fixture(scope="module")
def people(service_url: str) -> list[Player]:
    return [Player(service_url, name) for name in ("Ada", "Ben", "Cleo")]


def bot_table(player: Player, game: str = "hearts") -> str:
    table = player.create(game, bots=[1, 2, 3])
    player.start(table)
    return table


def until_own_turn(player: Player, table: str) -> dict[str, Any]:
    """The view once the player has to act, or the match has ended."""
    until = time.monotonic() + 60
    while time.monotonic() < until:
        view = player.view(table)
        if view["you"]["decision"] is not None or view["status"] != "running":
            return view
    raise AssertionError(f"nobody moves: {view}")


def pages(player: Player, table: str, after: int, to: int) -> list[dict[str, Any]]:
    """The events after one version up to another, from the pages."""
    found: list[dict[str, Any]] = []
    while after < to:
        page = player.http.get(f"/v1/tables/{table}/events", params={"after": after, "limit": 100}).json()
        found += [event for event in page["items"] if event["version"] <= to]
        after = page["items"][-1]["version"]
    return found


def test_a_view_brings_the_events_after_a_version(people: list[Player]) -> None:
    ada, ben = people[:2]
    table, rng = ada.create("hearts", bots=[2, 3]), random.Random(5)
    ben.sit(table)
    ada.start(table)
    path = f"/v1/tables/{table}"
    for _ in range(12):
        for player in (ada, ben):
            view = player.view(table)
            if view["you"]["decision"] is not None:
                player.move(table, view["you"]["decision"], choose_well(view, rng))
        for player in people:  # the third one is a spectator
            for since in (0, 1, 4):
                seen = player.http.get(path, params={"since": since}).json()
                assert seen["events"] == pages(player, table, since, seen["version"])
                assert [event["version"] for event in seen["events"]] == list(range(since + 1, seen["version"] + 1))
                assert "events_after" not in seen
    version = ada.view(table)["version"]
    for since in (version + 1, 2**31 - 1):
        assert ada.http.get(path, params={"since": since}).json()["events"] == []
    assert "events" not in ada.view(table)


def test_who_knows_the_newest_version_gets_no_events_and_whoever_has_the_view_304(people: list[Player]) -> None:
    ada = people[0]
    table = ada.create("hearts")
    seen = ada.http.get(f"/v1/tables/{table}", params={"since": 1})
    assert (seen.status_code, seen.json()["events"]) == (200, [])
    known = {"If-None-Match": seen.headers["etag"]}
    assert ada.http.get(f"/v1/tables/{table}", params={"since": 1}, headers=known).status_code == 304
    people[1].sit(table)
    seen = ada.http.get(f"/v1/tables/{table}", params={"since": 1}, headers=known)
    assert [event["type"] for event in seen.json()["events"]] == ["sit"]


def test_who_missed_too_many_is_told_where_to_read_them(people: list[Player]) -> None:
    ada = people[0]
    table = ada.create("hearts")
    for at in range(210):
        ada.http.put(f"/v1/tables/{table}/ready", json={"ready": at % 2 == 0})
    version = ada.view(table)["version"]
    assert version == 211
    seen = ada.http.get(f"/v1/tables/{table}", params={"since": 10}).json()
    assert ("events" in seen, seen["events_after"]) == (False, 10)
    seen = ada.http.get(f"/v1/tables/{table}", params={"since": 11}).json()
    assert (len(seen["events"]), "events_after" in seen) == (200, False)
    assert seen["events"] == pages(ada, table, 11, version)


def tables_that_wait(player: Player, key: str) -> Iterator[tuple[str, int | None]]:
    """Tables with bots, and the decision that waits for the player: none if the match ended before."""
    options, asked, seats = short_match(CURRENT[key])
    for _ in range(20):
        table = player.create(
            key, options=options, bots=list(range(1, seats)), **({} if asked is None else {"seats": asked})
        )
        player.start(table)
        yield table, until_own_turn(player, table)["you"]["decision"]


@pytest.mark.parametrize("key", sorted(CURRENT))
def test_missed_events_are_open_once_the_match_is_over(people: list[Player], key: str) -> None:
    ada, cleo = people[0], people[2]
    table = next(table for table, decision in tables_that_wait(ada, key) if decision is not None)
    path = f"/v1/tables/{table}"
    running = cleo.http.get(path, params={"since": 0}).json()
    assert running["events"] == pages(cleo, table, 0, running["version"])
    assert ada.http.delete(f"{path}/seats/me").status_code == 204
    over = cleo.http.get(path, params={"since": 0}).json()
    assert over["status"] in ("closed", "finished")
    assert over["events"] == pages(cleo, table, 0, over["version"]) != running["events"]


@pytest.mark.parametrize("since", ["-1", "x", "1.5", "99999999999999999999", ""])
def test_a_version_has_to_be_one(people: list[Player], since: str) -> None:
    table = people[0].create("hearts")
    refused = people[0].http.get(f"/v1/tables/{table}", params={"since": since})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "#since")
    moved = people[0].http.post(
        f"/v1/tables/{table}/moves", params={"since": since}, json={"game": "hearts", "decision": 1, "move": {}}
    )
    assert moved.status_code == 400


def test_a_move_brings_what_was_missed(people: list[Player]) -> None:
    ada = people[0]
    table, rng = bot_table(ada), random.Random(8)
    known = 0
    for _ in range(10):
        view = until_own_turn(ada, table)
        body = {"game": view["game"], "decision": view["you"]["decision"], "move": choose_well(view, rng)}
        made = ada.http.post(f"/v1/tables/{table}/moves", params={"since": known}, json=body).json()
        assert made["view"]["events"] == pages(ada, table, known, made["view"]["version"])
        assert made["event"] in made["view"]["events"]
        assert made["replayed"] is False
        known = made["view"]["version"]
    last = ada.http.post(f"/v1/tables/{table}/moves", params={"since": made["version"] - 1}, json=body).json()
    assert last["view"]["events"][0] == made["event"]
    beyond = ada.http.post(f"/v1/tables/{table}/moves", params={"since": 10_000}, json=body).json()
    assert beyond["view"]["events"] == []


def test_a_repeated_move_gives_its_event_and_the_view_of_today(people: list[Player]) -> None:
    ada = people[0]
    table, rng = bot_table(ada), random.Random(9)
    view = until_own_turn(ada, table)
    decision, move = view["you"]["decision"], choose_well(view, rng)
    first = ada.move(table, decision, move)
    later = until_own_turn(ada, table)
    again = ada.move(table, decision, move)
    assert (first.json()["replayed"], again.json()["replayed"]) == (False, True)
    assert again.json()["version"] == first.json()["version"] < again.json()["view"]["version"]
    assert again.json()["event"] == first.json()["event"]
    assert again.json()["view"] == later
    assert again.headers["etag"] == ada.http.get(f"/v1/tables/{table}").headers["etag"]


@pytest.mark.parametrize(
    ("preferred", "minimal"),
    [
        ("return=minimal", True),
        ('respond-async, RETURN = "minimal"; x=1', True),
        ("return=minimal, return=representation", True),
        ("return=representation, return=minimal", False),
        ("xreturn=minimal", False),
        ("return=minimalist", False),
        ("", False),
    ],
)
def test_a_move_has_no_view_for_who_prefers_none(people: list[Player], preferred: str, minimal: bool) -> None:
    ada = people[0]
    table = bot_table(ada)
    view = until_own_turn(ada, table)
    body = {"game": view["game"], "decision": view["you"]["decision"], "move": choose_well(view, random.Random(2))}
    for attempt in range(2):
        made = ada.http.post(f"/v1/tables/{table}/moves", json=body, headers={"Prefer": preferred})
        assert made.status_code == 200
        assert ("view" in made.json(), "etag" in made.headers) == (not minimal, not minimal)
        assert made.headers.get("preference-applied") == ("return=minimal" if minimal else None)
        assert made.json()["event"]["decision"] == body["decision"]
        assert made.json()["replayed"] is (attempt == 1)


def test_a_preference_that_is_too_long_is_refused_before_anything_is_recorded(people: list[Player]) -> None:
    ada = people[0]
    table = bot_table(ada)
    view = until_own_turn(ada, table)
    body = {"game": view["game"], "decision": view["you"]["decision"], "move": choose_well(view, random.Random(2))}
    refused = ada.http.post(f"/v1/tables/{table}/moves", json=body, headers={"Prefer": "x" * 201})
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (400, "#Prefer")
    assert ada.http.post(f"/v1/tables/{table}/moves", json=body).json()["replayed"] is False


def test_the_same_cards_in_another_order_are_the_same_move(people: list[Player]) -> None:
    ada = people[0]
    table = bot_table(ada)
    view = until_own_turn(ada, table)
    cards = view["you"]["hand"][:3]
    first = ada.move(table, view["you"]["decision"], {"type": "pass", "cards": cards})
    again = ada.move(table, view["you"]["decision"], {"type": "pass", "cards": cards[::-1]})
    assert (again.status_code, again.json()["replayed"]) == (200, True)
    assert again.json()["event"] == first.json()["event"]
    other = ada.move(table, view["you"]["decision"], {"type": "pass", "cards": [*cards[:2], view["you"]["hand"][5]]})
    assert (other.status_code, code_of(other)) == (409, "decision_taken")
