"""Folds, legal moves and bots of this version beside those of an earlier commit, in two processes that take turns.

Both run on the same Python with the same libraries, so that only the project's own code differs.
"""

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Final, TypeAlias

from tests.bench.beside import worktree
from tests.bench.matches import GAMES
from tests.bench.report import Aim, Cell, Row, Section
from tests.bench.rig import HERE

KINDS: Final = ("fold", "decode+fold", "legal", "bot")
AT_LEAST: Final = 0.95
_COLUMNS: Final = ("us per call", "ratio", "calls")
_NOTE: Final = (
    "In processor time, per event or call: medians. ratio: the earlier version's to this one's, of pairs of turns."
)

Pass: TypeAlias = Callable[[str, str], tuple[float, int]]
"""Does one pass over (kind, key of the game); returns its microseconds of processor time per call, and its calls."""


def beside_functions(commit: str, keys: Sequence[str], *, matches: int, pairs: int) -> Section:
    """Measure the functions of every game on both versions."""
    rows: list[Row] = []
    aims: list[Aim] = []
    with worktree(commit) as root, passes(HERE.root, matches) as ours, passes(root, matches) as theirs:
        for key in keys:
            for kind in KINDS:
                name = f"{GAMES[key].title}, {kind}"
                now, then = alternate(ours, theirs, kind, key, pairs)
                rows += [Row(f"{name}, {commit}", _cells(then, then)), Row(name, _cells(now, then))]
                aims.append(Aim(name, _ratio(now, then), AT_LEAST, True))
    return Section("beside-functions", f"Functions beside {commit}", _NOTE, _COLUMNS, tuple(rows), tuple(aims))


def alternate(
    ours: Pass, theirs: Pass, kind: str, key: str, pairs: int
) -> tuple[list[tuple[float, int]], list[tuple[float, int]]]:
    """Return the passes of ours and of theirs; who begins changes from pair to pair."""
    ours(kind, key)  # the first pass of each makes the matches and warms up
    theirs(kind, key)
    now: list[tuple[float, int]] = []
    then: list[tuple[float, int]] = []
    for turn in range(pairs):
        order = ((theirs, then), (ours, now)) if turn % 2 else ((ours, now), (theirs, then))
        for one, kept in order:
            kept.append(one(kind, key))
    return now, then


def _ratio(now: Sequence[tuple[float, int]], then: Sequence[tuple[float, int]]) -> float:
    return median(before / after for (after, _), (before, _) in zip(now, then, strict=True))


def _cells(measured: Sequence[tuple[float, int]], then: Sequence[tuple[float, int]]) -> dict[str, Cell]:
    figures = (median(us for us, _ in measured), _ratio(measured, then), measured[0][1])
    return dict(zip(_COLUMNS, figures, strict=True))


@contextmanager
def passes(root: Path, matches: int) -> Iterator[Pass]:
    """Start the process that does the passes of the version under `root`, over so many matches of each game."""
    command = (HERE.python, "-P", str(HERE.root / "tests" / "bench" / "passes.py"), str(matches))
    environment = {**os.environ, "PYTHONPATH": str(root)}
    with subprocess.Popen(
        command, cwd=root, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as process:
        asked, answered = process.stdin, process.stdout
        assert asked is not None
        assert answered is not None

        place = answered.readline().strip()
        if not Path(place).is_relative_to(root):
            raise RuntimeError(f"the code under {root} was to be measured, not {place or 'nothing'}")

        def once(kind: str, key: str) -> tuple[float, int]:
            asked.write(f"{kind} {key}\n")
            answer = answered.readline()
            if not answer:
                raise RuntimeError(f"the version under {root} cannot do {kind} of {key}; what it says is above")
            seconds, calls = answer.split()
            return float(seconds) / int(calls) * 1e6, int(calls)

        yield once
