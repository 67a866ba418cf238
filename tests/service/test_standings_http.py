"""Leaderboards and statistics over HTTP, with Redis, without it, after it was lost, and while it is made again."""

import asyncio
import random
import time
from collections.abc import Callable, Iterator
from importlib import resources
from typing import Any
from uuid import UUID

import psycopg
import pytest
from redis import Redis

from domain.table import rules
from domain.table.model import Adjudicated, Facts
from service.composition import Services
from service.runtime.settings import Settings
from service.store import migrations
from service.tables.recorder import once
from tests.projections.dumped import dumped, prefix_of
from tests.service.any_game import choose_any
from tests.service.client import Player, choose_hearts, play_match
from tests.service.running import rebuild, running_service, settings_for
from tests.service.test_tables_http import code_of

SHORT = {"players": 3, "target_score": 1}
Figures = dict[str, tuple[int, int, int]]
"""Matches, wins and matches left early, by player."""


@pytest.fixture(scope="module")
def settings(module_database_url: str, module_redis_url: str) -> Settings:
    return settings_for(module_database_url, module_redis_url)


@pytest.fixture(scope="module")
def urls(settings: Settings) -> Iterator[tuple[str, str]]:
    """Two processes, each with a worker."""
    with running_service(settings) as first, running_service(settings) as second:
        yield first, second
        Player.close_all()


@pytest.fixture(scope="module")
def people(urls: tuple[str, str]) -> list[Player]:
    return [Player(urls[0], name) for name in ("Ada", "Ben", "Cleo")]


def leaderboard(player: Player, game: str = "hearts", limit: int = 100) -> list[dict[str, Any]]:
    """All pages."""
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while True:
        page = player.http.get(
            f"/v1/leaderboards/{game}", params={"limit": limit} | ({"cursor": cursor} if cursor else {})
        )
        assert page.status_code == 200, page.text
        found += page.json()["items"]
        cursor = page.json()["next_cursor"]
        assert ("Link" in page.headers) == (cursor is not None)
        if cursor is None:
            return found


def figures(player: Player) -> Figures:
    return {one["player"]: (one["matches"], one["wins"], one["left"]) for one in leaderboard(player)}


def until(condition: Callable[[], bool], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


class Season:
    """Matches of three people, and what they should have reached."""

    def __init__(self, people: list[Player]) -> None:
        self.people = people
        self.expected: dict[str, list[int]] = {}
        """For each player his places."""
        self.left: dict[str, int] = {}
        self.tables: list[str] = []

    def figures(self) -> Figures:
        return {
            player: (len(places), places.count(1), self.left.get(player, 0))
            for player, places in self.expected.items()
            if places
        }

    def play(self, seed: int, *, visibility: str = "public", leaver: Player | None = None) -> str:
        host, *others = self.people
        table = host.create("hearts", options=SHORT, visibility=visibility)
        for other in others:
            other.sit_by(host, table)
        host.start(table)
        staying = [one for one in self.people if one is not leaver]
        if leaver is not None:
            assert leaver.http.delete(f"/v1/tables/{table}/seats/me").status_code == 204
            self.expected.setdefault(leaver.id, []).append(3)
            self.left[leaver.id] = self.left.get(leaver.id, 0) + 1
        view = play_match(staying, table, choose_hearts, random.Random(seed))
        for seat in view["seats"]:
            if seat["player"] is not None:
                self.expected.setdefault(seat["player"], []).append(seat["place"])
        self.tables.append(table)
        return table

    def then_counted(self) -> None:
        until(lambda: figures(self.people[0]) == self.figures())


@pytest.fixture(scope="module")
def season(people: list[Player]) -> Season:
    season = Season(people)
    season.play(1)
    season.play(2, visibility="private")
    season.play(3, leaver=people[2])
    solo = people[0].create("hearts", options=SHORT, bots=[1, 2])
    people[0].start(solo)
    view = play_match(people[:1], solo, choose_hearts, random.Random(4))
    season.expected[people[0].id].append(view["seats"][0]["place"])
    abandoned = people[0].create("hearts", options=SHORT, bots=[1, 2])
    people[0].start(abandoned)
    people[0].http.delete(f"/v1/tables/{abandoned}/seats/me")
    season.then_counted()
    return season


def test_every_match_counts_once_though_two_workers_read_the_feed(season: Season, people: list[Player]) -> None:
    time.sleep(1.2)  # both workers have looked at everything again
    assert figures(people[0]) == season.figures()
    order = [(-one["wins"], one["average_place"], one["player"]) for one in leaderboard(people[0])]
    assert order == sorted(order)
    for one in leaderboard(people[1]):
        places = season.expected[one["player"]]
        assert one["places"] == [places.count(place) for place in range(1, 7)]
        assert one["average_place"] == 1000 * sum(places) // len(places) / 1000
        assert one["name"] in ("Ada", "Ben", "Cleo")
    assert leaderboard(people[0], "romme") == []


def test_a_profile_has_the_same_figures(season: Season, people: list[Player]) -> None:
    listed = {one["player"]: one for one in leaderboard(people[0])}
    for player in people:
        profile = people[1].http.get(f"/v1/players/{player.id}").json()
        assert profile["name"] == listed[player.id]["name"]
        (hearts,) = profile["statistics"]
        assert hearts == {"game": "hearts"} | {
            name: value for name, value in listed[player.id].items() if name not in ("player", "name")
        }
    nobody = Player(str(people[0].http.base_url), "Dora")
    assert people[0].http.get(f"/v1/players/{nobody.id}").json()["statistics"] == []


def test_bots_and_tables_are_not_told(season: Season, people: list[Player]) -> None:
    told = people[0].http.get("/v1/leaderboards/hearts").text + people[0].http.get(f"/v1/players/{people[0].id}").text
    for table in season.tables:
        assert table not in told
    assert {one["player"] for one in leaderboard(people[0])} == {player.id for player in people}
    assert "bot" not in told


def test_pages_have_cursors_and_tags(season: Season, people: list[Player]) -> None:
    assert leaderboard(people[0], limit=1) == leaderboard(people[0])
    first = people[0].http.get("/v1/leaderboards/hearts", params={"limit": 2})
    tag = first.headers["ETag"]
    same = people[0].http.get("/v1/leaderboards/hearts", params={"limit": 2}, headers={"If-None-Match": tag})
    assert (same.status_code, same.content) == (304, b"")
    other = people[0].http.get("/v1/leaderboards/hearts", params={"limit": 1}, headers={"If-None-Match": tag})
    assert other.status_code == 200
    cursor = first.json()["next_cursor"]
    for game, given in (("romme", cursor), ("hearts", cursor[:-2] + "AA"), ("hearts", "x")):
        refused = people[0].http.get(f"/v1/leaderboards/{game}", params={"cursor": given})
        assert (refused.status_code, code_of(refused)) == (404, "not_found")
    assert people[0].http.get("/v1/leaderboards/skat").status_code == 404
    assert people[0].http.get("/v1/leaderboards/hearts", params={"limit": 0}).status_code == 400
    assert people[0].http.get("/v1/leaderboards/hearts", headers={"Authorization": ""}).status_code == 401


def test_the_answer_is_the_same_when_redis_is_lost(season: Season, people: list[Player], module_redis_url: str) -> None:
    before = people[0].http.get("/v1/leaderboards/hearts")
    page = people[0].http.get("/v1/leaderboards/hearts", params={"limit": 2}).json()
    with Redis.from_url(module_redis_url) as connection:
        prefix = prefix_of(connection)
        assert connection.exists(f"{prefix}:1:{{standings}}:at") == 1
        connection.flushall()
        after = people[0].http.get("/v1/leaderboards/hearts")
        assert (after.content, after.headers["ETag"]) == (before.content, before.headers["ETag"])
        rest = people[0].http.get("/v1/leaderboards/hearts", params={"cursor": page["next_cursor"]}).json()
        assert page["items"] + rest["items"] == before.json()["items"]
        until(lambda: connection.hget(f"{prefix}:1:{{standings}}:at", "complete") == b"1")
    assert people[0].http.get("/v1/leaderboards/hearts").content == before.content


def test_the_answer_is_the_same_without_redis(season: Season, people: list[Player], settings: Settings) -> None:
    expected = people[0].http.get("/v1/leaderboards/hearts").content
    without = settings_for(settings.database_dsn, "redis://127.0.0.1:9/0")
    with running_service(without, worker=False) as url:
        headers = {"Authorization": people[0].http.headers["Authorization"]}
        assert people[0].http.get(f"{url}/v1/leaderboards/hearts", headers=headers).content == expected
        profile = people[0].http.get(f"{url}/v1/players/{people[1].id}", headers=headers)
        assert profile.content == people[0].http.get(f"/v1/players/{people[1].id}").content


def test_a_copy_that_was_set_back_catches_up(season: Season, people: list[Player], module_redis_url: str) -> None:
    """Redis restarts with what it had on disk: an older state of everything."""
    names = ("at", "hearts", "hearts:list")
    with Redis.from_url(module_redis_url) as connection:
        prefix = prefix_of(connection)
        old = [connection.dump(f"{prefix}:1:{{standings}}:{name}") for name in names]
        season.play(5)
        season.then_counted()
        for name, content in zip(names, old, strict=True):
            assert isinstance(content, bytes)
            connection.restore(f"{prefix}:1:{{standings}}:{name}", 0, content, replace=True)
    season.then_counted()


def adjudicate(settings: Settings, table: str, arbiter: str, *, annulled: bool) -> None:
    """Record an arbiter's decision behind the end of a match."""

    async def record() -> None:
        services = Services(settings)
        await services.open()
        try:
            live = await services.cache.get(UUID(table))
            assert live is not None
            verdict = "void" if annulled else "rejected"
            fact = Adjudicated("018f2b6e-7c1a-4d3e-9a44-5b6c7d8e9f01", 3, arbiter, verdict, annulled, 2, "00" * 32)  # type: ignore[arg-type]
            judged = rules.adjudicate(live.state, fact)
            assert isinstance(judged, Facts)
            assert await services.recorder.record(live, None, once("adjudicate"), judged) is not None
        finally:
            await services.close()

    asyncio.run(record())


def test_an_annulled_match_leaves_the_leaderboard_until_an_appeal(
    season: Season, people: list[Player], settings: Settings
) -> None:
    before = {player: list(places) for player, places in season.expected.items()}
    table = season.play(6)
    season.then_counted()
    counted, season.expected = season.expected, before
    adjudicate(settings, table, "one", annulled=True)
    season.then_counted()
    season.expected = counted
    adjudicate(settings, table, "another", annulled=False)
    season.then_counted()


def test_standings_are_made_again_from_the_log(season: Season, people: list[Player], settings: Settings) -> None:
    def copied() -> dict[str, Any]:
        content = dumped(settings.redis_dsn)
        return {name: value for name, value in content.items() if name.startswith("{standings}")}

    expected = people[0].http.get("/v1/leaderboards/hearts").content
    before = copied()
    assert len(before) == 2
    asyncio.run(rebuild(settings))
    assert copied() == before
    assert people[0].http.get("/v1/leaderboards/hearts").content == expected
    season.play(7)
    season.then_counted()


def test_standings_that_were_counted_wrongly_are_counted_anew_by_the_migration(
    season: Season, people: list[Player], module_database_url: str
) -> None:
    """Versions before took the move `leave` for leaving the table: three matches and three places too many each."""
    migration = resources.files(migrations).joinpath("0009_standings_anew.sql").read_text()
    anew, _, _ = migration.partition("-- Workers of an older program")
    with psycopg.connect(module_database_url) as connection:
        connection.execute("update standings set place_3 = place_3 + 3, left_early = left_early + 3")
        connection.execute(anew)
    season.then_counted()


def test_the_move_leave_of_von_herzen_is_not_leaving_the_table(urls: tuple[str, str]) -> None:
    people = [Player(url, name) for url, name in zip((*urls, urls[0]), ("Dora", "Emil", "Fritz"), strict=True)]
    table = people[0].create("von_herzen", options={"players": 3, "complete_rounds": 1})
    for guest in people[1:]:
        guest.sit(table)
    people[0].start(table)
    left: list[int] = []

    def choose(view: dict[str, Any], rng: random.Random) -> dict[str, Any]:
        if any(entry["type"] == "leave" for entry in view["you"]["legal"]):
            left.append(view["you"]["seat"])
            return {"type": "leave"}
        return choose_any(view, rng)

    view = play_match(people, table, choose, random.Random(3))
    assert view["status"] == "finished"
    assert left, "somebody has to leave the cards on offer"
    places = {seat["player"]: seat["place"] for seat in view["seats"]}

    def counted() -> list[tuple[str, int, int, int]]:
        found = leaderboard(people[0], "von_herzen")
        return sorted((one["player"], one["matches"], one["wins"], one["left"]) for one in found)

    expected = sorted((player, 1, int(place == 1), 0) for player, place in places.items())
    until(lambda: len(counted()) == 3)
    assert counted() == expected
    for player in people:
        (statistics,) = player.http.get(f"/v1/players/{player.id}").json()["statistics"]
        assert (statistics["game"], statistics["matches"], statistics["left"]) == ("von_herzen", 1, 0)
        assert sum(statistics["places"]) == statistics["places"][places[player.id] - 1] == 1, "no extra last place"


def test_an_erased_account_has_no_name(season: Season, people: list[Player]) -> None:
    cleo = people[2].id
    assert people[2].http.delete("/v1/me").status_code == 204
    (entry,) = [one for one in leaderboard(people[0]) if one["player"] == cleo]
    assert entry["name"] is None
    assert people[0].http.get(f"/v1/players/{cleo}").json()["name"] is None
