"""One part of the service by itself: how it ends, how it is started again, what other origins may do."""

import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import httpx
import psutil
import pytest

from service.api.cors import with_cors
from service.processes.supervisor import Process
from service.runtime.settings import Secret, Settings
from tests.service.api_process import SLOW, api_process
from tests.service.connections import connected

ROOT: Final = Path(__file__).parent.parent.parent


def test_an_api_that_is_asked_to_end_finishes_the_request_under_way() -> None:
    with api_process(Settings(shutdown_seconds=10), SLOW) as api, connected(api.port) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert api.said() == "begun\n"
        api.process.send_signal(signal.SIGTERM)
        time.sleep(0.3)
        with pytest.raises(ConnectionRefusedError):
            connected(api.port)
        answer = client.recv(1000)
        assert answer.startswith(b"HTTP/1.1 200 OK")
        assert b"\r\nconnection: close\r\n" in answer
        assert api.process.communicate(timeout=20)[0] == "closed\n"
        assert api.process.returncode == 0


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


def test_a_process_that_is_killed_is_replaced_while_the_others_answer() -> None:
    with api_process(Settings(processes=2), SLOW) as api:
        killed = api.children[0]
        killed.kill()
        for _ in range(20):
            with suppress(httpx.TransportError):  # connections that the killed one had not yet accepted
                assert httpx.get(f"{api.url}/livez", timeout=30).status_code == 200
        deadline = time.monotonic() + 30
        while killed in api.children or len(api.children) < 2:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert httpx.get(f"{api.url}/livez", timeout=30).status_code == 200


def test_processes_whose_parent_is_killed_end() -> None:
    with api_process(Settings(processes=2), SLOW) as api:
        children = api.children
        api.process.kill()
        gone, alive = psutil.wait_procs(children, timeout=20)
    assert (len(gone), alive) == (2, [])


def test_an_application_that_does_not_start_ends_the_api(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(AssertionError, match="ended before it answered"), api_process(Settings(), "nowhere:nothing"):
        pass
    assert "nowhere" in capfd.readouterr().err


def test_a_part_that_keeps_ending_is_started_again_with_growing_pauses(capfd: pytest.CaptureFixture[str]) -> None:
    process = Process("worker", Settings(database_url=Secret("postgresql://nobody@127.0.0.1:9/none")))
    process.start()
    starts = [process.started]
    deadline = time.monotonic() + 60
    while len(starts) < 4:
        assert time.monotonic() < deadline
        process.watch()
        if process.started != starts[-1]:
            starts.append(process.started)
        time.sleep(0.01)
    process.kill()
    process.stop(10)
    assert process.returncode is not None
    assert starts[3] - starts[2] > 1.0, "the second pause is twice the first"
    assert "BLATTWERK_REDIS_URL" in capfd.readouterr().err


# --- cross-origin requests -------------------------------------------------------------------------


async def hello(scope: Any, receive: Any, send: Any) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": [(b"vary", b"Authorization")]})
    await send({"type": "http.response.body", "body": b"hello"})


async def cross_origin(origin: str, method: str = "GET", **headers: str) -> httpx.Response:
    app: Any = with_cors(hello, ["https://app.example"])
    async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://api.test") as client:
        return await client.request(method, "/v1/games", headers={"Origin": origin} | headers)


async def test_a_named_origin_may_read_answers_and_their_headers() -> None:
    answer = await cross_origin("https://app.example")
    assert answer.text == "hello"
    assert answer.headers["access-control-allow-origin"] == "https://app.example"
    assert {"ETag", "Location", "Link", "Retry-After"} <= set(
        answer.headers["access-control-expose-headers"].split(", ")
    )
    assert answer.headers.get_list("vary") == ["Authorization", "Origin"]
    assert "access-control-allow-credentials" not in answer.headers


async def test_another_origin_gets_an_answer_that_its_browser_keeps_from_it() -> None:
    answer = await cross_origin("https://app.example.evil.example")
    assert answer.status_code == 200
    assert "access-control-allow-origin" not in answer.headers
    assert answer.headers.get_list("vary") == ["Authorization", "Origin"]


async def test_a_preflight_of_a_named_origin_is_answered_without_the_application() -> None:
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    answer = await cross_origin("https://app.example", "OPTIONS", **asked)
    assert (answer.status_code, answer.text) == (204, "")
    assert "POST" in answer.headers["access-control-allow-methods"]
    assert "Authorization" in answer.headers["access-control-allow-headers"]
    assert (await cross_origin("https://app.example", "OPTIONS")).text == "hello"
    assert (await cross_origin("https://evil.example", "OPTIONS", **asked)).text == "hello"


def test_without_origins_the_application_is_left_as_it_is() -> None:
    assert with_cors(hello, []) is hello


STUBBORN_WORKER: Final = """
import asyncio
from service.processes import process
from service.jobs import worker
from service.runtime.settings import Settings

async def run(settings):
    print("started", flush=True)
    while True:
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            print("asked", flush=True)

worker.run = run
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
