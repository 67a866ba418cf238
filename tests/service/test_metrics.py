"""The figures that operators read."""

import os
import re
from collections.abc import Callable

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from service.runtime.metrics import Metrics
from tests.service.client import Player


def figures(url: str, token: str) -> str:
    response = httpx.get(f"{url}/metrics", headers={"Authorization": f"Bearer {token}"})
    assert response.headers["content-type"].startswith("text/plain; version=")
    return response.text


def test_every_figure_names_the_process_it_comes_from(service_url: str, operator_token: str) -> None:
    httpx.get(f"{service_url}/livez")
    for _ in range(2):
        lines = [line for line in figures(service_url, operator_token).splitlines() if not line.startswith("#")]
        assert lines
        for line in lines:
            assert len(re.findall(rf'[,{{]process="{os.getpid()}"', line)) == 1, line


def test_durations_are_a_histogram_of_prometheus() -> None:
    metrics = Metrics()
    for seconds in (0.0005, 0.001, 0.2, 60.0):
        metrics.observe("GET", "/livez", 200, seconds)
    (found,) = _durations(metrics.text().decode()).values()
    assert (found["0.001"], found["0.1"], found["0.25"], found["5.0"], found["+Inf"]) == (2, 2, 3, 3, 4)
    assert found["count"] == 4
    assert found["sum"] == pytest.approx(60.2015)


def test_every_response_is_counted_under_the_template_of_its_path(service_url: str, operator_token: str) -> None:
    ada = Player(service_url, "Ada")
    before = _durations(figures(service_url, operator_token))
    asked: dict[tuple[str, str, int], Callable[[], httpx.Response]] = {
        ("GET", "/v1/games/{game}", 404): lambda: httpx.get(f"{service_url}/v1/games/none"),
        ("GET", "/v1/me", 401): lambda: httpx.get(f"{service_url}/v1/me"),
        ("HEAD", "/v1/me", 200): lambda: ada.http.head("/v1/me"),
        ("GET", "/v1/me", 406): lambda: ada.http.get("/v1/me", headers={"Accept": "text/html"}),
        ("PUT", "none", 405): lambda: ada.http.put("/v1/me"),
        ("GET", "none", 404): lambda: ada.http.get("/v1/nothing/7ee1"),
    }
    for (_, _, status), ask in asked.items():
        assert ask().status_code == status
    after = _durations(figures(service_url, operator_token))
    for key in asked:
        assert after[key]["count"] - before.get(key, {"count": 0})["count"] == 1, key
        assert after[key]["+Inf"] == after[key]["count"]
    assert "7ee1" not in str(after), "no label carries what callers write"


def _durations(text: str) -> dict[tuple[str, str, int], dict[str, float]]:
    """Buckets, sum and count by method, route and status."""
    name = "http_server_request_duration_seconds"
    (family,) = [family for family in text_string_to_metric_families(text) if family.name == name]
    assert family.type == "histogram"
    found: dict[tuple[str, str, int], dict[str, float]] = {}
    for sample in family.samples:
        labels = sample.labels
        key = (labels["http_request_method"], labels["http_route"], int(labels["http_response_status_code"]))
        found.setdefault(key, {})[labels.get("le", sample.name.removeprefix(name + "_"))] = sample.value
    return found
