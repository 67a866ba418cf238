"""Connections that lie: sessions that became read-only, servers that swallow packets, and what `/readyz` says."""

import socket
import time
from collections.abc import Iterator

import httpx
import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from service.embedded import EmbeddedServers, embedded_servers
from service.runtime.deadline import REQUEST_SECONDS, begin_deadline
from service.store.connections import conninfo
from service.store.migrations import migrate
from tests.service.client import Player, within
from tests.service.running import running_service, settings_for
from tests.service.store.opened import opened_database
from tests.service.test_waits_http import frozen, timed


@pytest.fixture(scope="module")
def own_servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedServers]:
    """Servers of this module alone, which it stops."""
    with embedded_servers(tmp_path_factory.mktemp("data"), durable=False) as servers:
        migrate(servers.database_url)
        yield servers


@pytest.fixture(scope="module")
def url(own_servers: EmbeddedServers) -> Iterator[str]:
    settings = settings_for(own_servers.database_url, own_servers.redis_url)
    with running_service(settings, worker=False) as running, running_service(settings):
        yield running
        Player.close_all()


def ready(url: str) -> httpx.Response:
    return httpx.get(f"{url}/readyz", timeout=30)


def make_read_only(servers: EmbeddedServers, *, read_only: bool) -> None:
    """Let all sessions of the server, running ones too, be as those of a server that takes no writes."""
    with psycopg.connect(servers.database_url, autocommit=True) as connection:
        connection.execute(f"alter system set default_transaction_read_only = {'on' if read_only else 'off'}")
        connection.execute("select pg_reload_conf()")


def test_a_database_without_writes_is_not_ready_and_its_sessions_are_not_kept(
    url: str, own_servers: EmbeddedServers
) -> None:
    ada = Player(url, "Ada")
    assert ready(url).json()["status"] == "ok"
    make_read_only(own_servers, read_only=True)
    try:
        assert within(6, lambda: ready(url).status_code == 503)
        refused = ready(url)
        assert refused.json()["code"] == "database_not_writable"
        assert "retry-after" in refused.headers
        assert str(own_servers.postgres.sockets) not in refused.text
        seconds, answer = timed(lambda: ada.post("/v1/tables", {"game": "hearts", "bots": [1, 2, 3]}, keyed=True))
        assert answer.status_code == 503
        assert seconds < REQUEST_SECONDS + 1.5
    finally:
        make_read_only(own_servers, read_only=False)
    assert within(10, lambda: ready(url).status_code == 200)
    assert ada.create("hearts", bots=[1, 2, 3])


async def test_a_session_that_became_read_only_serves_nobody_any_more(database_url: str) -> None:
    async with opened_database(database_url, connections=2) as database:
        await database.fetch("set default_transaction_read_only = on")  # of the pool's only session
        assert await database.change("delete from checkpoints where projection = 'none'") == []


def test_readiness_does_not_wait_for_a_database_that_hangs(url: str, own_servers: EmbeddedServers) -> None:
    with frozen(own_servers.postgres.pid):
        begun, longest = time.monotonic(), 0.0
        while (answer := ready(url)).status_code == 200:
            assert time.monotonic() < begun + 8, "a database that hangs counts as ready"
            time.sleep(0.1)
        for _ in range(5):
            seconds, answer = timed(lambda: ready(url))
            longest = max(longest, seconds)
        assert answer.json()["code"] == "database_not_writable"
        assert longest < 0.5
    assert within(10, lambda: ready(url).status_code == 200)


def test_without_redis_it_is_ready_and_degraded(url: str, own_servers: EmbeddedServers) -> None:
    with frozen(own_servers.redis.pid):
        assert within(6, lambda: ready(url).json().get("views") == "away")
        assert (ready(url).status_code, ready(url).json()["status"]) == (200, "degraded")
        assert max(timed(lambda: ready(url))[0] for _ in range(3)) < 0.5
    assert within(10, lambda: ready(url).json()["status"] == "ok")


def test_a_host_may_take_a_third_of_what_a_request_waits_to_connect() -> None:
    connecting = conninfo_to_dict(conninfo("postgresql://host/database"))["connect_timeout"]
    assert int(str(connecting)) * 3 <= REQUEST_SECONDS


async def test_first_hosts_that_swallow_packets_leave_a_request_time_for_the_last(
    own_servers: EmbeddedServers,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as other:
        sockets = str(own_servers.postgres.sockets)
        ports = f"{one.getsockname()[1]},{other.getsockname()[1]},5432"
        hosts = make_conninfo(own_servers.database_url, host=f"127.0.0.1,127.0.0.1,{sockets}", port=ports)
        async with opened_database(hosts) as database:
            begin_deadline()
            assert await database.fetch("select 1") == [(1,)]


async def test_a_first_host_that_swallows_packets_leaves_time_for_the_second(own_servers: EmbeddedServers) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections, and says nothing
        sockets = str(own_servers.postgres.sockets)
        ports = f"{silent.getsockname()[1]},5432"
        hosts = make_conninfo(own_servers.database_url, host=f"127.0.0.1,{sockets}", port=ports)
        async with opened_database(hosts) as database:
            assert await database.fetch("select 1") == [(1,)]
