"""What is measured and what measures: database and Redis in a folder of their own, API processes, generator."""

import json
import os
import pickle
import select
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from service.embedded import EmbeddedServers, embedded_servers
from tests.bench.cpu import cpu_seconds, machine_seconds

_START_SECONDS: Final = 60.0
_NO_LIMITS: Final = "guests_ipv4=1000000/10,moves=1000000/10,open_tables=1000000,bot_tables=1000000"


@dataclass(frozen=True, slots=True)
class Checkout:
    """A version of the project on disk: where it lies, and the Python that its dependencies are installed for."""

    root: Path
    python: str

    @property
    def moves_name_their_game(self) -> bool:
        """Whether the body of a move has a field `game`, which earlier versions refuse."""
        return '"MoveRequest"' in (self.root / "openapi" / "openapi.json").read_text()


HERE: Final = Checkout(Path(__file__).resolve().parents[2], sys.executable)


class Api:
    """Server processes that share one port: the API, or a module that is compared with it."""

    def __init__(
        self, environment: Mapping[str, str], module: str = "tests.bench.api", checkout: Checkout = HERE
    ) -> None:
        self._environment = os.environ | dict(environment)
        self._module = module
        self._checkout = checkout
        self._reserved = socket.socket()  # nobody listens on it but the processes, together or each by itself
        self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self._reserved.bind(("127.0.0.1", 0))
        self._processes: list[subprocess.Popen[bytes]] = []

    @property
    def address(self) -> tuple[str, int]:
        """Where they listen."""
        host, port = self._reserved.getsockname()
        return host, port

    @property
    def pids(self) -> list[int]:
        """The processes to look at."""
        return [process.pid for process in self._processes]

    def start(self, processes: int = 1) -> None:
        """Start and return when requests are answered."""
        ready = [self._start_one() for _ in range(processes)]
        for file in ready:
            told = select.select([file], [], [], _START_SECONDS)[0] and os.read(file, 1)
            os.close(file)
            if not told:
                raise RuntimeError(f"a process of {self._module} does not start")
        deadline = time.monotonic() + _START_SECONDS
        while not _is_answered(self.address):
            if time.monotonic() > deadline:
                raise RuntimeError(f"{self._module} does not answer")
            time.sleep(0.02)

    def _start_one(self) -> int:
        """Start a process; returns a file that can be read from when it answers, or ends."""
        shared = self._reserved.fileno()
        ready, tell = os.pipe()
        command = (self._checkout.python, "-m", self._module, str(shared), str(tell))
        self._processes.append(
            subprocess.Popen(command, env=self._environment, pass_fds=(shared, tell), cwd=self._checkout.root)
        )
        os.close(tell)
        return ready

    def stop(self) -> None:
        """Stop as the service does."""
        for process in self._processes:
            process.send_signal(signal.SIGTERM)
        for process in self._processes:
            process.wait(30)
        self._processes = []

    def restart(self, processes: int = 1) -> None:
        """Stop and start again: all caches are cold."""
        self.stop()
        self.start(processes)

    def close(self) -> None:
        """Stop for good."""
        self.stop()
        self._reserved.close()


def _is_answered(address: tuple[str, int]) -> bool:
    try:
        with socket.create_connection(address, timeout=1) as connection:
            connection.sendall(b"GET /livez HTTP/1.1\r\nHost: bench\r\n\r\n")
            return bool(connection.recv(1))
    except OSError:
        return False


@dataclass(frozen=True, slots=True)
class Run:
    """One window of load: a number of clients against one kind of request."""

    rate: float
    """Answers per second."""
    median_ms: float
    p99_ms: float
    latencies_ms: tuple[float, ...]
    """A sorted sample of at most a few thousand."""
    generator_busy: float
    """Share of one core that the generator used."""
    requests: int
    api_us: float
    """Processor time of the API processes for each request, in microseconds."""
    stores_us: float
    """Processor time of database and Redis for each request, in microseconds."""
    others_busy: float
    """Cores that everything else on the machine used meanwhile."""
    cut: bool
    """Whether a client had nothing left to send, so that the window ended early."""
    left: tuple[int, ...]
    """How many requests each lane still has."""


class Generator:
    """The load generator, a process of its own."""

    def __init__(self, folder: Path, stores: tuple[int, ...]) -> None:
        self._folder = folder
        self._stores = stores
        command = [sys.executable, "-m", "tests.bench.load"]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def lanes(self, name: str, lanes: Sequence[Sequence[bytes]], *, repeat: bool = False) -> None:
        """Hand over requests under a name, beside those that are left under it."""
        file = self._folder / "lanes.pickle"
        file.write_bytes(pickle.dumps(lanes))
        self._tell({"do": "lanes", "name": name, "file": str(file), "repeat": repeat})
        file.unlink()

    def run(self, name: str, api: Api, *, clients: int, seconds: float, warm: float, connections: int = 1) -> Run:
        """Measure one window. RuntimeError if an answer was not a success."""
        return self._run(name, api, clients=clients, connections=connections, warm=warm, seconds=seconds)

    def finish(self, name: str, api: Api, *, clients: int) -> Run:
        """Send everything that is left; the latencies of the answer are complete and in order."""
        return self._run(name, api, clients=clients, connections=1, warm=0.0, seconds=None)

    def _run(self, name: str, api: Api, **order: float | None) -> Run:
        before = cpu_seconds(api.pids), cpu_seconds(self._stores), cpu_seconds([self._process.pid])
        busy, begun = machine_seconds(), time.monotonic()
        seen = self._tell({"do": "run", "name": name, "address": api.address, **order})
        busy, lasted = machine_seconds() - busy, time.monotonic() - begun
        after = cpu_seconds(api.pids), cpu_seconds(self._stores), cpu_seconds([self._process.pid])
        used = tuple(end - begin for begin, end in zip(before, after, strict=True))
        if seen["failures"]:
            raise RuntimeError(f"{name} failed under load: {seen['failures'][0]}")
        return Run(
            seen["requests"] / seen["seconds"],
            seen["median_ms"],
            seen["p99_ms"],
            tuple(seen["latencies_ms"]),
            seen["generator_busy"],
            seen["requests"],
            used[0] / max(1, seen["sent"]) * 1e6,
            max(0.0, used[1]) / max(1, seen["sent"]) * 1e6,  # what an ended backend used is lost
            max(0.0, busy - sum(used)) / lasted,
            seen["cut"],
            tuple(seen["left"]),
        )

    def stop(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(10)

    def _tell(self, order: dict[str, Any]) -> dict[str, Any]:
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the load generator has no pipes")
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError("the load generator died")
        answer: dict[str, Any] = json.loads(line)
        return answer


@dataclass(frozen=True, slots=True)
class Rig:
    """Everything that runs while measuring."""

    folder: Path
    servers: EmbeddedServers
    api: Api
    trivial: Api
    generator: Generator
    environment: dict[str, str]
    """The settings of the API."""
    checkout: Checkout

    @property
    def database_url(self) -> str:
        """Address of the database, as its owner."""
        return self.servers.database_url


@contextmanager
def rig(checkout: Checkout = HERE) -> Iterator[Rig]:
    """Start servers, an API process, a worker and the generator in a temporary folder; remove all at the end.

    API and worker are those of the checkout; servers and generator are ours, so that they are the same for all.
    """
    with ExitStack() as running:
        folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="blattwerk-bench-")))
        folder.chmod(0o755)
        servers = running.enter_context(embedded_servers(folder / "data"))
        environment = {  # what every version understands
            "BLATTWERK_DATABASE_URL": servers.database_url,
            "BLATTWERK_REDIS_URL": servers.redis_url,
            "BLATTWERK_SECRET_KEY": "5e" * 32,
            "BLATTWERK_CACHE_TABLES": "10000",
            "BLATTWERK_LOG_LEVEL": "warning",
        }
        if (checkout.root / "service" / "limits").exists():
            environment["BLATTWERK_LIMITS"] = _NO_LIMITS
        command = (checkout.python, "-m", "service.cli")
        subprocess.run(
            (*command, "migrate"),
            env=os.environ | environment,
            cwd=checkout.root,
            check=True,
            stdout=subprocess.DEVNULL,
        )
        generator = Generator(folder, (servers.postgres.pid or 0, servers.redis.pid or 0))
        running.callback(generator.stop)
        api, trivial = Api(environment, checkout=checkout), Api({}, "tests.bench.trivial")
        for server in (api, trivial):
            running.callback(server.close)
            server.start()
        worker = subprocess.Popen((*command, "worker"), env=os.environ | environment, cwd=checkout.root)
        running.callback(_end, worker)
        yield Rig(folder, servers, api, trivial, generator, environment, checkout)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    process.wait(30)
