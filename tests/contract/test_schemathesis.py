"""The running service against its contract, by Schemathesis: two users, all checks, all phases.

`CONTRACT_EXAMPLES` says how many examples each operation gets, `CONTRACT_SEED` which ones. A landing is judged by the
same requests every time; `make fuzz` makes many, and others in each run (`random`).
"""

import os
from pathlib import Path
from random import SystemRandom

import httpx
import pytest

from tests.contract.fuzzing import figures_of, run_schemathesis

EXAMPLES = int(os.environ.get("CONTRACT_EXAMPLES", "12"))
SCENARIOS = 4
"""So many times as many scenarios that follow links."""
SEED = os.environ.get("CONTRACT_SEED", "20261130")


@pytest.mark.parametrize("phases", [("examples", "coverage", "fuzzing"), ("stateful",)], ids="-".join)
def test_the_service_keeps_its_contract(
    service_url: str,
    operator_token: str,
    arbiter_token: str,
    tmp_path: Path,
    phases: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
) -> None:
    seed = SystemRandom().randrange(2**32) if SEED == "random" else int(SEED)
    print(f"seed {seed}")
    tokens = {"operator": operator_token, "arbiter": arbiter_token}
    examples = EXAMPLES * (SCENARIOS if "stateful" in phases else 1)
    run = run_schemathesis(service_url, tmp_path, **tokens, seed=seed, examples=examples, phases=phases)
    assert run.returncode == 0, f"seed {seed}\n{run.stdout[-20_000:]}\n{run.stderr[-5_000:]}"
    figures = figures_of(tmp_path, httpx.get(f"{service_url}/openapi.json").json())
    with capsys.disabled():
        print(f"\nSchemathesis, {', '.join(phases)}, seed {seed}: {figures}")
    assert (figures.followed > 0) == ("stateful" in phases)
