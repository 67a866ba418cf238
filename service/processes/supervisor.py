"""The parent of a running service: brings servers if none are given, migrates, starts processes, watches them.

A process that ends by itself is started again, after a pause that doubles while it keeps ending. At the
end the API processes finish their requests, then the worker stops, then what was embedded.
"""

import errno
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import Final

import structlog
from msgspec.structs import replace

from service.embedded import EmbeddedServers, EmbeddedServersError, embedded_servers, launch, running_servers
from service.runtime.secret_key import kept_key
from service.runtime.settings import PREFIX, Settings

_READY_SECONDS: Final = 60.0
_WORKER_SECONDS: Final = 10.0
_EXTRA_SECONDS: Final = 5.0
"""How much longer than it was told an API process gets to finish."""
_PAUSE_SECONDS_MAX: Final = 30.0
_STEADY_SECONDS: Final = 60.0
"""A process that ran so long starts again without a pause."""
_LOOK_SECONDS: Final = 0.1
log = structlog.get_logger("blattwerk.supervisor")


class ServeError(Exception):
    """The service cannot be started; the message is one line."""


class Process:
    """A process of the service, started again when it ends."""

    def __init__(self, name: str, arguments: Sequence[str], settings: Settings, inherited: Sequence[int] = ()) -> None:
        self.name = name
        self._arguments = arguments
        self._inherited = tuple(inherited)
        others = {variable: text for variable, text in os.environ.items() if not variable.startswith(PREFIX)}
        self._environment = others | settings.environment()
        self._child: subprocess.Popen[bytes] | None = None
        self._started = 0.0
        self._pause = 0.0
        self._due = 0.0

    def start(self) -> int:
        """Start the process; returns a file that can be read from when it is ready, or ends."""
        ready, tell = os.pipe()
        command = (sys.executable, "-m", "service.processes.process", *self._arguments, str(tell))
        parent = (str(os.getpid()), str(int(signal.SIGTERM)), "-1", "-1")  # ends when we do; keeps the account
        try:
            self._child = subprocess.Popen(  # noqa: S603
                (sys.executable, "-I", "-S", launch.__file__, *parent, *command),
                env=self._environment,
                pass_fds=(*self._inherited, tell),
                start_new_session=True,  # a Ctrl-C is for the supervisor, which ends its processes in order
            )
        finally:
            os.close(tell)
        self._started = time.monotonic()
        return ready

    @property
    def returncode(self) -> int | None:
        """How the process ended, None while it runs."""
        return self._child.poll() if self._child is not None else None

    def watch(self) -> None:
        """Start the process again if it has ended, and its pause too."""
        if self._child is not None and self._child.poll() is not None:
            lasted = time.monotonic() - self._started
            self._pause = 0.0 if lasted > _STEADY_SECONDS else min(max(2 * self._pause, 0.5), _PAUSE_SECONDS_MAX)
            self._due = time.monotonic() + self._pause
            ended, self._child = self._child.returncode, None
            log.error("process ended", process=self.name, code=ended, lasted_s=round(lasted, 1), again_in_s=self._pause)
        if self._child is None and time.monotonic() >= self._due:
            os.close(self.start())

    def ask_to_stop(self) -> None:
        """Ask the process to finish what it does and end."""
        if self._child is not None:
            self._child.terminate()

    def stop(self, seconds: float) -> None:
        """Wait for the end of the process, no longer than this."""
        if self._child is None:
            return
        try:
            self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            log.warning("process killed", process=self.name, waited_s=seconds)
            self._child.kill()
            self._child.wait()

    def kill(self) -> None:
        """End the process at once."""
        if self._child is not None:
            self._child.kill()


def serve(settings: Settings, migrate: Callable[[str], list[str]], announce: Callable[[Settings], None]) -> None:
    """Run the service until SIGINT or SIGTERM. `announce` is called with the settings in force once it answers.

    Raises `ServeError`, `EmbeddedServersError`, `SettingsError` or an error of the store if it cannot start.
    """
    with ExitStack() as running:
        running.enter_context(_stopped_by_signals())
        listener = running.enter_context(_listening(settings))
        settings = replace(settings, port=listener.getsockname()[1])
        servers: EmbeddedServers | None = None
        if settings.embedded:
            servers = running.enter_context(embedded_servers(settings.data_dir))
            settings = settings.with_servers(servers.database_url, servers.redis_url, kept_key(settings.data_dir))
        for name in migrate(settings.database_dsn):
            log.info("migrated", migration=name)
        processes = running.enter_context(_processes(settings, listener))
        announce(settings)
        while True:
            time.sleep(_LOOK_SECONDS)
            for process in processes:
                process.watch()
            if servers is not None:
                _keep(servers)


@contextmanager
def complete_settings(settings: Settings) -> Iterator[Settings]:
    """Settings with the servers of the service that runs on the data folder, or with ones for this block."""
    if not settings.embedded:
        yield settings
        return
    addresses = running_servers(settings.data_dir)
    if addresses is not None:
        yield settings.with_servers(*addresses, kept_key(settings.data_dir))
        return
    with embedded_servers(settings.data_dir) as servers:
        yield settings.with_servers(servers.database_url, servers.redis_url, kept_key(settings.data_dir))


def _listening(settings: Settings) -> socket.socket:
    place = f"port {settings.port} of {settings.host}"
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((settings.host, settings.port), family=family, backlog=2048)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ServeError(f"{place} is in use; another one: {PREFIX}PORT=8001") from error
        if error.errno == errno.EACCES:
            raise ServeError(f"{place} is not for this account; another one: {PREFIX}PORT=8000") from error
        raise ServeError(
            f"{settings.host} is no address of this machine that can be listened on; {PREFIX}HOST says which"
        ) from error


@contextmanager
def _processes(settings: Settings, listener: socket.socket) -> Iterator[list[Process]]:
    """The processes of the service, ready; stopped in order at the end."""
    shared = listener.fileno()
    apis = [
        Process(f"api {number}", ("api", str(shared)), settings, (shared,))
        for number in range(1, settings.processes + 1)
    ]
    worker = Process("worker", ("worker",), settings)
    try:
        waiting = {api.start(): api for api in apis}
        os.close(worker.start())
        for ready, api in waiting.items():
            _wait_until_ready(api, ready)
        yield [*apis, worker]
    finally:
        _kill_when_asked_again([*apis, worker])
        for processes, seconds in ((apis, settings.shutdown_seconds + _EXTRA_SECONDS), ([worker], _WORKER_SECONDS)):
            for process in processes:
                process.ask_to_stop()
            for process in processes:
                process.stop(seconds)


def _kill_when_asked_again(processes: Sequence[Process]) -> None:
    def kill(_number: int, _frame: FrameType | None) -> None:
        for process in processes:
            process.kill()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, kill)


def _wait_until_ready(process: Process, ready: int) -> None:
    try:
        told = select.select([ready], [], [], _READY_SECONDS)[0] and os.read(ready, 1)
    finally:
        os.close(ready)
    if not told:
        raise ServeError(f"the process {process.name} ended before it answered; what it logged says why")


def _keep(servers: EmbeddedServers) -> None:
    """Start embedded servers again that died; what cannot be started now is tried again at the next look."""
    try:
        for name in servers.restart_dead():
            log.error("embedded server had died and was started again", server=name)
    except EmbeddedServersError as error:
        log.error("embedded server does not start", reason=str(error))


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """End the block quietly when SIGINT or SIGTERM arrives."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
