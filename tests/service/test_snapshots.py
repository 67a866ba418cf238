"""Folding to any version: the same from nothing, from memory and from Redis; a wrong snapshot is never used."""

from collections.abc import AsyncIterator
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from msgspec import structs

from domain.registry import CURRENT
from domain.table.model import TableState
from projections.generations import Generations
from projections.redis_connection import connect
from projections.redis_store import RedisStore
from projections.snapshot_store import SnapshotStore
from projections.snapshots import Fold, snapshot
from service.store.log import Log, StoredEvent
from service.tables.live_table import begun, continued
from service.tables.snapshots import Snapshots
from tests.bench.streams import Stream, generate, insert
from tests.service.store.opened import opened_log

KEY = bytes(range(32))
EVENTS = 450


class CountedLog(Log):
    """A log that counts the rows it gave."""

    given = 0

    async def read(self, *asked: Any, **more: Any) -> list[StoredEvent]:
        rows = await super().read(*asked, **more)
        self.given += len(rows)
        return rows


@pytest.fixture(scope="module")
def stream(module_database_url: str) -> Stream:
    made = generate(CURRENT["hearts"], 1, options={"target_score": 200}, most=EVENTS)
    assert len(made.rows) > 400
    insert(module_database_url, [made])
    return made


@pytest.fixture(scope="module")
def states(stream: Stream) -> list[TableState]:
    """The state at each version, from 1, folded event by event."""
    found = [begun(stream.id, stream.rows[0])[1]]
    for row in stream.rows[1:]:
        found.append(continued(found[-1], row)[1])
    return found


@pytest_asyncio.fixture
async def log(module_database_url: str) -> AsyncIterator[CountedLog]:
    async with opened_log(module_database_url, kind=CountedLog) as log:
        assert isinstance(log, CountedLog)
        yield log


@pytest_asyncio.fixture
async def redis(redis_url: str) -> AsyncIterator[SnapshotStore]:
    opened = RedisStore(connect(redis_url))
    await opened.open("test")
    yield opened.snapshots
    await opened.close()


async def seen(snapshots: Snapshots, stream: Stream, first: int, last: int) -> list[TableState]:
    return [step.state async for step in snapshots.walk(stream.id, first, last)]


async def test_every_range_is_the_same_from_everywhere(
    stream: Stream, states: list[TableState], log: CountedLog, redis: SnapshotStore
) -> None:
    ranges = [(1, 1), (1, 3), (99, 101), (100, 100), (101, 101), (200, 399), (350, len(states)), (len(states),) * 2]
    kept = Snapshots(log, redis, key=KEY)
    for first, last in ranges:
        expected = states[first - 1 : last]
        assert await seen(Snapshots(log, redis, key=KEY), stream, first, last) == expected
        assert await seen(kept, stream, first, last) == expected
    assert sorted(await redis.snapshots(str(stream.id))) == [100, 200, 300, 400]


async def test_a_late_version_reads_few_events(
    stream: Stream, states: list[TableState], log: CountedLog, redis: SnapshotStore
) -> None:
    await seen(Snapshots(log, redis, key=KEY), stream, len(states), len(states))
    for version in (150, 300, 399, len(states)):
        log.given = 0
        assert (await Snapshots(log, redis, key=KEY).at(stream.id, version)).state == states[version - 1]
        assert log.given <= 100


async def test_only_so_many_snapshots_stay_in_memory(stream: Stream, log: CountedLog, redis: SnapshotStore) -> None:
    snapshots = Snapshots(log, redis, key=KEY, snapshots_max=2)
    await seen(snapshots, stream, 1, 420)
    await redis.drop_snapshot(str(stream.id), 100)
    log.given = 0
    await snapshots.at(stream.id, 150)
    assert log.given == 150
    log.given = 0
    await snapshots.at(stream.id, 150)
    assert log.given == 50


async def test_a_wrong_snapshot_is_found_out_and_dropped(
    stream: Stream, states: list[TableState], log: CountedLog, redis: SnapshotStore
) -> None:
    table, rows = str(stream.id), stream.rows
    right = snapshot(Fold(states[399], rows[399].hash), KEY)
    ready = structs.replace(states[399], host=2)
    wrong = {
        "other bytes": b"\0" * 200,
        "nothing": b"",
        "changed": right[:-9] + b"7" + right[-8:],
        "another key": snapshot(Fold(states[399], rows[399].hash), bytes(32)),
        "another version": snapshot(Fold(states[299], rows[299].hash), KEY),
        "another history": snapshot(Fold(ready, bytes(32)), KEY),
        "beyond the end": snapshot(Fold(structs.replace(ready, version=800), bytes(32)), KEY),
    }
    for words, content in wrong.items():
        await redis.drop_snapshot(table, 400)
        await redis.keep_snapshot(table, 400, content)
        snapshots = Snapshots(log, redis, key=KEY)
        assert (await snapshots.at(stream.id, 410)).state == states[409], words
        kept = await redis.snapshot(table, 400)
        assert kept == right, words
        log.given = 0
        assert (await snapshots.at(stream.id, 410)).state == states[409], words
        assert log.given == 10


async def test_the_last_version_is_folded_from_the_last_fold_that_the_log_confirms(
    stream: Stream, states: list[TableState], log: CountedLog, redis: SnapshotStore
) -> None:
    last, table = len(states), str(stream.id)

    async def then_found(events: int, words: str, **changes: int) -> None:
        log.given = 0
        found = await Snapshots(log, redis, key=KEY, **changes).latest(stream.id)
        assert found is not None
        assert found.state == states[-1], words
        assert found.hash == stream.rows[-1].hash
        assert found.time == int(stream.rows[-1].received_at.timestamp() * 1000)
        assert log.given == events, words

    await then_found(last, "nothing is kept")
    base = last // 100 * 100
    assert await redis.snapshots(table) == [base]
    await then_found(last - base + 1, "the last hundredth version is kept")
    wrong = structs.replace(states[base - 1], host=2)
    for words, version, content in (
        ("of another history", base, snapshot(Fold(wrong, bytes(32)), KEY)),
        ("beyond the end", base + 100, snapshot(Fold(structs.replace(wrong, version=base + 100), bytes(32)), KEY)),
        ("broken", base, b"x"),
    ):
        await redis.drop_snapshot(table, base)
        await redis.keep_snapshot(table, version, content)
        log.given = 0
        found = await Snapshots(log, redis, key=KEY).latest(stream.id)
        assert found is not None
        assert found.state == states[-1], words
        assert await redis.snapshots(table) == [base]


async def test_a_table_is_loaded_whose_last_version_is_kept(
    stream: Stream, states: list[TableState], log: CountedLog, redis: SnapshotStore
) -> None:
    last = len(states)
    await redis.keep_snapshot(str(stream.id), last, snapshot(Fold(states[-1], stream.rows[-1].hash), KEY))
    found = await Snapshots(log, redis, key=KEY).latest(stream.id)
    assert found is not None
    assert (found.state, log.given) == (states[-1], 1)


async def test_what_is_no_table_has_no_last_version(log: CountedLog, redis: SnapshotStore) -> None:
    assert await Snapshots(log, redis, key=KEY).latest(uuid4()) is None


async def test_without_redis_a_version_is_folded_from_the_log(
    stream: Stream, states: list[TableState], log: CountedLog
) -> None:
    unavailable = connect("redis://127.0.0.1:1/0")
    snapshots = Snapshots(log, SnapshotStore(unavailable, Generations(unavailable)), key=KEY)
    assert (await snapshots.at(stream.id, 430)).state == states[429]
    log.given = 0
    assert (await snapshots.at(stream.id, 431)).state == states[430]
    assert log.given == 31
    await unavailable.close()
