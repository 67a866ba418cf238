"""The composition root: how the parts of one process are put together."""

from contextlib import AsyncExitStack
from typing import TYPE_CHECKING

from projections.redis_connection import connect
from projections.redis_store import RedisStore
from service.accounts.accounts import Accounts
from service.api.patience import Patience
from service.disputes.disputes import Disputes
from service.records.records import Records
from service.records.signer import Signer
from service.records.transparency import Transparency
from service.runtime.metrics import Metrics
from service.standings.standings import Standings
from service.store.accounts import AccountStore
from service.store.database import Database
from service.store.disputes import DisputeStore
from service.store.log import Log
from service.store.standings import StandingsStore
from service.store.transparency import TransparencyStore
from service.tables.access import Access
from service.tables.live_table import TableCache
from service.tables.lobby import Lobby
from service.tables.recorder import Recorder
from service.tables.replays import Replays
from service.tables.seat_private import SeatPrivate
from service.tables.snapshots import Snapshots
from service.tables.tables import Tables
from service.tables.views import Views

if TYPE_CHECKING:
    from service.runtime.settings import Settings


class Services:
    """Everything a process works with; `open` before use, `close` at the end."""

    def __init__(self, settings: "Settings") -> None:
        key = settings.key_bytes
        self.settings = settings
        self.database = Database(settings.database_dsn, connections=settings.database_connections)
        self.log = Log(self.database)
        self.redis = RedisStore(connect(settings.redis_dsn))
        self.account_store = AccountStore(self.database)
        self.accounts = Accounts(self.account_store, self.redis.broadcasts, key=key)
        self.snapshots = Snapshots(self.log, self.redis.snapshots, key=key)
        self.cache = TableCache(self.log, self.snapshots, settings.cache_tables)
        self.views = Views(self.redis.views, self.log, self.cache, self.accounts)
        self.access = Access(self.cache)
        self.recorder = Recorder(self.log, self.cache, self.snapshots, self.views, key=key)
        self.tables = Tables(self.log, self.cache, self.access, self.recorder, self.views, self.redis.lists)
        self.seat_private = SeatPrivate(self.log, self.cache, self.access, self.recorder, self.views)
        self.replays = Replays(self.log, self.cache, self.snapshots, self.accounts)
        self.lobby = Lobby(self.redis.lists, self.log, self.cache, self.views, key=key)
        self.signer = Signer(key, settings.origin)
        self.transparency_store = TransparencyStore(self.database)
        self.transparency = Transparency(self.transparency_store, self.log, self.signer)
        self.records = Records(self.log, self.tables, self.signer, self.transparency)
        self.standings_store = StandingsStore(self.database)
        self.standings = Standings(self.standings_store, self.log, self.redis.standings, key=key)
        self.dispute_store = DisputeStore(self.database)
        self.disputes = Disputes(self.log, self.dispute_store, self.cache, self.views, self.snapshots, key=key)
        self.metrics = Metrics()
        self.body_patience = Patience(settings.body_seconds)
        self.contract = b""
        self._stack = AsyncExitStack()

    async def open(self) -> None:
        """Connect to database and Redis. The database has to answer, Redis need not."""
        await self.database.open()
        self._stack.push_async_callback(self.database.close)
        self._stack.push_async_callback(self.cache.close)
        await self.log.open()
        self._stack.push_async_callback(self.log.close)
        await self.redis.open()
        self._stack.push_async_callback(self.redis.close)
        self.accounts.listen()
        self._stack.push_async_callback(self.accounts.close)
        self._stack.callback(self.body_patience.close)

    async def close(self) -> None:
        """Finish what is under way and disconnect."""
        await self._stack.aclose()
