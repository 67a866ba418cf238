"""Measure everything, print it, keep it.

    python -m tests.bench             everything, about seven minutes
    python -m tests.bench --quick     fewer and shorter windows, about two minutes
    python -m tests.bench --only moves,fold --games hearts
    python -m tests.bench --peers     others beside it (after `make bench-peers` has installed them)
    python -m tests.bench --beside COMMIT    an earlier commit beside it: moves and views over HTTP
    python -m tests.bench --beside COMMIT --functions    the same for folds, legal moves and bots

The results of everything go to `tests/bench/results/latest.json` and `latest.png`, those of the others to
`peers.json`; a part of it goes to a temporary folder.
"""

import argparse
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from tests.bench.beside import beside, owed
from tests.bench.folding import folding
from tests.bench.functions import functions
from tests.bench.games import longest_of, rows_of
from tests.bench.growth import growth, longest, reaches
from tests.bench.lists import filled, lists
from tests.bench.matches import GAMES
from tests.bench.memory import memory
from tests.bench.over_http import Plan, moves, processes, reads
from tests.bench.replays import replays
from tests.bench.report import Results, Section, load, results, save, text
from tests.bench.rig import Rig, rig
from tests.bench.saturation import saturation
from tests.bench.store_append import appends
from tests.bench.supply import Moves

SERVED: Final = ("moves", "reads", "processes", "appends", "growth", "longest", "saturation")
SECTIONS: Final = ("fold", "functions", "memory", "replay", "lists", "owed", *SERVED)
FULL: Final = Plan(clients=(1, 16, 64), repetitions=5, seconds=1.2)
QUICK: Final = Plan(clients=(1, 64), repetitions=1, seconds=1.0)
_RESULTS: Final = Path(__file__).parent / "results"


def main() -> None:
    """Run what the arguments ask for."""
    given = _arguments()
    begun = time.monotonic()
    if given.peers:
        from tests.bench.peers import compared

        sections = _shown(compared(quick=given.quick))
    elif given.beside and given.functions:
        from tests.bench.beside_functions import beside_functions

        matches, pairs = (3, 5) if given.quick else (8, 25)
        section = beside_functions(given.beside, given.games.split(","), matches=matches, pairs=pairs)
        sections = _shown(iter([section]))
    elif given.beside:
        plan = QUICK if given.quick else FULL
        sections = _shown(iter([beside(given.beside, given.games.split(","), plan)]))
    else:
        sections = _shown(measured(given.only.split(","), given.games.split(","), quick=given.quick))
    outcome = results(sections)
    save(outcome, given.out)
    print(f"{outcome.date}, {outcome.machine['processor']}, {time.monotonic() - begun:.0f} s; kept in {given.out}")
    _draw(given.out.with_name("latest.json"))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="What the service does per second.")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter windows")
    parser.add_argument("--only", default=",".join(SECTIONS), help="sections, of " + ",".join(SECTIONS))
    parser.add_argument("--games", default=",".join(GAMES), help="games, of " + ",".join(GAMES))
    parser.add_argument("--peers", action="store_true", help="measure others instead")
    parser.add_argument("--beside", metavar="COMMIT", help="measure this commit beside the present code instead")
    parser.add_argument("--functions", action="store_true", help="with --beside: folds, legal moves and bots")
    parser.add_argument("--out", type=Path, help="file for the results")
    given = parser.parse_args()
    if given.functions and not given.beside:
        parser.error("--functions goes with --beside COMMIT")
    if given.out is None:
        whole = not given.quick and given.only == ",".join(SECTIONS) and given.games == ",".join(GAMES)
        folder = _RESULTS if whole else Path(tempfile.gettempdir()) / "blattwerk-bench"
        beside = "beside-functions.json" if given.functions else "beside.json"
        given.out = folder / ("peers.json" if given.peers else beside if given.beside else "latest.json")
    return given


def _shown(sections: Iterator[Section]) -> list[Section]:
    kept = []
    begun = time.monotonic()
    for section in sections:
        kept.append(section)
        print(f"{text(section)}\n({time.monotonic() - begun:.0f} s)\n", flush=True)
        begun = time.monotonic()
    return kept


def _draw(latest: Path) -> None:
    """Draw the latest results, with those of the others if they are there."""
    if not latest.exists():
        return
    if find_spec("matplotlib") is None:
        print("no picture: matplotlib is not installed (make bench installs it)")
        return
    from tests.bench.plot import draw

    others = latest.with_name("peers.json")
    peers: Results | None = load(others) if others.exists() else None
    draw(load(latest), peers, latest.with_suffix(".png"))


def measured(wanted: list[str], keys: list[str], *, quick: bool) -> Iterator[Section]:
    """Measure section by section."""
    if "fold" in wanted:
        yield folding(keys, matches=4 if quick else 12, most=1000, repetitions=5 if quick else 15)
    if "functions" in wanted:
        yield from functions(keys, matches=2 if quick else 5, most=400)
        yield from (section for key in keys if (section := _own(key)) is not None)
    if "memory" in wanted:
        yield memory(keys, 2_000 if quick else 10_000)
    if "replay" in wanted:
        for key in keys:
            if longest_of(key) is not None:
                yield replays(key, times=20 if quick else 100)
    if "lists" in wanted:
        tables = 10_000 if quick else 100_000
        with filled(tables) as (url, player):
            yield lists(url, player, tables)
    if "owed" in wanted:
        yield owed(keys[0], QUICK if quick else FULL)
    if set(SERVED) & set(wanted):
        with rig() as running:
            yield from _served(running, wanted, keys, quick=quick)


def _own(key: str) -> Section | None:
    """What a game measures besides."""
    rows = rows_of(key)
    columns = tuple(dict.fromkeys(column for row in rows for column in row.cells))
    return Section(f"games/{key}", f"Besides ({key})", "", columns, tuple(rows)) if rows else None


def _served(running: Rig, wanted: list[str], keys: list[str], *, quick: bool) -> Iterator[Section]:
    """Measure what needs the running service."""
    plan = QUICK if quick else FULL
    supplies = {key: Moves(running, key) for key in keys}
    if "moves" in wanted:
        yield moves(running, supplies, plan)
    if "reads" in wanted:
        yield reads(running, keys, plan)
    if "processes" in wanted:
        yield processes(running, keys[0], supplies[keys[0]], plan)
    if "appends" in wanted:
        yield appends(running.servers, (1, 64), repetitions=1 if quick else 3, seconds=2)
    for key in keys:
        options = longest_of(key)
        if options is None:
            continue
        if "growth" in wanted and reaches(key, options):
            yield growth(running, key, options, pairs=4, restarts=1 if quick else 3)
        if "longest" in wanted:
            yield longest(running, key, options, repetitions=1 if quick else 3, most=100_000)
    if "saturation" in wanted:
        yield from saturation(running, (1,) if quick else (1, 2), repetitions=1 if quick else 3)


if __name__ == "__main__":
    main()
