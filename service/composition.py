"""The composition root: how the parts of one process are put together."""

from contextlib import AsyncExitStack

from projections.redis_store import RedisStore
from projections.standings import StandingsCopy
from service.accounts.accounts import Accounts
from service.disputes.disputes import Disputes
from service.records.records import Records
from service.records.signer import Signer
from service.records.transparency import Transparency
from service.runtime.metrics import Metrics
from service.runtime.settings import Settings
from service.standings.standings import Standings
from service.store.accounts import AccountStore
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


class Services:
    """Everything a process works with; `open` before use, `close` at the end."""

    def __init__(self, settings: Settings) -> None:
        key = settings.key_bytes
        self.settings = settings
        self.log = Log(settings.database_dsn)
        self.redis = RedisStore(settings.redis_dsn)
        self.account_store = AccountStore(settings.database_dsn)
        self.accounts = Accounts(self.account_store, self.redis, key=key)
        self.snapshots = Snapshots(self.log, self.redis, key=key)
        self.cache = TableCache(self.log, self.snapshots, settings.cache_tables)
        self.views = Views(self.redis, self.log, self.cache, self.accounts)
        self.access = Access(self.cache)
        self.recorder = Recorder(self.log, self.cache, self.snapshots, self.views, key=key)
        self.tables = Tables(self.log, self.cache, self.access, self.recorder, self.views, self.redis)
        self.seat_private = SeatPrivate(self.log, self.cache, self.access, self.recorder, self.views)
        self.replays = Replays(self.log, self.cache, self.snapshots, self.accounts)
        self.lobby = Lobby(self.redis, self.log, self.cache, self.views, key=key)
        self.signer = Signer(key, settings.origin)
        self.transparency_store = TransparencyStore(settings.database_dsn)
        self.transparency = Transparency(self.transparency_store, self.log, self.signer)
        self.records = Records(self.log, self.tables, self.signer, self.transparency)
        self.standings_store = StandingsStore(settings.database_dsn)
        self.standings = Standings(self.standings_store, self.log, StandingsCopy(self.redis), key=key)
        self.dispute_store = DisputeStore(settings.database_dsn)
        self.disputes = Disputes(self.log, self.dispute_store, self.cache, self.views, self.snapshots, key=key)
        self.metrics = Metrics()
        self._stack = AsyncExitStack()

    async def open(self) -> None:
        """Connect to database and Redis. The database has to answer, Redis need not."""
        await self.log.open()
        self._stack.push_async_callback(self.log.close)
        await self.account_store.open()
        self._stack.push_async_callback(self.account_store.close)
        await self.transparency_store.open()
        self._stack.push_async_callback(self.transparency_store.close)
        await self.standings_store.open()
        self._stack.push_async_callback(self.standings_store.close)
        await self.dispute_store.open()
        self._stack.push_async_callback(self.dispute_store.close)
        await self.redis.open()
        self._stack.push_async_callback(self.redis.close)
        self.accounts.listen()
        self._stack.push_async_callback(self.accounts.close)

    async def close(self) -> None:
        """Finish what is under way and disconnect."""
        await self._stack.aclose()
