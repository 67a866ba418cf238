"""A copy of the source with a toy as one more game, to which exactly that is done which the guide asks for."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent.parent
_PACKAGES: Final = ("domain", "projections", "service", "tests", "openapi")
_FILES: Final = ("pyproject.toml", "README.md")
_LEFT_OUT: Final = shutil.ignore_patterns("__pycache__", "node_modules", "results")


class Copy:
    """The source in a folder of its own, with a toy registered as a game."""

    def __init__(self, folder: Path, key: str) -> None:
        self.folder = folder
        self.key = key
        for package in _PACKAGES:
            shutil.copytree(ROOT / package, folder / package, ignore=_LEFT_OUT)
        for name in _FILES:
            shutil.copy(ROOT / name, folder)
        toy = ROOT / "tests" / "toy"
        for module in (toy / key).glob("*.py"):
            self._plant(module, self.game / module.name)
        self._plant(toy / f"{key}_conformance.py", self.tests / "conformance.py")
        (self.tests / "__init__.py").write_text(f'"""Tests of {key}."""\n')
        self._register()
        self.run("ruff", "check", "--fix", "--quiet", str(self.game), str(self.tests))  # `make format`
        self.run("ruff", "format", "--quiet", str(self.game), str(self.tests))

    @property
    def game(self) -> Path:
        """The folder of the game."""
        return self.folder / "domain" / "games" / self.key

    @property
    def tests(self) -> Path:
        """The folder of its tests."""
        return self.folder / "tests" / "games" / self.key

    def _plant(self, source: Path, target: Path) -> None:
        """Copy a module to where a game has it, and let it import from there."""
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(source.read_text().replace(f"tests.toy.{self.key}", f"domain.games.{self.key}"))

    def _register(self) -> None:
        registry = self.folder / "domain" / "registry.py"
        before, after = registry.read_text().split("\n)\n", 1)
        registry.write_text(f'{before}\n    "{self.key}",\n)\n{after}')

    def run(self, tool: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run a tool of this environment, or with `python -m` a module of the copy, in the folder."""
        command = [sys.executable, *arguments] if tool == "python" else [_tool(tool), *arguments]
        environment = {**os.environ, "PYTHONPATH": str(self.folder)}
        return subprocess.run(
            command, cwd=self.folder, env=environment, capture_output=True, text=True, timeout=500, check=False
        )

    def tested(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run tests of the copy."""
        return self.run("python", "-m", "pytest", "-p", "no:cacheprovider", *arguments)


def _tool(name: str) -> str:
    return str(Path(sys.executable).with_name(name))
