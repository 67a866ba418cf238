"""TypeScript clients that are generated from the contract play a whole match of each game (`make contract`).

The name is not that of a test, so that `make test` needs no Node.js.
"""

import json
import subprocess
from pathlib import Path
from random import SystemRandom
from typing import Final

import pytest

from domain.registry import CURRENT

TYPESCRIPT: Final = Path(__file__).parent / "typescript"
_SECONDS: Final = 540


@pytest.mark.parametrize("program", ["play.js", "play_sdk.js"])
def test_typescript_plays_a_match_of_each_game(service_url: str, program: str) -> None:
    """`play.js` is made with openapi-typescript and openapi-fetch, `play_sdk.js` with @hey-api/openapi-ts."""
    seed = SystemRandom().randrange(2**31)
    print(f"seed {seed}")
    command = ["node", str(TYPESCRIPT / "build" / program), service_url, str(seed)]
    played = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    assert played.returncode == 0, played.stdout + played.stderr
    matches = [json.loads(line) for line in played.stdout.splitlines()]
    print(*matches, sep="\n")
    assert sorted(match["game"] for match in matches) == sorted(CURRENT)
    for match in matches:
        assert match["moves"] > 0, match
        assert min(match["places"]) == 1, match
