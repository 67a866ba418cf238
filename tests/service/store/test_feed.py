"""The feed gives every event once, in order, while others append."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from itertools import pairwise
from uuid import uuid4

import psycopg

from service.store.events import FeedHead
from service.store.feed import Feed
from service.store.log import Log
from tests.service.store.given import first_event, following, given_stream, streams_in, then_log_is_whole
from tests.service.store.opened import opened_log, opened_logs, when_statistics_are_complete


async def take(batches: AsyncIterator[list[FeedHead]], count: int) -> list[FeedHead]:
    """Take batches until so many events have come."""
    heads: list[FeedHead] = []
    while len(heads) < count:
        heads += await asyncio.wait_for(anext(batches), 10)
    return heads


async def test_a_reader_during_load_never_misses_or_repeats(log: Log, database_url: str) -> None:
    done = asyncio.Event()
    last = first_event(uuid4())

    async def writer(own: Log) -> int:
        event, count = first_event(uuid4()), 0
        while not done.is_set():
            assert (await own.append(event)).accepted
            event, count = following(event), count + 1
        return count

    async def reader(most: int) -> list[FeedHead]:
        seen: list[FeedHead] = []
        batches = Feed(log, f"reader {most}", log.feed_heads, poll_seconds=0.01, events_max=most).batches()
        while not (done.is_set() and len(seen) == total + 1):
            seen += await anext(batches)
        await batches.aclose()
        return seen

    total = 0
    readers = [asyncio.create_task(reader(most)) for most in (3, 40, 500)]
    async with opened_logs(database_url, 2) as others:
        writers = [asyncio.create_task(writer(own)) for own in (log, *others) for _ in range(12)]
        await asyncio.sleep(2.0)
        done.set()
        total = sum(await asyncio.gather(*writers))
    await log.append(last)
    for seen in await asyncio.wait_for(asyncio.gather(*readers), 60):
        reached: dict[int, int] = {}
        for head in seen:
            assert head.position == reached.get(head.bucket, 0) + 1
            reached[head.bucket] = head.position
        assert len(seen) == total + 1
    assert then_log_is_whole(database_url) == total + 1


async def test_a_reader_goes_on_behind_what_it_has_finished(log: Log) -> None:
    events = [first_event(uuid4()) for _ in range(20)]
    for event in events:
        await log.append(event)
    first = Feed(log, "views", log.feed_heads, events_max=5).batches()
    finished = await take(first, 10)
    unfinished = await anext(first)
    await first.aclose()  # the process dies while it works on a batch
    second = Feed(log, "views", log.feed_heads, events_max=5).batches()
    rest = await take(second, 10)
    await second.aclose()
    assert rest[: len(unfinished)] == unfinished
    assert {head.stream for head in finished + rest} == {event.stream for event in events}
    assert len(finished + rest) == 20


async def test_generations_have_places_of_their_own(log: Log) -> None:
    await log.append(first_event(uuid4()))
    for generation in (0, 1):
        batches = Feed(log, "views", log.feed_heads, generation=generation, events_max=1).batches()
        assert len(await take(batches, 1)) == 1
        await batches.aclose()


async def test_a_reader_that_waits_finds_an_event_at_its_next_poll(log: Log) -> None:
    batches = Feed(log, "views", log.feed_heads, poll_seconds=1.0).batches()
    waiting = asyncio.ensure_future(anext(batches))
    await asyncio.sleep(0.3)
    assert not waiting.done()
    await log.append(first_event(uuid4()))
    assert len(await asyncio.wait_for(waiting, 5)) == 1
    await batches.aclose()


async def test_ends_are_told_in_the_order_of_the_feed(log: Log) -> None:
    streams = [await given_stream(log, 3) for _ in range(12)]
    heads = await log.feed_heads({}, 500)
    assert [(end.bucket, end.position, end.stream, end.version) for end in await log.feed_ends({}, 500)] == [
        (head.bucket, head.position, head.stream, head.version) for head in heads
    ]
    read: list[tuple[int, int]] = []
    place: dict[int, int] = {}
    while ends := await log.feed_ends(place, 5):
        assert len(ends) <= 5
        read += [(end.bucket, end.position) for end in ends]
        place |= {end.bucket: end.position for end in ends}
        assert {end.type for end in ends} <= {"create", "play"}
        assert not any(end.ends for end in ends)
    assert read == [(head.bucket, head.position) for head in heads]
    assert len(read) == 3 * len(streams)


async def test_a_reader_that_has_caught_up_waits_for_the_next_poll(log: Log) -> None:
    """Under load a few events more are always there: looked at one by one they would cost the most."""
    await log.append(first_event(uuid4()))
    asked: list[float] = []

    async def read(checkpoint: Mapping[int, int], limit: int) -> list[FeedHead]:
        asked.append(asyncio.get_running_loop().time())
        return await log.feed_heads(checkpoint, limit)

    batches = Feed(log, "views", read, poll_seconds=0.3, events_max=3).batches()
    for _ in range(4):
        await anext(batches)
        await log.append(first_event(uuid4()))
    assert [later - earlier >= 0.3 for earlier, later in pairwise(asked)] == [True] * 3
    for _ in range(8):
        await log.append(first_event(uuid4()))
    read_before = len(asked)
    assert [len(await anext(batches)) for _ in range(3)] == [3, 3, 3]
    assert asked[-1] - asked[read_before] < 0.3, "a reader that is behind reads on at once"
    await batches.aclose()


async def test_a_reader_far_behind_reads_only_what_it_takes(database_url: str) -> None:
    """A look that read every bucket to its limit would cost the more the further it is behind."""
    async with opened_log(database_url) as log:
        for stream in [stream for bucket in range(40) for stream in streams_in(bucket, 1)]:
            await given_stream(log, 12, stream)
    before = index_reads(database_url)
    async with opened_log(database_url) as log:
        checkpoint: dict[int, int] = {}
        looks = 0
        while heads := await log.feed_heads(checkpoint, 12):
            assert len(heads) == 12
            checkpoint |= {head.bucket: head.position for head in heads}
            looks += 1
    assert looks == 40
    heads_of_buckets, places = 41 * 40, 40 * 24
    assert index_reads(database_url) - before <= heads_of_buckets + places


def index_reads(database_url: str) -> int:
    """How many entries of the index of positions have been read so far."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        when_statistics_are_complete(connection)
        ((reads,),) = connection.execute(
            "select idx_tup_read from pg_stat_user_indexes where indexrelname = 'events_place'"
        ).fetchall()
    return int(reads)
