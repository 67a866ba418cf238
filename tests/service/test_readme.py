"""README and the guides: their commands are run as a reader would paste them, and print what the guides show.

A block `sh` is run; the block `text` after it is what it prints, `...` standing for anything, and without one it
prints nothing. The blocks of a guide share one shell. The commands of the guide for adding a game are run by
tests/conformance/test_fifth_game.py.
"""

import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from service.cli import main
from service.embedded import EmbeddedServers
from service.runtime.settings import FIELDS, variable
from tests.conftest import fresh_database
from tests.service.client import Player, choose_hearts, in_log, play_match
from tests.service.running import KEY

ROOT: Final = Path(__file__).parents[2]
README: Final = ROOT / "README.md"
CLIENT: Final = ROOT / "openapi" / "README.md"
OPERATOR: Final = ROOT / "deploy" / "README.md"
GAME: Final = ROOT / "domain" / "README.md"
AUDITOR: Final = ROOT / "domain" / "verify" / "README.md"
GUIDES: Final = (README, CLIENT, OPERATOR, GAME, AUDITOR)
ADDRESSES: Final = {
    "postgresql://user:password@host/database": "BLATTWERK_DATABASE_URL",
    "redis://host:6379/0": "BLATTWERK_REDIS_URL",
    "http://127.0.0.1:8000": "url",
}
"""What stands in the guides for addresses, and the variable that has the test's."""
_STEP_ENDS: Final = "@@ end of step @@"
_SECONDS: Final = 120

SERVE: Final = """\
blattwerk serve > served 2>&1 & started=($!)
trap 'kill "${started[@]}"; wait' EXIT
until curl -s "$url/livez" -o living 2> /dev/null; do kill -0 "${started[0]}"; sleep 0.1; done"""
WORK: Final = "blattwerk worker > worked 2>&1 & started+=($!); sleep 1; kill -0 $!"
IN_THE_BACKGROUND: Final = {"blattwerk serve": SERVE, "blattwerk worker": WORK}
"""Commands that run until they are stopped: what the test does instead of opening another terminal."""

CURL: Final = f"""#!{sys.executable}
import sys, urllib.error, urllib.request
method, headers, body, out, dump, shown, url = "GET", {{}}, None, None, None, None, ""
words = iter(sys.argv[1:])
for word in words:
    if word == "-X": method = next(words)
    elif word == "-H":
        name, _, value = next(words).partition(": ")
        headers[name] = value
    elif word == "-d": body = next(words).encode()
    elif word == "-o": out = next(words)
    elif word == "-D": dump = next(words)
    elif word == "-w": shown = next(words)
    elif word != "-s": url = word
try:
    answer = urllib.request.urlopen(urllib.request.Request(url, body, headers, method=method))
except urllib.error.HTTPError as error:
    answer = error
content = answer.read()
if dump == "-": sys.stdout.write(f"HTTP/1.1 {{answer.status}}\\r\\n{{answer.headers}}"); sys.stdout.flush()
(open(out, "wb") if out else sys.stdout.buffer).write(content)
if shown == "%{{http_code}}\\\\n": print(answer.status)
"""
"""Just enough of curl for machines that have none."""


class Step(NamedTuple):
    """A block of commands and what it prints."""

    commands: str
    shown: str


def steps(guide: Path) -> list[Step]:
    """Return the commands of a guide. Those of `make` are checked apart: they would run these tests again."""
    found = re.findall(
        r"^```sh\n(.*?)^```\n(?:[^`]*?^```text\n(.*?)^```\n)?", guide.read_text(), re.DOTALL | re.MULTILINE
    )
    return [Step(commands, shown) for commands, shown in found if not commands.startswith("make ")]


def make_targets(guide: Path) -> list[str]:
    """Return the targets of `make` that a guide names in its blocks and in its text."""
    return re.findall(r"(?:`|^)make ([a-z-]+)", guide.read_text(), re.MULTILINE)


def pattern(shown: str) -> str:
    """Return the regular expression of a block that shows output."""
    return re.escape(shown).replace(re.escape("..."), ".*?")


class Shell:
    """Runs the commands of guides as somebody with `curl` and `blattwerk` on the path."""

    def __init__(self, home: Path, variables: Mapping[str, str]) -> None:
        self.home = home
        (home / "curl").write_text(CURL)
        (home / "blattwerk").write_text(f"#!{sys.executable}\nfrom service.cli import main\nmain()\n")
        for program in ("curl", "blattwerk"):
            (home / program).chmod(0o755)
        (home / ".venv" / "bin").mkdir(parents=True)
        (home / ".venv" / "bin" / "activate").touch()
        path = f"{home}:{Path(sys.executable).parent}:/usr/bin:/bin"
        self._environment = {"PATH": path, "PYTHONPATH": str(ROOT), "BLATTWERK_SECRET_KEY": KEY, **variables}

    def follow(self, told: list[Step], prepare: str = "") -> list[str]:
        """Run the steps one after the other; each has to print what it shows. Returns what was printed."""
        script = prepare + "".join(f"{self._here(step.commands)}\necho '{_STEP_ENDS}'\n" for step in told)
        command = ["bash", "-euo", "pipefail", "-c", script]
        process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self._environment,
            cwd=self.home,
            start_new_session=True,
        )
        try:
            printed, errors = process.communicate(timeout=_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
        everything = printed + errors + "".join(file.read_text() for file in self.home.glob("served"))
        assert process.returncode == 0, everything
        said = printed.split(_STEP_ENDS + "\n")[:-1]
        for step, text in zip(told, said, strict=True):
            found = re.fullmatch(pattern(step.shown.rstrip("\n")), text.rstrip("\n"), re.DOTALL)
            assert found, f"{step.commands}\nprinted\n{text}"
        return said

    def _here(self, commands: str) -> str:
        """The commands with the addresses of this test; what runs until it is stopped goes to the background."""
        for shown, name in ADDRESSES.items():
            commands = commands.replace(shown, self._environment[name])
        return "\n".join(IN_THE_BACKGROUND.get(line, line) for line in commands.splitlines())


@pytest.fixture
def shell(tmp_path: Path, service_url: str, module_database_url: str, module_redis_url: str) -> Shell:
    """A shell beside a running service."""
    variables = {"BLATTWERK_DATABASE_URL": module_database_url, "BLATTWERK_REDIS_URL": module_redis_url}
    return Shell(tmp_path, {"url": service_url, **variables})


@pytest.fixture
def servers_of_ones_own(
    servers: EmbeddedServers, database_template: str, module_redis_url: str, tmp_path: Path
) -> Iterator[Shell]:
    """A shell on a machine with a database and a Redis, where the service does not run yet."""
    with fresh_database(servers, database_template) as database_url, socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
        free.close()
        yield Shell(
            tmp_path,
            {
                "url": f"http://127.0.0.1:{port}",
                "BLATTWERK_PORT": str(port),
                "BLATTWERK_DATABASE_URL": database_url,
                "BLATTWERK_REDIS_URL": module_redis_url,
            },
        )


def test_readme_plays_a_match_to_its_end(shell: Shell) -> None:
    (match,) = steps(README)
    (printed,) = shell.follow([match])
    totals = [int(points) for points in printed.splitlines()[-1].strip("[]").split(",")]
    assert len(totals) == 4
    assert sum(totals) % 26 == 0


def test_the_guide_for_client_developers(shell: Shell) -> None:
    programs = dict(
        re.findall(r"[Ss]ave (?:it|this) as `(\w+\.py)`[^`]*```python\n(.*?)```", CLIENT.read_text(), re.DOTALL)
    )
    assert programs.keys() == {"client.py", "readings.py"}
    for name, program in programs.items():
        (shell.home / name).write_text(program)
    shell.follow(steps(CLIENT))


def test_the_guide_for_auditors(shell: Shell, service_url: str) -> None:
    ada = Player(service_url, "Ada")
    tables = [ada.create("hearts", options={"players": 3, "target_score": 1}, bots=[1, 2]) for _ in range(3)]
    for number, table in enumerate(tables):
        ada.start(table)
        play_match([ada], table, choose_hearts, random.Random(number))
        in_log(ada, table)
    functions = re.findall(r"^(?:key|field|post)\(\) \{.*\n", README.read_text(), re.MULTILINE)
    match = f"table={tables[0]} auth='Authorization: Bearer {ada.token}'\n"
    shell.follow(steps(AUDITOR), prepare="".join(functions) + match)
    inclusion = json.loads((shell.home / "match.json").read_text())["inclusion"]
    newest = int((shell.home / "checkpoint").read_text().splitlines()[1])
    assert newest >= inclusion["size"] + 2, "the checkpoint is of a later tree, so consistency has to be proved"


def test_the_guide_for_operators(servers_of_ones_own: Shell) -> None:
    servers_of_ones_own.follow(steps(OPERATOR))


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: str(guide.relative_to(ROOT)))
def test_what_a_guide_names_exists(guide: Path) -> None:
    text = guide.read_text()
    assert not re.search(r"^\$ ", text, re.MULTILINE), "commands are pasted without prompts"
    assert set(re.findall(r"^```(\w*)$", text, re.MULTILINE)) <= {"", "sh", "text", "python"}, "every block is tested"
    for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        assert (guide.parent / link).exists(), link
    for target in make_targets(guide):
        subprocess.run(["make", "-n", target], cwd=ROOT, check=True, capture_output=True)
    assert set(re.findall(r"BLATTWERK_[A-Z_]+", text)) <= {variable(name) for name in FIELDS}
    assert set(re.findall(r"(?:`|^|\()blattwerk ([a-z]+)", text, re.MULTILINE)) <= set(main.commands)


def test_operators_are_told_of_every_command() -> None:
    rows = re.findall(r"^\| `blattwerk ([a-z]+)", OPERATOR.read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(main.commands)


def test_readme_is_short_and_leads_to_every_guide() -> None:
    text = README.read_text()
    assert len(text.splitlines()) <= 120
    assert all(f"]({guide.relative_to(ROOT)})" in text for guide in GUIDES if guide != README)


def test_the_list_of_decisions_is_complete() -> None:
    folder = ROOT / "deploy" / "adr"
    listed = re.findall(r"^- \[(\d+)\. (.*)\]\((.*)\)$", (folder / "README.md").read_text(), re.MULTILINE)
    titles = {page.name: page.read_text().splitlines()[0] for page in folder.glob("0*.md")}
    assert {page: f"# {number}. {title}" for number, title, page in listed} == titles
    assert all(int(page[:4]) == int(number) for number, _, page in listed)
