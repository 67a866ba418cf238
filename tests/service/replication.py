"""A primary and its synchronous standby, real servers, and addresses that can be moved from one to the other."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

import psycopg

from service.embedded import EmbeddedServers, embedded_servers
from service.embedded.account import servers_account
from service.embedded.folder import socket_folder
from service.embedded.postgres import DATABASE, ROLE, Postgres
from service.embedded.process import make_home
from service.store.migrations import migrate

ENDED: Final = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = %s"
"""Ends the connections of an application by its name."""
_COPY: Final = ("--wal-method=stream", "--checkpoint=fast", "--no-sync", "--write-recovery-conf")


class Standby(Postgres):
    """A copy of a server, which follows it until it is promoted."""

    def copy(self, primary: str) -> None:
        """Make the copy."""
        self.home.parent.mkdir(exist_ok=True)
        make_home(self.home, self._account)
        self._run(self.home, self._programs / "pg_basebackup", *_COPY, "-d", primary)

    def _is_ready(self) -> bool:
        try:
            state = (self.home / "postmaster.pid").read_text().splitlines()[7].strip()
        except (FileNotFoundError, IndexError):
            return False
        return state in ("standby", "ready")


class Pair:
    """Two servers, the second a synchronous standby of the first one until it is promoted; and Redis."""

    def __init__(self, servers: EmbeddedServers, standby: Standby, folder: Path) -> None:
        self.old, self.new, self.redis_url = servers.postgres, standby, servers.redis_url
        self._folder = folder

    def address(self, name: str) -> "Address":
        """An address of its own that leads to the first server."""
        return Address(self, name)

    def promote(self) -> None:
        """Let the standby take writes, whatever the first server does."""
        execute(self.new.url, "select pg_promote()")

    def folder_of(self, name: str) -> Path:
        """Where an address is kept."""
        return self._folder / name

    def accept_writes_alone(self) -> None:
        """Let the first server acknowledge what no standby has."""
        execute(self.old.url, "alter system set synchronous_standby_names = ''")
        execute(self.old.url, "select pg_reload_conf()")


class Address:
    """What a service has in its settings, as a name or a virtual address: it can be moved."""

    def __init__(self, pair: Pair, name: str) -> None:
        self._name, self._pair = name, pair
        self._link = pair.folder_of(name)
        self._link.symlink_to(pair.old.sockets)
        self.url = f"postgresql://{ROLE}@/{DATABASE}?host={quote(str(self._link), safe='')}&application_name={name}"

    def move(self) -> None:
        """Let it lead to the second server. Connections to the first one stay where they are."""
        moved = self._link.with_suffix(".moved")
        moved.symlink_to(self._pair.new.sockets)
        os.replace(moved, self._link)

    def cut(self) -> None:
        """End the connections to the first server that were made by this address."""
        execute(self._pair.old.url, ENDED, self._name)


def execute(url: str, statement: str, *parameters: str) -> None:
    """Execute one statement."""
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement, parameters or None)


@contextmanager
def replicated(folder: Path) -> Iterator[Pair]:
    """Run both servers and Redis until the block ends; every commit waits for the standby."""
    with embedded_servers(folder / "data", durable=False) as servers:
        migrate(servers.database_url)
        place = folder / "standby"
        place.mkdir()
        account = servers_account(servers.postgres.home)
        if account is not None:
            shutil.chown(place, account.uid, account.gid)
        with socket_folder(place, account) as sockets:
            standby = Standby(place, sockets, account, durable=False)
            standby.copy(servers.database_url)
            try:
                standby.start()
                execute(servers.database_url, "alter system set synchronous_standby_names = 'ANY 1 (*)'")
                execute(servers.database_url, "select pg_reload_conf()")
                yield Pair(servers, standby, folder)
            finally:
                standby.stop()
