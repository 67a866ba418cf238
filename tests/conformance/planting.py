"""A copy of the source, in which the commands of the guide (domain/README.md) add a game."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parent.parent.parent
_PACKAGES: Final = ("domain", "projections", "service", "tests", "openapi")
_FILES: Final = ("pyproject.toml", "README.md")
_OPTIONS: Final = "-p no:cacheprovider --timeout 240"
"""Of a pytest that runs inside another one: a test that hangs is named before the command has had its time."""
_LEFT_OUT: Final = shutil.ignore_patterns("__pycache__", "node_modules", "results")


class Copy:
    """The source in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for package in _PACKAGES:
            shutil.copytree(ROOT / package, folder / package, ignore=_LEFT_OUT)
        for name in _FILES:
            shutil.copy(ROOT / name, folder)

    def run(self, command: str) -> "subprocess.CompletedProcess[str]":
        """Run a command line of the shell in the folder, with the tools of this environment."""
        tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        environment = {**os.environ, "PATH": tools, "PYTHONPATH": str(self.folder), "PYTEST_ADDOPTS": _OPTIONS}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # many processes read the same source: it is compiled once
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
        )

    def follow(self, commands: Iterable[str], settings: str) -> Iterator[str]:
        """Run commands one after the other, each with `settings` before it, and yield what they say.

        AssertionError if one fails.
        """
        for command in commands:
            done = self.run(f"{settings}; {command}")
            said = done.stdout + done.stderr
            assert done.returncode == 0, f"{command}: {said[-20_000:]}"
            yield said


def commands_of_the_guide() -> list[str]:
    """Return the commands of domain/README.md in order; the first sets the names of the game."""
    blocks = re.findall(r"```sh\n(.*?)```", (ROOT / "domain" / "README.md").read_text(), re.DOTALL)
    return [line.strip() for block in blocks for line in block.splitlines()]
