"""Documents of a match of thousands of events, whose callers read slowly, do not read or leave."""

import socket
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Final
from uuid import UUID

import httpx
import psycopg
import pytest

from tests.service.api_process import ApiProcess, api_process
from tests.service.client import Player, within
from tests.service.connections import everything, request
from tests.service.long_match import played, written
from tests.service.running import settings_for

UNREAD_SECONDS: Final = 3
MB: Final = 1024 * 1024


@pytest.fixture(scope="module")
def table(module_database_url: str) -> UUID:
    """A match of 6,500 events. Its record (4.4 MB) is longer than what the system keeps for callers who do not read."""
    return written(module_database_url, played(1200))


@pytest.fixture(scope="module")
def api(table: UUID, module_database_url: str, module_redis_url: str) -> Iterator[ApiProcess]:
    """A service in a process of its own."""
    limits = ("audits=1000/60", "documents=1000", "guests_ipv4=1000/60")
    settings = settings_for(module_database_url, module_redis_url, unread_seconds=UNREAD_SECONDS, limits=limits)
    with api_process(settings) as running:
        yield running
        Player.close_all()


@pytest.fixture(scope="module")
def ada(api: ApiProcess) -> Player:
    return Player(api.url, "Ada")


@pytest.fixture(scope="module")
def idle(api: ApiProcess, ada: Player, table: UUID) -> int:
    """What the service holds when it knows the match and has answered something about it."""
    for path in ("", "/replay?from=1&to=50&seat=all", "/events?limit=100"):
        assert ada.http.get(f"/v1/tables/{table}{path}").status_code == 200
    return api.memory()


@contextmanager
def asked(api: ApiProcess, by: Player, path: str, times: int, *, room: int = 4096) -> Iterator[list[socket.socket]]:
    """Connections on each of which this was asked, and of which nothing is read yet."""
    with ExitStack() as stack:
        connections = [stack.enter_context(socket.socket()) for _ in range(times)]
        for connection in connections:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
            connection.settimeout(10)
            connection.connect(("127.0.0.1", api.port))
            connection.sendall(request("GET", path, Authorization=f"Bearer {by.token}"))
        yield connections


def is_complete(answer: bytes) -> bool:
    """Whether an answer in chunks ends as it has to."""
    return answer.endswith(b"\r\n0\r\n\r\n")


def test_documents_that_nobody_reads_hold_little_and_no_connection_and_are_given_up(
    api: ApiProcess, idle: int, ada: Player, table: UUID, module_database_url: str
) -> None:
    path = f"/v1/tables/{table}/record"
    with asked(api, ada, path, 12) as unread:
        with psycopg.connect(module_database_url, autocommit=True) as connection:
            assert within(20, lambda: is_quiet(connection)), "all wait for their readers"
        assert ada.http.get("/v1/me", timeout=2).status_code == 200
        assert api.memory() - idle < 15 * MB
        time.sleep(UNREAD_SECONDS + 0.5)
        answers = [everything(connection) for connection in unread]
    assert all(answer.startswith(b"HTTP/1.1 200 ") for answer in answers)
    assert not any(map(is_complete, answers)), "they were given up"
    whole = ada.http.get(path, headers={"Accept-Encoding": "identity"})
    assert len(whole.content) > max(map(len, answers))


def is_quiet(connection: "psycopg.Connection[tuple[int]]") -> bool:
    """Whether the service has asked the database for nothing in the last half second."""
    sql = """select count(*) from pg_stat_activity where application_name = 'blattwerk' and datname = current_database()
      and (state <> 'idle' or query like '%from events%' and state_change > clock_timestamp() - interval '0.5 s')"""
    return connection.execute(sql).fetchone() == (0,)


def test_a_slow_reader_gets_the_whole_document(api: ApiProcess, ada: Player, table: UUID) -> None:
    path = f"/v1/tables/{table}/record"
    with asked(api, ada, path, 1, room=64 * 1024) as (connection,):
        begun, received = time.monotonic(), b""
        while piece := connection.recv(MB):
            received += piece
            if is_complete(received):
                break
            time.sleep(0.08)
        assert is_complete(received)
        assert time.monotonic() - begun > UNREAD_SECONDS
    whole = ada.http.get(path, headers={"Accept-Encoding": "identity"}).content
    _, _, body = received.partition(b"\r\n\r\n")
    assert unchunked(body) == whole


def unchunked(body: bytes) -> bytes:
    """What is in the chunks of a body (RFC 9112, 7.1)."""
    pieces: list[bytes] = []
    place = 0
    while True:
        end = body.index(b"\r\n", place)
        length = int(body[place:end], 16)
        if length == 0:
            return b"".join(pieces)
        pieces.append(body[end + 2 : end + 2 + length])
        place = end + 4 + length


def test_sixty_audits_at_once_hold_little_and_most_are_refused(
    api: ApiProcess, idle: int, ada: Player, table: UUID
) -> None:
    most = 0
    with ThreadPoolExecutor(60) as callers:
        answers = [
            callers.submit(httpx.get, f"{api.url}/v1/tables/{table}/audit", headers=ada.http.headers, timeout=60)
            for _ in range(60)
        ]
        while not all(answer.done() for answer in answers):
            most = max(most, api.memory() - idle)
            time.sleep(0.05)
    assert most < 15 * MB
    given = [answer.result() for answer in answers]
    statuses = Counter(answer.status_code for answer in given)
    assert statuses.keys() == {200, 503}
    assert 1 <= statuses[200] <= 5
    assert all(answer.headers["retry-after"] == "5" for answer in given if answer.status_code == 503)
    assert all(answer.json()["ok"] for answer in given if answer.status_code == 200)
