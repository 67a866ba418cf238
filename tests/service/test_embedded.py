"""The embedded servers on real processes: data stays, nothing else does, and every refusal is one line."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import psycopg
import pytest
from redis import Redis

from service.embedded import DataFolderError, EmbeddedServers, embedded_servers, running_servers

ROOT = Path(__file__).parent.parent.parent

RUN = """
import signal, sys, time
from pathlib import Path
from service.embedded import embedded_servers
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may ignore it
try:
    with embedded_servers(Path(sys.argv[1]), durable=False) as servers:
        print(servers.postgres.pid, servers.redis.pid, servers.database_url, servers.redis_url, flush=True)
        time.sleep(60)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.fixture(scope="module")
def used_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder after a first run."""
    folder = tmp_path_factory.mktemp("used") / "data"
    with embedded_servers(folder, durable=False):
        pass
    return folder


@pytest.fixture
def data(tmp_path: Path, used_folder: Path) -> Path:
    """A copy of that folder."""
    return shutil.copytree(used_folder, tmp_path / "data")


def note(servers: EmbeddedServers | str, text: str) -> None:
    url = servers if isinstance(servers, str) else servers.database_url
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS notes (text text PRIMARY KEY)")
        connection.execute("INSERT INTO notes VALUES (%s)", (text,))


def noted(servers: EmbeddedServers) -> list[str]:
    with psycopg.connect(servers.database_url) as connection:
        return [text for (text,) in connection.execute("SELECT text FROM notes ORDER BY text")]


def ask(servers: EmbeddedServers, query: str) -> str:
    with psycopg.connect(servers.database_url) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return str(row[0])


def wait_until_gone(*pids: int) -> None:
    deadline = time.monotonic() + 20
    while any(psutil.pid_exists(pid) and psutil.Process(pid).status() != "zombie" for pid in pids):
        assert time.monotonic() < deadline, f"still running: {pids}"
        time.sleep(0.02)


def start_service(data: Path) -> tuple["subprocess.Popen[str]", list[str]]:
    service = subprocess.Popen([sys.executable, "-c", RUN, data], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert service.stdout is not None
    return service, service.stdout.readline().split()


def test_a_second_start_continues_with_the_same_data(tmp_path: Path) -> None:
    for text, expected in (("first", ["first"]), ("second", ["first", "second"])):
        with embedded_servers(tmp_path / "data", durable=False) as servers:
            note(servers, text)
            assert noted(servers) == expected
            with Redis.from_url(servers.redis_url) as redis:
                assert redis.get("view") is None, "views are not kept"
                redis.set("view", "1")
            pids = servers.postgres.pid, servers.redis.pid
        assert not any(psutil.pid_exists(pid or 0) for pid in pids)
        assert not Path(servers.postgres.sockets, "redis.sock").exists()
        assert not (tmp_path / "data" / "servers.json").exists()


def test_an_acknowledged_move_is_on_disk_and_the_server_is_this_machines_alone(data: Path) -> None:
    with embedded_servers(data) as servers:
        settings = ("synchronous_commit", "fsync", "full_page_writes", "jit", "listen_addresses", "data_checksums")
        assert [ask(servers, f"SHOW {name}") for name in settings] == ["on", "on", "on", "off", "", "on"]
        assert ask(servers, "SELECT current_setting('server_encoding') || current_setting('timezone')") == "UTF8UTC"
        with Redis.from_url(servers.redis_url) as redis:
            kept = redis.config_get("save") | redis.config_get("appendonly") | redis.config_get("port")
        assert kept == {"save": "", "appendonly": "no", "port": "0"}


def test_the_servers_do_not_learn_the_services_environment(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BLATTWERK_SECRET_KEY", "5ec2e7")
    with embedded_servers(data, durable=False) as servers:
        for pid in (servers.postgres.pid, servers.redis.pid):
            assert b"5ec2e7" not in Path(f"/proc/{pid}/environ").read_bytes()


def test_the_log_of_the_database_holds_no_values(data: Path) -> None:
    with embedded_servers(data, durable=False) as servers:
        note(servers, "QS")
        with pytest.raises(psycopg.errors.UniqueViolation):
            note(servers, "QS")
        log = servers.postgres.log.read_text()
    assert "duplicate key" in log
    assert "QS" not in log


@pytest.mark.parametrize("name", ["with a space", 'with "quotes", commas', "long-" * 30])
def test_any_name_of_a_data_folder_will_do(data: Path, name: str) -> None:
    data = data.rename(data.with_name(name))
    with embedded_servers(data, durable=False) as servers:
        note(servers, "found")
        assert noted(servers) == ["found"]
        with Redis.from_url(servers.redis_url) as redis:
            assert redis.ping()
        assert len(os.fsencode(servers.postgres.sockets / ".s.PGSQL.5432")) <= 107


def test_a_folder_that_is_in_use_is_refused_in_one_line(data: Path) -> None:
    assert running_servers(data) is None
    with embedded_servers(data, durable=False) as servers:
        assert running_servers(data) == (servers.database_url, servers.redis_url)
        program = (
            "import sys\nfrom pathlib import Path\nfrom service.embedded import *\n"
            "try:\n    embedded_servers(Path(sys.argv[1])).__enter__()\n"
            "except DataFolderError as error:\n    print(error)\n"
        )
        command = [sys.executable, "-c", program, str(data)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=30)
        note(servers, "undisturbed")
    expected = f"the data folder {data} is in use by another service (process {os.getpid()})\n"
    assert (done.stdout, done.stderr) == (expected, "")
    assert running_servers(data) is None


def test_a_folder_of_another_version_is_refused_in_one_line(data: Path) -> None:
    version = data / "postgres" / "PG_VERSION"
    version.write_text("17\n")
    with pytest.raises(DataFolderError) as refused, embedded_servers(data, durable=False):
        pass
    cluster = data / "postgres"
    assert str(refused.value) == f"{cluster} was made by PostgreSQL 17, this is PostgreSQL 18"


def test_an_interrupted_first_start_is_begun_again(tmp_path: Path) -> None:
    draft = tmp_path / "data" / "postgres.new"
    draft.mkdir(parents=True)
    (draft / "PG_VERSION").write_text("18\n")
    with embedded_servers(tmp_path / "data", durable=False) as servers:
        assert ask(servers, "SELECT current_database()") == "blattwerk"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_outlives_a_service_that_ends(data: Path, number: signal.Signals) -> None:
    service, (postgres, redis, database_url, _) = start_service(data)
    note(database_url, "before the end")
    service.send_signal(number)
    service.communicate(timeout=20)
    wait_until_gone(int(postgres), int(redis))
    with embedded_servers(data, durable=False) as servers:
        assert noted(servers) == ["before the end"]


def test_servers_left_over_from_an_earlier_run_are_stopped_and_strangers_are_not(data: Path, tmp_path: Path) -> None:
    leftover = subprocess.Popen(["sleep", "60"], cwd=data / "redis")
    stranger = subprocess.Popen(["sleep", "60"], cwd=tmp_path)
    (data / "servers.json").write_text(json.dumps({"redis": leftover.pid, "postgres": stranger.pid}))
    try:
        with embedded_servers(data, durable=False):
            assert leftover.wait(10) == -signal.SIGINT
            assert stranger.poll() is None
    finally:
        for process in (leftover, stranger):
            process.kill()
            process.wait()


def test_a_server_that_dies_is_started_again_at_the_same_address(data: Path) -> None:
    with embedded_servers(data, durable=False) as servers:
        note(servers, "kept")
        assert servers.restart_dead() == []
        for server in (servers.redis, servers.postgres):
            died = server.pid
            assert died is not None
            os.kill(died, signal.SIGKILL)
            deadline = time.monotonic() + 10
            while server.pid == died:
                assert time.monotonic() < deadline
            assert servers.restart_dead() == [server.name]
            assert server.pid not in (None, died)
        assert noted(servers) == ["kept"]
        with Redis.from_url(servers.redis_url) as redis:
            assert redis.ping()


def test_a_server_that_cannot_start_says_why_in_one_line(data: Path) -> None:
    (data / "postgres" / "postgresql.auto.conf").write_text("no_such_setting = 1\n")
    with pytest.raises(
        Exception, match=r"^postgres does not start: .*configuration file .* contains errors.*$"
    ) as refused:
        embedded_servers(data, durable=False).__enter__()
    assert "\n" not in str(refused.value)
