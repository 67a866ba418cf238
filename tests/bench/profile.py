"""Where the API process spends its time under load: py-spy's stacks, summed up by function.

python -m tests.bench.profile hearts                  moves of 64 clients
python -m tests.bench.profile hearts --of views       whole views; `unchanged`: answered with 304
python -m tests.bench.profile --stacks FILE           stacks that were recorded before
"""

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import psutil

from tests.bench.rig import rig
from tests.bench.supply import Moves, views


def record(key: str, kind: str, clients: int, seconds: float) -> Path:
    """Put a running service under load and return the file with the stacks of its API process."""
    stacks = Path(tempfile.gettempdir()) / "blattwerk-bench" / f"{kind}-{key}.stacks"
    stacks.parent.mkdir(exist_ok=True)
    with rig() as running:
        supply = Moves(running, key)
        changed, unchanged = views(running, key)
        window = {"moves": supply.window, "views": changed, "unchanged": unchanged}[kind]
        window(clients, 1)
        supply.refill(clients, seconds + 2)
        children = psutil.Process(running.api.pids[0]).children()
        (answering,) = [child for child in children if "multiprocessing.spawn" in " ".join(child.cmdline())]
        with _recorded(answering.pid, seconds, stacks):
            seen = window(clients, seconds + 1)
    print(f"{kind} of {key}, {clients} clients: {seen.rate:.0f}/s, API {seen.api_us:.0f} us; stacks in {stacks}")
    return stacks


@contextmanager
def _recorded(pid: int, seconds: float, stacks: Path) -> Iterator[None]:
    """Record a process while the block runs."""
    command = ("py-spy", "record", "--format", "raw", "--rate", "200", "--duration", str(int(seconds)))
    recorder = subprocess.Popen(
        (*command, "--output", str(stacks), "--pid", str(pid)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield
    finally:
        recorder.wait(seconds + 60)


def summarise(stacks: Path, out: TextIO, *, most: int = 40) -> None:
    """Print the functions with the most time of their own, and those with the most below them."""
    own: Counter[str] = Counter()
    below: Counter[str] = Counter()
    total = 0
    for line in stacks.read_text().splitlines():
        stack, _, text = line.rpartition(" ")
        count = int(text)
        frames = [_short(frame) for frame in stack.split(";")]
        total += count
        own[frames[-1]] += count
        for frame in set(frames):
            below[frame] += count
    for title, counter in (("own time", own), ("with everything it calls", below)):
        out.write(f"{title}, share of {total} samples\n")
        for frame, count in counter.most_common(most):
            out.write(f"  {count / total:6.1%}  {frame}\n")


def tree(stacks: Path, out: TextIO, *, least: float = 0.012) -> None:
    """Print who calls whom, down to `least` of all samples."""
    root: dict[str, Any] = {}
    total = 0
    for line in stacks.read_text().splitlines():
        stack, _, text = line.rpartition(" ")
        total += int(text)
        node = root
        for frame in stack.split(";"):
            count, below = node.setdefault(_short(frame), (0, {}))
            node[_short(frame)] = (count + int(text), below)
            node = below
    _branch(root, out, total, total * least, 0)


def _branch(node: "dict[str, Any]", out: TextIO, total: int, least: float, depth: int) -> None:
    for frame, (count, below) in sorted(node.items(), key=lambda item: -item[1][0]):
        if count >= least:
            out.write(f"{count / total:6.1%} {'  ' * depth}{frame}\n")
            _branch(below, out, total, least, depth + 1)


def _short(frame: str) -> str:
    """A function with its file's last folders; the line does not matter."""
    name, _, place = frame.rpartition(" (")
    path = place.rstrip(")").rpartition(":")[0]
    return f"{name}  {'/'.join(path.split('/')[-3:])}" if name else frame


def main() -> None:
    """Record if asked to, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.profile", description="Profile of the API process.")
    parser.add_argument("game", nargs="?", default="hearts")
    parser.add_argument("--of", default="moves", choices=("moves", "views", "unchanged"))
    parser.add_argument("--clients", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--stacks", type=Path)
    given = parser.parse_args()
    stacks = given.stacks or record(given.game, given.of, given.clients, given.seconds)
    summarise(stacks, sys.stdout)
    tree(stacks, sys.stdout)


if __name__ == "__main__":
    main()
