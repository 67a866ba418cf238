"""A game gets a second version of its rules: old tables go on under theirs, and refold tells what would change.

The toy is played by the real program, first by one that has its first version alone, then by one with both.
"""

import json
import random
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from service.embedded import EmbeddedServers
from tests.conftest import fresh_database
from tests.service.client import Player, play_match
from tests.service.running import KEY
from tests.service.test_cli import PROGRAM, ROOT, Running, environment

BOTH = "(_version(1, last_points=1), _version(2, last_points=2))"
OPTIONS = {"rounds": 1, "hand_size": 2}


def planted(folder: Path, versions: str) -> Path:
    """A copy of the program that has the toy, with these versions of its rules."""
    for package in ("domain", "projections", "service"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    target = folder / "domain" / "games" / "highest"
    target.mkdir()
    for module in (ROOT / "tests" / "toy" / "highest").glob("*.py"):
        text = module.read_text().replace("tests.toy.highest", "domain.games.highest")
        (target / module.name).write_text(text.replace(BOTH, versions))
    registry = folder / "domain" / "registry.py"
    before, after = registry.read_text().split("\n)\n", 1)
    registry.write_text(f'{before}\n    "highest",\n)\n{after}')
    return folder


class Deployment:
    """One database and Redis, and programs that run on them."""

    def __init__(self, folder: Path, database_url: str, redis_url: str) -> None:
        self._folder = folder
        self.settings = {"database_url": database_url, "redis_url": redis_url, "secret_key": KEY, "processes": "1"}

    @contextmanager
    def serving(self, program: Path) -> Iterator[str]:
        """The service of a program; yields its address."""
        running = Running(self._folder / "data", program, host="127.0.0.1", **self.settings)
        try:
            yield running.url
        finally:
            Player.close_all()
            running.stop(signal.SIGTERM)

    def run(self, program: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """A command of a program."""
        command = [*PROGRAM, *arguments]
        variables = environment(self._folder / "data", **self.settings) | {"PYTHONPATH": str(program)}
        return subprocess.run(command, env=variables, cwd=program, capture_output=True, text=True, check=False)


def choose(view: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    (entry,) = view["you"]["legal"]
    return {"type": "choose", "card": rng.choice(entry["cards"])}


def started(player: Player) -> str:
    table = player.create("highest", options=OPTIONS, seats=2, bots=[1])
    player.start(table)
    return table


def finished(player: Player, seed: int) -> str:
    table = started(player)
    play_match([player], table, choose, random.Random(seed))
    return table


def last_shown(record: dict[str, Any]) -> tuple[int, int]:
    """The version at which the last cards were shown, and the points for them."""
    for event in reversed(record["events"]):
        envelope = json.loads(event["envelope"])
        for fact in envelope["public"].get("game", ()):
            if fact["type"] == "cards_shown":
                return envelope["version"], fact["points"]
    raise AssertionError("no cards were shown")


class Story:
    """What was played: tables by name, and the records of those that are over."""

    def __init__(self, deployment: Deployment, one: Path, two: Path) -> None:
        self.tables: dict[str, str] = {}
        self.records: dict[str, dict[str, Any]] = {}
        with deployment.serving(one) as url:
            ada = Player(url, "Ada")
            token = ada.http.headers["Authorization"]
            self.tables |= {"old": finished(ada, 1), "other old": finished(ada, 2)}
            self.tables["left"] = started(ada)
            ada.http.delete(f"/v1/tables/{self.tables['left']}/seats/me")
            self.tables["halfway"] = started(ada)
            view = ada.view(self.tables["halfway"])
            made = ada.move(self.tables["halfway"], view["you"]["decision"], choose(view, random.Random(3)))
            assert made.status_code == 200
            self.before = ada.http.get(f"/v1/tables/{self.tables['old']}").json()
            self.newest_before = ada.http.get("/v1/games/highest").json()["rules_version"]
        with deployment.serving(two) as url:
            ada = Player(url, "Ada")
            ada.http.headers["Authorization"] = token
            self.newest_after = ada.http.get("/v1/games/highest").json()["rules_version"]
            self.after = ada.http.get(f"/v1/tables/{self.tables['old']}").json()
            self.halfway = play_match([ada], self.tables["halfway"], choose, random.Random(4))
            self.tables["new"] = finished(ada, 5)
            for name, table in self.tables.items():
                self.records[name] = ada.http.get(f"/v1/tables/{table}/record").json()


@pytest.fixture(scope="module")
def programs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("programs")
    return planted(folder / "one", "(_version(1, last_points=1),)"), planted(folder / "two", BOTH)


@pytest.fixture(scope="module")
def deployment(
    tmp_path_factory: pytest.TempPathFactory, servers: EmbeddedServers, database_template: str
) -> Iterator[Deployment]:
    with fresh_database(servers, database_template) as url:
        yield Deployment(tmp_path_factory.mktemp("deployment"), url, servers.redis_url)


@pytest.fixture(scope="module")
def story(deployment: Deployment, programs: tuple[Path, Path], module_redis_url: str) -> Story:
    return Story(deployment, *programs)


def test_old_tables_go_on_under_their_rules_and_new_ones_get_the_newest(story: Story) -> None:
    assert (story.newest_before, story.newest_after) == (1, 2)
    assert story.after == story.before
    assert (story.halfway["rules_version"], story.halfway["status"]) == (1, "finished")
    assert {name: last_shown(record)[1] for name, record in story.records.items() if name != "left"} == {
        "old": 1,
        "other old": 1,
        "halfway": 1,
        "new": 2,
    }
    assert sum(seat["total"] for seat in story.halfway["seats"]) == 2
    assert sum(story.records["new"]["result"]["totals"]) == 3


@pytest.mark.parametrize("name", ["old", "halfway", "left", "new"])
def test_records_verify_under_their_rules(
    deployment: Deployment, programs: tuple[Path, Path], story: Story, tmp_path: Path, name: str
) -> None:
    record = story.records[name]
    assert record["rules"] == ("highest/2" if name == "new" else "highest/1")
    (tmp_path / "match.json").write_text(json.dumps(record))
    done = deployment.run(programs[1], "verify", str(tmp_path / "match.json"))
    assert done.returncode == 0, done.stdout + done.stderr
    (tmp_path / "match.json").write_text(json.dumps(record | {"rules": "highest/2" if name != "new" else "highest/1"}))
    assert deployment.run(programs[1], "verify", str(tmp_path / "match.json")).returncode == 1


def test_refold_names_the_tables_and_versions_that_would_change(
    deployment: Deployment, programs: tuple[Path, Path], story: Story
) -> None:
    done = deployment.run(programs[1], "refold", "--rules", "highest/2", "--json")
    assert done.returncode == 1, done.stderr
    assert "4 matches decided again" in done.stderr
    expected = {story.tables[name]: last_shown(story.records[name])[0] for name in ("old", "other old", "halfway")}
    result = json.loads(done.stdout)
    assert (result["rules"], result["matches"]) == ("highest/2", 4)
    assert {one["table"]: one["divergence"]["version"] for one in result["changed"]} == expected
    for one in result["changed"]:
        assert one["rules"] == "highest/1"
        assert one["divergence"]["kind"] == "facts"
        assert one["divergence"]["what"] == "cards_shown.points: 1, would be 2"
    told = deployment.run(programs[1], "refold", "--rules", "highest/2").stdout.splitlines()
    assert told[-1] == "3 of 4 matches would change under highest/2."
    for table, version in expected.items():
        line = f"table {table} (highest/1), version {version}, facts: cards_shown.points: 1, would be 2"
        assert line in told


def test_refold_looks_at_matches_of_other_versions_alone(
    deployment: Deployment, programs: tuple[Path, Path], story: Story
) -> None:
    back = deployment.run(programs[1], "refold", "--rules", "highest/1", "--json")
    assert back.returncode == 1
    (changed,) = json.loads(back.stdout)["changed"]
    assert (changed["table"], changed["rules"]) == (story.tables["new"], "highest/2")
    assert changed["divergence"]["version"] == last_shown(story.records["new"])[0]
    none = deployment.run(programs[1], "refold", "--rules", "hearts/1")
    assert (none.returncode, none.stdout) == (0, "0 of 0 matches would change under hearts/1.\n")


def test_refold_needs_rules_that_there_are(deployment: Deployment, programs: tuple[Path, Path], story: Story) -> None:
    unknown = deployment.run(programs[0], "refold", "--rules", "highest/2")
    assert unknown.returncode == 2
    assert "there are no rules 'highest/2'" in unknown.stderr


def test_refold_writes_nothing(
    deployment: Deployment, programs: tuple[Path, Path], story: Story, servers: EmbeddedServers
) -> None:
    def everything() -> list[tuple[Any, ...]]:
        with psycopg.connect(deployment.settings["database_url"]) as connection:
            query = """
                select relname, n_tup_ins + n_tup_upd + n_tup_del from pg_stat_user_tables
                where relname <> 'probes'  -- in which running services write all the time
                order by relname
            """
            connection.execute("select pg_stat_force_next_flush(), pg_stat_clear_snapshot()")
            return connection.execute(query).fetchall()

    before = everything()
    deployment.run(programs[1], "refold", "--rules", "highest/2")
    assert everything() == before


def test_the_whole_log_is_sound_for_the_newer_program(
    deployment: Deployment, programs: tuple[Path, Path], story: Story
) -> None:
    done = deployment.run(programs[1], "audit", "--all")
    assert done.returncode == 0, done.stderr
