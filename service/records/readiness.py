"""Whether this process is ready for requests: what its own probe last found, so that nobody who asks has to wait."""

import asyncio
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Final, Literal, TypeAlias

import structlog

from service.records.key_check import KeyCheck
from service.records.primary_check import PrimaryCheck
from service.runtime.draining import draining
from service.store.errors import StoreError
from service.store.probes import ProbeStore
from service.tables.owed import UNKNOWN, Owed

NotReady: TypeAlias = Literal["database_not_writable", "draining", "log_outdated", "wrong_key"]
PROBE_SECONDS: Final = 2.0
"""The pause between two probes."""
_PROBE_SECONDS_MAX: Final = 3.0
"""How long a probe may take; a result that is older than both together counts as none."""
logger: Final = structlog.get_logger("blattwerk.readiness")


class Readiness:
    """Probes the database, and looks what Redis owes. One per process."""

    def __init__(self, store: ProbeStore, key_check: KeyCheck, primary_check: PrimaryCheck, owed: Owed) -> None:
        self._store = store
        self._primary_check = primary_check
        self._key_check = key_check
        self._owed = owed
        self.owed_seconds: Mapping[str, float] = UNKNOWN
        """What Redis owed at the last probe, by projection; see `Owed.seconds`."""
        self._wrong_key = False
        self._written = 0.0
        """When a probe last worked, on the monotonic clock."""
        self._failed = False
        self._task: asyncio.Task[None] | None = None

    async def open(self) -> None:
        """Probe for the first time, and go on probing."""
        await self._probe()
        self._task = asyncio.create_task(self._follow())

    async def close(self) -> None:
        """Probe no more."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task

    @property
    def writable(self) -> bool:
        """Whether the database took the last write that this process tried."""
        return not self._failed and time.monotonic() - self._written < PROBE_SECONDS + _PROBE_SECONDS_MAX

    @property
    def reason(self) -> NotReady | None:
        """Why no requests should come here, None if they should."""
        if draining():
            return "draining"
        if self._primary_check.outdated:
            return "log_outdated"
        if not self.writable:
            return "database_not_writable"
        return "wrong_key" if self._wrong_key else None

    async def _follow(self) -> None:
        while True:
            await asyncio.sleep(PROBE_SECONDS)
            await self._probe()

    async def _probe(self) -> None:
        try:
            async with asyncio.timeout(_PROBE_SECONDS_MAX):
                await self._store.probe()
                self._wrong_key = not await self._key_check.is_in_force()
        except (StoreError, TimeoutError) as error:
            if not self._failed:
                logger.error("the database takes no writes", reason=str(error))
            self._failed = True
        else:
            if self._failed:
                logger.warning("the database takes writes again")
            self._failed, self._written = False, time.monotonic()
            self.owed_seconds = await self._ask_owed()

    async def _ask_owed(self) -> Mapping[str, float]:
        try:
            async with asyncio.timeout(_PROBE_SECONDS_MAX):
                return await self._owed.seconds()
        except TimeoutError:
            return UNKNOWN
