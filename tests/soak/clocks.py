"""The wall clock of each machine, which can be set ahead or back while its processes run.

The library `clock_step.c`, preloaded into them, adds what a file of the machine says. Clocks that run on, by which
processes measure how long something takes, are left alone, as they are where a machine's clock is set.
"""

import shutil
import struct
import subprocess
from pathlib import Path
from typing import Final, Literal, TypeAlias

Machine: TypeAlias = Literal["service 1", "service 2", "database", "redis"]
MACHINES: Final[tuple[Machine, ...]] = ("service 1", "service 2", "database", "redis")


class Clocks:
    """The clocks of all machines, in a folder that everybody may read."""

    def __init__(self, folder: Path) -> None:
        """Build the library; CalledProcessError if it does not compile."""
        self._library = folder / "clock_step.so"
        self._folder = folder
        source = Path(__file__).with_name("clock_step.c")
        subprocess.run(("cc", "-O2", "-shared", "-fPIC", "-o", self._library, source), check=True)
        for machine in MACHINES:
            self.step(machine, 0)

    @staticmethod
    def missing() -> str | None:
        """Return why there are none here, None if there can be."""
        return None if shutil.which("cc") else "no C compiler for the library that steps clocks"

    def environment(self, machine: Machine) -> dict[str, str]:
        """Return the variables of the processes of a machine."""
        return {"LD_PRELOAD": str(self._library), "CLOCK_STEP_FILE": str(self._file(machine))}

    def step(self, machine: Machine, seconds: int) -> None:
        """Let the clock of a machine be so many seconds ahead of ours from now on."""
        with self._file(machine).open("r+b" if self._file(machine).exists() else "wb") as file:
            file.write(struct.pack("=q", seconds))

    def _file(self, machine: Machine) -> Path:
        return self._folder / f"{machine.replace(' ', '_')}.clock"
