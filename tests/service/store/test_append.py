"""Appending: behind a known version, once, each event with its own result."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import msgspec
import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.store.buckets import bucket_of
from service.store.errors import BrokenChainError, EventRefusedError, StoreError, StoreUnavailableError
from service.store.log import Appended, Log, NewEvent, StoredEvent
from tests.service.store.given import NOON, first_event, following, given_stream, next_event, then_log_is_whole
from tests.service.store.opened import opened_log, opened_logs, when_statistics_are_complete


async def test_what_is_appended_is_read_back_exactly(log: Log) -> None:
    stream = uuid4()
    first = first_event(stream)
    second = following(first, type_="play", actor=3, decision=1, time=NOON + 1)
    assert await log.append(first) == Appended(True, 1, 1)
    assert await log.append(second) == Appended(True, 2, 2)
    rows = await log.read(stream)
    for row, event in zip(rows, (first, second), strict=True):
        assert row.bucket == bucket_of(stream)
        assert (row.stream, row.version, row.type, row.rules) == (stream, event.expected + 1, event.type, event.rules)
        assert row.envelope.encode() == event.envelope
        assert row.sealed.encode() == event.sealed
        assert (row.actor, row.decision, row.digest, row.command) == (
            event.actor,
            event.decision,
            event.digest,
            event.command,
        )
        assert (row.previous_hash, row.hash) == (event.previous_hash, event.hash)
        assert row.received_at == datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=event.time)


async def test_fields_take_their_whole_range(log: Log) -> None:
    event = msgspec.structs.replace(
        first_event(UUID(int=2**128 - 1)),
        actor=2**15 - 1,
        decision=2**31 - 1,
        digest=b"",
        envelope='{"text":"Größe \\u0000 ♥"}'.encode(),
        type="",
        time=0,
        sealed=b"[" + b"[]," * 100_000 + b"[]]",
    )
    await log.append(event)
    (row,) = await log.read(event.stream)
    assert (row.actor, row.decision, row.digest, row.type) == (2**15 - 1, 2**31 - 1, b"", "")
    assert row.envelope.encode() == event.envelope
    assert row.sealed.encode() == event.sealed
    assert row.received_at == datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "wrong", [{"actor": 2**15}, {"decision": 2**31}, {"expected": 2**31}, {"hash": bytes(31)}, {"previous_hash": b""}]
)
async def test_a_field_out_of_range_is_refused_before_anything_is_sent(log: Log, wrong: dict[str, object]) -> None:
    event = msgspec.structs.replace(first_event(uuid4()), **wrong)
    with pytest.raises(ValueError, match=r"32 bytes|out of range"):
        await log.append(event)
    assert await log.read(event.stream) == []


async def test_the_same_event_again_is_recognised(log: Log) -> None:
    events = await given_stream(log, 3)
    for event in events:
        again = await log.append(event)
        assert again.accepted
        assert again.version == event.expected + 1
    assert [row.position for row in await log.read(events[0].stream)] == [1, 2, 3]


async def test_the_same_command_with_other_bytes_is_a_conflict(log: Log) -> None:
    first, second = await given_stream(log, 2)
    again = msgspec.structs.replace(following(first, time=NOON + 1), command=second.command)
    assert await log.append(again) == Appended(False, 2, None)


async def test_an_event_behind_a_version_that_is_taken_is_a_conflict(log: Log) -> None:
    first, _ = await given_stream(log, 2)
    assert await log.append(following(first)) == Appended(False, 2, None)
    assert await log.append(first_event(first.stream)) == Appended(False, 1, None)
    assert len(await log.read(first.stream)) == 2


async def test_an_event_without_its_predecessor_is_a_broken_chain(log: Log) -> None:
    (first,) = await given_stream(log, 1)
    for event in (
        next_event(first.stream, 1, bytes(32)),  # another hash before it
        next_event(first.stream, 2, first.hash),  # nothing before it
        next_event(uuid4(), 1, first.hash),  # no stream
    ):
        with pytest.raises(BrokenChainError, match=f"{event.stream}: version {event.expected + 1}"):
            await log.append(event)
    assert len(await log.read(first.stream)) == 1


async def test_a_conflict_inside_a_batch_fails_alone(log: Log, database_url: str) -> None:
    streams = [await given_stream(log, 2) for _ in range(20)]
    batch = [following(first if number % 4 == 0 else last) for number, (first, last) in enumerate(streams)]
    batch[7] = next_event(batch[7].stream, 2, bytes(32))
    results = await asyncio.gather(*map(log.append, batch), return_exceptions=True)
    for number, result in enumerate(results):
        if number == 7:
            assert isinstance(result, BrokenChainError)
        else:
            assert isinstance(result, Appended)
            assert result.accepted == (number % 4 != 0)
    assert then_log_is_whole(database_url) == 40 + 14


async def test_an_event_that_cannot_be_stored_fails_alone(log: Log, database_url: str) -> None:
    good = [first_event(uuid4()) for _ in range(9)]
    bad = [
        msgspec.structs.replace(first_event(uuid4()), envelope=b'{"text":"\0"}'),
        msgspec.structs.replace(first_event(uuid4()), envelope=b"\xff"),
        msgspec.structs.replace(first_event(uuid4()), bucket=256),
    ]
    batch = [*good[:5], *bad, *good[5:]]
    results = await asyncio.gather(*map(log.append, batch), return_exceptions=True)
    for event, result in zip(batch, results, strict=True):
        assert isinstance(result, EventRefusedError if event in bad else Appended)
    assert then_log_is_whole(database_url, [event.command for event in good]) == 9


async def test_events_of_one_stream_are_appended_in_the_order_of_their_calls(log: Log, database_url: str) -> None:
    events = [first_event(uuid4())]
    while len(events) < 30:
        events.append(following(events[-1]))
    results = await asyncio.gather(*map(log.append, events))
    assert [result.version for result in results if result.accepted] == list(range(1, 31))
    assert then_log_is_whole(database_url) == 30


async def test_waiting_events_of_different_streams_share_a_commit(log: Log, database_url: str) -> None:
    with psycopg.connect(database_url, autocommit=True) as connection:
        (before,) = connection.execute("select pg_current_xact_id()::text::bigint").fetchone() or (0,)
        await asyncio.gather(*(log.append(first_event(uuid4())) for _ in range(200)))
        (after,) = connection.execute("select pg_current_xact_id()::text::bigint").fetchone() or (0,)
    assert after - before - 1 <= 4


async def test_a_caller_that_leaves_disturbs_nobody(log: Log, database_url: str) -> None:
    events = [first_event(uuid4()) for _ in range(30)]
    tasks = [asyncio.create_task(log.append(event)) for event in events]
    await asyncio.sleep(0)
    for task in tasks[::3]:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    for number, result in enumerate(results):
        assert isinstance(result, asyncio.CancelledError if number % 3 == 0 else Appended)
    stayed = [event.command for number, event in enumerate(events) if number % 3]
    assert then_log_is_whole(database_url, stayed) >= 20


async def test_many_writers_on_one_stream_have_one_winner_for_each_version(database_url: str) -> None:
    stream = uuid4()
    won: list[NewEvent] = []
    lost: list[NewEvent] = []

    async def writer(log: Log) -> None:
        mine = 0
        while mine < 5:
            head = await log.find_last(stream)
            assert head is not None
            event = following(head)
            appended = await log.append(event)
            (won if appended.accepted else lost).append(event)
            mine += appended.accepted

    async with opened_logs(database_url, 3) as logs:
        await logs[0].append(first_event(stream))
        await asyncio.gather(*(writer(log) for log in logs for _ in range(8)))
        rows = await logs[0].read(stream)
    assert then_log_is_whole(database_url) == 1 + 24 * 5
    assert {row.command for row in rows[1:]} == {event.command for event in won}
    assert lost, "nobody ever lost a race, so nothing was tested"


async def test_a_table_is_created_with_its_secret_or_not_at_all(log: Log, database_url: str) -> None:
    stream, secret = uuid4(), bytes(range(32))
    event = first_event(stream)
    assert await log.create_stream(event, secret)
    assert await log.create_stream(event, secret)  # a retry
    assert not await log.create_stream(first_event(stream), bytes(32))
    assert await log.secret(stream) == secret
    with pytest.raises(psycopg.errors.CheckViolation):
        await log.create_stream(first_event(uuid4()), b"short")
    assert then_log_is_whole(database_url) == 1


async def test_of_concurrent_creations_of_one_stream_one_wins(log: Log, database_url: str) -> None:
    stream = uuid4()
    secrets = [bytes([number]) * 32 for number in range(8)]
    created = await asyncio.gather(*(log.create_stream(first_event(stream), secret) for secret in secrets))
    assert created.count(True) == 1
    assert await log.secret(stream) == secrets[created.index(True)]
    assert then_log_is_whole(database_url) == 1


async def test_a_stream_without_a_secret_says_so(log: Log) -> None:
    (first,) = await given_stream(log, 1)
    with pytest.raises(StoreError, match=str(first.stream)):
        await log.secret(first.stream)


async def test_closing_finishes_what_waits_and_takes_no_more(log: Log, database_url: str) -> None:
    waiting = [asyncio.create_task(log.append(first_event(uuid4()))) for _ in range(50)]
    await asyncio.sleep(0)
    await log.close()
    appended = await asyncio.gather(*waiting)
    assert all(result.accepted for result in appended)
    with pytest.raises(StoreUnavailableError):
        await log.append(first_event(uuid4()))
    assert then_log_is_whole(database_url) == 50


async def test_the_position_is_found_by_its_index_while_statistics_know_nothing(database_url: str) -> None:
    """A plan made for an empty table and kept must not walk through whole buckets."""
    async with opened_log(database_url) as log:
        streams = [await given_stream(log, 1) for _ in range(20)]
        for _ in range(20):
            streams = [[following(last)] for (last,) in streams]
            await asyncio.gather(*(log.append(event) for (event,) in streams))
    with psycopg.connect(database_url, autocommit=True) as connection:
        when_statistics_are_complete(connection)
        reads: dict[str, int] = dict(
            connection.execute(
                "select indexrelname, idx_tup_read from pg_stat_user_indexes where relname = 'events'"
            ).fetchall()
        )
    assert reads["events_place"] <= 2 * 420
    assert reads["events_version"] <= 4 * 420


@given(milliseconds=st.integers(0, 253_402_300_799_999))
def test_the_time_of_an_event_comes_back_to_the_millisecond(milliseconds: int) -> None:
    received = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
    nothing = bytes(32)
    row = StoredEvent(0, 1, uuid4(), 1, "", "", "", None, None, b"", uuid4(), "", received, nothing, nothing)
    assert row.time == milliseconds
