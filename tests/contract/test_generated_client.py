"""A client generated from the contract, without a warning, plays a match: what the contract says is enough."""

import os
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any
from uuid import uuid4

import pytest

CONTRACT = Path(__file__).parents[2] / "openapi" / "openapi.json"
NAME = "generated_blattwerk_client"


@pytest.fixture(scope="module")
def generated(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    folder = tmp_path_factory.mktemp("generated")
    command = [str(Path(sys.executable).parent / "openapi-python-client"), "generate", "--path", str(CONTRACT)]
    options = ["--fail-on-warning", "--meta", "none", "--output-path", str(folder / NAME)]
    paths = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))  # its formatter
    environment = os.environ | {"PATH": paths}
    made = subprocess.run([*command, *options], capture_output=True, text=True, check=False, env=environment)
    assert made.returncode == 0, made.stdout + made.stderr
    assert "WARNING" not in made.stdout.upper(), made.stdout
    sys.path.insert(0, str(folder))
    try:
        return import_module(NAME)
    finally:
        sys.path.remove(str(folder))


def operation(name: str) -> Any:
    """The function of the generated client for an operation, such as `tables.create_table`."""
    return import_module(f"{NAME}.api.{name}").sync


def test_the_generated_client_plays_a_match(generated: ModuleType, service_url: str) -> None:
    models = import_module(f"{NAME}.models")

    def key() -> str:
        return f'"{uuid4()}"'

    with generated.Client(base_url=service_url) as anybody:
        player = operation("players.create_player")(
            client=anybody, body=models.NewPlayer(name="Ada"), idempotency_key=key()
        )
    with generated.AuthenticatedClient(base_url=service_url, token=player.token) as client:
        options = models.HeartsNewOptions(players=3, target_score=20)
        new = models.HeartsNewTable(game="hearts", bots=[1, 2], options=options)
        view = operation("tables.create_table")(client=client, body=new, idempotency_key=key())
        assert isinstance(view, models.HeartsTable)
        table = view.table
        operation("tables.start_round")(table, client=client, body=models.Start(round_=1))
        until = time.monotonic() + 120
        while time.monotonic() < until:
            view = operation("tables.get_table")(table, client=client)
            assert isinstance(view, models.HeartsTable), view
            if view.status == "finished":
                break
            if view.you.decision is None:
                time.sleep(0.01)
                continue
            (legal,) = view.you.legal
            if isinstance(legal, models.HeartsLegalPass):
                move = models.HeartsPass(type_="pass", cards=legal.cards[: legal.count])
            else:
                move = models.HeartsPlay(type_="play", card=legal.cards[0])
            body = models.HeartsMoveRequest(game="hearts", decision=view.you.decision, move=move)
            made = operation("moves.make_move")(table, client=client, body=body)
            assert isinstance(made, models.HeartsMoveResult), made
        assert view.status == "finished"
        assert sorted(seat.place for seat in view.seats)[0] == 1
        page = operation("events.list_events")(table, client=client)
        assert isinstance(page, models.HeartsEventPage)
        assert page.items[0].version == 1
