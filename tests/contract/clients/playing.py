"""The TypeScript client that is generated from the contract plays a whole match of each game (`make contract`).

The name is not that of a test, so that `make test` needs no Node.js.
"""

import json
import subprocess
from pathlib import Path
from typing import Final

from domain.registry import CURRENT

TYPESCRIPT: Final = Path(__file__).parent / "typescript"
_SECONDS: Final = 540


def test_typescript_plays_a_match_of_each_game(service_url: str) -> None:
    command = ["node", str(TYPESCRIPT / "build" / "play.js"), service_url]
    played = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_SECONDS)
    assert played.returncode == 0, played.stdout + played.stderr
    matches = [json.loads(line) for line in played.stdout.splitlines()]
    print(*matches, sep="\n")
    assert sorted(match["game"] for match in matches) == sorted(CURRENT)
    for match in matches:
        assert match["moves"] > 0, match
        assert min(match["places"]) == 1, match
