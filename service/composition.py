"""The composition root: how the parts of one process are put together."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import structlog

from projections.log_marks import LogMarks
from projections.redis_connection import connect
from projections.redis_store import RedisStore
from service.accounts.accounts import Accounts
from service.accounts.public_names import PublicNames
from service.accounts.recovery import Recovery
from service.disputes.audit import DisputeAudit
from service.disputes.disputes import Disputes
from service.jobs.ended_matches import EndedMatches
from service.jobs.logged_tables import LoggedTables
from service.jobs.names import NameJobs
from service.jobs.worker import Worker
from service.limits.limits import Limits
from service.records.audit import LogAudit
from service.records.key_check import KeyCheck
from service.records.log_watch import LogWatch
from service.records.primary_check import PrimaryCheck
from service.records.readiness import Readiness
from service.records.records import Records
from service.records.signer import Signer
from service.records.transparency import Transparency
from service.runtime.deadline import is_late
from service.runtime.limits import limits_with
from service.runtime.load import Load
from service.runtime.metrics import Metrics
from service.runtime.settings import Settings
from service.standings.standings import Standings
from service.store.account_codes import AccountCodeStore
from service.store.accounts import AccountStore
from service.store.database import Database
from service.store.disputes import DisputeStore
from service.store.ended_matches import EndedMatchStore
from service.store.errors import StoreError
from service.store.incarnation import IncarnationStore
from service.store.log import Log
from service.store.probes import ProbeStore
from service.store.secret_keys import SecretKeyStore
from service.store.standings import StandingsStore
from service.store.table_codes import TableCodeStore
from service.store.transparency import TransparencyStore
from service.tables.access import Access
from service.tables.cache import TableCache
from service.tables.inbox import Inbox
from service.tables.lobby import Lobby
from service.tables.owed import Owed
from service.tables.recorder import Recorder
from service.tables.replays import Replays
from service.tables.seat_private import SeatPrivate
from service.tables.snapshots import Snapshots
from service.tables.table_codes import TableCodes
from service.tables.table_limits import TableLimits
from service.tables.tables import Tables
from service.tables.views import Views

logger = structlog.get_logger("blattwerk.worker")


class Services:
    """Everything a process works with; `open` before use, `close` at the end."""

    def __init__(self, settings: Settings) -> None:
        key = settings.key_bytes
        self.settings = settings
        self.database = Database(settings.database_dsn, connections=settings.database_connections)
        self.log = Log(self.database)
        self.redis = RedisStore(connect(settings.redis_dsn, is_late))
        self.limits = Limits(limits_with(settings.limits), self.redis.buckets, key=key)
        self.account_store = AccountStore(self.database)
        self.names = PublicNames(self.account_store)
        self.accounts = Accounts(self.account_store, self.redis.broadcasts, self.names, self.limits, key=key)
        self.recovery = Recovery(AccountCodeStore(self.database), self.accounts, self.limits, key=key)
        self.snapshots = Snapshots(self.log, self.redis.snapshots, key=key)
        self.cache = TableCache(self.log, self.snapshots, settings.cache_tables)
        self.table_code_store = TableCodeStore(self.database)
        self.access = Access(self.cache, self.table_code_store)
        self.views = Views(self.redis.views, self.log, self.cache, self.access, self.names)
        self.recorder = Recorder(self.log, self.cache, self.snapshots, self.views, key=key)
        self.table_limits = TableLimits(self.limits, self.redis.lists)
        self.tables = Tables(self.log, self.cache, self.access, self.recorder, self.views, self.table_limits)
        self.table_codes = TableCodes(
            self.table_code_store, self.tables, self.access, self.recorder, self.limits, base_url=settings.base_url
        )
        self.seat_private = SeatPrivate(self.cache, self.recorder, self.views)
        self.replays = Replays(self.log, self.cache, self.access, self.snapshots, self.names)
        self.lobby = Lobby(self.redis.lists, self.cache, self.views, key=key)
        self.ended_match_store = EndedMatchStore(self.database)
        self.inbox = Inbox(self.redis.own_tables, self.ended_match_store, self.names, self.cache, self.views, key=key)
        self.owed = Owed(self.log, self.account_store, self.redis.checkpoints)
        self.signer = Signer(key, settings.origin)
        self.transparency_store = TransparencyStore(self.database)
        self.log_marks = LogMarks(connect(settings.redis_dsn))
        self.primary_check = PrimaryCheck(self.database, self.log_marks, self._believe_nothing)
        self.database.primary = self.primary_check
        self.transparency = Transparency(self.transparency_store, self.log, self.signer, self.log_marks)
        self.log_watch = LogWatch(
            self.log,
            IncarnationStore(self.database),
            self.log_marks,
            self.redis.connection,
            self.cache,
            self.transparency,
        )
        self.records = Records(self.log, self.cache, self.signer, self.transparency)
        self.standings_store = StandingsStore(self.database)
        self.standings = Standings(self.standings_store, self.log, self.redis.standings, key=key)
        self.dispute_store = DisputeStore(self.database)
        self.disputes = Disputes(
            self.log, self.dispute_store, self.cache, self.access, self.views, self.snapshots, key=key
        )
        self.audit = LogAudit(
            self.log,
            self.records,
            self.transparency,
            DisputeAudit(self.log, self.dispute_store, self.cache, self.snapshots),
        )
        self.logged_tables = LoggedTables(self.log, self.transparency_store)
        self.ended_matches = EndedMatches(self.ended_match_store, self.transparency_store, self.snapshots)
        self.name_jobs = NameJobs(self.account_store, self.redis, self.access, self.tables, self.logged_tables)
        self.worker = Worker(
            self.log,
            self.redis,
            self.cache,
            self.tables,
            self.views,
            self.transparency,
            self.logged_tables,
            self.standings,
            self.disputes,
            self.log_watch,
            self.name_jobs,
            self.ended_matches,
            bot_seconds=settings.bot_milliseconds / 1000,
        )
        self.key_check = KeyCheck(SecretKeyStore(self.database), self.signer, key=key)
        self.readiness = Readiness(ProbeStore(self.database), self.key_check, self.primary_check, self.owed)
        self.load = Load(settings.requests_max)
        self.metrics = Metrics()
        self.metrics.watch_load(lambda: self.load.in_work, lambda: self.load.room, lambda: self.load.refused)
        self.metrics.watch_readiness(lambda: self.readiness.writable, lambda: not self.redis.connection.failing)
        self.metrics.watch_log(lambda: self.log.went_back, lambda: self.log_watch.restored_at)
        self.metrics.watch_primary(lambda: self.primary_check.outdated or self.primary_check.outdated_somewhere)
        self.metrics.count_unreadable(self.cache.unreadable.counts)
        self._stack = AsyncExitStack()

    async def open(self) -> None:
        """Connect to database and Redis. The database has to answer, Redis need not."""
        try:
            await self._open()
        except StoreError:
            await self._stack.aclose()
            raise

    async def _open(self) -> None:
        self._stack.push_async_callback(self.log_marks.close)
        await self.database.open()
        self._stack.push_async_callback(self.database.close)
        self._stack.push_async_callback(self.primary_check.close)
        await self.primary_check.open()
        self._stack.push_async_callback(self.cache.close)
        await self.key_check.require_in_force()
        await self.log.open()
        self._stack.push_async_callback(self.log.close)
        identity = await self.log.identity()
        self._stack.push_async_callback(self.log_watch.close)
        await self.log_watch.open()  # before anything of Redis is believed
        await self.redis.open(identity)
        self._stack.push_async_callback(self.redis.close)
        self._stack.push_async_callback(self.readiness.close)
        await self.readiness.open()
        self.accounts.listen()
        self._stack.push_async_callback(self.accounts.close)
        self.names.listen()
        self._stack.push_async_callback(self.names.close)

    def _believe_nothing(self) -> None:
        """Believe neither memory nor Redis about another log, until the watch of the log has compared them with it."""
        self.cache.clear()
        self.redis.connection.suspended = True

    async def close(self) -> None:
        """Finish what is under way and disconnect."""
        await self._stack.aclose()


@asynccontextmanager
async def opened(settings: Settings) -> AsyncIterator[Services]:
    """Open everything that a process works with, and close it at the end."""
    services = Services(settings)
    await services.open()
    try:
        yield services
    finally:
        await services.close()


async def work(settings: Settings) -> None:
    """Run a worker until cancelled."""
    async with opened(settings) as services:
        logger.info("worker runs")
        await services.worker.run()
