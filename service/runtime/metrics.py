"""Figures for operators, in Prometheus' format; labels carry no ids, names or cards."""

import os
from collections.abc import Iterator

from litestar.middleware import DefineMiddleware
from litestar.plugins.prometheus import PrometheusConfig
from prometheus_client import REGISTRY, CollectorRegistry, Metric, generate_latest
from prometheus_client.registry import Collector

_BUCKETS: list[str | float] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0]


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


class Metrics:
    """The figures of one process."""

    @property
    def middleware(self) -> DefineMiddleware:
        """Litestar's middleware that counts requests by method, path template and status, and measures them."""
        config = PrometheusConfig(app_name="blattwerk", prefix="http_server", buckets=_BUCKETS, group_path=True)
        return config.middleware

    def text(self) -> bytes:
        """Return all figures in Prometheus' text format."""
        labelled = CollectorRegistry(auto_describe=False)
        labelled.register(_OfThisProcess(REGISTRY))
        return generate_latest(labelled)
