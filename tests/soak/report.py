"""The table at the end of a soak."""

from collections.abc import Mapping
from typing import Final

from tests.soak.journal import Journal, Row

_HEAD: Final = (
    *("fault", "times", "requests", "acknowledged", "lost", "doubled", "longest wait", "turned away", "refused", "cut"),
    "wrong",
)


def found(journal: Journal) -> list[str]:
    """Return everything that must not have happened."""
    texts = []
    for fault, row in journal.rows.items():
        counts = {"acknowledged moves lost": row.lost, "decisions answered twice": row.doubled}
        texts += [f"{fault}: {number} {what}" for what, number in counts.items() if number]
        texts += [f"{fault}: {times} x {what}" for what, times in row.wrong.items()]
    return texts


def as_table(journal: Journal, left_out: Mapping[str, str]) -> str:
    """Return a line for each fault; for those that were left out the line says why."""
    lines = [_HEAD, *(_cells(fault, row) for fault, row in journal.rows.items()), _cells("all", _sum(journal))]
    widths = [max(len(line[column]) for line in lines) for column in range(len(_HEAD))]
    texts = [
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    ]
    texts += [f"{fault.ljust(widths[0])}  left out: {reason}" for fault, reason in left_out.items()]
    return "\n".join(texts)


def _cells(fault: str, row: Row) -> tuple[str, ...]:
    counts = (row.times, row.requests, row.moves, row.lost, row.doubled)
    answers = (row.turned_away, row.refused, row.cut, row.wrong.total())
    return (fault, *map(str, counts), f"{row.longest:.1f} s", *map(str, answers))


def _sum(journal: Journal) -> Row:
    whole = Row()
    for row in journal.rows.values():
        for name in ("times", "requests", "moves", "lost", "doubled", "turned_away", "refused", "cut"):
            setattr(whole, name, getattr(whole, name) + getattr(row, name))
        whole.longest = max(whole.longest, row.longest)
        whole.wrong += row.wrong
    return whole
