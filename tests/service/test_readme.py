"""The README's commands, as a newcomer would type them."""

import json
import random
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.service.client import Player, choose_hearts, in_log, play_match
from tests.service.running import KEY

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()

CURL = f"""#!{sys.executable}
import sys, urllib.error, urllib.request
method, headers, body, out, url = "GET", {{}}, None, None, ""
words = iter(sys.argv[1:])
for word in words:
    if word == "-X": method = next(words)
    elif word == "-H":
        name, _, value = next(words).partition(": ")
        headers[name] = value
    elif word == "-d": body = next(words).encode()
    elif word == "-o": out = next(words)
    elif word != "-s": url = word
try:
    answer = urllib.request.urlopen(urllib.request.Request(url, body, headers, method=method))
except urllib.error.HTTPError as error:
    answer = error
content = answer.read()
(open(out, "wb") if out else sys.stdout.buffer).write(content)
"""
"""Just enough of curl for machines that have none."""


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def commands_of(shown: list[str]) -> list[str]:
    return [line.removeprefix("$ ") for line in shown if line.startswith("$ ")]


@pytest.fixture
def shell(
    tmp_path: Path, service_url: str, module_database_url: str, module_redis_url: str
) -> Callable[..., list[str]]:
    """Run commands as somebody with `curl` and `blattwerk` on his path; returns the lines they print."""
    (tmp_path / "curl").write_text(CURL)
    (tmp_path / "blattwerk").write_text(f"#!{sys.executable}\nfrom service.cli import main\nmain()\n")
    for program in ("curl", "blattwerk"):
        (tmp_path / program).chmod(0o755)
    environment = {
        "url": service_url,
        "PATH": f"{tmp_path}:{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
        "BLATTWERK_DATABASE_URL": module_database_url,
        "BLATTWERK_REDIS_URL": module_redis_url,
        "BLATTWERK_SECRET_KEY": KEY,
    }

    def run(script: str, **variables: str) -> list[str]:
        command = ["bash", "-euc", script]
        ran = subprocess.run(
            command, capture_output=True, text=True, env=environment | variables, cwd=tmp_path, check=False
        )
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return ran.stdout.splitlines()

    return run


def test_the_first_match_of_the_readme_is_played_to_its_end(shell: Callable[..., list[str]]) -> None:
    (script,) = blocks("sh")
    you, rule, totals = shell(script)
    assert '"decision": ' in you
    assert re.fullmatch(r"H-\d+", rule)
    assert len(json.loads(totals)) == 4
    assert sum(json.loads(totals)) % 26 == 0


def test_a_match_is_replayed_verified_and_disputed_as_the_readme_shows(
    shell: Callable[..., list[str]], service_url: str
) -> None:
    ada = Player(service_url, "Ada")
    tables = [ada.create("hearts", options={"players": 3, "target_score": 1}, bots=[1, 2]) for _ in range(3)]
    for number, table in enumerate(tables):
        ada.start(table)
        play_match([ada], table, choose_hearts, random.Random(number))
        in_log(ada, table)
    (first,) = blocks("sh")
    functions = [line for line in first.splitlines() if re.match(r"(key|field|post)\(\) \{", line)]
    replay, record, log, dispute = [block.splitlines() for block in blocks("console") if "$url" in block]
    commands = commands_of([*replay, *record, *log, *dispute])
    said = shell("\n".join(functions + commands), table=tables[0], auth=f"Authorization: Bearer {ada.token}")
    replayed = [line for line in replay if not line.startswith("$ ")]
    verified = [line for line in record if not line.startswith("$ ")]
    decided = [line for line in dispute if not line.startswith("$ ")]
    assert said == [*replayed, *verified, *verified, *decided], "verified once by itself, once against the checkpoint"


def test_every_command_of_the_readme_exists() -> None:
    from service.cli import main

    words = {
        line.split("blattwerk ")[1].split()[0]
        for block in blocks("console")
        for line in block.splitlines()
        if line.startswith("$") and "blattwerk " in line
    }
    assert words <= set(main.commands), words
