"""A game needs one folder and one line: two toys, each added to a copy of the source, keep all that games keep.

They are added by the commands of the guide (domain/README.md). Beside its folder and its line of registration a game
brings `tests/games/<key>/`, its recorded playthroughs and the contract, which are made by commands; nothing else that
was there before is changed.
"""

import pytest

from tests.conformance.planting import ROOT, Copy, commands_of_the_guide

NAMES, *COMMANDS = commands_of_the_guide()
PLANTING = COMMANDS[: next(number for number, command in enumerate(COMMANDS) if "pytest" in command)]
SUITE = ("test_every_game.py", "test_declarations.py", "test_playthroughs.py")
HIGHEST = "key=highest name=Highest"


# the guide, with the toy that it begins from: elimination, no option `players`, no field `card`, five or six seats,
# rounds that end in their deal


@pytest.fixture(scope="module")
def guided(tmp_path_factory: pytest.TempPathFactory) -> tuple[Copy, list[str]]:
    """A copy in which every command of the guide was run, and what each said."""
    copy = Copy(tmp_path_factory.mktemp("copy"))
    cases = copy.folder / "tests" / "games" / "raft_race" / "test_cases.py"
    cases.parent.mkdir()
    cases.write_text(WORKED_CASE)
    return copy, list(copy.follow(COMMANDS, NAMES))


WORKED_CASE = '''"""A worked case."""

from domain.games.raft_race import RAFT_RACE_1
from domain.games.raft_race.fold import PACK
from domain.games.raft_race.model import RaftRaceStay, RaftRaceSwap
from tests.games.given import Stacked, accepted, folded, refused


def test_a_swap_gives_the_card_to_the_raft_and_the_turn_to_the_next() -> None:
    new = RAFT_RACE_1.decider.new(RAFT_RACE_1.options.type(), 5)
    state = folded(RAFT_RACE_1, new, RAFT_RACE_1.decider.start(new, Stacked({1: PACK})))
    facts, after = accepted(RAFT_RACE_1, state, 0, RaftRaceSwap("7C", state.raft[0]))
    assert (len(facts), after.turn) == (1, 1)
    assert "7C" in after.raft
    assert refused(RAFT_RACE_1, after, 0, RaftRaceStay()).rule == "O-3"
'''


def test_the_commands_of_the_guide_add_a_game_that_passes_everything(guided: tuple[Copy, list[str]]) -> None:
    _, said = guided
    everything = next(text for command, text in zip(COMMANDS, said, strict=True) if "not fifth" in command)
    assert "passed" in everything
    assert "skipped" not in everything


def test_the_contract_with_one_more_game_is_a_good_one(guided: tuple[Copy, list[str]]) -> None:
    copy, _ = guided
    tested = copy.run("python -m pytest tests/contract/test_document.py")
    assert tested.returncode == 0, tested.stdout[-20_000:] + tested.stderr


def test_nothing_but_the_registry_was_edited(guided: tuple[Copy, list[str]]) -> None:
    copy, _ = guided
    changed = {
        str(path.relative_to(ROOT))
        for package in ("domain", "projections", "service", "tests")
        for path in (ROOT / package).rglob("*.py")
        if path.read_bytes() != (copy.folder / path.relative_to(ROOT)).read_bytes()
    }
    assert changed == {"domain/registry.py"}


def test_the_toy_of_the_guide_is_a_game_in_less_than_500_lines() -> None:
    modules = (ROOT / "tests" / "toy" / "overboard").glob("*.py")
    assert sum(bool(line.strip()) for module in modules for line in module.read_text().splitlines()) < 500


# another toy, with two versions of its rules


@pytest.fixture(scope="module")
def highest(tmp_path_factory: pytest.TempPathFactory) -> Copy:
    copy = Copy(tmp_path_factory.mktemp("copy"))
    planting = [command.replace("overboard", "highest").replace("Overboard", "Highest") for command in PLANTING]
    list(copy.follow([command for command in planting if "OVERBOARD" not in command], HIGHEST))
    modules = "domain/games/highest/*.py tests/games/highest/*.py"
    renamed = f'sed -i "s/tests\\.toy\\.highest/domain.games.highest/" {modules}'
    formatted = "ruff check --fix --quiet domain/games tests/games && ruff format --quiet domain/games tests/games"
    list(copy.follow([renamed, formatted], HIGHEST))
    return copy


def _suite(copy: Copy, *files: str) -> tuple[int, str]:
    done = copy.run(f"python -m pytest -k highest {' '.join(f'tests/conformance/{file}' for file in files)}")
    return done.returncode, done.stdout + done.stderr


@pytest.fixture(scope="module")
def recorded(highest: Copy) -> Copy:
    """The same with recorded playthroughs, and the proof that they were missed before."""
    status, said = _suite(highest, "test_playthroughs.py")
    assert status == 1, said
    assert "python -m tests.conformance.record highest makes" in said
    made = highest.run("python -m tests.conformance.record highest")
    assert made.returncode == 0, made.stderr
    names = [f"{version}-{name}.txt" for version in (1, 2) for name in ("three", "two_long_hands")]
    assert made.stdout.split() == [f"tests/playthroughs/highest/{name}" for name in names]
    return highest


def test_a_fifth_game_keeps_the_suite_with_one_folder_and_one_line(recorded: Copy) -> None:
    status, said = _suite(recorded, *SUITE)
    assert status == 0, said
    assert "skipped" not in said


def test_a_toy_passes_the_linters_where_it_is_copied_to(highest: Copy) -> None:
    list(highest.follow([command for command in COMMANDS if "mypy" in command or "lint-imports" in command], HIGHEST))


def test_a_playthrough_that_comes_out_differently_is_found(recorded: Copy) -> None:
    path = recorded.folder / "tests" / "playthroughs" / "highest" / "2-three.txt"
    sound = path.read_text()
    path.write_text(sound.replace("rules highest/2", "rules highest/1"))
    status, said = _suite(recorded, "test_playthroughs.py")
    path.write_text(sound)
    assert status == 1, said
    assert "gives another state" in said


def test_hooks_that_are_missing_are_named(highest: Copy) -> None:
    path = highest.folder / "tests" / "games" / "highest" / "conformance.py"
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
    module = highest.folder / "domain" / "games" / "highest" / "rulebook.py"
    sound = module.read_text()
    module.write_text(sound + forbidden)
    imports = highest.run("lint-imports --no-cache")
    module.write_text(sound)
    assert imports.returncode == 1, imports.stdout + imports.stderr
    assert "BROKEN" in imports.stdout
