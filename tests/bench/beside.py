"""This version beside an earlier commit of the project, in one run, window by window in turn.

The earlier commit is checked out into a temporary folder and its dependencies are installed from its own locks, unless
they are ours, so it runs as it was. Both get the same requests: the comparison works as long as the API between them
is the same.
"""

import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from tests.bench.matches import GAMES
from tests.bench.over_http import Plan
from tests.bench.report import Aim, Row, Section
from tests.bench.rig import HERE, Checkout, Rig, rig
from tests.bench.supply import MOST_CLIENTS, Moves, Window, views
from tests.bench.windows import COLUMNS, Series, cells

MOVES_AT_LEAST: Final = 0.8
VIEWS_AT_LEAST: Final = 0.3
WITHOUT_OWED: Final = "2bb0273"
"""The commit before it was kept account of what Redis owes."""
WITH_OWED: Final = "6ccbaeb"
"""The commit with that and nothing else, so that what came later does not hide what it costs."""
OWED_AT_LEAST: Final = 0.98
_LOCKS: Final = Path("deploy", "requirements", "service.txt")
_NOTE: Final = "ratio, of CPU: this version to the earlier one, in rate and in processor time of the API process."


@contextmanager
def worktree(commit: str) -> Iterator[Path]:
    """Check a commit out into a temporary folder, and remove it at the end."""
    with tempfile.TemporaryDirectory(prefix="blattwerk-beside-") as folder:
        root = Path(folder) / "checkout"
        git = ("git", "-C", str(HERE.root), "worktree")
        subprocess.run((*git, "add", "--quiet", "--detach", str(root), commit), check=True)
        try:
            yield root
        finally:
            subprocess.run((*git, "remove", "--force", str(root)), check=True)


@contextmanager
def checkout(commit: str) -> Iterator[Checkout]:
    """Check a commit out, install what it needs unless it is here, and remove both at the end."""
    with worktree(commit) as root:
        if (root / _LOCKS).read_bytes() == (HERE.root / _LOCKS).read_bytes():
            found = subprocess.check_output((HERE.python, "-c", "import service; print(service.__file__)"), cwd=root)
            if not Path(found.decode().strip()).is_relative_to(root):
                raise RuntimeError(f"the code under {root} was to be measured, not {found.decode()}")
            yield Checkout(root, HERE.python)
            return
        subprocess.run(("make", "--silent", ".venv/.service"), cwd=root, check=True)
        yield Checkout(root, str(root / ".venv" / "bin" / "python"))


def is_here(commit: str) -> bool:
    """Whether this is a clone with this commit in its history."""
    try:
        git = ("git", "-C", str(HERE.root), "cat-file", "-e", f"{commit}^{{commit}}")
        return subprocess.run(git, check=False, stderr=subprocess.DEVNULL).returncode == 0
    except FileNotFoundError:  # no git
        return False


def owed(key: str, plan: Plan, commits: tuple[str, str] = (WITHOUT_OWED, WITH_OWED)) -> Section:
    """Measure moves of the commit that keeps account of what Redis owes, and pays it, beside the one before."""
    without, with_owed = commits
    title = f"What a move pays for what is owed: {with_owed} beside {without}, 64 clients"
    if not all(map(is_here, commits)):
        note = f"NOT MEASURED: this is no clone with {without} in its history (git fetch --unshallow gets it)."
        return Section("owed", title, note, COLUMNS, ())
    with ExitStack() as running:
        rigs = [running.enter_context(rig(running.enter_context(checkout(commit)))) for commit in commits]
        theirs, ours = (Moves(rig, key).window for rig in rigs)
        rows, aims = _compared(f"{GAMES[key].title} move", without, OWED_AT_LEAST, (ours, theirs), plan)
    return Section("owed", title, _NOTE, COLUMNS, rows, aims)


def beside(commit: str, keys: Sequence[str], plan: Plan) -> Section:
    """Measure moves and views of every game on both versions."""
    rows: list[Row] = []
    aims: list[Aim] = []
    with ExitStack() as running:
        earlier = running.enter_context(checkout(commit))
        rigs = running.enter_context(rig()), running.enter_context(rig(earlier))
        for name, bound, windows in _kinds(rigs, keys):
            found, judged = _compared(name, commit, bound, windows, plan)
            rows += found
            aims += judged
    return Section("beside", f"Beside {commit}, 64 clients", _NOTE, COLUMNS, tuple(rows), tuple(aims))


def _kinds(rigs: tuple[Rig, Rig], keys: Sequence[str]) -> Iterator[tuple[str, float, tuple[Window, Window]]]:
    for key in keys:
        ours, theirs = (Moves(rig, key).window for rig in rigs)
        yield f"{GAMES[key].title} move", MOVES_AT_LEAST, (ours, theirs)
        (changed, unchanged), (their_changed, their_unchanged) = (views(rig, key) for rig in rigs)
        yield f"{GAMES[key].title} view", VIEWS_AT_LEAST, (changed, their_changed)
        yield f"{GAMES[key].title} view, 304", VIEWS_AT_LEAST, (unchanged, their_unchanged)


def _compared(
    name: str, commit: str, bound: float, windows: tuple[Window, Window], plan: Plan
) -> tuple[tuple[Row, ...], tuple[Aim, ...]]:
    ours, theirs = _alternate(windows, plan)
    rows = (
        Row(f"{name}, {commit}", cells(theirs, theirs, MOST_CLIENTS)),
        Row(name, cells(ours, theirs, MOST_CLIENTS)),
    )
    aims = (
        Aim(f"{name} beside {commit}, in rate", ours.rate / theirs.rate, bound, True),
        Aim(f"{name} beside {commit}, in processor time", theirs.api_us / ours.api_us, bound, True),
    )
    return rows, aims


def _alternate(windows: tuple[Window, Window], plan: Plan) -> tuple[Series, Series]:
    series = Series(), Series()
    for turn in range(plan.repetitions):
        for place in (0, 1) if turn % 2 else (1, 0):
            series[place].runs.append(windows[place](MOST_CLIENTS, plan.seconds))
    return series
