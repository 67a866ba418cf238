"""A game needs one folder and one line: the toy is added to a copy of the source and keeps the suite.

Beside its folder and its line of registration a game brings `tests/games/<key>/conformance.py` and its
recorded playthroughs; nothing that was there before is changed.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
KEY = "highest"


def _run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def _suite(folder: Path, *files: str) -> subprocess.CompletedProcess[str]:
    paths = [f"tests/conformance/{file}" for file in files]
    return _run(folder, sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-k", KEY, *paths)


def _imports(folder: Path) -> subprocess.CompletedProcess[str]:
    return _run(folder, str(Path(sys.executable).with_name("lint-imports")), "--no-cache")


def _planted(source: Path, target: Path) -> None:
    """Copy a module of the toy to where a real game has it, and let it import from there."""
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(source.read_text().replace(f"tests.toy.{KEY}", f"domain.games.{KEY}"))


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source with a fifth game."""
    folder = tmp_path_factory.mktemp("copy")
    for package in ("domain", "projections", "service", "tests"):
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "playthroughs"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -q\nfilterwarnings = error\n")  # needs no plugins
    for module in (ROOT / "tests" / "toy" / KEY).glob("*.py"):
        _planted(module, folder / "domain" / "games" / KEY / module.name)
    _planted(ROOT / "tests" / "toy" / "conformance.py", folder / "tests" / "games" / KEY / "conformance.py")
    (folder / "tests" / "games" / KEY / "__init__.py").touch()
    registry = folder / "domain" / "registry.py"
    before, after = registry.read_text().split("\n)\n", 1)
    registry.write_text(f'{before}\n    "{KEY}",\n)\n{after}')
    return folder


@pytest.fixture(scope="module")
def recorded(copy: Path) -> Path:
    """The same with recorded playthroughs, and the proof that they were missed before."""
    without = _suite(copy, "test_playthroughs.py")
    assert without.returncode == 1, without.stdout + without.stderr
    assert f"python -m tests.conformance.record {KEY} makes" in without.stdout
    made = _run(copy, sys.executable, "-m", "tests.conformance.record", KEY)
    assert made.returncode == 0, made.stderr
    assert made.stdout.split() == [
        f"tests/playthroughs/{KEY}/{version}-{name}.txt" for version in (1, 2) for name in ("three", "two_long_hands")
    ]
    return copy


def test_a_fifth_game_keeps_the_suite_with_one_folder_and_one_line(recorded: Path) -> None:
    suite = _suite(recorded, "test_every_game.py", "test_declarations.py", "test_playthroughs.py")
    assert suite.returncode == 0, suite.stdout + suite.stderr
    assert "skipped" not in suite.stdout


def test_a_playthrough_that_comes_out_differently_is_found(recorded: Path) -> None:
    path = recorded / "tests" / "playthroughs" / KEY / "2-three.txt"
    sound = path.read_text()
    path.write_text(sound.replace(f"rules {KEY}/2", f"rules {KEY}/1"))
    suite = _suite(recorded, "test_playthroughs.py")
    path.write_text(sound)
    assert suite.returncode == 1, suite.stdout + suite.stderr
    assert "gives another state" in suite.stdout


def test_a_fifth_game_keeps_the_import_contracts(copy: Path) -> None:
    imports = _imports(copy)
    assert imports.returncode == 0, imports.stdout + imports.stderr


@pytest.mark.parametrize("forbidden", ["import domain.games.hearts\n", "import service\n"])
def test_a_game_that_imports_what_it_must_not_is_found(copy: Path, forbidden: str) -> None:
    module = copy / "domain" / "games" / KEY / "rulebook.py"
    sound = module.read_text()
    module.write_text(sound + forbidden)
    imports = _imports(copy)
    module.write_text(sound)
    assert imports.returncode == 1, imports.stdout + imports.stderr
    assert "BROKEN" in imports.stdout
