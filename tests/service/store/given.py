"""Events to append, and what has to hold of a log afterwards, whatever happened to it."""

from collections import Counter
from collections.abc import Iterable
from uuid import UUID, uuid4

import psycopg

from domain.fairness import genesis, link
from service.store.buckets import bucket_of
from service.store.log import Log, NewEvent, StoredEvent

RULES = "hearts/1"
NOON = 1_767_268_800_000
"""2026-01-01 12:00 UTC in milliseconds."""


def first_event(stream: UUID, *, time: int = NOON) -> NewEvent:
    """The event that creates a table."""
    return next_event(stream, 0, genesis(stream.bytes, RULES), type_="create", time=time)


def next_event(
    stream: UUID,
    expected: int,
    previous: bytes,
    *,
    type_: str = "play",
    actor: int | None = None,
    decision: int | None = None,
    time: int = NOON,
    bucket: int | None = None,
) -> NewEvent:
    """An event behind version `expected` whose hash is `previous`; no two are equal."""
    command = uuid4()
    fact = b'{"type":"done","command":"%s"}' % str(command).encode()
    envelope = b'{"format":1,"version":%d,"public":{"table":[%s]},"seals":[]}' % (expected + 1, fact)
    return NewEvent(
        stream=stream,
        expected=expected,
        command=command,
        type=type_,
        envelope=envelope,
        sealed=b"[[],{}]",
        actor=actor,
        decision=decision,
        digest=command.bytes,
        rules=RULES,
        time=time,
        previous_hash=previous,
        hash=link(previous, envelope),
        bucket=bucket,
    )


def following(event: NewEvent | StoredEvent, **fields: int | str | None) -> NewEvent:
    """An event that follows another one."""
    version = event.expected + 1 if isinstance(event, NewEvent) else event.version
    return next_event(event.stream, version, event.hash, **fields)  # type: ignore[arg-type]


async def given_stream(log: Log, length: int, stream: UUID | None = None) -> list[NewEvent]:
    """A stream of so many events."""
    events = [first_event(stream or uuid4())]
    while len(events) < length:
        events.append(following(events[-1]))
    for event in events:
        assert (await log.append(event)).accepted
    return events


def streams_in(bucket: int, count: int) -> list[UUID]:
    """Ids of streams that share a bucket."""
    found: list[UUID] = []
    while len(found) < count:
        stream = uuid4()
        if bucket_of(stream) == bucket:
            found.append(stream)
    return found


def then_log_is_whole(database_url: str, acknowledged: Iterable[UUID] = ()) -> int:
    """Check every event of the log; return how many there are.

    Versions and positions have no gaps, nothing is twice, every link of every chain holds, and every
    acknowledged command is there once.
    """
    with psycopg.connect(database_url) as connection:
        rows = connection.execute("select bucket, position, stream, version, command from events").fetchall()
        assert connection.execute("select * from chain_breaks").fetchall() == []
        heads: dict[int, int] = dict(connection.execute("select bucket, position from bucket_head").fetchall())
    positions: dict[int, list[int]] = {bucket: [] for bucket in heads}
    versions: dict[UUID, list[int]] = {}
    for bucket, position, stream, version, _ in rows:
        positions[bucket].append(position)
        versions.setdefault(stream, []).append(version)
    for bucket, taken in positions.items():
        assert sorted(taken) == list(range(1, heads[bucket] + 1)), f"bucket {bucket}"
    for stream, taken in versions.items():
        assert sorted(taken) == list(range(1, len(taken) + 1)), f"stream {stream}"
    recorded = Counter(row[4] for row in rows)
    assert {command: n for command, n in recorded.items() if n > 1} == {}
    assert [command for command in acknowledged if command not in recorded] == []
    return len(rows)
