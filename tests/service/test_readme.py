"""The README's commands, as a newcomer would type them."""

import re
import subprocess
import sys
from pathlib import Path

README = (Path(__file__).parents[2] / "README.md").read_text()

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


def test_every_command_of_the_readme_exists() -> None:
    from service.cli import main

    words = {
        line.split("blattwerk ")[1].split()[0]
        for block in blocks("console")
        for line in block.splitlines()
        if line.startswith("$") and "blattwerk " in line
    }
    assert words <= set(main.commands), words
