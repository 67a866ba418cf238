"""The figures that operators read."""

import os
import re

from service.metrics import Metrics


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
