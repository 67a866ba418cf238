"""One server process: started, watched until it is ready, stopped, its complaints read."""

import os
import signal
import subprocess
import sys
import time
from abc import ABC, abstractmethod
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, Final

from service.embedded import launch
from service.embedded.account import Account, EmbeddedServersError, give

_READY_SECONDS: Final = 60.0
_STOP_SECONDS: Final = 30.0
_LOG_BYTES_MAX: Final = 8 * 1024 * 1024


class Server(ABC):
    """A server that works in `home` and listens in `sockets`. Its process is this process's child."""

    name: str
    stop_signals: tuple[signal.Signals, ...]
    """From the kindest on; the next one is sent when the server has not stopped within the time."""

    def __init__(self, folder: Path, sockets: Path, account: Account | None) -> None:
        self.home = folder / self.name
        self.sockets = sockets
        self.log = folder / "log" / f"{self.name}.log"
        self._account = account
        self._reachable = account is None or account.can_enter(folder)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The process id while the server runs."""
        return self._process.pid if self._process is not None and self._process.poll() is None else None

    def start(self) -> None:
        """Start the server and return when it answers; `EmbeddedServersError` if it does not."""
        self._prepare_home()
        with ExitStack() as opened:
            home, inherited = self._inherited(self.home, opened)
            command = self._command(home)
            log = opened.enter_context(self._open_log())
            begin = log.tell()
            uid, gid = (self._account.uid, self._account.gid) if self._account else (-1, -1)
            script = (sys.executable, "-I", "-S", launch.__file__)
            who = (str(os.getpid()), str(int(self.stop_signals[0])), str(uid), str(gid))
            self._process = subprocess.Popen(  # noqa: S603
                (*script, *who, *command),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd="/",
                env=self._environment(),
                pass_fds=inherited,
                start_new_session=True,  # a Ctrl-C in the terminal is for the service, which stops us in order
            )
        try:
            self._wait_until_ready(self._process, begin)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop the server, in the end by force. Nothing happens if it does not run."""
        if self._process is None:
            return
        for number in (*self.stop_signals, signal.SIGKILL):
            if self._process.poll() is not None:
                break
            self._process.send_signal(number)
            try:
                self._process.wait(_STOP_SECONDS)
            except subprocess.TimeoutExpired:
                continue
        self._process = None

    def restart_if_dead(self) -> bool:
        """Start the server again if it died by itself; whether that was so."""
        if self._process is None or self._process.poll() is None:
            return False
        self.start()
        return True

    @abstractmethod
    def _prepare_home(self) -> None:
        """Make the folder the server works in what the server expects."""

    @abstractmethod
    def _command(self, home: str) -> tuple[str, ...]:
        """Return the command that runs the server in the foreground, with its home under this name."""

    @abstractmethod
    def _is_ready(self) -> bool:
        """Whether the server answers."""

    def _run(self, home: Path, program: Path, *arguments: str, stdin: str = "") -> str:
        """Run a program of the server to its end, as the server's account, and return what it printed.

        `-D` with the name under which the program finds `home` is added to the arguments.
        """
        with ExitStack() as opened:
            name, inherited = self._inherited(home, opened)
            done = subprocess.run(  # noqa: S603
                (str(program), *arguments[:1], "-D", name, *arguments[1:]),
                input=stdin,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                check=False,
                cwd="/",
                env=self._environment(),
                pass_fds=inherited,
                umask=0o077,
                user=self._account.uid if self._account else None,
                group=self._account.gid if self._account else None,
                extra_groups=[] if self._account else None,
            )
        if done.returncode != 0:
            raise EmbeddedServersError(f"{program.name} failed: {_last_line(done.stdout)}")
        return done.stdout

    def _inherited(self, home: Path, opened: ExitStack) -> tuple[str, tuple[int, ...]]:
        """Return the name of a home as the server's account finds it, and the open files it needs for that."""
        if self._reachable:
            return str(home), ()
        door = os.open(home, os.O_RDONLY | os.O_DIRECTORY)
        opened.callback(os.close, door)
        return f"/proc/self/fd/{door}", (door,)

    def _environment(self) -> dict[str, str]:
        """Return the server's environment: nothing of ours, which may hold secrets."""
        return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}

    def _open_log(self) -> BinaryIO:
        self.log.parent.mkdir(mode=0o700, exist_ok=True)
        if self.log.exists() and self.log.stat().st_size > _LOG_BYTES_MAX:
            self.log.replace(self.log.with_suffix(".log.1"))
        return self.log.open("ab")

    def _wait_until_ready(self, process: "subprocess.Popen[bytes]", log_begin: int) -> None:
        deadline = time.monotonic() + _READY_SECONDS
        while not self._is_ready():
            if process.poll() is not None or time.monotonic() > deadline:
                with self.log.open("rb") as log:
                    log.seek(log_begin)
                    complaint = _last_line(log.read().decode(errors="replace"))
                raise EmbeddedServersError(f"{self.name} does not start: {complaint} (see {self.log})")
            time.sleep(0.005)


def make_home(home: Path, account: Account | None) -> None:
    """Make a folder that belongs to the server's account alone."""
    home.mkdir(mode=0o700, exist_ok=True)
    give(home, account)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if "FATAL" in line or "error" in line.lower()]
    return (telling or lines or ["no reason given"])[-1]
