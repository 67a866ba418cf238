"""Processor time of processes, from the kernel: what remains comparable when others use the machine too."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

_TICK_SECONDS: Final = 1 / os.sysconf("SC_CLK_TCK")


def cpu_seconds(roots: Iterable[int]) -> float:
    """Return the processor time used so far by processes and all their living descendants."""
    children: dict[int, list[int]] = {}
    used: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        try:
            text = (entry / "stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            continue
        fields = text[text.rindex(")") + 2 :].split()
        children.setdefault(int(fields[1]), []).append(int(entry.name))
        used[int(entry.name)] = (int(fields[11]) + int(fields[12])) * _TICK_SECONDS
    total, waiting = 0.0, [pid for pid in roots if pid in used]
    while waiting:
        pid = waiting.pop()
        total += used[pid]
        waiting += children.get(pid, ())
    return total
