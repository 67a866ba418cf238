"""Recorded matches come out as they did when they were recorded, under the rules they were played by."""

from pathlib import Path

import pytest

from domain.decider import AnyGame
from domain.registry import GAMES
from tests.conformance.hooks import hooks_of
from tests.conformance.playthrough import FOLDER, read, replayed
from tests.conformance.record import path_of

FILES = sorted(FOLDER.glob("*/*.txt"))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES.keys())
def test_every_game_version_has_its_recorded_matches(game: AnyGame) -> None:
    names = hooks_of(game).playthroughs
    missing = [path_of(game, name) for name in names if not path_of(game, name).exists()]
    assert names, f"{game.rules_id} names no playthroughs"
    assert not missing, f"python -m tests.conformance.record {game.key} makes {missing}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_a_recorded_match_comes_out_as_recorded(path: Path) -> None:
    recorded = read(path)
    assert recorded.rules_id in GAMES, f"{path} was played by rules that are gone: they must stay replayable"
    again = replayed(GAMES[recorded.rules_id], recorded)
    for version, (then, now) in enumerate(zip(recorded.lines, again.lines, strict=True), start=1):
        assert now == then, f"{path}: version {version} gives another state"
    assert again.end == recorded.end, f"{path}: another end"
    assert again.text() == path.read_text(encoding="ascii")
