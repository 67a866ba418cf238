"""The API as a process of its own, as `serve` starts it, with the service's application or another one."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psutil
from msgspec.structs import replace

from service.api.streams import StreamedResponse, Streams
from service.processes.address import answers, reserved_port
from service.processes.api import in_process
from service.runtime.settings import Settings, load_settings

ROOT: Final = Path(__file__).parent.parent.parent
_SERVE: Final = """
import sys
from service.processes.api import serve_api
from service.runtime.settings import load_settings
serve_api(load_settings(), *sys.argv[1:])
"""
SLOW: Final = "tests.service.api_process:slow"
POURING: Final = "tests.service.api_process:pouring"


def slow() -> Any:
    """An application that takes a second for each answer, with the caller's address, and says what it does."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            for step in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{step}.complete"})
            print("closed", flush=True)
            return
        if scope["path"] != "/livez":
            print("begun", flush=True)
            await asyncio.sleep(3600 if scope["path"] == "/endless" else 1)
        host = scope["client"][0].encode()
        headers = [(b"content-length", b"%d" % len(host))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": host})

    return in_process(app, load_settings())


def pouring() -> Any:
    """An application with a document that has no end, and says when it is not wanted any more; `/broken` breaks off."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            for step in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{step}.complete"})
            return
        pieces = _poured(64 if scope["path"] == "/broken" else 2**62)
        scope["state"] = {}
        streams = Streams(600, lambda _: None)
        await StreamedResponse(pieces, streams, "account", media_type="text/plain")(scope, receive, send)

    return in_process(app, load_settings())


async def _poured(times: int) -> AsyncGenerator[bytes, None]:
    try:
        for _ in range(times):
            yield bytes(16 * 1024)
        raise OSError("the rest cannot be read")
    finally:
        print("ended", flush=True)


@dataclass(frozen=True)
class ApiProcess:
    """An API that answers: the process above, and where."""

    process: "subprocess.Popen[str]"
    port: int

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def children(self) -> list[psutil.Process]:
        """The processes that answer."""
        below = psutil.Process(self.process.pid).children()
        return [child for child in below if "multiprocessing.spawn" in " ".join(child.cmdline())]

    def said(self) -> str:
        """The next line that a process prints."""
        assert self.process.stdout is not None
        return self.process.stdout.readline()

    def memory(self) -> int:
        """Bytes that the processes that answer hold."""
        return sum(child.memory_info().rss for child in self.children)


@contextmanager
def api_process(settings: Settings, *application: str, port: int = 0, log: Path | None = None) -> Iterator[ApiProcess]:
    """Run an API until the block ends, at any free port if none is given.

    `log` is a file for what it logs, which otherwise goes where ours goes.
    """
    with reserved_port(replace(settings, port=port)) as port:
        environment = {name: text for name, text in os.environ.items() if not name.startswith("BLATTWERK_")}
        environment |= replace(settings, port=port).environment() | {"PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-c", _SERVE, *application]
        with (
            open(log or os.devnull, "w") as written,
            subprocess.Popen(
                command,
                cwd=ROOT,
                env=environment,
                stdout=subprocess.PIPE,
                stderr=written if log else None,
                text=True,
                start_new_session=True,
            ) as process,
        ):
            try:
                while not answers("127.0.0.1", port):
                    assert process.poll() is None, "the API ended before it answered"
                    time.sleep(0.05)
                yield ApiProcess(process, port)
            finally:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
