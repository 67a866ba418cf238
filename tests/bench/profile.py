"""Where a process spends its time: py-spy's stacks, summed up by function."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO


@contextmanager
def recorded(pid: int, seconds: float, stacks: Path, *, per_second: int = 200) -> Iterator[None]:
    """Record a process while the block runs, at least for `seconds`; the stacks go to a file."""
    command = ["py-spy", "record", "--format", "raw", "--rate", str(per_second), "--duration"]
    recorder = subprocess.Popen(
        [*command, str(int(seconds)), "--output", str(stacks), "--pid", str(pid)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
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


if __name__ == "__main__":
    summarise(Path(sys.argv[1]), sys.stdout)
    tree(Path(sys.argv[1]), sys.stdout)
