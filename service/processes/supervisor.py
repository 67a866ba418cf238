"""The parent of a running service: brings servers if none are given, migrates, starts API and worker, watches them.

What ends by itself is started again by itself: at once the first times, then after pauses that double while it
keeps ending. At the end the API processes finish their requests, then the worker stops, then what was embedded.
"""

import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from types import FrameType
from typing import Final

import structlog
from msgspec.structs import replace

from service.embedded import (
    CONNECTIONS_MAX,
    EmbeddedServers,
    EmbeddedServersError,
    embedded_servers,
    launch,
    running_servers,
)
from service.processes.address import ServeError, answers, reserved_port
from service.runtime.secret_key import kept_key
from service.runtime.settings import PREFIX, Settings

_READY_SECONDS: Final = 60.0
_WORKER_SECONDS: Final = 10.0
_EXTRA_SECONDS: Final = 5.0
"""How much longer than it was told the API gets to finish."""
_RESTARTS_AT_ONCE: Final = 3
"""How often a process starts again without a pause within `_RECENT_SECONDS`."""
_RECENT_SECONDS: Final = 60.0
_PAUSE_SECONDS_MIN: Final = 0.5
_PAUSE_SECONDS_MAX: Final = 10.0
"""So short that a process which ends at once still ends too often with it."""
_LOOK_SECONDS: Final = 0.1
_CONNECTIONS_OF_OTHERS: Final = 20
"""Connections to the embedded database that are left to workers and commands."""
log = structlog.get_logger("blattwerk.supervisor")


class Process:
    """A part of the service in a process of its own, started again when it ends."""

    def __init__(self, role: str, settings: Settings) -> None:
        self.role = role
        others = {variable: text for variable, text in os.environ.items() if not variable.startswith(PREFIX)}
        self._environment = others | settings.environment()
        self._child: subprocess.Popen[bytes] | None = None
        self.started = 0.0
        """When it was last started, on the monotonic clock."""
        self._ends: deque[float] = deque(maxlen=_RESTARTS_AT_ONCE + 1)
        self._pause = 0.0
        self._due = 0.0

    def start(self) -> None:
        """Start the process."""
        command = (sys.executable, "-m", "service.processes.process", self.role)
        parent = (str(os.getpid()), str(int(signal.SIGTERM)), "-1", "-1")  # ends when we do; keeps the account
        self._child = subprocess.Popen(  # noqa: S603
            (sys.executable, "-I", "-S", launch.__file__, *parent, *command),
            env=self._environment,
            start_new_session=True,  # a Ctrl-C is for the supervisor, which ends its processes in order
        )
        self.started = time.monotonic()

    @property
    def returncode(self) -> int | None:
        """How the process ended, None while it runs."""
        return self._child.poll() if self._child is not None else None

    def watch(self) -> None:
        """Start the process again if it has ended, and its pause too."""
        if self._child is not None and self._child.poll() is not None:
            lasted = time.monotonic() - self.started
            self._pause = self._next_pause()
            self._due = time.monotonic() + self._pause
            ended, self._child = self._child.returncode, None
            log.error("process ended", process=self.role, code=ended, lasted_s=round(lasted, 1), again_in_s=self._pause)
        if self._child is None and time.monotonic() >= self._due:
            self.start()

    def _next_pause(self) -> float:
        """Note that the process has ended, and return for how many seconds it stays away."""
        self._ends.append(time.monotonic())
        often = len(self._ends) > _RESTARTS_AT_ONCE and self._ends[-1] - self._ends[0] < _RECENT_SECONDS
        return min(max(2 * self._pause, _PAUSE_SECONDS_MIN), _PAUSE_SECONDS_MAX) if often else 0.0

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
            log.warning("process killed", process=self.role, waited_s=seconds)
            self.kill()
            self._child.wait()

    def kill(self) -> None:
        """End the process, and those below it, at once."""
        if self._child is not None and self._child.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self._child.pid, signal.SIGKILL)


def serve(settings: Settings, migrate: Callable[[str], list[str]], announce: Callable[[Settings], None]) -> None:
    """Run the service until SIGINT, SIGTERM or the end of its terminal.

    `announce` is called with the settings in force once it answers. Raises `ServeError`, `EmbeddedServersError`,
    `SettingsError` or an error of the store if it cannot start.
    """
    _require_connections(settings)
    with ExitStack() as running:
        running.enter_context(_stopped_by_signals())
        settings = replace(settings, port=running.enter_context(reserved_port(settings)))
        servers: EmbeddedServers | None = None
        if settings.embedded:
            servers = running.enter_context(embedded_servers(settings.data_dir))
            settings = settings.with_servers(servers.database_url, servers.redis_url, kept_key(settings.data_dir))
        for name in migrate(settings.database_dsn):
            log.info("migrated", migration=name)
        processes = running.enter_context(_processes(settings))
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


def _require_connections(settings: Settings) -> None:
    """The embedded database takes a number of connections that is fixed; each API process has its share of them."""
    room = CONNECTIONS_MAX - _CONNECTIONS_OF_OTHERS
    if settings.embedded and settings.processes * settings.database_connections > room:
        raise ServeError(
            f"the embedded database has {room} connections for API processes, room for "
            f"{room // settings.database_connections} processes with {settings.database_connections} each: "
            f"lower {PREFIX}PROCESSES or {PREFIX}DATABASE_CONNECTIONS"
        )


@contextmanager
def _processes(settings: Settings) -> Iterator[list[Process]]:
    """The API processes, one of which answers, and the worker; stopped in order at the end."""
    api = [Process("api", settings) for _ in range(settings.processes)]
    worker = Process("worker", settings)
    try:
        for process in (*api, worker):
            process.start()
        _wait_until_answered(api, settings)
        yield [*api, worker]
    finally:
        _kill_when_asked_again([*api, worker])
        _stop(api, settings.drain_seconds + settings.shutdown_seconds + _EXTRA_SECONDS)
        _stop([worker], _WORKER_SECONDS)


def _stop(processes: Sequence[Process], seconds: float) -> None:
    """Ask processes to stop, together, and wait for their end, no longer than this."""
    for process in processes:
        process.ask_to_stop()
    deadline = time.monotonic() + seconds
    for process in processes:
        process.stop(max(0.0, deadline - time.monotonic()))


def _kill_when_asked_again(processes: Sequence[Process]) -> None:
    def kill(_number: int, _frame: FrameType | None) -> None:
        for process in processes:
            process.kill()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, kill)


def _wait_until_answered(api: Sequence[Process], settings: Settings) -> None:
    deadline = time.monotonic() + _READY_SECONDS
    while not answers(settings.host, settings.port):
        if any(process.returncode is not None for process in api):
            raise ServeError("the API ended before it was ready; its log says why")
        if time.monotonic() > deadline:
            raise ServeError(f"the API did not answer within {_READY_SECONDS:.0f} s; its log may say why")
        time.sleep(_LOOK_SECONDS)


def _keep(servers: EmbeddedServers) -> None:
    """Start embedded servers again that died; what cannot be started now is tried again at the next look."""
    try:
        for name in servers.restart_dead():
            log.error("embedded server had died and was started again", server=name)
    except EmbeddedServersError as error:
        log.error("embedded server does not start", reason=str(error))


@contextmanager
def _stopped_by_signals() -> Iterator[None]:
    """End the block quietly when SIGINT or SIGTERM arrives, or SIGHUP unless it is ignored, as under nohup.

    Further ones change nothing: what is on its way to the end is not interrupted.
    """
    numbers = [signal.SIGINT, signal.SIGTERM]
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        numbers.append(signal.SIGHUP)

    def stop(_number: int, _frame: FrameType | None) -> None:
        for number in numbers:
            signal.signal(number, signal.SIG_IGN)
        raise KeyboardInterrupt

    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
