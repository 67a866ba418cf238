"""Processor time and memory of processes: what remains comparable when others use the machine too."""

from collections.abc import Iterable

import psutil


def cpu_seconds(roots: Iterable[int]) -> float:
    """Return the processor time used so far by processes and all their living descendants."""
    total = 0.0
    for pid in roots:
        root = psutil.Process(pid)
        for process in (root, *root.children(recursive=True)):
            try:
                times = process.cpu_times()
            except psutil.NoSuchProcess:
                continue
            total += times.user + times.system
    return total


def machine_seconds() -> float:
    """Return the processor time that the whole machine has used so far, in all its cores."""
    times = psutil.cpu_times()
    idle: float = times.idle + getattr(times, "iowait", 0.0)
    return sum(times[:8]) - idle  # what guests use is in the first of them already
