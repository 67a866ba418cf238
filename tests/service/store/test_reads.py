"""Reading streams and buckets."""

import time
from uuid import UUID, uuid4

import psycopg

from service.store.buckets import bucket_of
from service.store.events import FeedHead
from service.store.log import Log, NewEvent, StreamEnd
from tests.service.store.given import NOON, first_event, following, given_stream, next_event, streams_in


async def test_a_stream_is_read_in_order_from_any_version(log: Log) -> None:
    events = await given_stream(log, 7)
    stream = events[0].stream
    for after in range(9):
        assert [row.version for row in await log.read(stream, after)] == list(range(after + 1, 8))
        assert [row.version for row in await log.read(stream, after, 2)] == list(range(after + 1, 8))[:2]
    head = await log.find_last(stream)
    assert head is not None
    assert (head.version, head.hash) == (7, events[-1].hash)


async def test_a_stream_that_does_not_exist_is_empty(log: Log) -> None:
    stream = uuid4()
    assert await log.read(stream) == []
    assert await log.read(stream, 3) == []
    assert await log.find_last(stream) is None
    assert await log.find_answer(stream, 0, 1) is None
    assert await log.find_command(stream, uuid4()) is None


async def test_of_many_ends_read_at_once_each_is_of_its_own_stream(log: Log) -> None:
    streams = [await given_stream(log, 1 + number % 5) for number in range(40)]
    asked = [(events, after) for events in streams for after in (0, 1, 2, 4)]
    ends = [StreamEnd(events[0].stream, after, bucket_of(events[0].stream)) for events, after in asked]
    found = await log.read_ends(ends)
    for (events, after), rows in zip(asked, found, strict=True):
        assert [(row.version, row.hash) for row in rows] == [(e.expected + 1, e.hash) for e in events[after:]]


async def test_a_private_stream_lies_in_the_bucket_of_its_table(log: Log) -> None:
    (table,) = await given_stream(log, 1)
    bucket = bucket_of(table.stream)
    private = next(stream for stream in iter(uuid4, None) if bucket_of(stream) != bucket)
    first = next_event(private, 0, bytes(32), bucket=bucket)
    second = next_event(private, 1, first.hash, bucket=bucket)
    for event in (first, second):
        assert (await log.append(event)).accepted
    assert await log.read(private) == []
    rows = await log.read(private, bucket=bucket)
    assert [(row.bucket, row.position, row.version) for row in rows] == [(bucket, 2, 1), (bucket, 3, 2)]
    assert [row.version for row in (await log.read_ends([StreamEnd(private, 1, bucket)]))[0]] == [2]
    found = await log.find_command(private, second.command, bucket=bucket)
    head = await log.find_last(private, bucket=bucket)
    assert found == head == rows[1]


async def test_a_command_is_found_by_its_id(log: Log) -> None:
    events = await given_stream(log, 5)
    for event in events:
        row = await log.find_command(event.stream, event.command)
        assert row is not None
        assert row.version == event.expected + 1
    assert await log.find_command(uuid4(), events[0].command) is None


async def given_answers(log: Log, *answers: tuple[int, int | None]) -> UUID:
    """A table at which events with these actors and decisions happened, the first one after version 1."""
    event = first_event(uuid4())
    await log.append(event)
    for actor, decision in answers:
        event = following(event, actor=actor, decision=decision)
        await log.append(event)
    return event.stream


async def test_the_answer_to_a_decision_is_found(log: Log) -> None:
    # all pass at once (decision 1), then in turn; seat 2 also does something that answers nothing
    table = await given_answers(log, (1, 1), (0, 1), (2, 1), (2, None), (0, 4), (1, 6), (2, 7), (0, 8))
    expected = {(1, 1): 2, (0, 1): 3, (2, 1): 4, (0, 4): 6, (1, 6): 7, (2, 7): 8, (0, 8): 9}
    for seat in range(4):
        for decision in range(12):
            row = await log.find_answer(table, seat, decision)
            assert (row.version if row else None) == expected.get((seat, decision))
    for impossible in (-1, 2**31, 2**63):
        assert await log.find_answer(table, 0, impossible) is None


async def test_answers_are_found_quickly_in_a_long_stream(log: Log, database_url: str) -> None:
    stream, other = uuid4(), uuid4()
    events = [first_event(stream)]
    while len(events) < 3000:
        version = len(events)
        events.append(following(events[-1], actor=version % 4, decision=max(1, version - 3)))
    # in one statement, as test data: what is measured is the reading
    with psycopg.connect(database_url, autocommit=True) as connection:
        insert_together(connection, events)
    await log.append(first_event(other))
    begun = time.process_time()
    for event in events[1::60]:
        assert event.actor is not None
        assert event.decision is not None
        row = await log.find_answer(stream, event.actor, event.decision)
        assert row is not None
        assert row.version == event.expected + 1
    for decision in range(0, 3000, 60):  # decisions that seat 9 never had
        assert await log.find_answer(stream, 9, decision) is None
    assert time.process_time() - begun < 3.0


def insert_together(connection: psycopg.Connection, events: list[NewEvent]) -> None:
    """Write a whole stream as the owner may, with positions of its own."""
    with connection.cursor().copy(
        "copy events (bucket, stream, version, position, received_at, command, actor, decision, type, rules, digest,"
        " previous_hash, hash, envelope, sealed) from stdin"
    ) as copy:
        for event in events:
            version = event.expected + 1
            place = (bucket_of(event.stream), event.stream, version, version, "2026-01-01", event.command)
            asked = (event.actor, event.decision, event.type, event.rules, event.digest)
            content = (event.previous_hash, event.hash, event.envelope.decode(), event.sealed.decode())
            copy.write_row((*place, *asked, *content))


async def test_created_tables_are_listed_newest_first_page_by_page(log: Log) -> None:
    streams = [uuid4() for _ in range(7)]
    times = [NOON + offset for offset in (0, 5, 5, 5, 9, 2, 1)]
    for stream, created in zip(streams, times, strict=True):
        await given_created(log, stream, created)
    expected = sorted(zip(times, streams, strict=True), reverse=True)
    assert await log.created(None, 100) == expected
    pages: list[tuple[int, UUID]] = []
    while page := await log.created(pages[-1] if pages else None, 2):
        pages += page
    assert pages == expected


async def given_created(log: Log, stream: UUID, created: int) -> None:
    """A table created at a time, and a second event that is none of a creation."""
    first = first_event(stream, time=created)
    assert await log.create_stream(first, bytes(32))
    assert (await log.append(following(first, time=NOON + 100))).accepted


async def test_a_bucket_is_fed_in_position_order(log: Log) -> None:
    streams = streams_in(7, 3)
    for stream in (*streams, uuid4(), uuid4()):
        await given_stream(log, 2, stream)
    others = {bucket: 2**62 for bucket in range(256) if bucket != 7}
    heads = await log.feed_heads(others, 100)
    mine = [head for head in heads if head.stream in streams]
    assert [(head.bucket, head.position) for head in heads] == [(7, 1 + place) for place in range(len(heads))]
    assert [head.stream for head in mine] == [stream for stream in streams for _ in range(2)]
    assert await log.feed_heads(others | {7: 2}, 3) == heads[2:5]
    assert await log.feed_heads(others | {7: len(heads)}, 3) == []


async def test_what_follows_a_checkpoint_comes_by_bucket_and_position(log: Log) -> None:
    events = [event for bucket in (200, 3, 90) for stream in streams_in(bucket, 2) for event in [first_event(stream)]]
    for event in events:
        await log.append(event)
    everything = await log.feed_heads({}, 100)
    places = [(head.bucket, head.position) for head in everything]
    assert places == [(bucket, position) for bucket in (3, 90, 200) for position in (1, 2)]
    assert everything[0] == FeedHead(3, 1, events[2].stream, 1, events[2].time)
    assert await log.feed_heads({}, 3) == everything[:3]
    assert await log.feed_heads({3: 1, 90: 2, 5: 17}, 100) == [everything[1], *everything[4:]]
    heads = await log.bucket_heads()
    assert len(heads) == 256
    assert {bucket: head for bucket, head in enumerate(heads) if head} == {3: 2, 90: 2, 200: 2}
    assert await log.feed_heads(dict(enumerate(heads)), 100) == []


async def test_a_checkpoint_is_kept_by_projection_and_generation_and_never_moves_back(log: Log) -> None:
    assert await log.checkpoint("views") == {}
    await log.save_checkpoint("views", {1: 5, 200: 7})
    await log.save_checkpoint("views", {1: 4, 2: 1})
    await log.save_checkpoint("views", {1: 9}, generation=1)
    await log.save_checkpoint("ratings", {})
    assert await log.checkpoint("views") == {1: 5, 2: 1, 200: 7}
    assert await log.checkpoint("views", 1) == {1: 9}
    assert await log.checkpoint("ratings") == {}
