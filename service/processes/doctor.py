"""What is wrong with a service and what it needs, in words for its operator, with details that HTTP never shows."""

import asyncio
import math
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from msgspec import Struct

from projections.redis_connection import RedisUnavailableError, connect
from service.composition import Services, opened
from service.errors import UnreadableError
from service.runtime.settings import Settings
from service.store.database import Database
from service.store.errors import StoreError
from service.store.migrations import pending
from service.store.probes import ProbeStore
from service.tables.owed import OWED_SECONDS_MAX

_READING_SECONDS_MAX: Final = 10.0
"""How long open tables are read, the newest ones first."""
_TOGETHER: Final = 16
_NAMED_MAX: Final = 10
"""So many tables that cannot be read are named."""


class Finding(Struct, frozen=True):
    """What was found out about one thing."""

    about: str
    well: bool
    detail: str


async def examine(settings: Settings) -> list[Finding]:
    """Look at everything, whatever of it is missing; at the service itself only where schema and database are well."""
    needed = [_schema(settings), await _database(settings), await _redis(settings)]
    if not all(finding.well for finding in needed[:2]):
        return needed
    try:
        async with opened(settings) as services:
            return [*needed, await _log(services), await _owed(services), await _tables(services)]
    except StoreError as error:
        return [*needed, Finding("service", False, str(error))]


def _schema(settings: Settings) -> Finding:
    try:
        missing = pending(settings.database_dsn)
    except StoreError as error:
        return Finding("schema", False, str(error))
    if missing:
        return Finding("schema", False, f"not applied: {', '.join(missing)}; run blattwerk migrate")
    return Finding("schema", True, "up to date")


async def _database(settings: Settings) -> Finding:
    database = Database(settings.database_dsn, connections=2)
    try:
        await database.open()
        await ProbeStore(database).probe()
    except StoreError as error:
        reason = str(error) if error.__cause__ is None else f"{error}: {error.__cause__}"
        return Finding("database", False, reason)
    else:
        return Finding("database", True, "takes writes")
    finally:
        await database.close()


async def _redis(settings: Settings) -> Finding:
    redis = connect(settings.redis_dsn)
    try:
        await redis.ping()
    except RedisUnavailableError as error:
        return Finding("Redis", False, f"{error}; everything works without it, more slowly")
    else:
        return Finding("Redis", True, "takes writes")
    finally:
        await redis.close()


async def _log(services: Services) -> Finding:
    """Say whether the log is the one that everything was made from."""
    try:
        await services.log_watch.check()
    except RedisUnavailableError as error:
        return Finding("log", False, f"whether it went back is not known: {error}")
    watch = services.log_watch
    match watch.status:
        case "went_back":
            return Finding(
                "log", False, "lost matches over which a checkpoint was signed: writes are refused (log_went_back); "
                "restore a later backup, or run blattwerk log accept-loss"
            )  # fmt: skip
        case "restored":
            at = datetime.fromtimestamp(watch.restored_at, UTC)
            left_alone = services.redis.connection.suspended
            detail = "Redis is left alone until it is emptied" if left_alone else "what Redis holds was made anew"
            return Finding("log", not left_alone, f"restored or replaced at {at:%Y-%m-%d %H:%M:%S} UTC; {detail}")
        case "ok":
            return Finding("log", True, "has not gone back")


async def _owed(services: Services) -> Finding:
    """Say what Redis has not acknowledged, and since when."""
    seconds = await services.owed.seconds()
    unknown = [projection for projection, each in seconds.items() if math.isnan(each)]
    since = [
        f"{projection} since {datetime.fromtimestamp(time.time() - each, UTC):%Y-%m-%d %H:%M:%S} UTC ({each:.0f} s)"
        for projection, each in seconds.items()
        if each > 0
    ]
    unknown_too = [f"not known of {', '.join(unknown)}: Redis is empty or away, or no worker runs"] if unknown else []
    well = not unknown and max(seconds.values()) <= OWED_SECONDS_MAX
    return Finding("owed to Redis", well, "; ".join([*since, *unknown_too]) or "nothing")


async def _tables(services: Services) -> Finding:
    """Read open tables, the newest first, for as long as there is time."""
    unreadable: list[UnreadableError] = []
    count, until, all_read = 0, time.monotonic() + _READING_SECONDS_MAX, True
    async for streams in _grouped(services.logged_tables.newest(ended_max=0)):
        if time.monotonic() > until:
            all_read = False
            break
        found = await asyncio.gather(*[services.cache.get(stream) for stream in streams], return_exceptions=True)
        for each in found:
            if isinstance(each, UnreadableError):
                unreadable.append(each)
            elif isinstance(each, BaseException):
                raise each
        count += len(streams)
    read = f"{'all' if all_read else 'the newest'} {count} open tables"
    if not unreadable:
        return Finding("tables", True, f"{read} can be read")
    named = ", ".join(f"{error.stream} ({error.code})" for error in unreadable[:_NAMED_MAX])
    more = ", ..." if len(unreadable) > _NAMED_MAX else ""
    return Finding("tables", False, f"{len(unreadable)} of {read} cannot be read: {named}{more}; run blattwerk audit")


async def _grouped(streams: AsyncIterator[UUID]) -> AsyncIterator[list[UUID]]:
    group: list[UUID] = []
    async for stream in streams:
        group.append(stream)
        if len(group) == _TOGETHER:
            yield group
            group = []
    if group:
        yield group
