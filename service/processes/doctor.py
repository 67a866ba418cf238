"""What is wrong with what a service needs, in words for its operator, with the details that HTTP never shows."""

from msgspec import Struct

from projections.redis_connection import RedisUnavailableError, connect
from service.runtime.settings import Settings
from service.store.database import Database
from service.store.errors import StoreError
from service.store.migrations import pending
from service.store.probes import ProbeStore


class Finding(Struct, frozen=True):
    """What was found out about one thing that the service needs."""

    about: str
    well: bool
    detail: str


async def examine(settings: Settings) -> list[Finding]:
    """Look at everything that the service needs, whatever of it is missing."""
    return [_schema(settings), await _database(settings), await _redis(settings)]


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
