"""Real servers for the tests: one PostgreSQL and one Redis for each test process, started by the first test
that asks, and for each test a database of its own, copied from one that was migrated once."""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from typing import Final

import psycopg
import pytest
from psycopg import sql
from redis import Redis

from service.embedded import EmbeddedServers, embedded_servers
from service.store.migrations import migrate
from tests.deploy.nginx import program

_NUMBERS: Final = count(1)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say so if the tests of `deploy/nginx.conf` could not run."""
    if program() is None:
        terminalreporter.write_line("nginx is not on this machine: the tests of deploy/nginx.conf were left out")


@pytest.fixture(scope="session")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServers]:
    """Real servers of this test process. Tests may restart them, but leave them running."""
    with embedded_servers(tmp_path_factory.mktemp("data"), durable=False) as running:
        yield running


@pytest.fixture(scope="session")
def database_template(servers: EmbeddedServers) -> str:
    """Name of a migrated, empty database to copy."""
    name = "template_migrated"
    with psycopg.connect(servers.database_url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    migrate(at_database(servers.database_url, name))
    return name


@pytest.fixture
def database_url(servers: EmbeddedServers, database_template: str) -> Iterator[str]:
    """A migrated database for one test."""
    with fresh_database(servers, database_template) as url:
        yield url


@pytest.fixture(scope="module")
def module_database_url(servers: EmbeddedServers, database_template: str) -> Iterator[str]:
    """A migrated database that the tests of one module share."""
    with fresh_database(servers, database_template) as url:
        yield url


@pytest.fixture
def redis_url(servers: EmbeddedServers) -> str:
    """The Redis of this test process, emptied."""
    with Redis.from_url(servers.redis_url) as connection:
        connection.flushall()
        connection.script_flush()
    return servers.redis_url


@contextmanager
def fresh_database(servers: EmbeddedServers, template: str) -> Iterator[str]:
    """A copy of a database, dropped at the end even if somebody is still connected."""
    name = f"test_{next(_NUMBERS)}"
    with psycopg.connect(servers.database_url, autocommit=True) as connection:
        create = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        connection.execute(create.format(sql.Identifier(name), sql.Identifier(template)))
    yield at_database(servers.database_url, name)
    with psycopg.connect(servers.database_url, autocommit=True) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


def at_database(url: str, name: str) -> str:
    """Return the address of another database of the same server."""
    return url.replace("/blattwerk?", f"/{name}?")
