"""Events of disputes in the database: with the decision at the table or not at all, once, in the list at once."""

import asyncio
from uuid import UUID, uuid4

import pytest

from service.store.buckets import bucket_of
from service.store.database import Database
from service.store.disputes import DisputeRow, DisputeStore, NewText, Opening, Outcome
from service.store.log import Log, NewEvent
from tests.service.store.given import NOON, first_event, following, next_event
from tests.service.store.opened import opened_database

ADA, BEN = uuid4(), uuid4()


@pytest.fixture
def store(database: Database) -> DisputeStore:
    """The rows of one process."""
    return DisputeStore(database)


async def table(log: Log) -> NewEvent:
    """A table with one event."""
    event = first_event(uuid4())
    assert await log.create_stream(event, bytes(32))
    return event


def opening(table: UUID, *, time: int = NOON, dispute: UUID | None = None) -> NewEvent:
    """The first event of a dispute about a table."""
    stream = dispute or uuid4()
    return next_event(stream, 0, bytes(32), type_="dispute", time=time, bucket=bucket_of(table))


async def opened(
    store: DisputeStore, event: NewEvent, table: UUID, version: int = 1, by: UUID = ADA, most: int = 3
) -> Outcome:
    """Record the opening of a dispute."""
    known = Opening(table, version, "other", (str(ADA), str(BEN)), most)
    return await store.record(event, "open", text=NewText(by, bytes(32), "text"), opening=known)


async def row_of(store: DisputeStore, event: NewEvent) -> DisputeRow:
    row = await store.row(event.stream)
    assert row is not None
    return row


async def test_a_dispute_is_in_the_list_with_its_first_event(log: Log, store: DisputeStore) -> None:
    at = await table(log)
    event = opening(at.stream)
    assert await opened(store, event, at.stream) is Outcome.APPENDED
    row = await row_of(store, event)
    assert (row.stream, row.version, row.player, row.opened, row.status) == (at.stream, 1, ADA, NOON, "open")
    assert row.people == (ADA, BEN)
    assert row.bucket == bucket_of(at.stream)
    (stored,) = await log.read(event.stream, bucket=row.bucket)
    assert (stored.hash, stored.envelope.encode()) == (event.hash, event.envelope)
    assert await store.texts(event.stream) == {1: (bytes(32), "text")}
    assert await log.disputed(None, 10) == [(NOON, event.stream, row.bucket)]
    assert await log.created(None, 10) == [(NOON, at.stream)]


async def test_the_same_event_again_changes_nothing(log: Log, store: DisputeStore) -> None:
    at = await table(log)
    first = opening(at.stream)
    await opened(store, first, at.stream)
    review = following(first, type_="review", bucket=bucket_of(at.stream))
    assert await store.record(review, "under_review") is Outcome.APPENDED
    assert await opened(store, first, at.stream) is Outcome.PRESENT
    assert await store.record(review, "under_review") is Outcome.PRESENT
    assert (await row_of(store, first)).status == "under_review"
    later = following(review, type_="withdraw", bucket=bucket_of(at.stream))
    assert await store.record(later, "withdrawn") is Outcome.APPENDED
    assert await store.record(review, "under_review") is Outcome.PRESENT
    assert (await row_of(store, first)).status == "withdrawn"


async def test_a_decision_is_recorded_at_the_table_too_or_not_at_all(log: Log, store: DisputeStore) -> None:
    at = await table(log)
    bucket = bucket_of(at.stream)
    first = opening(at.stream)
    await opened(store, first, at.stream)
    resolve = following(first, type_="resolve", bucket=bucket)
    taken = following(at)
    assert (await log.append(taken)).accepted
    for late, outcome in (
        (following(at, type_="adjudicate", bucket=bucket), Outcome.CONFLICT),
        (next_event(at.stream, 2, bytes(32), type_="adjudicate", bucket=bucket), Outcome.BROKEN),
        (next_event(at.stream, 9, taken.hash, type_="adjudicate", bucket=bucket), Outcome.BROKEN),
    ):
        text = NewText(BEN, bytes(32), "reasons")
        assert await store.record(resolve, "resolved", text=text, also=late) is outcome
        assert len(await log.read(first.stream, bucket=bucket)) == 1
        assert (await row_of(store, first)).status == "open"
        assert list(await store.texts(first.stream)) == [1]
    also = following(taken, type_="adjudicate", bucket=bucket)
    assert await store.record(resolve, "resolved", text=text, also=also) is Outcome.APPENDED
    assert [row.type for row in await log.read(at.stream)] == ["create", "play", "adjudicate"]
    assert [row.type for row in await log.read(first.stream, bucket=bucket)] == ["dispute", "resolve"]
    assert await store.record(resolve, "resolved", text=text, also=also) is Outcome.PRESENT
    other = following(first, type_="withdraw", bucket=bucket)
    behind = following(also, type_="adjudicate", bucket=bucket)
    assert await store.record(other, "withdrawn", also=behind) is Outcome.CONFLICT
    assert len(await log.read(at.stream)) == 3


async def test_one_open_dispute_for_a_version_and_so_many_a_day(log: Log, store: DisputeStore) -> None:
    at = await table(log)
    first = opening(at.stream)
    assert await opened(store, first, at.stream) is Outcome.APPENDED
    assert await opened(store, opening(at.stream), at.stream) is Outcome.EXISTS
    assert await opened(store, opening(at.stream), at.stream, by=BEN) is Outcome.APPENDED
    assert await opened(store, opening(at.stream), at.stream, version=2, most=1) is Outcome.TOO_MANY
    assert await opened(store, opening(at.stream), at.stream, version=2, most=2) is Outcome.APPENDED
    withdraw = following(first, type_="withdraw", bucket=bucket_of(at.stream))
    await store.record(withdraw, "withdrawn")
    assert await opened(store, opening(at.stream), at.stream) is Outcome.APPENDED
    day = 24 * 3_600_000
    assert await opened(store, opening(at.stream, time=NOON + day - 1), at.stream, version=3) is Outcome.TOO_MANY
    assert await opened(store, opening(at.stream, time=NOON + day), at.stream, version=3) is Outcome.APPENDED
    other = opening(at.stream, dispute=first.stream)
    assert await opened(store, other, at.stream) is Outcome.CONFLICT


async def test_disputes_opened_at_once_are_counted_one_after_the_other(
    log: Log, store: DisputeStore, database_url: str
) -> None:
    at = await table(log)
    async with opened_database(database_url) as other_process:
        another = DisputeStore(other_process)
        for _ in range(5):
            player, events = uuid4(), [opening(at.stream) for _ in range(8)]
            same = [opened((store, another)[n % 2], event, at.stream, by=player) for n, event in enumerate(events)]
            assert sorted(await asyncio.gather(*same)) == [Outcome.APPENDED] + [Outcome.EXISTS] * 7
            player, events = uuid4(), [opening(at.stream) for _ in range(8)]
            several = [
                opened((store, another)[n % 2], event, at.stream, version=n + 1, by=player)
                for n, event in enumerate(events)
            ]
            assert sorted(await asyncio.gather(*several)) == [Outcome.APPENDED] * 3 + [Outcome.TOO_MANY] * 5


async def test_erased_texts_leave_their_rows(log: Log, store: DisputeStore) -> None:
    at = await table(log)
    first, second = opening(at.stream), opening(at.stream)
    await opened(store, first, at.stream)
    await opened(store, second, at.stream, by=BEN)
    assert (await store.erase_texts(ADA), await store.erase_texts(ADA)) == (1, 0)
    assert await store.texts(first.stream) == {}
    assert await store.texts(second.stream) == {1: (bytes(32), "text")}


async def test_a_log_without_disputes_gives_an_empty_list(log: Log, store: DisputeStore) -> None:
    assert await store.relist() == 0
    assert await store.page(player=None, status=None, before=None, limit=5) == []
