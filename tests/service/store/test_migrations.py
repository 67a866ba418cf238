"""Migrations: applied once, in order, never edited; what is wrong is said in one line."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from uuid import UUID

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from domain.standings import Tally
from service.embedded import EmbeddedServers
from service.store import migrations as migrations_module
from service.store.errors import StoreSetupError, StoreUnavailableError
from service.store.log import Log
from service.store.migrations import Migration, migrate, migrations, pending
from service.store.standings import PROJECTION, Standing, StandingsStore
from tests.service.store.opened import opened_database, opened_log

NUMBERS = count(1)


@contextmanager
def database(servers: EmbeddedServers, *, options: str = "") -> Iterator[str]:
    """An empty database."""
    name = f"empty_{next(NUMBERS)}"
    with psycopg.connect(servers.database_url, autocommit=True) as connection:
        connection.execute(f"create database {name} {options}")
        yield make_conninfo(servers.database_url, dbname=name)
        connection.execute(f"drop database {name} with (force)")


@pytest.fixture
def empty_url(servers: EmbeddedServers) -> Iterator[str]:
    """An empty database for one test."""
    with database(servers) as url:
        yield url


def names() -> list[str]:
    """The names of all migrations."""
    return [migration.name for migration in migrations()]


def use(monkeypatch: pytest.MonkeyPatch, *known: Migration) -> None:
    """Let the program have other migrations."""
    monkeypatch.setattr(migrations_module, "migrations", lambda: list(known))


def test_an_empty_database_gets_all_migrations_once(empty_url: str) -> None:
    assert pending(empty_url) == names()
    assert migrate(empty_url) == names()
    assert migrate(empty_url) == []
    assert pending(empty_url) == []


def test_of_several_that_migrate_at_once_one_does_it(empty_url: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        applied = list(pool.map(migrate, [empty_url] * 4))
    assert sorted(applied, key=len) == [[], [], [], names()]


def test_a_database_gets_the_migrations_it_lacks(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate(empty_url)
    use(monkeypatch, *migrations(), Migration("9999_more.sql", "create table more (id integer);"))
    assert pending(empty_url) == ["9999_more.sql"]
    assert migrate(empty_url) == ["9999_more.sql"]


def test_an_edited_migration_is_refused(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate(empty_url)
    first, *rest = migrations()
    use(monkeypatch, first._replace(text=first.text + "\n"), *rest)
    for act in (migrate, pending):
        with pytest.raises(StoreSetupError, match=f"{first.name} was edited"):
            act(empty_url)


def test_a_database_of_a_newer_program_is_refused(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate(empty_url)
    *known, newest = migrations()
    use(monkeypatch, *known)
    for act in (migrate, pending):
        with pytest.raises(StoreSetupError, match=f"{newest.name}, which this version does not know"):
            act(empty_url)


def test_a_migration_that_was_slipped_in_is_refused(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    migrate(empty_url)
    first, *rest = migrations()
    use(monkeypatch, first, Migration("0001_slipped.sql", "select 1;"), *rest)
    with pytest.raises(StoreSetupError, match=r"0001_slipped.sql was never applied"):
        migrate(empty_url)


def test_a_migration_that_fails_leaves_nothing(empty_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, *migrations(), Migration("9999_bad.sql", "create table half (id integer); select 1 / 0;"))
    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(empty_url)
    assert pending(empty_url) == ["9999_bad.sql"]
    with psycopg.connect(empty_url) as connection:
        assert connection.execute("select to_regclass('half')").fetchone() == (None,)


def test_a_database_that_does_not_answer_is_unavailable() -> None:
    with pytest.raises(StoreUnavailableError, match="does not answer"):
        migrate("postgresql://nobody@/nothing?host=/nowhere")


def test_a_database_in_another_encoding_is_refused(servers: EmbeddedServers) -> None:
    options = "encoding 'LATIN1' locale_provider 'libc' locale 'C' template template0"
    with database(servers, options=options) as url, pytest.raises(StoreSetupError, match="UTF8"):
        migrate(url)


async def test_the_service_does_not_start_on_a_database_without_a_log(empty_url: str) -> None:
    with pytest.raises(StoreSetupError, match="run the migrations"):
        async with opened_log(empty_url):
            pass


# owners that are no superusers


@pytest.fixture
def owner_url(servers: EmbeddedServers) -> Iterator[str]:
    """A database whose owner may do nothing but own it, and the service's role made by an administrator."""
    with database(servers) as url, psycopg.connect(url, autocommit=True) as administrator:
        name = conninfo_to_dict(url)["dbname"]
        migrate(servers.database_url)  # the role exists from now on
        administrator.execute("create role table_owner login nocreaterole")
        administrator.execute(f"alter database {name} owner to table_owner")
        yield make_conninfo(url, user="table_owner")
        administrator.execute("drop owned by table_owner cascade")
        administrator.execute(f"alter database {name} owner to {administrator.info.user}")
        administrator.execute("drop role table_owner")


async def test_an_ordinary_owner_is_told_which_grant_he_needs(owner_url: str, servers: EmbeddedServers) -> None:
    with pytest.raises(StoreSetupError, match="GRANT blattwerk_service TO table_owner"):
        migrate(owner_url)
    with psycopg.connect(servers.database_url, autocommit=True) as administrator:
        administrator.execute("grant blattwerk_service to table_owner")
    assert migrate(owner_url) == names()
    async with opened_log(owner_url) as log:
        await log.ping()


async def test_an_owner_who_may_make_roles_needs_no_administrator(owner_url: str, servers: EmbeddedServers) -> None:
    with psycopg.connect(servers.database_url, autocommit=True) as administrator:
        administrator.execute("alter role table_owner createrole")
        administrator.execute("grant blattwerk_service to table_owner with admin option, set false, inherit false")
    assert migrate(owner_url) == names()
    async with opened_log(owner_url):
        pass


async def test_a_login_that_is_not_the_owner_serves_with_the_rights_of_the_service_alone(
    owner_url: str, servers: EmbeddedServers
) -> None:
    with psycopg.connect(servers.database_url, autocommit=True) as administrator:
        administrator.execute("grant blattwerk_service to table_owner")
        assert migrate(owner_url) == names()
        administrator.execute("create role server_login login in role blattwerk_service")
        url = make_conninfo(owner_url, user="server_login")
        assert pending(url) == []
        async with opened_log(url) as log:
            await log.ping()
        administrator.execute("drop role server_login")


def test_migrations_are_in_the_order_of_their_names() -> None:
    assert names() == sorted(names())
    assert names()[0] == "0001_log.sql"


async def test_standings_of_a_program_that_counted_wrong_are_counted_anew(
    empty_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as older:
        use(older, *[one for one in migrations() if one.name < "0009"])
        migrate(empty_url)
    with psycopg.connect(empty_url, autocommit=True) as connection:
        counted = connection.execute(
            "select apply_standings(1, '{7}', '{0}', '{3}', %s)",
            (
                '[{"game": "von_herzen", "player": "00000000-0000-0000-0000-000000000001", "place_1": 1, "place_2": 0,'
                ' "place_3": 3, "place_4": 0, "place_5": 0, "place_6": 0, "left_early": 3}]',
            ),
        )
        assert counted.fetchone() == (True,)
        migrate(empty_url)
        older_program = connection.execute("select apply_standings(2, '{7}', '{0}', '{3}', '[]')")
        assert older_program.fetchone() == (False,), "it would count wrong again"
    async with opened_database(empty_url) as process:
        store, generation = StandingsStore(process), 2
        assert await store.generation() == generation
        assert await store.page("von_herzen", None, 10) == []
        assert await Log(process).checkpoint(PROJECTION, generation) == {}
        right = Standing("von_herzen", str(UUID(int=1)), Tally((1, 0, 0, 0, 0, 0), 0))
        assert await store.apply(generation, {}, {7: 3}, [right])
        assert await store.page("von_herzen", None, 10) == [right]
