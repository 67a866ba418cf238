"""One process of the service by itself: how it ends, how it is started again."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

from service.processes.supervisor import Process
from service.runtime.settings import Settings

ROOT: Final = Path(__file__).parent.parent.parent

SLOW_SERVICE: Final = """
import asyncio, socket, sys
import service.app
from service.processes.process import serve_api
from service.runtime.settings import Settings

def create_app(settings, **_):
    async def app(scope, receive, send):
        if scope["type"] == "lifespan":
            for step in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{step}.complete"})
            print("closed", flush=True)
            return
        print("begun", flush=True)
        await asyncio.sleep(1)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": f"{scope['client'][0]}".encode()})
    return app

service.app.create_app = create_app
settings = Settings(shutdown_seconds=10, trusted_proxies=tuple(sys.argv[2:]))
serve_api(settings, socket.socket(fileno=int(sys.argv[1])), lambda: print("started", flush=True))
"""


@pytest.fixture
def listener() -> Any:
    with socket.create_server(("127.0.0.1", 0)) as bound:
        yield bound


@contextmanager
def serving(listener: socket.socket, *proxies: str) -> Iterator["subprocess.Popen[str]"]:
    """A process that serves an application which takes a second for each answer."""
    command = [sys.executable, "-c", SLOW_SERVICE, str(listener.fileno()), *proxies]
    files = (listener.fileno(),)
    with subprocess.Popen(command, cwd=ROOT, pass_fds=files, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert said(process) == "started\n"
            yield process
        finally:
            process.kill()


def said(process: "subprocess.Popen[str]") -> str:
    """The next line that a process prints."""
    assert process.stdout is not None
    return process.stdout.readline()


def test_a_process_that_is_asked_to_end_finishes_the_request_under_way(listener: socket.socket) -> None:
    with serving(listener) as process, socket.create_connection(listener.getsockname()) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        assert said(process) == "begun\n"
        process.send_signal(signal.SIGTERM)
        client.settimeout(20)
        assert client.recv(100).startswith(b"HTTP/1.1 200 OK")
        assert process.communicate(timeout=20)[0] == "closed\n"


@pytest.mark.parametrize(("proxies", "seen"), [((), "127.0.0.1"), (("127.0.0.0/8",), "203.0.113.9")])
def test_where_a_request_came_from_is_believed_of_trusted_proxies_only(
    listener: socket.socket, proxies: tuple[str, ...], seen: str
) -> None:
    with serving(listener, *proxies):
        url = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        answer = httpx.get(url, headers={"X-Forwarded-For": "203.0.113.9"}, timeout=30)
    assert answer.text == seen
    assert "server" not in answer.headers


def test_a_process_that_keeps_ending_is_started_again_with_growing_pauses(capfd: pytest.CaptureFixture[str]) -> None:
    process = Process("no such", ("nonsense",), Settings())
    os.close(process.start())
    starts = [time.monotonic()]
    deadline = time.monotonic() + 60
    while len(starts) < 3:
        assert time.monotonic() < deadline
        before = process._started
        process.watch()
        if process._started != before:
            starts.append(time.monotonic())
        time.sleep(0.01)
    process.kill()
    process.stop(10)
    assert process.returncode is not None
    assert starts[2] - starts[1] > 1.0, "the second pause is twice the first"
    assert "not enough values" in capfd.readouterr().err


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
        assert said(process) == "started\n"
        process.send_signal(signal.SIGTERM)
        assert said(process) == "asked\n"
        assert process.wait(20) == 1
