"""The results as a picture for people.

python -m tests.bench.plot RESULTS.json [PEERS.json] PICTURE.png
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from matplotlib import pyplot

from tests.bench.report import Results, Row, Section, cell, load

_OURS: Final = "#1f6f5c"
_CEILING: Final = "#b8b8b8"
_OTHERS: Final = "#b5651d"


class Bar(NamedTuple):
    """One bar: a number of things per second."""

    name: str
    value: float
    colour: str


def draw(outcome: Results, peers: Results | None, picture: Path) -> None:
    """Write the picture: requests over HTTP, the fold, and the peers, each if it was measured."""
    sections = {section.key: section for section in outcome.sections}
    panels = [
        ("HTTP requests per second, 64 clients, one API process", _http(sections)),
        ("Events folded per second, one core", _fold(sections)),
    ]
    if peers is not None:
        panels.append(("Moves or appends per second, 64 clients", _peers(peers)))
    panels = [(title, bars) for title, bars in panels if bars]
    if not panels:
        return
    heights = [len(bars) + 2 for _, bars in panels]
    figure, axes = pyplot.subplots(
        len(panels), 1, figsize=(9, 0.3 * sum(heights)), height_ratios=heights, squeeze=False, layout="constrained"
    )
    for axis, (title, bars) in zip(axes[:, 0], panels, strict=True):
        _panel(axis, title, bars)
    figure.supxlabel(_caption(outcome), fontsize=7)
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, dpi=130, metadata={"Software": None})
    pyplot.close(figure)


def _panel(axis: Any, title: str, bars: Sequence[Bar]) -> None:
    names = [bar.name for bar in reversed(bars)]
    drawn = axis.barh(names, [bar.value for bar in reversed(bars)], color=[bar.colour for bar in reversed(bars)])
    axis.bar_label(drawn, fmt="{:,.0f}", padding=3, fontsize=8)
    axis.margins(x=0.12)
    axis.xaxis.set_major_formatter("{x:,.0f}")
    axis.set_title(title, fontsize=10, loc="left")
    axis.tick_params(labelsize=8)
    axis.spines[["top", "right"]].set_visible(False)


def _http(sections: dict[str, Section]) -> list[Bar]:
    return [
        Bar(row.name, cell(row, "per second"), _CEILING if row.name.startswith("no-op") else _OURS)
        for key in ("moves", "reads")
        for row in _rows(sections, key, lambda row: row.cells["clients"] == 64 and row.name != "trivial server")
    ]


def _fold(sections: dict[str, Section]) -> list[Bar]:
    return [Bar(row.name, cell(row, "events/s, fold alone"), _OURS) for row in _rows(sections, "fold", lambda _: True)]


def _peers(peers: Results) -> list[Bar]:
    sections = {section.key: section for section in peers.sections}
    return [
        Bar(row.name, cell(row, "per second"), _OURS if row.name.startswith("Blattwerk") else _OTHERS)
        for row in _rows(sections, "peers", lambda row: row.cells["clients"] == 64)
    ]


def _rows(sections: dict[str, Section], key: str, chosen: Callable[[Row], bool]) -> list[Row]:
    return [row for row in sections[key].rows if chosen(row)] if key in sections else []


def _caption(outcome: Results) -> str:
    machine = outcome.machine
    where = f"{machine['processor']}, {machine['cores']} cores, everything on it, load generator included"
    return f"{where}\n{machine['system']}, Python {machine['python']}; {outcome.date}; {outcome.command}"


if __name__ == "__main__":
    files = [Path(name) for name in sys.argv[1:]]
    draw(load(files[0]), load(files[1]) if len(files) > 2 else None, files[-1])
