"""Windows of load, repeated in turn, so that a change of the machine's mood meets all kinds alike."""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from tests.bench.report import Cell
from tests.bench.rig import Run
from tests.bench.supply import Window


class Kind(NamedTuple):
    """A kind of request: what it is called, and what measures a window of it."""

    name: str
    window: Window


@dataclass(slots=True)
class Series:
    """The windows of one kind of request at one number of clients. Every figure is their median."""

    runs: list[Run] = field(default_factory=list)

    @property
    def rate(self) -> float:
        """Answers per second."""
        return statistics.median(run.rate for run in self.runs)

    @property
    def best_rate(self) -> float:
        """Answers per second in the best window."""
        return max(run.rate for run in self.runs)

    @property
    def others_busy(self) -> float:
        """Cores that everything else on the machine used."""
        return statistics.median(run.others_busy for run in self.runs)

    @property
    def median_ms(self) -> float:
        """Median latency."""
        return statistics.median(run.median_ms for run in self.runs)

    @property
    def p99_ms(self) -> float:
        """99th percentile of the latency."""
        return statistics.median(run.p99_ms for run in self.runs)

    @property
    def api_us(self) -> float:
        """Processor time of the API processes for each request."""
        return statistics.median(run.api_us for run in self.runs)

    @property
    def stores_us(self) -> float:
        """Processor time of database and Redis for each request."""
        return statistics.median(run.stores_us for run in self.runs)

    @property
    def generator_busy(self) -> float:
        """Share of a core that the load generator used."""
        return statistics.median(run.generator_busy for run in self.runs)


COLUMNS = (
    "clients",
    "per second",
    "best",
    "ratio",
    "median ms",
    "p99 ms",
    "API us",
    "of CPU",
    "stores us",
    "generator",
    "others",
)
COLUMNS_NOTE = (
    "per second: the median of the windows; best: the best window. ratio: to the no-op in rate; of CPU: to the no-op "
    "in processor time of the API process. generator, others: cores that the load generator, and everything else on "
    "the machine, used meanwhile.\n"
    "On a busy machine every rate falls, and that of a request which waits for other processes (database, Redis) falls "
    "more than that of a no-op, which waits for none: ratios of rates then say more about the machine than about the "
    "code. Ratios of processor time hardly change; read those when others is above a tenth of a core."
)


def alternate(kinds: Sequence[Kind], clients: int, *, repetitions: int, seconds: float) -> dict[str, Series]:
    """Run all kinds in turn, several times."""
    series = {kind.name: Series() for kind in kinds}
    for _ in range(repetitions):
        for kind in kinds:
            series[kind.name].runs.append(kind.window(clients, seconds))
    return series


def cells(series: Series, ceiling: Series, clients: int) -> dict[str, Cell]:
    """Return the cells of a row."""
    return {
        "clients": clients,
        "per second": series.rate,
        "best": series.best_rate,
        "ratio": series.rate / ceiling.rate,
        "median ms": series.median_ms,
        "p99 ms": series.p99_ms,
        "API us": series.api_us,
        "of CPU": ceiling.api_us / series.api_us if series.api_us else None,
        "stores us": series.stores_us,
        "generator": series.generator_busy,
        "others": series.others_busy,
    }
