"""One part of the service by itself: how it ends, how it is started again."""

import re
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import httpx
import psutil
import pytest

from service.processes.supervisor import Process
from service.runtime.settings import Secret, Settings
from tests.service.api_process import SLOW, api_process
from tests.service.client import within
from tests.service.connections import connected, is_closed, read_answer, request, wait_until_refused
from tests.service.running import settings_for

ROOT: Final = Path(__file__).parent.parent.parent
END_SECONDS: Final = 5.0
"""How long an API takes to end once it has answered, two seconds, on a machine with much else to do."""


def test_an_api_that_is_asked_to_end_finishes_the_request_under_way() -> None:
    with api_process(Settings(drain_seconds=0, shutdown_seconds=10), SLOW) as api, connected(api.port) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert api.said() == "begun\n"
        api.process.send_signal(signal.SIGTERM)
        wait_until_refused(api.port)
        answer = client.recv(1000)
        assert answer.startswith(b"HTTP/1.1 200 OK")
        assert b"\r\nconnection: close\r\n" in answer
        assert api.process.communicate(timeout=20)[0] == "closed\n"
        assert api.process.returncode == 0


@pytest.mark.parametrize("drain_seconds", [0, 1])
def test_silent_connections_do_not_keep_an_api_from_ending_once_it_has_answered(drain_seconds: int) -> None:
    settings = Settings(drain_seconds=drain_seconds, shutdown_seconds=60)
    with api_process(settings, SLOW) as api, ExitStack() as opened:
        used, unused = ([opened.enter_context(connected(api.port)) for _ in range(40)] for _ in range(2))
        for silent in used:
            silent.sendall(request("GET", "/livez"))
            assert read_answer(silent).startswith(b"HTTP/1.1 200")
        busy = opened.enter_context(connected(api.port))
        busy.sendall(request("GET", "/"))
        assert api.said() == "begun\n"
        asked = time.monotonic()
        api.process.send_signal(signal.SIGTERM)
        assert read_answer(busy).startswith(b"HTTP/1.1 200")
        last = max(time.monotonic(), asked + drain_seconds)
        assert all(is_closed(silent, 5) for silent in (*used, *unused))
        assert api.said() == "closed\n", "it ends by itself"
        assert api.process.wait(20) == 0
        assert time.monotonic() - last < END_SECONDS


def test_a_request_that_takes_longer_than_it_may_does_not_keep_the_api_from_ending() -> None:
    with api_process(Settings(shutdown_seconds=1), SLOW) as api, connected(api.port) as client:
        client.sendall(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
        assert api.said() == "begun\n"
        api.process.send_signal(signal.SIGTERM)
        assert client.recv(1000) == b""
        assert api.process.wait(20) == 0


@pytest.mark.parametrize(("proxies", "seen"), [((), "127.0.0.1"), (("127.0.0.0/8",), "203.0.113.9")])
def test_where_a_request_came_from_is_believed_of_trusted_proxies_only(proxies: tuple[str, ...], seen: str) -> None:
    with api_process(Settings(trusted_proxies=proxies), SLOW) as api:
        answer = httpx.get(f"{api.url}/livez", headers={"X-Forwarded-For": "198.51.100.7, 203.0.113.9"}, timeout=30)
    assert answer.text == seen


def test_a_process_that_is_killed_ends_the_one_that_watches_it() -> None:
    with api_process(Settings(), SLOW) as api:
        api.children[0].kill()
        assert api.process.wait(20) == 1


def test_a_process_whose_watcher_is_killed_ends() -> None:
    with api_process(Settings(), SLOW) as api:
        children = api.children
        api.process.kill()
        gone, alive = psutil.wait_procs(children, timeout=20)
    assert (len(gone), alive) == (1, [])


def test_an_application_that_does_not_start_ends_the_api(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError, match="ended before it answered"), api_process(Settings(), "nowhere:nothing"):
        pass
    assert "nowhere" in capfd.readouterr().err


def test_a_process_that_keeps_ending_starts_at_once_three_times_then_after_growing_pauses(
    capfd: pytest.CaptureFixture[str],
) -> None:
    process = Process("worker", Settings(database_url=Secret("postgresql://nobody@127.0.0.1:9/none")))
    process.start()
    starts = [process.started]
    deadline = time.monotonic() + 60
    while len(starts) < 6:
        assert time.monotonic() < deadline
        process.watch()
        if process.started != starts[-1]:
            starts.append(process.started)
        time.sleep(0.01)
    process.kill()
    process.stop(10)
    assert process.returncode is not None
    assert starts[5] - starts[4] > 1.0, "the second pause is twice the first"
    said = capfd.readouterr()
    assert re.findall(r"again_in_s\W+([0-9.]+)", said.out + said.err) == ["0.0", "0.0", "0.0", "0.5", "1.0"]
    assert "BLATTWERK_REDIS_URL" in said.err


STUBBORN_WORKER: Final = """
import asyncio
from service.processes import process
from service import composition
from service.runtime.settings import Settings

async def run(settings):
    print("started", flush=True)
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            print("asked", flush=True)

composition.work = run
process._WORKER_END_SECONDS = 0.5
process.run_worker(Settings())
"""


def test_a_worker_that_does_not_end_when_asked_to_ends_nevertheless() -> None:
    command = [sys.executable, "-c", STUBBORN_WORKER]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "started\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == "asked\n"
        assert process.wait(20) == 1


def test_an_api_that_is_asked_to_end_is_not_ready_first_and_still_answers(database_url: str, redis_url: str) -> None:
    settings = settings_for(database_url, redis_url, drain_seconds=3)
    with api_process(settings) as api, httpx.Client(base_url=api.url, timeout=30) as http:
        assert http.get("/readyz").status_code == 200
        asked = time.monotonic()
        api.process.send_signal(signal.SIGTERM)
        assert within(2, lambda: http.get("/readyz").status_code == 503)
        told = http.get("/readyz")
        assert (told.json()["code"], told.headers["connection"]) == ("draining", "close")
        assert httpx.get(f"{api.url}/v1/games", timeout=30).status_code == 200
        wait_until_refused(api.port)
        assert 3 <= time.monotonic() - asked < 10
        assert api.process.wait(20) == 0


def test_an_api_that_is_asked_to_end_twice_does_not_wait_for_load_balancers() -> None:
    with api_process(Settings(drain_seconds=600), SLOW) as api:
        api.process.send_signal(signal.SIGTERM)
        time.sleep(0.5)
        api.process.send_signal(signal.SIGTERM)
        assert api.process.wait(20) == 0
