"""The README's commands, as a newcomer would type them."""

import random
import re
import subprocess
import sys
from pathlib import Path

from tests.service.client import Player, choose_hearts, in_log, play_match

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


def test_the_first_match_of_the_readme_is_played(service_url: str, tmp_path: Path) -> None:
    (tmp_path / "curl").write_text(CURL)
    (tmp_path / "curl").chmod(0o755)
    (script,) = blocks("sh")
    environment = {"url": service_url, "PATH": f"{tmp_path}:{Path(sys.executable).parent}:/usr/bin:/bin"}
    ran = subprocess.run(
        ["bash", "-euc", script], capture_output=True, text=True, env=environment, cwd=tmp_path, check=False
    )
    assert ran.returncode == 0, ran.stderr
    you, facts, code = ran.stdout.strip().splitlines()
    assert '"decision": ' in you
    assert '"type": "pass_' in facts
    assert code == "decision_taken"


def test_the_record_of_a_match_is_verified_as_the_readme_shows(service_url: str, tmp_path: Path) -> None:
    (tmp_path / "curl").write_text(CURL)
    (tmp_path / "blattwerk").write_text(f"#!{sys.executable}\nfrom service.cli import main\nmain()\n")
    for program in ("curl", "blattwerk"):
        (tmp_path / program).chmod(0o755)
    ada = Player(service_url, "Ada")
    tables = [ada.create("hearts", options={"players": 3, "target_score": 1}, bots=[1, 2]) for _ in range(3)]
    for number, table in enumerate(tables):
        ada.start(table)
        play_match([ada], table, choose_hearts, random.Random(number))
        in_log(ada, table)
    environment = {
        "url": service_url,
        "table": tables[0],
        "auth": f"Authorization: Bearer {ada.token}",
        "PATH": f"{tmp_path}:{Path(sys.executable).parent}:/usr/bin:/bin",
        "PYTHONPATH": str(ROOT),
    }
    shown = [block.splitlines() for block in blocks("console") if "/record" in block or "/v1/log" in block]
    commands = [line.removeprefix("$ ") for block in shown for line in block if line.startswith("$ ")]
    ran = subprocess.run(
        ["bash", "-euc", "\n".join(commands)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=tmp_path,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    output = [line for block in shown for line in block if not line.startswith("$ ")]
    assert ran.stdout.splitlines() == output * 2, "once by itself, once against the checkpoint"


def test_every_command_of_the_readme_exists() -> None:
    from service.cli import main

    words = {
        line.split("blattwerk ")[1].split()[0]
        for block in blocks("console")
        for line in block.splitlines()
        if line.startswith("$") and "blattwerk " in line
    }
    assert words <= set(main.commands), words
