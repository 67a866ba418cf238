"""The figures that operators read."""

import os
import re

import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.runtime.metrics import Metrics


def test_every_figure_names_the_process_it_comes_from() -> None:
    metrics = Metrics()
    metrics.observe("GET", "/livez", 200, 0.001)
    metrics.refused.labels("not_your_turn").inc()
    for _ in range(2):
        figures = [line for line in metrics.text().decode().splitlines() if not line.startswith("#")]
        assert figures
        for line in figures:
            assert len(re.findall(rf'[,{{]process="{os.getpid()}"', line)) == 1, line
    assert f'blattwerk_moves_refused_total{{code="not_your_turn",process="{os.getpid()}"}} 1.0' in figures


def test_durations_are_a_histogram_of_prometheus() -> None:
    metrics = Metrics()
    for seconds in (0.0005, 0.001, 0.2, 60.0):
        metrics.observe("GET", "/livez", 200, seconds)
    (family,) = [
        family
        for family in text_string_to_metric_families(metrics.text().decode())
        if family.name == "http_server_request_duration_seconds"
    ]
    assert family.type == "histogram"
    found = {sample.labels.get("le", sample.name): sample.value for sample in family.samples}
    assert (found["0.001"], found["0.1"], found["0.25"], found["5.0"], found["+Inf"]) == (2, 2, 3, 3, 4)
    assert found["http_server_request_duration_seconds_count"] == 4
    assert found["http_server_request_duration_seconds_sum"] == pytest.approx(60.2015)
    assert {sample.labels["http_route"] for sample in family.samples} == {"/livez"}
