"""Notices that the log is another one than what was made from it says: restored to an earlier point, or replaced.

Every process looks once a second. What disagrees with the log is left alone at once: its own tables are folded anew,
and Redis counts as unavailable. Once all processes have had the time to notice, one of them empties Redis, and the
projections are made again as after any loss. Where the transparency log lost a tree over which a checkpoint was
signed, writes are refused until an operator has accepted that.
"""

import asyncio
import time
from contextlib import suppress
from typing import Final, Literal, TypeAlias

import msgspec
import structlog

from projections.log_marks import LogMarks, Recorded, SignedTree
from projections.redis_connection import RedisConnection, RedisUnavailableError
from service.records.transparency import Transparency
from service.store.errors import StoreError
from service.store.incarnation import Incarnation, IncarnationStore
from service.store.log import Log
from service.tables.cache import TableCache

LogStatus: TypeAlias = Literal["ok", "restored", "went_back"]
_LOOK_SECONDS: Final = 1.0
_ALL_KNOW_SECONDS: Final = 2.5
"""After this time every process has noticed, and none writes to Redis what it knew before."""
_TOLD_SECONDS: Final = 600.0
"""How long `status` tells of a restored log."""
_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(Incarnation).decode
logger = structlog.get_logger("blattwerk.log")


class LogChangedError(Exception):
    """The log is another one: whoever follows it has to begin again."""


class LogWatch:
    """Compares the log with what this process and Redis know of it. One per process."""

    def __init__(
        self,
        log: Log,
        store: IncarnationStore,
        marks: LogMarks,
        redis: RedisConnection,
        cache: TableCache,
        transparency: Transparency,
    ) -> None:
        self._log = log
        self._store = store
        self._marks = marks
        self._redis = redis
        self._cache = cache
        self._transparency = transparency
        self._known: Incarnation | None = None
        self._disagrees_since: float | None = None
        self._changed = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self.restored_at = 0.0
        """When it was last noticed that the log is another one, seconds since 1970 UTC; 0 for never."""

    async def open(self) -> None:
        """Look for the first time, and go on looking."""
        await self._look()
        self._task = asyncio.create_task(self._follow())

    async def close(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    @property
    def status(self) -> LogStatus:
        """What an operator should know: writes are refused, or the log was restored in the last ten minutes."""
        if self._log.went_back:
            return "went_back"
        return "restored" if time.time() - self.restored_at < _TOLD_SECONDS else "ok"

    async def fail_if_changed(self) -> None:
        """Wait until this process notices that the log is another one. LogChangedError then."""
        await self._changed.wait()
        raise LogChangedError

    async def check(self) -> None:
        """Look once. StoreUnavailableError or RedisUnavailableError if what is asked does not answer."""
        present = await self._store.present()
        if present is None:
            return
        if self._known is not None and not await self._store.continues(present, self._known):
            self._note_change("the log is another one than a moment ago")
        self._known = present
        recorded: Recorded | None = None
        try:
            recorded = await self._marks.read()
            self.restored_at = max(self.restored_at, recorded.restored / 1000)
            await self._compare(recorded, present)
        finally:  # what this process has signed itself counts while Redis is away, too
            await self._compare_signed(None if recorded is None else recorded.signed)

    async def accept_loss(self) -> tuple[SignedTree, int] | None:
        """Accept that a signed tree is lost; return it and how many leaves are left, None if nothing is lost."""
        signed = _larger((await self._marks.read()).signed, self._transparency.signed)
        if signed is None or await self._transparency.has(signed):
            return None
        remaining = await self._transparency.size()
        await self._store.accept_loss(signed.size, bytes.fromhex(signed.root), remaining)
        await self._compare_signed(signed)
        return signed, remaining

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            await self._look()

    async def _look(self) -> None:
        with suppress(StoreError, RedisUnavailableError):  # the next look tells
            await self.check()

    async def _compare(self, recorded: Recorded, present: Incarnation) -> None:
        """Leave Redis alone where it was made from another log, and empty it once everybody does so."""
        made_from = None if recorded.incarnation is None else _decoded(recorded.incarnation)
        if made_from is not None and _is_later(made_from, present):
            return  # this process is with a server that is not the primary any more
        if made_from is None or (not self._log.lacks_shown and await self._store.continues(present, made_from)):
            self._redis.suspended, self._disagrees_since = False, None
            if recorded.incarnation != (encoded := _encode(present)):
                await self._marks.keep(recorded.incarnation, encoded)
            return
        now = time.monotonic()
        if self._disagrees_since is None:
            self._redis.suspended, self._disagrees_since = True, now
            self._note_change("Redis was made from another log")
        if now - self._disagrees_since >= _ALL_KNOW_SECONDS and await self._marks.empty(_encode(present)):
            self._log.lacks_shown = False
            logger.warning("what Redis held of another log is deleted: all projections are made anew")

    async def _compare_signed(self, recorded: SignedTree | None) -> None:
        """Refuse writes while a signed tree is lost and nobody has accepted that."""
        signed = _larger(recorded, self._transparency.signed)
        lost = signed is not None and not await self._transparency.has(signed)
        accepted = lost and signed is not None and await self._store.accepted(signed.size, bytes.fromhex(signed.root))
        self._refuse_writes(signed if lost and not accepted else None)
        if signed is None:
            return
        if accepted:
            self._transparency.signed = None
            await self._marks.forget(signed)
        elif signed != recorded:
            await self._marks.sign(signed)

    def _refuse_writes(self, lost: SignedTree | None) -> None:
        went_back = lost is not None
        if lost is not None and not self._log.went_back:
            logger.error("the log lost what was signed: writes are refused", size=lost.size, root=lost.root)
        elif lost is None and self._log.went_back:
            logger.warning("writes are accepted again")
        self._log.went_back = went_back

    def _note_change(self, what: str) -> None:
        logger.error(what)
        self.restored_at = time.time()
        self._cache.clear()
        self._changed.set()
        self._changed = asyncio.Event()


def _decoded(incarnation: bytes) -> Incarnation | None:
    """Return the log that Redis was made from, None if somebody else wrote there: then nobody knows."""
    try:
        return _decode(incarnation)
    except msgspec.DecodeError:
        return None


def _is_later(one: Incarnation, other: Incarnation) -> bool:
    return one.system == other.system and one.timeline > other.timeline


def _larger(one: SignedTree | None, other: SignedTree | None) -> SignedTree | None:
    if one is None or other is None:
        return one or other
    return one if one.size >= other.size else other
