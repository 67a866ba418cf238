"""The whole that is shaken: two services, each with an API process and a worker, and the servers below them."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Final

import httpx
import psutil

from service.embedded import launch
from service.runtime.settings import Settings
from tests.service.running import settings_for
from tests.soak.clocks import MACHINES, Clocks
from tests.soak.servers import START_SECONDS, Cache, Database, Disk, Place, running_servers, start_again

ROOT: Final = Path(__file__).parent.parent.parent
API: Final = "multiprocessing.spawn"
"""What the command line of a process holds that answers requests."""
WATCHER: Final = "service.processes.process api"
WORKER: Final = "service.processes.process worker"
_STOP_SECONDS: Final = 60.0


class Service:
    """`blattwerk serve`: an API process and a worker."""

    def __init__(self, settings: Settings, log: Path, clock: dict[str, str]) -> None:
        others = {name: text for name, text in os.environ.items() if not name.startswith("BLATTWERK_")}
        self._environment = others | settings.environment() | {"PYTHONPATH": str(ROOT)} | clock
        self._log = log
        self._process: subprocess.Popen[bytes] | None = None
        self.url = f"http://127.0.0.1:{settings.port}"

    def start(self) -> None:
        """Start it unless it runs; it does not answer yet."""
        if self._process is not None and self._process.poll() is None:
            return
        parent = (str(os.getpid()), str(int(signal.SIGTERM)), "-1", "-1")  # ends when we do; keeps the account
        command = (sys.executable, "-I", "-S", launch.__file__, *parent, sys.executable, "-m", "service.cli", "serve")
        with self._log.open("ab") as written:
            self._process = subprocess.Popen(command, env=self._environment, cwd=ROOT, stdout=written, stderr=written)

    def stop(self) -> None:
        """Stop it as an operator does."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.kill()

    def kill(self) -> None:
        """Kill all its processes at once."""
        for process in (*self.processes(), *self._own()):
            try:
                process.kill()
                process.wait(_STOP_SECONDS)
            except psutil.NoSuchProcess:
                continue

    def kill_supervisor(self) -> None:
        """Kill the process that watches the others, which end with it."""
        for process in self._own():
            process.kill()
        if self._process is not None:
            self._process.wait(_STOP_SECONDS)

    def processes(self, words: str = "") -> list[psutil.Process]:
        """Return the processes below it whose command line holds these words."""
        below = [each for own in self._own() for each in own.children(recursive=True)]
        return [process for process in below if words in " ".join(_command_line(process))]

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run another command of the program beside it."""
        whole = (sys.executable, "-m", "service.cli", *command)
        return subprocess.run(whole, env=self._environment, cwd=ROOT, capture_output=True, text=True, check=False)

    def is_ready(self) -> bool:
        """Whether it says that requests may come."""
        try:
            return httpx.get(f"{self.url}/readyz", timeout=5).status_code == 200
        except httpx.TransportError:
            return False

    def _own(self) -> list[psutil.Process]:
        if self._process is None or self._process.poll() is not None:
            return []
        return [psutil.Process(self._process.pid)]


def _command_line(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


@dataclass(frozen=True)
class System:
    """Everything that can be broken, and what mends it."""

    database: Database
    redis: Cache
    services: tuple[Service, Service]
    settings: Settings
    """Of both services, but for the port."""
    clocks: Clocks | None
    disks: Mapping[Place, Disk]

    @property
    def urls(self) -> tuple[str, str]:
        """Where clients find the services."""
        return self.services[0].url, self.services[1].url

    def one_of(self, rng: Random, words: str) -> psutil.Process | None:
        """Return one of the processes of the services whose command line holds these words, if any."""
        found = [process for service in self.services for process in service.processes(words)]
        return rng.choice(found) if found else None

    def mend(self, seconds: float) -> bool:
        """Start what does not run; whether both services are ready within this time."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            start_again(self.database.primary)
            start_again(self.redis)
            for service in self.services:
                service.start()  # again and again: processes of a killed one may still have its port
            if all(service.is_ready() for service in self.services):
                return True
            time.sleep(0.1)
        return False


@contextmanager
def running_system(folder: Path, *, clocks: bool, small_disk: bool) -> Iterator[System]:
    """Run everything until the end of the block. To be entered in the main thread, with which the servers end."""
    stepped = Clocks(folder) if clocks else None
    environments: dict[str, dict[str, str]] = {}
    if stepped is not None:
        environments = {machine: stepped.environment(machine) for machine in MACHINES}
    with ExitStack() as running:
        servers = running_servers(folder, environments, small_disk=small_disk)
        database, redis, disks = running.enter_context(servers)
        services = []
        for number in (1, 2):
            settings = settings_for(database.url, redis.url, port=_free_port())
            log = folder / f"service{number}.log"
            service = Service(settings, log, environments.get(f"service {number}", {}))
            running.callback(service.stop)
            service.start()
            until = time.monotonic() + START_SECONDS
            while not service.is_ready():  # the first one migrates
                if time.monotonic() > until:
                    raise TimeoutError(f"the service does not start: {log.read_text()[-2000:]}")
                time.sleep(0.1)
            services.append(service)
        yield System(database, redis, (services[0], services[1]), settings, stepped, disks)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
        return port
