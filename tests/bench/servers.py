"""Two servers under the same application, in turn: what they cost, and what they do when clients or luck are bad.

    python -m tests.bench.servers             about six minutes
    python -m tests.bench.servers --quick     about two

Processor time is what remains comparable on a machine that others use; the ratio is granian's to uvicorn's.
"""

import argparse
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Final

import psutil

from tests.bench.report import Row, Section, text
from tests.bench.rig import Api, Rig, rig
from tests.bench.supply import MOST_CLIENTS, WARM_SECONDS, Moves, Window, noop_get, repeated, views
from tests.bench.windows import Kind, alternate

GAME: Final = "hearts"
SERVERS: Final = {"granian": "tests.bench.api", "uvicorn": "tests.bench.api_uvicorn"}
MB: Final = 1024 * 1024
_CONTRACT: Final = b"GET /openapi.json HTTP/1.1\r\nHost: bench\r\n\r\n"
_SMALL: Final = b"GET /livez HTTP/1.1\r\nHost: bench\r\n\r\n"
_POST: Final = (
    b"POST /v1/players HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n"
    b'Idempotency-Key: "%032d"\r\nContent-Length: 15\r\n\r\n{"name": "Ada"'
)
"""A request that lacks the last byte of its body."""
_WAIT_SECONDS: Final = 40.0


def main() -> None:
    """Compare, and print tables."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.servers", description="granian beside uvicorn.")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter windows")
    quick: bool = parser.parse_args().quick
    with rig() as running, ExitStack() as stack:
        apis = {name: stack.enter_context(served(running, module)) for name, module in SERVERS.items()}
        print(text(costs(running, apis, repetitions=2 if quick else 5, seconds=0.8 if quick else 1.5)), flush=True)
        print(text(behaviour(apis)), flush=True)


@contextmanager
def served(running: Rig, module: str) -> Iterator[Api]:
    """The API on the servers of the rig, under the server that the module runs."""
    api = Api(running.environment | {"BLATTWERK_BODY_SECONDS": "3", "BLATTWERK_SHUTDOWN_SECONDS": "10"}, module)
    try:
        api.start()
        yield api
    finally:
        api.close()


# --- processor time ----------------------------------------------------------------------------------


def costs(running: Rig, apis: dict[str, Api], *, repetitions: int, seconds: float) -> Section:
    """Measure moves, views and requests that do nothing, in turn."""
    supply = Moves(running, GAME)
    views(running, GAME)  # makes the lanes, which any server answers
    repeated(running.generator, "no-op GET", [[noop_get()]] * MOST_CLIENTS, running.api)
    kinds = []
    for name, api in apis.items():
        kinds += [
            Kind(f"move {name}", _moves(supply, api)),
            Kind(f"view {name}", _lanes(running, f"views {GAME}", api)),
            Kind(f"no-op {name}", _lanes(running, "no-op GET", api)),
        ]
    rows = []
    for clients in (1, 16, 64):
        series = alternate(kinds, clients, repetitions=repetitions, seconds=seconds)
        for what in ("move", "view", "no-op"):
            ours, other = series[f"{what} granian"], series[f"{what} uvicorn"]
            cells = {
                "clients": clients,
                "granian us": ours.api_us,
                "uvicorn us": other.api_us,
                "of CPU": ours.api_us / other.api_us,
                "granian /s": ours.rate,
                "uvicorn /s": other.rate,
                "of rate": ours.rate / other.rate,
            }
            rows.append(Row(what, dict(cells)))
    columns = ("clients", "granian us", "uvicorn us", "of CPU", "granian /s", "uvicorn /s", "of rate")
    note = "us: processor time of the API's processes for each request; medians of windows in turn."
    return Section("servers", "What an answer costs", note, columns, tuple(rows))


def _moves(supply: Moves, api: Api) -> Window:
    return lambda clients, seconds: supply.window(clients, seconds, api=api)


def _lanes(running: Rig, name: str, api: Api) -> Window:
    return lambda clients, seconds: running.generator.run(
        name, api, clients=clients, seconds=seconds, warm=WARM_SECONDS
    )


# --- behaviour ---------------------------------------------------------------------------------------


def behaviour(apis: dict[str, Api]) -> Section:
    """Try what clients do wrong and what befalls processes."""
    tries: dict[str, Callable[[Api], str]] = {
        "a connection that says nothing": lambda api: _ended(api, b""),
        "half a head": lambda api: _ended(api, _SMALL[:20]),
        "a body that stops": lambda api: _ended(api, _POST % 1),
        "a head without end": _endless_head,
        "100 connections, 11,000 GETs each": lambda api: _flood(api, _SMALL * 11_000, read=True),
        "100 connections, answers not read": lambda api: _flood(api, _CONTRACT * 100, read=False),
        "SIGKILL of the process that answers": _killed,
        "SIGTERM with a request under way": _drained,  # the last: it ends the server
    }
    rows = []
    for what, attempt in tries.items():
        rows.append(Row(what, {name: attempt(api) for name, api in apis.items()}))
    return Section("behaviour", "When clients or luck are bad", "", tuple(apis), tuple(rows))


def _ended(api: Api, sent: bytes) -> str:
    """When and how the server ends a connection on which nothing more comes."""
    begun = time.monotonic()
    with socket.create_connection(api.address, timeout=_WAIT_SECONDS) as connection:
        connection.sendall(sent)
        try:
            received = connection.recv(1 << 16)
        except TimeoutError:
            return f"open after {_WAIT_SECONDS:.0f} s"
    return f"{received[9:12].decode() or 'closed'} after {time.monotonic() - begun:.0f} s"


def _endless_head(api: Api) -> str:
    before, sent = _memory(api), 0
    with socket.create_connection(api.address, timeout=5) as connection, suppress(OSError):
        connection.sendall(_SMALL[:-2] + b"X: ")
        while sent < 64 * MB:
            connection.sendall(b"y" * 65_536)
            sent += 65_536
        return f"taken, +{(_memory(api) - before) / MB:.0f} MB for 64 MB"
    return f"refused after {sent / MB:.1f} MB, +{(_memory(api) - before) / MB:.0f} MB"


def _flood(api: Api, sent: bytes, *, read: bool) -> str:
    """How much memory the API takes for 100 clients that send as much as they can, and read the answers or not."""
    before = grown = _memory(api)
    with ExitStack() as opened:
        connections = [opened.enter_context(socket.create_connection(api.address, timeout=5)) for _ in range(100)]
        for connection in connections:
            connection.setblocking(False)
        left = dict.fromkeys(connections, 0)
        until = time.monotonic() + 6
        while time.monotonic() < until:
            for connection in connections:
                with suppress(OSError):  # nothing to be sent or read for now
                    left[connection] += connection.send(sent[left[connection] :])
                with suppress(OSError):
                    if read:
                        connection.recv(1 << 16)
            grown = max(grown, _memory(api))
    return f"+{(grown - before) / MB:.0f} MB"


def _drained(api: Api) -> str:
    """Whether a request under way is answered, and how soon the server has ended."""
    process = psutil.Process(api.pids[0])
    with socket.create_connection(api.address, timeout=20) as connection:
        connection.sendall(_POST % 2)
        time.sleep(0.5)
        begun = time.monotonic()
        process.terminate()
        time.sleep(1)
        with suppress(OSError):
            connection.sendall(b"}")
        try:
            answer = connection.recv(1 << 16)[9:12].decode() or "closed"
        except OSError:
            answer = "reset"
    with suppress(psutil.NoSuchProcess):
        process.wait(30)
    return f"{answer}; ended {time.monotonic() - begun - 1:.1f} s later"


def _killed(api: Api) -> str:
    """How soon a new connection is answered, and how many were refused before."""
    (answering, *_) = [child for child in psutil.Process(api.pids[0]).children() if child.num_threads() > 1]
    answering.kill()
    begun, refused = time.monotonic(), 0
    while not _is_answered(api):
        refused += 1
        time.sleep(0.01)
    return f"answered after {time.monotonic() - begun:.2f} s, {refused} refused before"


def _is_answered(api: Api) -> bool:
    try:
        with socket.create_connection(api.address, timeout=20) as connection:
            connection.sendall(_SMALL)
            return bool(connection.recv(1))
    except OSError:
        return False


def _memory(api: Api) -> int:
    total = 0
    for child in psutil.Process(api.pids[0]).children():
        with suppress(psutil.NoSuchProcess):
            total += child.memory_info().rss
    return total


if __name__ == "__main__":
    main()
