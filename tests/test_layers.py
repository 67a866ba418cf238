"""The import contracts hold, and each of them fails when it is broken: a violation is planted and caught."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

PLANTED = {
    "Imports point one way: service, projections, domain": {
        "domain/planted.py": "import projections\n",
    },
    "A game never imports another game": {
        "domain/games/planted_a/__init__.py": "from domain.games import planted_b\n",
        "domain/games/planted_b/__init__.py": "",
    },
    "The domain is pure: no clock, no chance, no input or output": {
        "domain/games/planted_a/__init__.py": "def now():\n    import time\n    return time.time()\n",
    },
    "PostgreSQL is spoken in service.store alone": {
        "service/runtime/planted.py": "from psycopg.rows import dict_row\n",
    },
    "The stores know nothing of projections": {
        "service/store/planted.py": "def later():\n    from projections import coalescer\n    return coalescer\n",
    },
    "Redis is spoken in one module of projections": {
        "service/runtime/planted.py": "import redis.asyncio\n",
    },
    "Imports run down through the packages of service": {
        "service/tables/planted.py": "def later():\n    from service import composition\n",
    },
    "No modules of service form a circle": {
        "service/tables/planted_a.py": "from service.tables import planted_b\n",
        "service/tables/planted_b.py": "import typing\nif typing.TYPE_CHECKING:\n    import service.tables.planted_a\n",
    },
}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for package in ("domain", "projections", "service"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "tests").mkdir()
    for file in ("pyproject.toml", "tests/__init__.py", "tests/contracts.py"):
        shutil.copy(ROOT / file, tmp_path / file)
    return tmp_path


def lint_imports(folder: Path) -> dict[str, str]:
    """Run import-linter in a folder: the verdict on each contract, by its name."""
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", program, "--no-cache"], cwd=folder, capture_output=True, text=True, timeout=60
    )
    verdicts = {}
    for line in done.stdout.splitlines():
        for name in PLANTED:
            if line.startswith(name + " "):
                verdicts[name] = line.removeprefix(name).split()[0]
    assert set(verdicts) == set(PLANTED), done.stdout + done.stderr
    assert (done.returncode == 0) == (set(verdicts.values()) == {"KEPT"})
    return verdicts


def test_the_project_keeps_every_contract(copy: Path) -> None:
    assert set(lint_imports(copy).values()) == {"KEPT"}


@pytest.mark.parametrize("contract", PLANTED)
def test_a_planted_violation_breaks_its_contract_and_no_other(copy: Path, contract: str) -> None:
    for name, text in PLANTED[contract].items():
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_text(text)
    assert lint_imports(copy) == {name: "BROKEN" if name == contract else "KEPT" for name in PLANTED}
