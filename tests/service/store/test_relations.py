"""What an account is to a table, and that finding out does the same whether there is such a table or not."""

from uuid import UUID, uuid4

import psycopg
import pytest
from msgspec.structs import replace

from domain.fairness import link
from service.store.database import Database
from service.store.log import Log, NewEvent
from service.store.queries import statements
from service.store.table_codes import TableCodeStore
from tests.service.store.given import first_event, following, streams_in

BUCKET = 7


def saying(event: NewEvent, public: str) -> NewEvent:
    """The event with other public content."""
    envelope = event.envelope.replace(b'"seals"', b'%b,"seals"' % public.encode())
    return replace(event, envelope=envelope, hash=link(event.previous_hash, envelope))


async def given_table(log: Log, stream: UUID, visibility: str, *people: UUID) -> None:
    """A table of people."""
    events = [saying(first_event(stream), f'"visibility":"{visibility}"')]
    for person in people:
        events.append(saying(following(events[-1], type_="sit"), f'"player":"{person}"'))
    for event in events:
        assert (await log.append(event)).accepted


@pytest.fixture
async def ids(log: Log) -> list[UUID]:
    """Ids of one bucket in order: of the second and the fourth there are tables, a private and a public one."""
    found = sorted(streams_in(BUCKET, 5))
    await given_table(log, found[1], "private")
    await given_table(log, found[3], "public")
    return found


async def test_a_stranger_is_told_the_same_of_what_is_private_and_of_what_does_not_exist(
    database: Database, ids: list[UUID]
) -> None:
    store, eve = TableCodeStore(database), str(uuid4())
    (elsewhere,) = streams_in(BUCKET + 1, 1)
    assert [await store.relation(id_, eve) for id_ in (*ids, elsewhere)] == [
        *("stranger", "stranger", "stranger", "public", "stranger"),
        "stranger",
    ]
    for nobody in ("", "visitor 203.0.113.7"):
        assert [await store.relation(id_, nobody) for id_ in ids[1:4]] == ["stranger", "stranger", "public"]


async def test_who_sits_or_sat_at_a_table_is_named(database: Database, log: Log) -> None:
    store, ada, ben = TableCodeStore(database), uuid4(), uuid4()
    first, second = streams_in(BUCKET, 2)
    await given_table(log, first, "private", ada, ben)
    await given_table(log, second, "public", ada)
    assert [await store.relation(first, str(one)) for one in (ada, ben, uuid4())] == ["named", "named", "stranger"]
    assert await store.relation(second, str(ada)) == "public"


async def test_a_move_names_nobody(database: Database, log: Log) -> None:
    ada, (stream,) = uuid4(), streams_in(BUCKET, 1)
    first = saying(first_event(stream), '"visibility":"private"')
    move = saying(following(first, type_="play", actor=0, decision=1), f'"player":"{ada}"')
    for event in (first, move):
        assert (await log.append(event)).accepted
    assert await TableCodeStore(database).relation(stream, str(ada)) == "stranger"


async def test_an_invitation_lasts_until_it_is_withdrawn(
    database: Database, ids: list[UUID], database_url: str
) -> None:
    store, eve = TableCodeStore(database), uuid4()
    with psycopg.connect(database_url) as connection:
        connection.execute("insert into players (id, name) values (%s, 'Eve')", (eve,))
    assert await store.make(uuid4(), ids[1], "watch", "A" * 12) is not None
    assert await store.watch("A" * 12, eve) == ids[1]
    assert await store.relation(ids[1], str(eve)) == "invited"
    await store.withdraw(ids[1])
    assert await store.relation(ids[1], str(eve)) == "stranger"


async def test_the_database_does_the_same_for_an_id_that_does_not_exist(log: Log, database_url: str) -> None:
    before, stream = sorted(streams_in(BUCKET, 2))
    await given_table(log, stream, "private", *[uuid4() for _ in range(4)])
    eve = uuid4()
    query = f"explain (analyze, costs off, timing off, summary off, buffers) {statements('table_codes')['relation']}"
    with psycopg.connect(database_url) as connection:

        def done(asked: UUID) -> list[str]:
            parameters = {"bucket": BUCKET, "stream": asked, "player": eve, "account": str(eve)}
            plan = connection.execute(query, parameters).fetchall()
            lines = [line.replace(str(asked), "") for (line,) in plan]
            cut = next(place for place, line in enumerate(lines) if "CTE Scan on found" in line)
            return lines[:cut]  # what comes after it compares the ids, and shows one value

        done(stream)
        assert done(stream) == done(before)
        assert {line.split(" using ")[1].split()[0] for line in done(stream) if " using " in line} == {
            "events_version",
            "spectators_pkey",
            "table_codes_newest",
        }, "no index that would read more than one stream"
