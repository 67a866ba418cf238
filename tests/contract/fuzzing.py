"""Schemathesis against a running service: users, tables to look at, configuration, the run."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from domain.registry import CURRENT
from tests.service.client import Player, choose_hearts, play_match

_FOLDER: Final = Path(__file__).parent
PHASES: Final = ("examples", "coverage", "fuzzing", "stateful")


def run_schemathesis(
    url: str, folder: Path, *, operator: str, seed: int, examples: int, phases: Sequence[str] = PHASES
) -> "subprocess.CompletedProcess[str]":
    """Run the phases with so many examples for each operation; `operator` is a token of that role."""
    ada, ben = Player(url, "Ada"), Player(url, "Ben")
    users = [_user("ada", ada), _user("ben", ben)]
    (folder / "users.json").write_text(json.dumps({"auth": users}))
    (folder / "service.json").write_text(json.dumps({"url": url, "token": ada.token, "seed": seed}))
    configuration = (_FOLDER / "schemathesis.toml").read_text()
    hooks, tables = json.dumps(str(_FOLDER / "hooks.py")), json.dumps(_tables(ada, ben))
    (folder / "schemathesis.toml").write_text(f"""\
hooks = {hooks}
{configuration}
# Metrics are for operators.
[[operations]]
include-operation-id = "metrics"
headers = {{ Authorization = "Bearer {operator}" }}

[auth.wfc]
path = "{folder / "users.json"}"
peers = ["ada", "ben"]

[dictionaries]
tables.values = {tables}

[parameters]
"path.table" = {{ dictionary = "tables", probability = 0.7 }}
""")
    command = [sys.executable, "-c", "from schemathesis.cli import schemathesis; schemathesis()"]
    command += ["--config-file", str(folder / "schemathesis.toml"), "run", f"{url}/openapi.json"]
    command += ["--phases", ",".join(phases), "--max-examples", str(examples), "--seed", str(seed), "--no-color"]
    command += ["--report", "ndjson", "--report-ndjson-path", str(folder / "events.ndjson")]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def _user(name: str, player: Player) -> dict[str, Any]:
    return {"name": name, "fixedHeaders": [{"name": "Authorization", "value": f"Bearer {player.token}"}]}


def _tables(ada: Player, ben: Player) -> list[str]:
    """Tables in every state, at which both users sit, one of them, or neither."""
    made: list[str] = []
    for game in CURRENT:
        lobby = ada.create(game, seats=3, bots=[1])
        together = ada.create(game, seats=3, bots=[1])
        ben.sit(together)
        alone = [ada.create(game, seats=3, bots=[1, 2], visibility="private") for _ in range(2)]
        for table in (together, *alone):
            ada.start(table)
        made += [lobby, together, *alone]
    over = ada.create("hearts", options={"target_score": 1}, seats=3, bots=[1, 2])
    ada.start(over)
    play_match([ada], over, choose_hearts, Random(1))
    return [*made, over]
