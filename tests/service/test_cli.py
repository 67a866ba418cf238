"""The command line and the running service: processes, signals, restarts, one line for every refusal."""

import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from uuid import uuid4

import httpx
import psutil
import pytest
from click.testing import CliRunner

from service.cli import main
from service.runtime.settings import FIELDS, variable
from tests.service.connections import request

ROOT: Final = Path(__file__).parent.parent.parent
PROGRAM: Final = (sys.executable, "-c", "from service.cli import main; main()")


def environment(data: Path, **settings: str) -> dict[str, str]:
    clean = {name: text for name, text in os.environ.items() if not name.startswith("BLATTWERK_")}
    given = {"data_dir": str(data), "port": "0"} | settings
    return clean | {"PYTHONPATH": str(ROOT)} | {variable(name): text for name, text in given.items()}


class Running:
    """A service started by the command line."""

    def __init__(self, data: Path, root: Path = ROOT, **settings: str) -> None:
        self.data = data
        self.settings = settings
        with (data.parent / "service.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*PROGRAM, "serve"],
                env=environment(data, **settings) | {"PYTHONPATH": str(root)},
                cwd=data.parent,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
            )
        assert self.process.stdout is not None
        self.announced = ""
        while self.announced.count("\n\n") < 2:
            line = self.process.stdout.readline()
            assert line, (data.parent / "service.log").read_text()
            self.announced += line
        self.url = self.announced.split()[3].rstrip(",")

    def children(self) -> dict[str, list[psutil.Process]]:
        """Processes of the service by what they do; an `api` answers, below one that watches it."""
        found: dict[str, list[psutil.Process]] = {"above": [], "api": [], "worker": [], "postgres": [], "valkey": []}
        for child in psutil.Process(self.process.pid).children():
            try:
                command = " ".join(child.cmdline())
                if command.endswith("service.processes.process api"):
                    found["above"].append(child)
                    found["api"] += [
                        below for below in child.children() if "multiprocessing.spawn" in " ".join(below.cmdline())
                    ]
            except psutil.Error:  # just ended
                continue
            for kind in ("worker", "postgres", "valkey"):
                if command.endswith(f"service.processes.process {kind}") or f"bin/{kind}" in command:
                    found[kind].append(child)
        return found

    def stop(self, number: signal.Signals) -> str:
        """Stop the service with a signal; what it printed last."""
        children = [child for of_kind in self.children().values() for child in of_kind]
        self.process.send_signal(number)
        printed, _ = self.process.communicate(timeout=60)
        gone, alive = psutil.wait_procs(children, timeout=20)
        assert not alive
        assert len(gone) == len(children)
        return printed


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "did not happen in time"
        time.sleep(0.05)


def refused(*command: str, env: dict[str, str]) -> str:
    """Run a command that is expected to fail; the lines it gives as reasons."""
    done = subprocess.run([*PROGRAM, *command], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stdout == ""
    return done.stderr


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("cli") / "data", processes="2", host="127.0.0.1")
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.stop(signal.SIGTERM)


def test_a_ready_service_says_what_to_try_and_that_works(service: Running) -> None:
    assert "2 API processes and a worker" in service.announced
    commands = [shlex.split(line) for line in service.announced.splitlines() if line.strip().startswith("curl ")]
    assert len(commands) == 2
    for _, *words in commands:
        url = next(word for word in words if word.startswith("http"))
        method = words[words.index("-X") + 1] if "-X" in words else "GET"
        headers = dict(words[place + 1].split(": ", 1) for place, word in enumerate(words) if word == "-H")
        body = words[words.index("-d") + 1] if "-d" in words else None
        assert httpx.request(method, url, headers=headers, content=body).status_code in (200, 201)


def test_each_part_is_a_process_of_its_own(service: Running) -> None:
    assert {kind: len(found) for kind, found in service.children().items()} == {
        "above": 2,
        "api": 2,
        "worker": 1,
        "postgres": 1,
        "valkey": 1,
    }


def test_a_token_made_at_the_command_line_opens_what_is_for_its_role(service: Running) -> None:
    command = [*PROGRAM, "token", "create", "--role", "operator"]
    made = subprocess.run(command, env=environment(service.data), capture_output=True, text=True, timeout=60)
    assert (made.returncode, made.stderr) == (0, "")
    assert re.fullmatch(r"bw_[0-9A-Za-z_-]{43,}\n", made.stdout)
    headers = {"Authorization": f"Bearer {made.stdout.strip()}"}
    assert httpx.get(f"{service.url}/metrics", headers=headers).status_code == 200
    assert httpx.get(f"{service.url}/metrics").status_code == 401


def test_projections_are_rebuilt_beside_the_running_service(service: Running) -> None:
    command = [*PROGRAM, "projections", "rebuild"]
    done = subprocess.run(command, env=environment(service.data), capture_output=True, text=True, timeout=60)
    assert re.fullmatch(r"\d+ tables, generation \d+\n", done.stdout), done.stderr


def test_migrating_again_does_nothing(service: Running) -> None:
    command = [*PROGRAM, "migrate"]
    done = subprocess.run(command, env=environment(service.data), capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr, done.returncode) == ("Nothing to do.\n", "", 0)


def test_a_busy_port_is_one_line(service: Running, tmp_path: Path) -> None:
    port = service.url.rpartition(":")[2]
    said = refused("serve", env=environment(tmp_path / "data", port=port))
    assert said == f"blattwerk: port {port} of 127.0.0.1 is in use; choose another one, such as BLATTWERK_PORT=8001\n"
    assert not (tmp_path / "data").exists()


def test_a_host_that_is_not_of_this_machine_is_one_line_that_names_the_setting(tmp_path: Path) -> None:
    for host in ("203.0.113.9", "cards.invalid"):
        said = refused("serve", env=environment(tmp_path / "data", host=host))
        assert said == f"blattwerk: {host} is not an address that this machine can listen on; set BLATTWERK_HOST\n"


def test_what_is_announced_works_with_any_curl(service: Running) -> None:
    assert "--json" not in service.announced, "curl knows it from 7.82 on"
    assert "-H 'Content-Type: application/json' -d '{\"name\": \"Ada\"}'" in service.announced


def test_the_list_of_commands_says_each_purpose_to_its_end() -> None:
    listed = CliRunner().invoke(main, ["--help"]).output
    assert "..." not in listed.partition("Commands:")[2]


def test_a_second_service_on_the_same_data_is_one_line(service: Running) -> None:
    said = refused("serve", env=environment(service.data))
    holder = f"another service (process {service.process.pid})"
    assert said == f"blattwerk: the data folder {service.data} is in use by {holder}\n"


@pytest.mark.parametrize("kind", ["api", "above", "worker", "postgres", "valkey"])
def test_a_part_that_dies_is_started_again(service: Running, kind: str) -> None:
    died = service.children()[kind][0]
    count = len(service.children()[kind])
    died.kill()
    until(lambda: died not in service.children()[kind] and len(service.children()[kind]) == count)
    until(lambda: is_ready(service))
    assert died.pid not in [child.pid for child in service.children()[kind]]


def test_a_process_that_dies_again_and_again_takes_no_other_with_it(service: Running) -> None:
    died, other = service.children()["api"]
    for _ in range(3):
        died.kill()
        died = replacement(service, died, other)
    until(lambda: is_ready(service))
    assert other in service.children()["api"]


def replacement(service: Running, died: psutil.Process, other: psutil.Process) -> psutil.Process:
    """The process that was started in the place of one of two."""
    until(lambda: bool(set(service.children()["api"]) - {died, other}))
    (new,) = set(service.children()["api"]) - {died, other}
    return new


def is_ready(service: Running) -> bool:
    try:
        return bool(httpx.get(f"{service.url}/readyz", timeout=30).json().get("status") == "ok")
    except httpx.TransportError:  # the process that would have answered was killed
        return False


def test_who_is_killed_leaves_nothing_behind(tmp_path: Path) -> None:
    service = Running(tmp_path / "data", processes="2")
    children = [child for of_kind in service.children().values() for child in of_kind]
    assert len(children) == 7
    service.process.kill()
    service.process.communicate()
    _, alive = psutil.wait_procs(children, timeout=30)
    assert not alive


def test_who_is_asked_twice_does_not_wait(tmp_path: Path) -> None:
    service = Running(tmp_path / "data", shutdown_seconds="600")
    address = urlsplit(service.url)
    with socket.create_connection((str(address.hostname), address.port or 0)) as unfinished:
        sent = request("POST", "/v1/players", b"x" * 60_000, Idempotency_Key=f'"{uuid4()}"')
        unfinished.sendall(sent[:-1])
        time.sleep(0.5)
        service.process.send_signal(signal.SIGTERM)
        time.sleep(1)
        assert service.process.poll() is None, "a request is under way"
        assert service.stop(signal.SIGTERM) == "Stopped.\n"


def test_where_it_belongs_is_said(service: Running) -> None:
    assert "it belongs behind a proxy; deploy/nginx.conf" in service.announced
    assert (ROOT / "deploy" / "nginx.conf").is_file()


@pytest.mark.parametrize(("connections", "most"), [("8", 10), ("40", 2), ("81", 0)])
def test_more_processes_than_the_embedded_database_has_room_for_are_one_line(
    tmp_path: Path, connections: str, most: int
) -> None:
    given = {"processes": str(most + 1), "database_connections": connections}
    assert refused("serve", env=environment(tmp_path / "data", **given)) == (
        f"blattwerk: the embedded database has 80 connections for API processes, room for {most} processes with "
        f"{connections} each: lower BLATTWERK_PROCESSES or BLATTWERK_DATABASE_CONNECTIONS\n"
    )
    assert not (tmp_path / "data").exists()


def test_a_stopped_service_leaves_nothing_and_continues_with_its_data(tmp_path: Path) -> None:
    token = ""
    for number in (signal.SIGINT, signal.SIGTERM):
        service = Running(tmp_path / "data")
        if not token:
            key = {"Idempotency-Key": '"0123456789abcdef0123456789abcdef"'}
            token = httpx.post(f"{service.url}/v1/players", headers=key, json={"name": "Ada"}).json()["token"]
        me = httpx.get(f"{service.url}/v1/me", headers={"Authorization": f"Bearer {token}"})
        assert (me.status_code, me.json()["name"]) == (200, "Ada")
        assert service.stop(number) == "Stopped.\n"
        assert service.process.returncode == 0


def test_a_terminal_that_closes_ends_the_service_as_a_signal_to_stop_does(tmp_path: Path) -> None:
    service = Running(tmp_path / "data")
    service.process.send_signal(signal.SIGHUP)  # from the kernel, and again from the shell
    assert service.stop(signal.SIGHUP) == "Stopped.\n"
    assert service.process.returncode == 0


def test_servers_of_ones_own_that_do_not_answer_are_one_line(tmp_path: Path) -> None:
    own = {
        "database_url": "postgresql://blattwerk:hunter2@127.0.0.1:9/blattwerk",
        "redis_url": "redis://127.0.0.1:9",
        "secret_key": "5a" * 32,
    }
    said = refused("serve", env=environment(tmp_path / "data", **own))
    assert re.fullmatch(r"blattwerk: [^\n]+\n", said)
    assert "hunter2" not in said
    assert not (tmp_path / "data").exists(), "nothing is embedded"


@pytest.mark.parametrize(
    "command", [["serve"], ["worker"], ["migrate"], ["settings"], ["token", "create", "--role=arbiter"]]
)
def test_a_wrong_setting_is_one_line_whatever_is_asked_for(tmp_path: Path, command: list[str]) -> None:
    said = refused(*command, env=environment(tmp_path / "data", port="eight"))
    assert said == "blattwerk: BLATTWERK_PORT must be a number from 0 to 65535\n"


def test_settings_are_listed_without_secrets() -> None:
    secret = "5a" * 32
    done = CliRunner(env={"BLATTWERK_SECRET_KEY": secret, "BLATTWERK_PORT": "8001"}).invoke(main, ["settings"])
    assert done.exit_code == 0
    assert [line.split("=")[0] for line in done.output.splitlines() if "=" in line] == [
        variable(name) for name in FIELDS
    ]
    assert "BLATTWERK_PORT=8001\n" in done.output
    assert "BLATTWERK_SECRET_KEY=(not shown)\n" in done.output
    assert secret not in done.output


def test_the_version_names_the_servers_it_brings() -> None:
    done = CliRunner().invoke(main, ["version"])
    assert re.fullmatch(r"blattwerk \d\S+\nembedded-postgres 18\S+\nvalkey-embedded \d\S+\n", done.output)


def test_only_roles_that_exist_get_tokens() -> None:
    assert CliRunner().invoke(main, ["token", "create", "--role", "player"]).exit_code == 2
