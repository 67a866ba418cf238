"""Measure everything, print it, keep it.

    python -m tests.bench             everything, about five minutes
    python -m tests.bench --quick     fewer and shorter windows
    python -m tests.bench --only moves,fold --games hearts

Results go to `tests/bench/results/latest.json` and `.png`, with --quick or --only to a temporary folder.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tests.bench.folding import folding
from tests.bench.games import longest_of
from tests.bench.growth import growth, longest, reaches
from tests.bench.matches import GAMES
from tests.bench.memory import memory
from tests.bench.over_http import Plan, moves, prepare, processes, reads
from tests.bench.report import Section, results, save, text
from tests.bench.rig import Rig, rig

SERVED: Final = ("moves", "reads", "processes", "growth", "longest")
SECTIONS: Final = ("fold", "memory", *SERVED)
FULL: Final = Plan(tables=110, moves=2000, clients=(1, 16, 64), repetitions=3, seconds=1.2)
QUICK: Final = Plan(tables=64, moves=300, clients=(1, 64), repetitions=1, seconds=1.0)


def main() -> None:
    """Run what the arguments ask for."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter windows")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, of " + ",".join(SECTIONS))
    parser.add_argument("--games", default=",".join(GAMES), help="games, of " + ",".join(GAMES))
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "results" / "latest.json")
    given = parser.parse_args()
    begun = time.monotonic()
    sections = []
    for section in measured(given.only.split(","), given.games.split(","), quick=given.quick):
        sections.append(section)
        print(text(section), end="\n\n", flush=True)
    outcome = results(sections)
    save(outcome, given.out)
    print(f"{outcome.date}, {outcome.machine['processor']}, {time.monotonic() - begun:.0f} s; kept in {given.out}")


def measured(wanted: list[str], keys: list[str], *, quick: bool) -> Iterator[Section]:
    """Measure section by section."""
    if "fold" in wanted:
        yield folding(keys, matches=4 if quick else 12, most=1000, repetitions=5)
    if "memory" in wanted:
        yield memory(keys, 2_000 if quick else 10_000)
    if set(SERVED) & set(wanted):
        with rig() as running:
            yield from _served(running, wanted, keys, quick=quick)


def _served(running: Rig, wanted: list[str], keys: list[str], *, quick: bool) -> Iterator[Section]:
    plan = QUICK if quick else FULL
    started = prepare(running, keys, plan) if {"moves", "reads", "processes"} & set(wanted) else {}
    if "moves" in wanted:
        yield moves(running, keys, plan)
    if "reads" in wanted:
        yield reads(running, started, plan)
    if "processes" in wanted:
        yield processes(running, keys[0], plan)
    for key in keys:
        options = longest_of(key)
        if options is None:
            continue
        if "growth" in wanted and reaches(key, options):
            yield growth(running, key, options, pairs=2 if quick else 4, restarts=1 if quick else 3)
        if "longest" in wanted:
            yield longest(running, key, options, repetitions=1 if quick else 3, most=100_000)


if __name__ == "__main__":
    main()
