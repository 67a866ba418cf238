"""The tables of the transparency log: gapless, once for each match, whoever appends and however often."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from uuid import UUID, uuid4

import psycopg
import pytest
from msgspec.structs import replace

from domain.fairness import link
from domain.merkle import Node, leaf_hash, new_nodes
from domain.transparency import leaf_of
from projections.log_marks import LogMarks
from projections.redis_connection import connect
from service.records.signer import Signer
from service.records.transparency import PROJECTION, Transparency
from service.store.buckets import bucket_of
from service.store.database import Database
from service.store.events import FeedEnd
from service.store.log import Log, NewEvent
from service.store.transparency import TransparencyStore
from tests.service.store.given import first_event, following
from tests.service.store.opened import opened_database

SIGNER = Signer(bytes(32), "log.test")


@pytest.fixture
def store(database: Database) -> TransparencyStore:
    return TransparencyStore(database)


def transparency_of(store: TransparencyStore, log: Log) -> Transparency:
    """The transparency log, without a Redis that remembers what it signs."""
    return Transparency(store, log, SIGNER, LogMarks(connect("redis://127.0.0.1:9/0")))


def ending(event: NewEvent) -> NewEvent:
    """The same event as one that ends a match."""
    envelope = event.envelope.replace(b'"type":"done"', b'"type":"secret_revealed"')
    return replace(event, envelope=envelope, hash=link(event.previous_hash, envelope))


async def given_match(log: Log, length: int = 2) -> NewEvent:
    """A match that is over; its last event."""
    event = first_event(uuid4())
    assert (await log.append(event)).accepted
    for _ in range(length - 2):
        event = following(event)
        assert (await log.append(event)).accepted
    event = ending(following(event))
    assert (await log.append(event)).accepted
    return event


def end_of(event: NewEvent) -> FeedEnd:
    return FeedEnd(bucket_of(event.stream), 1, event.stream, event.expected + 1, event.type, True)


def then_tree_is_whole(database_url: str) -> list[UUID]:
    """Check leaves and nodes against their definition; the tables in the order of their leaves."""
    with psycopg.connect(database_url) as connection:
        rows = connection.execute(
            "select l.position, l.stream, l.version, l.leaf, e.hash from transparency_leaves l "
            "join events e using (stream, version) order by position"
        ).fetchall()
        stored = {
            Node(level, number): hash_
            for level, number, hash_ in connection.execute("select * from transparency_nodes").fetchall()
        }
    assert [row[0] for row in rows] == list(range(len(rows)))
    made: dict[Node, bytes] = {}
    for position, stream, version, leaf, hash_ in rows:
        assert leaf == leaf_of(stream.bytes, version, hash_)
        made |= dict(new_nodes(position, leaf_hash(leaf), made.__getitem__))
    assert stored == made
    return [row[1] for row in rows]


async def test_leaves_come_in_the_order_given_and_only_for_ends(
    log: Log, store: TransparencyStore, database_url: str
) -> None:
    first, second = await given_match(log), await given_match(log, 5)
    running = first_event(uuid4())
    await log.append(running)
    unknown = ending(following(first_event(uuid4())))
    assert await store.append([end_of(event) for event in (second, running, unknown, first, second)]) == 2
    assert then_tree_is_whole(database_url) == [second.stream, first.stream]


async def test_what_is_appended_again_stays_where_it_is(log: Log, store: TransparencyStore, database_url: str) -> None:
    matches = [await given_match(log) for _ in range(5)]
    assert await store.append([end_of(event) for event in matches[:3]]) == 3
    assert await store.append([end_of(event) for event in matches[::-1]]) == 2
    order = [event.stream for event in (*matches[:3], matches[4], matches[3])]
    assert then_tree_is_whole(database_url) == order


async def test_many_workers_at_once_make_one_gapless_tree(
    log: Log, store: TransparencyStore, database_url: str
) -> None:
    matches = [await given_match(log) for _ in range(40)]
    ends = [end_of(event) for event in matches]
    async with AsyncExitStack() as stack:
        processes = [await stack.enter_async_context(opened_database(database_url)) for _ in range(3)]
        asked = [
            each.append(ends[place : place + 7])
            for number, each in enumerate((store, *map(TransparencyStore, processes)))
            for place in range(number, 40, 3)
        ]
        added = sum(await asyncio.gather(*asked))
        rest = await store.append(ends)
    assert added + rest == 40
    assert sorted(then_tree_is_whole(database_url)) == sorted(event.stream for event in matches)


async def test_a_worker_that_dies_between_append_and_checkpoint_repeats_nothing(
    log: Log, store: TransparencyStore, database_url: str
) -> None:
    matches = [await given_match(log) for _ in range(6)]
    transparency = transparency_of(store, log)
    heads = await log.feed_ends({}, 500)
    assert sum(head.ends for head in heads) == 6
    assert await transparency.take(heads) == 6  # and here it is killed: the place in the feed was not saved
    working = asyncio.create_task(transparency.follow(0.05))
    late = await given_match(log)
    while await store.size() < 7:  # noqa: ASYNC110 - another task writes to the database
        await asyncio.sleep(0.02)
    working.cancel()
    assert then_tree_is_whole(database_url)[-1] == late.stream
    assert len(then_tree_is_whole(database_url)) == len(matches) + 1


async def test_the_stored_log_is_made_again_and_compared(log: Log, store: TransparencyStore, database_url: str) -> None:
    matches = [await given_match(log) for _ in range(9)]
    transparency = transparency_of(store, log)
    await transparency.take(await log.feed_ends({}, 500))
    assert await transparency.check() is None
    late = await given_match(log)
    assert await transparency.check() is None, "what the worker has not met yet is not missing"
    heads = await log.feed_ends({}, 500)
    await log.save_checkpoint(PROJECTION, {head.bucket: head.position for head in heads})
    missing = await transparency.check()
    assert missing is not None
    assert (missing.table, missing.version) == (late.stream, 2)
    await transparency.take(heads)
    assert await transparency.check() is None
    for damage in (
        "update transparency_leaves set leaf = decode(repeat('00', 64), 'hex') where position = 3",
        "update transparency_nodes set hash = decode(repeat('00', 32), 'hex') where level = 2 and number = 1",
        "delete from transparency_nodes where level = 0 and number = 8",
        "delete from transparency_leaves where position = 5",
        "update transparency_leaves set version = 1 where position = 0",
    ):
        with psycopg.connect(database_url, autocommit=True) as connection:
            for table in ("leaves", "nodes"):
                connection.execute(f"alter table transparency_{table} disable trigger never_changed")
                connection.execute(f"create table kept_{table} as table transparency_{table}")
            connection.execute(damage)
            fault = await transparency.check()
            for table in ("leaves", "nodes"):
                connection.execute(f"delete from transparency_{table}")
                connection.execute(f"insert into transparency_{table} table kept_{table}")
                connection.execute(f"drop table kept_{table}")
                connection.execute(f"alter table transparency_{table} enable always trigger never_changed")
        assert fault is not None, damage
    assert await transparency.check() is None
    assert len(matches) == 9


async def test_proofs_read_few_hashes_however_large_the_log(
    log: Log, store: TransparencyStore, database: Database
) -> None:
    for _ in range(70):
        await given_match(log)
    asked: list[int] = []

    class Counting(TransparencyStore):
        async def nodes(self, nodes: Sequence[Node]) -> dict[Node, bytes]:
            asked.append(len(nodes))
            return await super().nodes(nodes)

    transparency = transparency_of(Counting(database), log)
    await transparency_of(store, log).take(await log.feed_ends({}, 500))
    (leaf,) = await store.leaves(13, 1)
    await transparency.inclusion(leaf.stream, 69)
    await transparency.consistency(33, 70)
    await transparency.checkpoint()
    assert max(asked) <= 2 * 7
