"""The servers below the service: two places for PostgreSQL, of which one has the primary, and Redis."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import psutil
import psycopg

from service.embedded.account import Account, EmbeddedServersError, servers_account
from service.embedded.folder import socket_folder
from service.embedded.postgres import DATABASE, ROLE, Postgres
from service.embedded.process import Server, make_home
from service.embedded.redis import Redis

START_SECONDS: Final = 120.0
_STANDBY_SECONDS: Final = 60.0
_ALL_WAIT_SECONDS: Final = 0.5
"""After this time every session has heard that commits wait for the standby."""
_DISK_BYTES: Final = 6 * 1024**3


class Place(Postgres):
    """A place where PostgreSQL can run, as primary or as standby."""

    def __init__(self, folder: Path, sockets: Path, account: Account | None, clock: dict[str, str]) -> None:
        super().__init__(folder, sockets, account, durable=True)
        self._clock = clock

    def connect(self) -> psycopg.Connection[Any]:
        """Return a connection of a superuser."""
        return psycopg.connect(self.url, autocommit=True, connect_timeout=5)

    def copy(self, primary: "Place") -> None:
        """Make this place a standby of another one, instead of what it was; it is to be started."""
        shutil.rmtree(self.home, ignore_errors=True)
        make_home(self.home, self._account)
        source = f"host={primary.sockets} user={ROLE} application_name=standby"
        arguments = (
            "--checkpoint=fast",
            "--wal-method=stream",
            "--no-sync",
            "--write-recovery-conf",
            f"--dbname={source}",
        )
        self._run(self.home, self._programs / "pg_basebackup", *arguments)

    def _environment(self) -> dict[str, str]:
        return {**super()._environment(), **self._clock}

    def _is_ready(self) -> bool:
        try:
            lines = (self.home / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) >= 8 and lines[0] == str(self.pid) and lines[7].strip() in ("ready", "standby")


class Cache(Redis):
    """Redis with a clock that can be set."""

    def __init__(self, folder: Path, sockets: Path, account: Account | None, clock: dict[str, str]) -> None:
        super().__init__(folder, sockets, account)
        self._clock = clock

    def _environment(self) -> dict[str, str]:
        return {**super()._environment(), **self._clock}


class Database:
    """PostgreSQL in one of two places; the service knows both addresses."""

    def __init__(self, places: tuple[Place, Place]) -> None:
        self.primary, self.other = places
        hosts = ",".join(quote(str(place.sockets), safe="") for place in places)
        self.url = f"postgresql://{ROLE}@/{DATABASE}?host={hosts}&target_session_attrs=read-write"

    def make_standby(self) -> None:
        """Start a synchronous standby in the other place, and wait until every commit waits for it."""
        self.other.copy(self.primary)
        self.other.start()
        with self.primary.connect() as connection:
            _set_synchronous(connection, "standby")
            until = time.monotonic() + _STANDBY_SECONDS
            while not connection.execute("select 1 from pg_stat_replication where sync_state = 'sync'").fetchone():
                if time.monotonic() > until:
                    _set_synchronous(connection, "")
                    raise TimeoutError("the standby does not follow")
                time.sleep(0.05)
            time.sleep(_ALL_WAIT_SECONDS)

    def promote(self) -> None:
        """Let the standby be the primary, without a standby of its own."""
        with self.other.connect() as connection:
            connection.execute("select pg_promote(true, 60)")
            _set_synchronous(connection, "")
        self.primary, self.other = self.other, self.primary


def _set_synchronous(connection: psycopg.Connection[Any], names: str) -> None:
    connection.execute(f"alter system set synchronous_standby_names = '{names}'")
    connection.execute("select pg_reload_conf()")


def start_again(server: Server) -> None:
    """Start a server that is down, as often as it takes: what is left of a killed one may be in its way."""
    until = time.monotonic() + START_SECONDS
    while server.pid is None:
        try:
            server.start()
        except EmbeddedServersError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def kill(server: Server) -> None:
    """Kill a server with everything that it has started."""
    if server.pid is None:
        return
    process = psutil.Process(server.pid)
    for each in (process, *process.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):
            each.kill()
    server.stop()  # waits for its end


class Disk:
    """A file system of its own for each place of PostgreSQL, which can be full."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @staticmethod
    def missing() -> str | None:
        """Return why there is none here, None if there can be."""
        return None if os.geteuid() == 0 and shutil.which("mount") else "only root can mount a small file system"

    def fill(self) -> None:
        """Leave no room."""
        status = os.statvfs(self._folder)
        self._resize((status.f_blocks - status.f_bfree) * status.f_frsize)

    def free(self) -> None:
        """Leave room again."""
        self._resize(_DISK_BYTES)

    def _resize(self, size: int) -> None:
        subprocess.run(("mount", "-o", f"remount,size={size}", self._folder), check=True)


@contextmanager
def mounted(folder: Path) -> Iterator[Disk]:
    """Mount a small file system on a folder until the end of the block."""
    subprocess.run(("mount", "-t", "tmpfs", "-o", f"size={_DISK_BYTES},mode=755", "soak", folder), check=True)
    try:
        yield Disk(folder)
    finally:
        subprocess.run(("umount", "--lazy", folder), check=True)


@contextmanager
def running_servers(
    folder: Path, clocks: Mapping[str, dict[str, str]], *, small_disk: bool
) -> Iterator[tuple[Database, Cache, dict[Place, Disk]]]:
    """Run PostgreSQL and Redis until the end of the block. To be entered in the main thread, with which they end."""
    account = servers_account(folder / "none")
    with ExitStack() as running:
        places, disks = [], {}
        for name in ("one", "two", "redis"):
            (folder / name).mkdir(mode=0o755)
        for name in ("one", "two"):
            disk = running.enter_context(mounted(folder / name)) if small_disk else None
            sockets = running.enter_context(socket_folder(folder / name, account))
            place = Place(folder / name, sockets, account, clocks.get("database", {}))
            running.callback(place.stop)
            places.append(place)
            if disk is not None:
                disks[place] = disk
        sockets = running.enter_context(socket_folder(folder / "redis", account))
        cache = Cache(folder / "redis", sockets, account, clocks.get("redis", {}))
        running.callback(cache.stop)
        places[0].start()
        cache.start()
        yield Database((places[0], places[1])), cache, disks


@contextmanager
def frozen(server: Server) -> Iterator[None]:
    """Stop a server and all that it has started, as a machine does that hangs."""
    with stopped(*([] if server.pid is None else [psutil.Process(server.pid)])):
        yield


@contextmanager
def stopped(*processes: psutil.Process) -> Iterator[None]:
    """Let processes, and all below them, stand still until the end of the block."""
    whole = [each for process in processes for each in (process, *process.children(recursive=True))]
    for each in whole:
        with suppress(psutil.NoSuchProcess):
            each.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for each in whole:
            with suppress(psutil.NoSuchProcess):
                each.send_signal(signal.SIGCONT)
