"""Metrics for operators, named as in OpenTelemetry; labels carry no ids, names or cards."""

import os
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial

from prometheus_client import CollectorRegistry, Gauge, Histogram, Metric, generate_latest
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


class _OfThisProcess(Collector):
    """The metrics of a registry, labelled with the process.

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


class _Refused(Collector):
    """A counter that somebody else keeps."""

    def __init__(self, refused: Callable[[], int]) -> None:
        self._refused = refused

    def collect(self) -> Iterator[Metric]:
        yield CounterMetricFamily(
            "blattwerk_requests_refused",
            "Requests refused because this process had as many in work as it may.",
            value=self._refused(),
        )


class Metrics:
    """The metrics of one process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._durations = Histogram(
            "http_server_request_duration_seconds",
            "Time from request to response.",
            ("http_request_method", "http_route", "http_response_status_code"),
            buckets=_BUCKETS,
            registry=self.registry,
        )
        self._labelled = cache(self._durations.labels)  # the library makes texts of labels and locks at every call

        self._owed = Gauge(
            "blattwerk_redis_owed_seconds",
            "Age of the oldest event or change of a name that Redis has not acknowledged, NaN if that is not known.",
            ("projection",),
            registry=self.registry,
        )

    def set_owed(self, seconds: Mapping[str, float]) -> None:
        """Say how long Redis has owed what the log has, by projection."""
        for projection, owed in seconds.items():
            self._owed.labels(projection).set(owed)

    def observe(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one request."""
        self._labelled(method, route, status).observe(seconds)

    def count_unreadable(self, counts: Callable[[], Mapping[str, int]]) -> None:
        """Show how many tables this process cannot read, by the code of the problem, as `counts` gives them."""
        gauge = Gauge(
            "blattwerk_tables_unreadable",
            "Tables that this process found it cannot read, by the code of the problem.",
            ("code",),
            registry=self.registry,
        )
        for code in counts():
            gauge.labels(code).set_function(partial(_count, counts, code))

    def watch_log(self, went_back: Callable[[], bool], restored_at: Callable[[], float]) -> None:
        """Show whether writes are refused, and when (seconds since 1970 UTC) the log turned out to be another one."""
        refused = Gauge(
            "blattwerk_log_went_back",
            "1 while writes are refused because the log lost what was signed about it.",
            registry=self.registry,
        )
        refused.set_function(lambda: float(went_back()))
        restored = Gauge(
            "blattwerk_log_restored_timestamp_seconds",
            "When it was last noticed that the log was restored or replaced; 0 for never.",
            registry=self.registry,
        )
        restored.set_function(restored_at)

    def watch_primary(self, outdated: Callable[[], bool]) -> None:
        """Show whether a process of the service is connected to a server that is not the primary any more."""
        gauge = Gauge(
            "blattwerk_log_outdated",
            "1 while a process of the service is connected to a database server that is not the primary any more.",
            registry=self.registry,
        )
        gauge.set_function(lambda: float(outdated()))

    def watch_readiness(self, writable: Callable[[], bool], redis: Callable[[], bool]) -> None:
        """Show whether the database took the last write that this process tried, and whether Redis does."""
        database = Gauge(
            "blattwerk_database_writable",
            "1 if the database took the last write that this process tried by itself.",
            registry=self.registry,
        )
        database.set_function(lambda: float(writable()))
        views = Gauge("blattwerk_redis_available", "1 while Redis answers and takes writes.", registry=self.registry)
        views.set_function(lambda: float(redis()))

    def watch_load(self, in_work: Callable[[], int], room: Callable[[], int], refused: Callable[[], int]) -> None:
        """Show how many requests are in work, how many there may be, and how many were refused for lack of room."""
        working = Gauge("blattwerk_requests_in_work", "Requests that this process works on.", registry=self.registry)
        working.set_function(in_work)
        most = Gauge(
            "blattwerk_requests_max", "Requests that this process works on at most, now.", registry=self.registry
        )
        most.set_function(room)
        self.registry.register(_Refused(refused))

    def text(self) -> bytes:
        """Return all metrics in Prometheus' text format."""
        labelled = CollectorRegistry(auto_describe=False)
        labelled.register(_OfThisProcess(self.registry))
        return generate_latest(labelled)


def _count(counts: Callable[[], Mapping[str, int]], code: str) -> float:
    return counts()[code]
