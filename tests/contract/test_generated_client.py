"""A client generated from the contract, without a warning, plays a match."""

import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from random import Random, SystemRandom
from typing import Any
from uuid import UUID

import pytest

from tests.contract.document import OPERATIONS, PATH
from tests.service.client import new_key

NAME = "blattwerk_client"


@pytest.fixture(scope="module")
def client_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the generated package."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "settings.yaml").write_text("post_hooks: []\n")
    command = [sys.executable, "-m", "openapi_python_client", "generate", "--fail-on-warning", "--meta", "none"]
    command += ["--path", str(PATH), "--output-path", str(folder / NAME), "--config", str(folder / "settings.yaml")]
    made = subprocess.run(command, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    assert "WARNING" not in made.stdout.upper() + made.stderr.upper()
    return folder


@pytest.fixture
def call(client_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """Calls an operation by its tag and name and returns what it answers."""
    monkeypatch.syspath_prepend(client_folder)

    def run(name: str, *arguments: Any, **named: Any) -> Any:
        return import_module(f"{NAME}.api.{name}").sync_detailed(*arguments, **named).parsed

    return run


def test_the_client_has_every_operation(client_folder: Path) -> None:
    modules = {path.stem.replace("_", "") for path in (client_folder / NAME / "api").glob("*/*.py")}
    assert {operation.lower() for operation in OPERATIONS} <= modules


def test_one_person_plays_a_match_against_three_bots(call: Callable[..., Any], service_url: str) -> None:
    seed = SystemRandom().randrange(2**32)
    package, models = import_module(NAME), import_module(f"{NAME}.models")
    with package.Client(base_url=service_url) as client:
        guest = models.NewPlayer(name="Ada")
        ada = call("players.create_player", client=client, body=guest, idempotency_key=new_key())
    with package.AuthenticatedClient(base_url=service_url, token=ada.token) as client:
        asked = {"game": "hearts", "options": {"target_score": 1}, "bots": [1, 2, 3]}
        body = models.HeartsNewTable.from_dict(asked)
        table = UUID(call("tables.create_table", client=client, body=body, idempotency_key=new_key()).table)
        call("tables.start_round", table, client=client, body=models.Start(round_=1))
        view = _play(lambda name, **named: call(name, table, client=client, **named), models, Random(seed))
        assert view.status == "finished", f"seed {seed}: {view}"
        assert min(seat.place for seat in view.seats) == 1
        page = call("events.list_events", table, client=client, limit=100)
        assert page.version == view.version
        assert [event.version for event in page.items] == list(range(1, min(page.version, 100) + 1))


def _play(at_table: Callable[..., Any], models: Any, rng: Random) -> Any:
    """Answer every decision from `legal` until the match is over or two minutes have passed."""
    until = time.monotonic() + 120
    view, version = at_table("tables.get_table"), 0
    while view.status == "running" and time.monotonic() < until:
        if view.you.decision is None:
            time.sleep(0.01)
            view = at_table("tables.get_table")
            continue
        move = models.HeartsMoveRequest(decision=view.you.decision, move=_choose(view.you.legal, rng, models))
        made = at_table("moves.make_move", body=move)
        assert isinstance(made, models.HeartsMoveResult), made
        assert isinstance(made.view, models.HeartsTable)
        assert made.version > version
        assert made.event.seat == 0
        view, version = made.view, made.version
    return view


def _choose(legal: Any, rng: Random, models: Any) -> Any:
    entry = rng.choice(legal)
    if isinstance(entry, models.HeartsLegalPass):
        return models.HeartsPass.from_dict({"type": "pass", "cards": rng.sample(entry.cards, entry.count)})
    return models.HeartsPlay.from_dict({"type": "play", "card": rng.choice(entry.cards)})


def test_a_refusal_is_a_problem_to_the_client_too(call: Callable[..., Any], service_url: str) -> None:
    package, models = import_module(NAME), import_module(f"{NAME}.models")
    with package.AuthenticatedClient(base_url=service_url, token="bw_" + "A" * 43) as client:
        problem = call("me.get_me", client=client)
    assert isinstance(problem, models.Problem)
    assert (problem.status, problem.code) == (401, "unauthenticated")
