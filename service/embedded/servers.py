"""Both servers together: started in order, written down, restarted when they die, stopped."""

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from service.embedded.account import servers_account
from service.embedded.folder import (
    DataFolderError,
    held,
    is_held,
    read_note,
    remove_note,
    socket_folder,
    stop_leftovers,
    write_note,
)
from service.embedded.postgres import Postgres, owned_by_another
from service.embedded.redis import Redis


@dataclass(frozen=True, slots=True)
class EmbeddedServers:
    """Running servers and their addresses, which stay the same until the end of the block."""

    folder: Path
    postgres: Postgres
    redis: Redis

    @property
    def database_url(self) -> str:
        """Address of the database, as psycopg takes it."""
        return self.postgres.url

    @property
    def redis_url(self) -> str:
        """Address of the Redis-compatible server, as redis-py takes it."""
        return self.redis.url

    def restart_dead(self) -> list[str]:
        """Start again what died by itself; the names of those servers."""
        restarted = [server.name for server in (self.postgres, self.redis) if server.restart_if_dead()]
        if restarted:
            self.write_note()
        return restarted

    def write_note(self) -> None:
        """Write down addresses and process ids for commands that join, and for the start after a crash."""
        note: dict[str, str | int] = {
            "service": os.getpid(),
            "postgres": self.postgres.pid or 0,
            "redis": self.redis.pid or 0,
            "sockets": str(self.postgres.sockets),
            "database_url": self.database_url,
            "redis_url": self.redis_url,
        }
        write_note(self.folder, note)


@contextmanager
def embedded_servers(data_folder: Path, *, durable: bool = True) -> Iterator[EmbeddedServers]:
    """Run the servers on a data folder, made if it does not exist, with the data it holds.

    To be entered in the main thread: on Linux the servers also stop when the thread that started them ends,
    so that nothing is left of a service that was killed. `durable=False`, for tests, spares the disk: a
    crash of the machine may then lose data. Raises `EmbeddedServersError` with one line of explanation.
    """
    folder = data_folder.resolve()
    cluster = folder / "postgres"
    with ExitStack() as running:
        running.enter_context(held(folder))
        if owned_by_another(cluster):
            raise DataFolderError(f"{cluster} belongs to another account")
        stop_leftovers(folder)
        account = servers_account(cluster)
        sockets = running.enter_context(socket_folder(folder, account))
        servers = EmbeddedServers(
            folder=folder,
            postgres=Postgres(folder, sockets, account, durable=durable),
            redis=Redis(folder, sockets, account),
        )
        running.callback(remove_note, folder)
        for server in (servers.postgres, servers.redis):
            running.callback(server.stop)
            server.start()
            servers.write_note()
        yield servers


def running_servers(data_folder: Path) -> tuple[str, str] | None:
    """Return the addresses of database and Redis if a service runs on this data folder, else None."""
    folder = data_folder.resolve()
    note = read_note(folder) if is_held(folder) else {}
    if "redis_url" not in note or not note.get("redis"):
        return None
    return str(note["database_url"]), str(note["redis_url"])
