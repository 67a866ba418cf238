"""The figures that operators read."""

import os
import re

import httpx
from prometheus_client.parser import text_string_to_metric_families


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


def test_durations_are_a_histogram_of_prometheus_by_path_template(service_url: str, operator_token: str) -> None:
    before = _durations(service_url, operator_token)
    for number in range(4):
        assert httpx.get(f"{service_url}/v1/games/none{number}").status_code == 404
    after = _durations(service_url, operator_token)
    labels = {"method": "GET", "path": "/v1/games/{game}", "status_code": "404"}
    key = tuple(sorted(labels.items()))
    assert after[key]["count"] - before.get(key, {"count": 0})["count"] == 4
    assert after[key]["+Inf"] == after[key]["count"] >= after[key]["5.0"] >= after[key]["0.001"]
    assert after[key]["sum"] > 0
    assert not [key for key in after if "none0" in str(key)], "no label carries what callers write"


def _durations(url: str, token: str) -> dict[tuple[tuple[str, str], ...], dict[str, float]]:
    """Buckets, sum and count by the labels of a request."""
    (family,) = [
        family
        for family in text_string_to_metric_families(figures(url, token))
        if family.name == "http_server_request_duration_seconds"
    ]
    assert family.type == "histogram"
    found: dict[tuple[tuple[str, str], ...], dict[str, float]] = {}
    for sample in family.samples:
        labels = {name: sample.labels[name] for name in ("method", "path", "status_code")}
        kind = sample.labels.get("le", sample.name.removeprefix("http_server_request_duration_seconds_"))
        found.setdefault(tuple(sorted(labels.items())), {})[kind] = sample.value
    return found
