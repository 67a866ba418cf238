"""Snapshots of tables in Redis (see `snapshots` for what they hold); the same in every generation.

bw:<identity>:snapshots:{<table>}    hash: version -> snapshot
"""

from projections.generations import Generations
from projections.redis_connection import RedisConnection
from projections.view_store import VIEW_TTL_SECONDS


class SnapshotStore:
    """Snapshots of tables by version. All methods raise RedisUnavailableError if Redis does not answer."""

    def __init__(self, connection: RedisConnection, generations: Generations) -> None:
        self._connection = connection
        self._generations = generations

    async def keep_snapshot(self, table: str, version: int, content: bytes) -> None:
        """Keep a snapshot of a table at a version."""
        key = self._key(table)
        await self._connection.round_trip(("HSET", key, version, content), ("EXPIRE", key, VIEW_TTL_SECONDS))

    async def snapshots(self, table: str) -> list[int]:
        """Return the versions of a table of which a snapshot is kept, in no order."""
        (versions,) = await self._connection.round_trip(("HKEYS", self._key(table)))
        return [int(version) for version in versions if version.isdigit()]

    async def snapshot(self, table: str, version: int) -> bytes | None:
        """Return a kept snapshot, None if it is gone."""
        content: bytes | None
        (content,) = await self._connection.round_trip(("HGET", self._key(table), version))
        return content

    async def drop_snapshot(self, table: str, version: int) -> None:
        """Delete a kept snapshot."""
        await self._connection.round_trip(("HDEL", self._key(table), version))

    def _key(self, table: str) -> str:
        return f"{self._generations.prefix}:snapshots:{{{table}}}"
