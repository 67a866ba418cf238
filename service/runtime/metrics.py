"""Figures for operators, under OpenTelemetry's names; labels carry no ids, names or cards."""

import os
from bisect import bisect_left
from collections.abc import Iterator
from itertools import accumulate

from prometheus_client import CollectorRegistry, Counter, Metric, generate_latest
from prometheus_client.core import HistogramMetricFamily
from prometheus_client.registry import Collector

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class _OfThisProcess(Collector):
    """The figures of a registry, labelled with the process.

    All API processes accept from one socket, so any of them may answer a scrape; without the label counters
    of several processes would pass for one that goes up and down.
    """

    def __init__(self, registry: CollectorRegistry) -> None:
        self._registry = registry
        self._process = str(os.getpid())

    def collect(self) -> Iterator[Metric]:
        for metric in self._registry.collect():
            metric.samples = [
                sample._replace(labels={**sample.labels, "process": self._process}) for sample in metric.samples
            ]
            yield metric


class _Durations(Collector):
    """How long requests took, by method, route and status.

    Counted by the event loop's thread alone, so without the locks of the library's histogram, which were 1 % of
    a move.
    """

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str, int], list[int]] = {}
        self._sums: dict[tuple[str, str, int], float] = {}

    def observe(self, key: tuple[str, str, int], seconds: float) -> None:
        counts = self._counts.get(key)
        if counts is None:
            counts = self._counts[key] = [0] * (len(_BUCKETS) + 1)
            self._sums[key] = 0.0
        counts[bisect_left(_BUCKETS, seconds)] += 1
        self._sums[key] += seconds

    def collect(self) -> Iterator[Metric]:
        family = HistogramMetricFamily(
            "http_server_request_duration_seconds",
            "Time from request to answer.",
            labels=("http_request_method", "http_route", "http_response_status_code"),
        )
        bounds = (*map(str, _BUCKETS), "+Inf")
        for key, counts in self._counts.items():
            method, route, status = key
            family.add_metric(
                (method, route, str(status)),
                buckets=list(zip(bounds, map(float, accumulate(counts)), strict=True)),
                sum_value=self._sums[key],
            )
        yield family


class Metrics:
    """The figures of one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._durations = _Durations()
        self.add(self._durations)
        self.refused = Counter(
            "blattwerk_moves_refused", "Moves that were refused, by code.", ("code",), registry=self.registry
        )

    def add(self, collector: Collector) -> None:
        """Register further figures."""
        self.registry.register(collector)

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._durations.observe((method, route, status), seconds)

    def text(self) -> bytes:
        """Return all figures in Prometheus' text format."""
        labelled = CollectorRegistry(auto_describe=False)
        labelled.register(_OfThisProcess(self.registry))
        return generate_latest(labelled)
