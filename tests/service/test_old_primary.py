"""A standby is promoted while a process still reaches the old primary: it answers 503, never an older truth."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import httpx
import psutil
import psycopg
import pytest

from service.embedded.postgres import DATABASE, ROLE, Postgres
from tests.service.client import Player, choose_hearts, play_match
from tests.service.replication import ENDED, Pair, execute, replicated
from tests.service.running import running_service, settings_for
from tests.service.test_restored_log import at, damages, eventually, given_table, metric
from tests.service.test_waits_http import frozen

OUTDATED: Final = "blattwerk_log_outdated"
ALARM: Final = "connected to a server that is not the primary any more"


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with replicated(tmp_path) as running:
        yield running
    Player.close_all()


class Acknowledged:
    """Moves of one player at one table, as a client keeps them that knows the contract alone."""

    def __init__(self, player: Player, table: str) -> None:
        self.player, self.table = player, table
        self.moves: list[tuple[int, dict[str, Any], int]] = []
        """Decision, move and the version that was acknowledged."""

    def play(self, url: str, count: int = 1) -> None:
        """Make moves, each sent again until it is answered by anything but 503."""
        player = at(url, self.player)
        for _ in range(count):
            until = time.monotonic() + 30
            while True:
                view = self._when_asked(player)
                decision, move = view["you"]["decision"], choose_hearts(view, random.Random(count))
                made = until_answered(lambda: player.move(self.table, decision, move))  # noqa: B023 - called at once
                if made.status_code == 200:
                    break
                # bots that still played with the old primary were seen, but nothing of that was acknowledged to anybody
                assert made.json()["code"] in ("not_your_turn", "stale_decision"), made.text
                assert time.monotonic() < until, made.text
            self.moves.append((decision, move, made.json()["version"]))

    def _when_asked(self, player: Player) -> dict[str, Any]:
        """The view once the bots wait for the player."""
        until = time.monotonic() + 30
        while True:
            view: dict[str, Any] = until_answered(lambda: player.http.get(f"/v1/tables/{self.table}")).json()
            if view["you"]["decision"] is not None and len(view["to_act"]) == 1:
                return view
            assert time.monotonic() < until, view
            time.sleep(0.05)

    @property
    def version(self) -> int:
        """The last one that was acknowledged."""
        return self.moves[-1][2]

    def retry(self, player: Player) -> httpx.Response:
        """Send the last move again."""
        decision, move, _ = self.moves[-1]
        return player.move(self.table, decision, move)


def until_answered(ask: Callable[[], httpx.Response], seconds: float = 30) -> httpx.Response:
    until = time.monotonic() + seconds
    while (answer := ask()).status_code == 503:
        assert "Retry-After" in answer.headers, answer.text
        assert time.monotonic() < until, answer.text
        time.sleep(0.05)
    return answer


class OldServer:
    """A process that may be with the old primary: what it says in a thread of its own, all the time."""

    def __init__(self, url: str, acknowledged: Acknowledged) -> None:
        self._player = at(url, acknowledged.player)
        self._acknowledged = acknowledged
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._ask, daemon=True)
        self.untrue: list[str] = []
        self.codes: set[str] = set()

    def __enter__(self) -> "OldServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join(30)

    def _ask(self) -> None:
        table = f"/v1/tables/{self._acknowledged.table}"
        while not self._ended.is_set():
            version = self._acknowledged.version
            again = self._acknowledged.retry(self._player)
            self._judge("retry", again, again.json().get("version", 0) >= version and again.json().get("event"))
            head = self._player.http.get(f"{table}/head")
            self._judge("head", head, head.is_success and head.json()["version"] >= version)
            view = self._player.http.get(table)
            self._judge("view", view, view.is_success and view.json()["version"] >= version)
            events = self._player.http.get(f"{table}/events", params={"after": version - 1})
            self._judge("events", events, events.is_success and bool(events.json()["items"]))
            listed = self._player.http.get("/v1/tables", params={"status": "running"})
            older = [item for item in listed.json().get("items", ()) if item.get("version", version) < version]
            self._judge("list", listed, not older)

    def _judge(self, what: str, answer: httpx.Response, true: object) -> None:
        if answer.status_code == 503:
            self.codes.add(answer.json()["code"])
            if "Retry-After" not in answer.headers:
                self.untrue.append(f"{what}: 503 without Retry-After: {answer.text}")
        elif answer.status_code != 200 or not true:
            self.untrue.append(f"{what}: {answer.status_code} {answer.text[:300]}")


def versions(url: str, table: str) -> list[int]:
    with psycopg.connect(url) as connection:
        rows = connection.execute("select version from events where stream = %s order by version", (table,))
        return [version for (version,) in rows.fetchall()]


def then_all_is_well(first: str, second: str, acknowledged: Acknowledged, pair: Pair) -> None:
    """Both processes are with the new primary: both say the same, the match goes on, and nothing was lost."""
    for url in (first, second):
        eventually(lambda url=url: httpx.get(f"{url}/readyz").status_code == 200)  # type: ignore[misc]
        again = until_answered(lambda url=url: acknowledged.retry(at(url, acknowledged.player)))  # type: ignore[misc]
        assert (again.status_code, again.json()["version"]) == (200, acknowledged.version), again.text
    acknowledged.play(first)
    acknowledged.play(second)
    # until a process has compared the log it writes nothing to Redis, where the other one reads meanwhile
    for url in (first, second):
        eventually(lambda url=url: httpx.get(f"{url}/readyz").json()["views"] == "ok")  # type: ignore[misc]
    time.sleep(1)  # what was owed until then is paid
    players = [at(url, acknowledged.player) for url in (first, second)]
    assert play_match(players, acknowledged.table, choose_hearts, random.Random(7))["status"] == "finished"
    recorded = versions(pair.new.url, acknowledged.table)
    assert recorded == list(range(1, len(recorded) + 1))
    with psycopg.connect(pair.new.url) as connection:
        kept = connection.execute(
            "select decision, version from events where stream = %s and actor = 0", (acknowledged.table,)
        ).fetchall()
    assert {(decision, version) for decision, _, version in acknowledged.moves} <= set(kept)
    assert damages(settings_for(pair.new.url, pair.redis_url)) == []


def test_a_process_that_still_reaches_the_old_primary_tells_nothing_older(
    pair: Pair, capsys: pytest.CaptureFixture[str]
) -> None:
    stays, goes = pair.address("stays"), pair.address("goes")
    with (
        running_service(settings_for(stays.url, pair.redis_url)) as old,
        running_service(settings_for(goes.url, pair.redis_url)) as new,
    ):
        ada = Player(old, "Ada")
        acknowledged = Acknowledged(ada, given_table(ada))
        acknowledged.play(old)
        acknowledged.play(new)
        pair.promote()
        pair.accept_writes_alone()
        goes.move()
        goes.cut()
        acknowledged.play(new)
        with OldServer(old, acknowledged) as asked:
            at_old = versions(pair.old.url, acknowledged.table)
            acknowledged.play(new, 3)
            time.sleep(6)  # longer than anything is remembered
        assert asked.untrue == []
        assert "log_outdated" in asked.codes
        assert httpx.get(f"{old}/readyz").json()["code"] == "log_outdated"
        assert metric(settings_for(pair.new.url, pair.redis_url), at(new, ada), OUTDATED) == 1
        refused = acknowledged.retry(at(old, ada))
        assert (refused.status_code, refused.json()["code"]) == (503, "log_outdated")
        assert int(refused.headers["Retry-After"]) > 0
        assert versions(pair.old.url, acknowledged.table) == at_old, "the old primary took moves"
        assert httpx.get(f"{new}/readyz").status_code == 200
        assert capsys.readouterr().out.count(ALARM) == 2  # of an API process and of a worker
        stays.move()
        then_all_is_well(old, new, acknowledged, pair)
        eventually(lambda: metric(settings_for(pair.new.url, pair.redis_url), at(new, ada), OUTDATED) == 0)


@contextmanager
def out_of_reach(server: Postgres, how: str) -> Iterator[None]:
    """Let a server be gone for a while, as it was before it is back."""
    if how == "frozen":
        with frozen(server.pid):
            yield
        return
    if how == "killed":
        processes = [psutil.Process(server.pid), *psutil.Process(server.pid).children()]
        for process in processes:
            process.kill()
        psutil.wait_procs(processes[1:], 10)
    server.stop()
    yield
    server.start()


@pytest.mark.parametrize("how", ["stopped", "killed", "frozen"])
def test_an_old_primary_that_is_back_serves_nobody(pair: Pair, how: str) -> None:
    stays, goes = pair.address("stays"), pair.address("goes")
    with (
        running_service(settings_for(stays.url, pair.redis_url)) as old,
        running_service(settings_for(goes.url, pair.redis_url)) as new,
    ):
        ada = Player(old, "Ada")
        acknowledged = Acknowledged(ada, given_table(ada))
        acknowledged.play(old)
        acknowledged.play(new)
        with OldServer(old, acknowledged) as asked:
            with out_of_reach(pair.old, how):
                pair.promote()
                goes.move()
                acknowledged.play(new, 2)
            pair.accept_writes_alone()
            time.sleep(2)  # until it has found out that it is back; a bot may have moved there before
            at_old = versions(pair.old.url, acknowledged.table)
            acknowledged.play(new)
        assert asked.untrue == []
        eventually(lambda: httpx.get(f"{old}/readyz").json().get("code") == "log_outdated")
        assert versions(pair.old.url, acknowledged.table) == at_old
        stays.move()
        then_all_is_well(old, new, acknowledged, pair)


def test_of_two_hosts_that_take_writes_the_primary_is_found(pair: Pair) -> None:
    hosts = quote(f"{pair.old.sockets},{pair.new.sockets}", safe="")
    url = f"postgresql://{ROLE}@/{DATABASE}?host={hosts}&application_name=either"
    with running_service(settings_for(url, pair.redis_url)) as service:
        ada = Player(service, "Ada")
        acknowledged = Acknowledged(ada, given_table(ada))
        acknowledged.play(service, 2)
        with OldServer(service, acknowledged) as asked:
            with out_of_reach(pair.old, "stopped"):
                pair.promote()
                acknowledged.play(service)
            pair.accept_writes_alone()
            at_old = versions(pair.old.url, acknowledged.table)
            for _ in range(3):
                execute(pair.new.url, ENDED, "either")
                acknowledged.play(service)
        assert asked.untrue == []
        assert versions(pair.old.url, acknowledged.table) == at_old
        then_all_is_well(service, service, acknowledged, pair)
