"""The running service against its contract, by Schemathesis: two users, all checks, all phases.

`CONTRACT_EXAMPLES` says how many examples each operation gets, `CONTRACT_SEED` which ones. A landing is judged by the
same requests every time; `make fuzz` makes many, and others in each run (`random`).
"""

import os
from pathlib import Path
from random import SystemRandom
from typing import NamedTuple

import httpx
import pytest

from tests.contract.fuzzing import Figures, Link, figures_of, run_schemathesis

EXAMPLES = int(os.environ.get("CONTRACT_EXAMPLES", "12"))
SCENARIOS = 4
"""So many times as many scenarios that follow links."""
ROUNDS_MAX = 5
"""Which links are followed is chance: after so many rounds it has to be a quarter of them."""
SEED = os.environ.get("CONTRACT_SEED", "20261130")


class Run(NamedTuple):
    """Where and how Schemathesis runs."""

    url: str
    folder: Path
    tokens: dict[str, str]

    def figures(self, seed: int, phases: tuple[str, ...], examples: int) -> Figures:
        """Run it without a failure and return its figures."""
        folder = self.folder / str(seed)
        folder.mkdir()
        run = run_schemathesis(self.url, folder, **self.tokens, seed=seed, examples=examples, phases=phases)
        assert run.returncode == 0, f"seed {seed}\n{run.stdout[-20_000:]}\n{run.stderr[-5_000:]}"
        figures = figures_of(folder, httpx.get(f"{self.url}/openapi.json").json())
        links = f"{len(figures.followed)} of {figures.links} links followed"
        print(f"\nSchemathesis, {', '.join(phases)}, seed {seed}: {figures._replace(followed=frozenset())}, {links}")
        return figures


@pytest.fixture
def run(service_url: str, operator_token: str, arbiter_token: str, tmp_path: Path) -> Run:
    return Run(service_url, tmp_path, {"operator": operator_token, "arbiter": arbiter_token})


def first_seed() -> int:
    return SystemRandom().randrange(2**31) if SEED == "random" else int(SEED)


def test_the_service_keeps_its_contract(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        run.figures(first_seed(), ("examples", "coverage", "fuzzing"), EXAMPLES)


def test_the_service_keeps_its_contract_along_links(run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    followed: frozenset[Link] = frozenset()
    with capsys.disabled():
        for seed in range(begin := first_seed(), begin + ROUNDS_MAX):
            figures = run.figures(seed, ("stateful",), EXAMPLES * SCENARIOS)
            followed |= figures.followed
            if 4 * len(followed) >= figures.links:
                return
    raise AssertionError(f"seeds {begin} to {begin + ROUNDS_MAX - 1}: only {len(followed)} links were followed")
