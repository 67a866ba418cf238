"""A game needs one folder and one line: two toys, each added to a copy of the source, keep all that games keep.

Beside its folder and its line of registration a game brings `tests/games/<key>/conformance.py`, its recorded
playthroughs and the contract, which are made by commands; nothing else that was there before is changed.
"""

import sys
from pathlib import Path

import pytest

from tests.conformance.planting import ROOT, Copy

SUITE = ("test_every_game.py", "test_declarations.py", "test_playthroughs.py")


def _suite(copy: Copy, *files: str) -> tuple[int, str]:
    done = copy.tested("-k", copy.key, *(f"tests/conformance/{file}" for file in files))
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def highest(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    return Copy(tmp_path_factory.mktemp("copy"), "highest")


@pytest.fixture(scope="module")
def recorded(highest: Copy) -> Copy:
    """The same with recorded playthroughs, and the proof that they were missed before."""
    status, said = _suite(highest, "test_playthroughs.py")
    assert status == 1, said
    assert "python -m tests.conformance.record highest makes" in said
    made = highest.run("python", "-m", "tests.conformance.record", "highest")
    assert made.returncode == 0, made.stderr
    names = [f"{version}-{name}.txt" for version in (1, 2) for name in ("three", "two_long_hands")]
    assert made.stdout.split() == [f"tests/playthroughs/highest/{name}" for name in names]
    return highest


def test_a_fifth_game_keeps_the_suite_with_one_folder_and_one_line(recorded: Copy) -> None:
    status, said = _suite(recorded, *SUITE)
    assert status == 0, said
    assert "skipped" not in said


def test_a_playthrough_that_comes_out_differently_is_found(recorded: Copy) -> None:
    path = recorded.folder / "tests" / "playthroughs" / "highest" / "2-three.txt"
    sound = path.read_text()
    path.write_text(sound.replace("rules highest/2", "rules highest/1"))
    status, said = _suite(recorded, "test_playthroughs.py")
    path.write_text(sound)
    assert status == 1, said
    assert "gives another state" in said


def test_hooks_that_are_missing_are_named(highest: Copy) -> None:
    path = highest.tests / "conformance.py"
    sound = path.read_text()
    path.write_text(sound.replace("\nSHORT", "\nOTHER"))
    _, said = _suite(highest, "test_declarations.py")
    path.unlink()
    _, without = _suite(highest, "test_declarations.py")
    path.write_text(sound)
    assert "tests.games.highest.conformance has no SHORT; tests/conformance/hooks.py says what that is" in said
    assert "tests/games/highest/conformance.py is missing" in without


@pytest.mark.parametrize("forbidden", ["import domain.games.hearts\n", "import service\n"])
def test_a_game_that_imports_what_it_must_not_is_found(highest: Copy, forbidden: str) -> None:
    module = highest.game / "rulebook.py"
    sound = module.read_text()
    module.write_text(sound + forbidden)
    imports = highest.run("lint-imports", "--no-cache")
    module.write_text(sound)
    assert imports.returncode == 1, imports.stdout + imports.stderr
    assert "BROKEN" in imports.stdout


# a game unlike the first: elimination, no option `players`, no field `card`, five or six seats, rounds that end in
# their deal


@pytest.fixture(scope="module")
def overboard(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    """With everything that the guide makes by commands."""
    copy = Copy(tmp_path_factory.mktemp("copy"), "overboard")
    for command in (
        ("-m", "tests.conformance.record", copy.key),
        ("-m", "service.contract.document", "--write", "openapi/openapi.json"),
    ):
        made = copy.run("python", *command)
        assert made.returncode == 0, made.stderr
    return copy


@pytest.mark.parametrize("key", ["highest", "overboard"])
def test_a_toy_passes_the_linters_where_it_is_copied_to(key: str, request: pytest.FixtureRequest) -> None:
    copy: Copy = request.getfixturevalue(key)
    folders = [str(path.relative_to(copy.folder)) for path in (copy.game, copy.tests)]
    for command in (
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        ("lint-imports", "--no-cache"),
        ("mypy", "--cache-dir", str(ROOT / ".mypy_cache" / "planted"), *folders),
        ("pyright", "--pythonpath", sys.executable, folders[0]),
    ):
        linted = copy.run(*command)
        assert linted.returncode == 0, f"{command}: {linted.stdout}{linted.stderr}"


def test_every_test_that_is_run_for_each_game_passes_for_a_game_unlike_the_others(overboard: Copy) -> None:
    tested = overboard.tested("-k", "overboard and not toy and not fifth", "tests")
    assert tested.returncode == 0, tested.stdout[-20_000:] + tested.stderr
    assert "skipped" not in tested.stdout


def test_the_contract_with_one_more_game_is_a_good_one(overboard: Copy) -> None:
    tested = overboard.tested("tests/contract/test_document.py", "tests/contract/test_answers.py", "-k", "not hearts")
    assert tested.returncode == 0, tested.stdout[-20_000:] + tested.stderr


def test_nothing_but_the_registry_was_edited(overboard: Copy) -> None:
    changed = {
        path.relative_to(ROOT)
        for package in ("domain", "projections", "service", "tests")
        for path in (ROOT / package).rglob("*.py")
        if "__pycache__" not in path.parts
        and path.read_bytes() != (overboard.folder / path.relative_to(ROOT)).read_bytes()
    }
    assert changed == {Path("domain/registry.py")}
