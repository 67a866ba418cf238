"""Guards: an event that depends on another stream is appended only while that stream has not gone on."""

import asyncio
from uuid import UUID, uuid4

import msgspec
import psycopg
import pytest

from domain.fairness import genesis
from service.store.buckets import bucket_of
from service.store.encoding import Encoded, EncodedDumper, encode_row
from service.store.events import Appended
from service.store.log import Guard, Log, NewEvent
from tests.service.store.given import RULES, first_event, following, given_stream, next_event, then_log_is_whole
from tests.service.store.opened import opened_logs


def guarded(event: NewEvent, guard: Guard) -> NewEvent:
    return msgspec.structs.replace(event, guard=guard)


def private_event(table: UUID, private: UUID, version: int = 1, previous: bytes | None = None) -> NewEvent:
    """An event of a private stream, which lies in its table's bucket."""
    before = genesis(private.bytes, RULES) if previous is None else previous
    return next_event(private, version - 1, before, type_="prepare", bucket=bucket_of(table))


async def test_a_guard_at_the_known_version_lets_its_event_pass(log: Log, database_url: str) -> None:
    (first,) = await given_stream(log, 1)
    private = uuid4()
    second = guarded(following(first), Guard(private, 0))
    assert await log.append(second) == Appended(True, 2, 2)
    assert (await log.append(private_event(first.stream, private))).accepted
    assert await log.append(guarded(following(second), Guard(private, 1))) == Appended(True, 3, 4)
    assert then_log_is_whole(database_url) == 4


async def test_an_event_decided_on_older_notes_is_not_appended(log: Log, database_url: str) -> None:
    (first,) = await given_stream(log, 1)
    private = uuid4()
    first_private = private_event(first.stream, private)
    await log.append(first_private)
    await log.append(private_event(first.stream, private, 2, first_private.hash))
    event = following(first)
    for known in (0, 1):
        assert await log.append(guarded(event, Guard(private, known))) == Appended(False, 2, None)
    assert [row.version for row in await log.read(first.stream)] == [1]
    assert (await log.append(guarded(event, Guard(private, 2)))).accepted
    assert then_log_is_whole(database_url) == 4


async def test_an_event_that_is_there_is_recognised_although_its_guard_has_gone_on(log: Log) -> None:
    (first,) = await given_stream(log, 1)
    private = uuid4()
    event = guarded(following(first), Guard(private, 0))
    await log.append(event)
    await log.append(private_event(first.stream, private))
    assert await log.append(event) == Appended(True, 2, 2)
    assert await log.append(guarded(following(first), Guard(private, 0))) == Appended(False, 2, None)


async def test_a_stream_of_another_bucket_is_not_what_a_guard_means(log: Log) -> None:
    (first,) = await given_stream(log, 1)
    elsewhere = next(stream for stream in iter(uuid4, None) if bucket_of(stream) != bucket_of(first.stream))
    await given_stream(log, 2, elsewhere)
    assert (await log.append(guarded(following(first), Guard(elsewhere, 0)))).accepted


@pytest.mark.parametrize("outdated", [{0}, {2}, {1, 3}, {0, 1, 2, 3, 4}])
async def test_in_a_batch_each_guard_concerns_its_own_event(log: Log, database_url: str, outdated: set[int]) -> None:
    tables = [(await given_stream(log, 1))[0] for _ in range(5)]
    private = [uuid4() for _ in tables]
    for place in outdated:
        await log.append(private_event(tables[place].stream, private[place]))
    unguarded = first_event(uuid4())
    events = [guarded(following(first), Guard(own, 0)) for first, own in zip(tables, private, strict=True)]
    results = await asyncio.gather(log.append(unguarded), *(log.append(event) for event in events))
    assert results[0].accepted
    assert {place for place, result in enumerate(results[1:]) if not result.accepted} == outdated
    assert then_log_is_whole(database_url) == 5 + len(outdated) + 1 + (5 - len(outdated))


async def test_of_a_note_and_an_event_that_does_not_know_it_one_waits_for_the_other(database_url: str) -> None:
    """Two processes: whatever the order, no event follows a private one that it was not decided on."""

    async def race(number: int, here: Log, there: Log) -> tuple[bool, int, int]:
        (first,) = await given_stream(here, 1)
        private = uuid4()
        event, first_private = guarded(following(first), Guard(private, 0)), private_event(first.stream, private)
        both = [(here, event), (there, first_private)]
        if number % 2:
            both.reverse()
        results = dict(
            zip((log for log, _ in both), await asyncio.gather(*(log.append(e) for log, e in both)), strict=True)
        )
        return results[here].accepted, results[here].position or 0, results[there].position or 0

    async with opened_logs(database_url, 2) as (here, there):
        raced = [await race(number, here, there) for number in range(60)]
    assert all(position < writtenat for own, position, writtenat in raced if own)
    assert {own for own, _, _ in raced} == {True, False}
    then_log_is_whole(database_url)


async def test_a_note_that_goes_before_in_the_same_batch_counts(log: Log, database_url: str) -> None:
    """The service never sends both at once; the log does not rely on it."""
    (first,) = await given_stream(log, 1)
    await log.append(first_event(uuid4()))
    private = uuid4()
    busy = [log.append(first_event(uuid4())) for _ in range(3)]  # so that the next ones share a batch
    move = guarded(following(first), Guard(private, 0))
    *_, written, moved = await asyncio.gather(*busy, log.append(private_event(first.stream, private)), log.append(move))
    assert (written.accepted, moved.accepted) == (True, False)
    assert then_log_is_whole(database_url) == 6


@pytest.mark.parametrize("guards", [1, 2, 3])
async def test_one_event_alone_may_have_several_guards(log: Log, database_url: str, guards: int) -> None:
    (first,) = await given_stream(log, 1)
    private = uuid4()
    await log.append(private_event(first.stream, private))
    row = encode_row(following(first))
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.adapters.register_dumper(Encoded, EncodedDumper)
        named = ", ".join([f"row(1, '{private}', 0)::stream_guard"] * guards)
        query = f"select status from append_events(array[%b::new_event], array[{named}])"
        assert connection.execute(query, (row,)).fetchall() == [(4,)]
