"""Schemathesis against a running service: users, tables to look at, configuration, the run."""

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple, TypeAlias

from domain.registry import CURRENT
from tests.conformance.hooks import short_match
from tests.service.client import Player, choose_hearts, play_match
from tests.service.disputing import opened

_FOLDER: Final = Path(__file__).parent
PHASES: Final = ("examples", "coverage", "fuzzing", "stateful")


def run_schemathesis(
    url: str, folder: Path, *, operator: str, arbiter: str, seed: int, examples: int, phases: Sequence[str] = PHASES
) -> "subprocess.CompletedProcess[str]":
    """Run the phases with so many examples for each operation; `operator`, `arbiter` are tokens of these roles."""
    ada, ben, host = (Player(url, name) for name in ("Ada", "Ben", "Host"))
    users = [_user("ada", ada), _user("ben", ben)]
    (folder / "users.json").write_text(json.dumps({"auth": users}))
    (folder / "service.json").write_text(json.dumps({"url": url, "token": ada.token, "host": host.token, "seed": seed}))
    (folder / "schemathesis.toml").write_text(_configuration(folder, operator, arbiter, _tables(ada, ben)))
    command = [sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()"]
    command += ["--config-file", str(folder / "schemathesis.toml"), "run", f"{url}/openapi.json"]
    command += ["--phases", ",".join(phases), "--max-examples", str(examples), "--seed", str(seed), "--no-color"]
    command += ["--report", "ndjson", "--report-ndjson-path", str(folder / "events.ndjson")]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def _user(name: str, player: Player) -> dict[str, Any]:
    return {"name": name, "fixedHeaders": [{"name": "Authorization", "value": f"Bearer {player.token}"}]}


def _configuration(folder: Path, operator: str, arbiter: str, tables: "Tables") -> str:
    """The committed configuration with what is known only now."""
    hooks, users = (json.dumps(str(path)) for path in (_FOLDER / "hooks.py", folder / "users.json"))
    return f"""\
hooks = {hooks}
{(_FOLDER / "schemathesis.toml").read_text()}
[[operations]]
include-operation-id = "metrics"
headers = {{ Authorization = "Bearer {operator}" }}

[[operations]]
include-operation-id = ["reviewDispute", "resolveDispute"]
headers = {{ Authorization = "Bearer {arbiter}" }}

[auth.wfc]
path = {users}
peers = ["ada", "ben"]

[dictionaries]
tables.values = {json.dumps(tables.every)}
noting.values = {json.dumps(tables.noting)}
leaving.values = {json.dumps(tables.leaving)}
disputes.values = {json.dumps(tables.disputes)}
"""


class Tables(NamedTuple):
    """Tables for the operations to find; generated ids alone would find none."""

    every: list[str]
    """In every state; both users sit there, or one."""
    noting: list[str]
    """Running ones of games that have drafts and an order of the hand."""
    leaving: list[str]
    """To be left, which ends some of them."""
    disputes: list[str]
    """Disputes of finished and running matches."""


def _tables(ada: Player, ben: Player) -> Tables:
    tables = Tables([], [], [], [])
    for key, game in CURRENT.items():
        seats = short_match(game, 3).seats
        others = list(range(1, seats))
        lobby, together = (ada.create(key, seats=seats, bots=others[:-1]) for _ in range(2))
        ben.sit(together)
        alone, noting, leaving = (ada.create(key, seats=seats, bots=others, visibility="private") for _ in range(3))
        for table in (together, alone, noting, leaving):
            ada.start(table)
        tables.every.extend((lobby, together, alone))
        tables.leaving.append(leaving)
        if game.private_stream is not None:
            tables.noting.append(noting)
    over = ada.create("hearts", options={"target_score": 1}, seats=3, bots=[1, 2])
    ada.start(over)
    play_match([ada], over, choose_hearts, Random(1))
    tables.every.append(over)
    tables.disputes.extend(_disputes(ada, ben, over, tables.every))
    return tables


def _disputes(ada: Player, ben: Player, over: str, tables: Sequence[str]) -> list[str]:
    """Disputes of both users; each of them may open one more today."""
    together = next(table for table in tables if ben.view(table)["you"] and ada.view(table)["status"] == "running")
    return [opened(ada, over, 3), opened(ada, together, 2), opened(ben, together, 2), opened(ben, together, 3)]


Link: TypeAlias = tuple[str, str, str]
"""Operation, status of its response, operation that can follow."""


class Figures(NamedTuple):
    """What a run did."""

    operations: int
    cases: int
    statuses: dict[int, int]
    links: int
    """Links of the contract."""
    followed: frozenset[Link]
    """Those of them that were followed."""


def figures_of(folder: Path, contract: dict[str, Any]) -> Figures:
    """Return the figures of the run in a folder."""
    links = {
        (f"{method.upper()} {path}", status, link["operationId"])
        for path, methods in contract["paths"].items()
        for method, operation in methods.items()
        for status, response in operation["responses"].items()
        for link in response.get("links", {}).values()
    }
    names = {
        f"{method.upper()} {path}": operation["operationId"]
        for path, methods in contract["paths"].items()
        for method, operation in methods.items()
    }
    followed: set[Link] = set()
    seen: set[str] = set()
    statuses: Counter[int] = Counter()
    for line in (folder / "events.ndjson").read_text().splitlines():
        recorder = json.loads(line).get("ScenarioFinished", {}).get("recorder", {})
        statuses.update(
            interaction["response"]["status_code"]
            for interaction in recorder.get("interactions", {}).values()
            if interaction["response"] is not None
        )
        for case in recorder.get("cases", {}).values():
            seen |= {f"{case['value']['method']} {case['value']['path']}"} & names.keys()
            if case.get("transition") is not None and case["is_transition_applied"]:
                source, named, target = case["transition"]["id"].split(" -> ")
                followed.add((source, named[1:4], names[target]))
    return Figures(len(seen), statuses.total(), dict(sorted(statuses.items())), len(links), frozenset(links & followed))
