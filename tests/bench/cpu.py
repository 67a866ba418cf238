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
