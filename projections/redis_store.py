"""Everything that a process keeps in Redis, over one connection.

Redis may be empty, older than the log or unavailable at any time: then the caller folds from the log instead. The
module of each part says which keys it has.
"""

import asyncio
from contextlib import suppress
from typing import Final

from projections.broadcasts import Broadcasts
from projections.buckets import Buckets
from projections.checkpoints import Checkpoints
from projections.generations import Generations
from projections.names_in_views import NamesInViews
from projections.own_tables import OwnTables
from projections.redis_connection import RedisConnection, RedisUnavailableError
from projections.snapshot_store import SnapshotStore
from projections.standings import StandingsCopy
from projections.table_lists import TableLists
from projections.view_store import ViewStore

_CLOSE_SECONDS_MAX: Final = 2.0
"""How long closing waits for a Redis that may be unavailable."""


class RedisStore:
    """The parts of what is kept in Redis. One per process; `open` before use, `close` at the end."""

    def __init__(self, connection: RedisConnection) -> None:
        self.connection = connection
        self.generations = Generations(connection)
        self.checkpoints = Checkpoints(connection, self.generations)
        self.views = ViewStore(connection, self.generations)
        self.names = NamesInViews(connection, self.generations)
        self.lists = TableLists(connection, self.generations)
        self.own_tables = OwnTables(connection, self.generations, self.lists)
        self.snapshots = SnapshotStore(connection, self.generations)
        self.standings = StandingsCopy(connection, self.generations)
        self.buckets = Buckets(connection, self.generations)
        self.broadcasts = Broadcasts(connection, self.generations)
        self._refresher: asyncio.Task[None] | None = None

    async def open(self, identity: str) -> None:
        """Learn the generations and keep them fresh; a Redis that is unavailable is no error.

        `identity` is that of the database from which everything is made.
        """
        self.generations.prefix = f"bw:{identity}"
        self.connection.on_wrong_type = (self.generations.spoil,)
        with suppress(RedisUnavailableError):
            await self.generations.refresh()
        self._refresher = asyncio.create_task(self.generations.keep_fresh())

    async def close(self) -> None:
        """Finish what was asked and disconnect."""
        running = [task for task in (self._refresher, self.broadcasts.listener) if task is not None]
        for task in running:
            task.cancel()
        if running:  # each returns its connection before the library closes all
            await asyncio.wait(running, timeout=_CLOSE_SECONDS_MAX)
        await self.connection.close()
