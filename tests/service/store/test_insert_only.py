"""Events are never changed: the service has no right to, and a trigger refuses it for everybody else."""

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from service.store.connections import connect
from service.store.log import Log
from tests.service.store.given import first_event, given_stream, then_log_is_whole

CHANGES = (
    "update events set envelope = '{}'",
    "update events set position = position where false",
    "delete from events",
    "delete from events where version = 1",
    "truncate events",
    "truncate events, table_secret cascade",
    "merge into events e using (select 1) one on true when matched then delete",
    "insert into events select * from events on conflict (bucket, stream, version) do update set type = 'other'",
    "update table_secret set secret = decode(repeat('00', 32), 'hex')",
    "delete from table_secret",
    "truncate table_secret",
    "update transparency_leaves set leaf = decode(repeat('00', 64), 'hex')",
    "delete from transparency_leaves",
    "truncate transparency_leaves",
    "update transparency_nodes set hash = decode(repeat('00', 32), 'hex')",
    "delete from transparency_nodes",
    "truncate transparency_nodes",
    "update name_changes set erased = false",
    "delete from name_changes",
    "truncate name_changes",
)
FORBIDDEN_TO_THE_SERVICE = (
    *CHANGES,
    "insert into events select * from events",
    "insert into table_secret select * from table_secret",
    "insert into transparency_leaves select * from transparency_leaves",
    "insert into transparency_nodes select * from transparency_nodes",
    "insert into name_changes select 7, id, false from players",
    "update name_changes_head set position = 0",
    "insert into buckets values (1)",
    "update buckets set bucket = bucket",
    "delete from buckets",
    "select 1 from buckets for update",
    "alter table events disable trigger never_changed",
    "drop trigger never_changed on events",
    "drop table events",
    "set session_replication_role = replica",
    "create or replace function refuse_change() returns trigger language plpgsql as 'begin return null; end'",
    "create table mine (id integer)",
    "update schema_migrations set checksum = ''",
    "delete from players",
)


@pytest.fixture
async def filled(log: Log, database_url: str) -> str:
    """A database with a few events and a secret."""
    await log.create_stream(first_event(uuid4()), b"s" * 32)
    await given_stream(log, 3)
    return database_url


@pytest.fixture
def plain_owner(filled: str) -> Iterator[str]:
    """The address for an owner of the tables who is no superuser."""
    with psycopg.connect(filled, autocommit=True) as administrator:
        administrator.execute("create role plain_owner login")
        for table in ("events", "table_secret", "transparency_leaves", "transparency_nodes"):
            administrator.execute(f"alter table {table} owner to plain_owner")
        yield make_conninfo(filled, user="plain_owner")
        administrator.execute(f"reassign owned by plain_owner to {administrator.info.user}")
        administrator.execute("drop owned by plain_owner")
        administrator.execute("drop role plain_owner")


def then_refused(connection: psycopg.Connection, statement: str) -> None:
    """The statement is refused for lack of a right, and changes nothing."""
    with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
        connection.execute(statement)


async def test_the_service_may_do_nothing_but_append_and_read(filled: str) -> None:
    with psycopg.connect(filled, autocommit=True) as connection:
        connection.execute("set role blattwerk_service")
        for statement in FORBIDDEN_TO_THE_SERVICE:
            then_refused(connection, statement)
    assert then_log_is_whole(filled) == 4


@pytest.mark.parametrize("mode", ["origin", "replica"])
async def test_a_superuser_is_refused_in_replication_mode_too(filled: str, mode: str) -> None:
    with psycopg.connect(filled, autocommit=True) as connection:
        assert connection.execute("select usesuper from pg_user where usename = current_user").fetchone() == (True,)
        connection.execute(f"set session_replication_role = {mode}")
        for statement in CHANGES:
            then_refused(connection, statement)
    assert then_log_is_whole(filled) == 4


async def test_the_owner_is_refused(plain_owner: str, filled: str) -> None:
    with psycopg.connect(plain_owner, autocommit=True) as connection:
        for statement in CHANGES:
            then_refused(connection, statement)
    assert then_log_is_whole(filled) == 4


async def test_others_may_not_even_append(filled: str) -> None:
    with psycopg.connect(filled, autocommit=True) as connection:
        connection.execute("create role stranger")
        connection.execute("set role stranger")
        calls = (
            "select * from append_batch('{}')",
            "select * from append_events('{}', '{}')",
            "select append_leaves('{}', '{}', '{}')",
        )
        for statement in (*calls, "select * from events", "select * from transparency_leaves", *CHANGES):
            then_refused(connection, statement)
        connection.execute("reset role")
        connection.execute("drop role stranger")


@pytest.mark.parametrize(("configured", "used"), [("off", "on"), ("local", "on"), ("remote_apply", "remote_apply")])
async def test_a_connection_acts_as_the_service_and_commits_to_the_disk(
    database_url: str, configured: str, used: str
) -> None:
    url = make_conninfo(database_url, options=f"-c synchronous_commit={configured}")
    connection = await connect(url)
    cursor = await connection.execute("select current_user::text, current_setting('synchronous_commit')")
    assert await cursor.fetchall() == [("blattwerk_service", used)]
    await connection.close()
