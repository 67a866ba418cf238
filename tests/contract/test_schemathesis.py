"""The running service against its contract, by Schemathesis: two users, all checks, all phases.

`CONTRACT_EXAMPLES` says how many examples each operation gets, `CONTRACT_SEED` which ones. A landing is judged by the
same requests every time; `make fuzz` makes many, and others in each run (`random`).
"""

import os
from pathlib import Path
from random import SystemRandom

import pytest

from tests.contract.fuzzing import run_schemathesis

EXAMPLES = int(os.environ.get("CONTRACT_EXAMPLES", "12"))
SEED = os.environ.get("CONTRACT_SEED", "20261130")


@pytest.mark.parametrize("phases", [("examples", "coverage", "fuzzing"), ("stateful",)], ids="-".join)
def test_the_service_keeps_its_contract(
    service_url: str, operator_token: str, arbiter_token: str, tmp_path: Path, phases: tuple[str, ...]
) -> None:
    seed = SystemRandom().randrange(2**32) if SEED == "random" else int(SEED)
    print(f"seed {seed}")
    tokens = {"operator": operator_token, "arbiter": arbiter_token}
    run = run_schemathesis(service_url, tmp_path, **tokens, seed=seed, examples=EXAMPLES, phases=phases)
    assert run.returncode == 0, f"seed {seed}\n{run.stdout[-20_000:]}\n{run.stderr[-5_000:]}"
