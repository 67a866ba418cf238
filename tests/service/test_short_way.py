"""Requests that come whole are answered as those that come in pieces, in order, to the end."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

from service.accounts.accounts import Accounts
from service.api.http import MAX_BODY_BYTES
from service.api.protocol import Protocol
from service.app import Resource
from tests.service.running import running_service, settings_for
from tests.service.test_protocol import parts


def request(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    """One whole request."""
    lines = [
        f"{method} {path} HTTP/1.1",
        "Host: x",
        *[f"{name.replace('_', '-')}: {headers[name]}" for name in headers],
    ]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


GUEST = b'{"name":"Ada"}'
KEY = '"0123456789abcdef-%s"'


@contextmanager
def connected(url: str) -> Iterator[socket.socket]:
    address = urlsplit(url)
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        yield connection


def read_answer(connection: socket.socket) -> bytes:
    """Read one whole answer; what follows it is an error."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += _some(connection)
    head, _, body = received.partition(b"\r\n\r\n")
    length = next((int(line[16:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
    while len(body) < length:
        body += _some(connection)
    assert len(body) == length
    return head + b"\r\n\r\n" + body


def _some(connection: socket.socket) -> bytes:
    piece = connection.recv(1 << 16)
    assert piece, "the connection was closed"
    return piece


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """For each time that bytes came, whether they went the short way."""
    taken: list[bool] = []
    begin = Protocol._begin

    def noting(self: Protocol, data: bytes, short: Any) -> bool:
        taken.append(begin(self, data, short))
        return taken[-1]

    monkeypatch.setattr(Protocol, "_begin", noting)
    return taken


SAME = {
    "a list": request("GET", "/v1/games"),
    "a query": request("GET", "/v1/tables?limit=1&game=hearts"),
    "a wrong query": request("GET", "/v1/tables?limit=1&limit=2"),
    "a new account": request("POST", "/v1/players", GUEST, Idempotency_Key=KEY % "same"),
    "no token": request("GET", "/v1/me"),
    "no table": request("GET", "/v1/tables/00000000-0000-4000-8000-000000000000", Authorization="Bearer bw_x"),
    "a wrong body": request("POST", "/v1/players", b'{"name":', Idempotency_Key=KEY % "body"),
    "a body too large": request("POST", "/v1/players", b" " * (MAX_BODY_BYTES + 1), Idempotency_Key=KEY % "large"),
    "a wrong method": request("DELETE", "/v1/games"),
    "no acceptable answer": request("GET", "/v1/games", Accept="image/png"),
    "kept alive": request("GET", "/v1/games", Connection="Keep-Alive"),
    "header twice": request("GET", "/v1/games", X_A="1").replace(b"X-A: 1", b"Accept: image/png\r\nAccept: */*"),
}


@pytest.mark.parametrize("sent", SAME.values(), ids=SAME.keys())
def test_both_ways_give_the_same_answer(service_url: str, ways: list[bool], sent: bytes) -> None:
    answers, taken = [], []
    for pieces in ((sent,), (sent[:20], sent[20:])):
        with connected(service_url) as connection:
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(0.05)
            answers.append(read_answer(connection))
        taken.append(list(ways))
        ways.clear()
    if b"large" in sent:  # it may come in several packets, however it is sent
        assert taken[0] in ([True], [False])
    else:
        assert taken[0] == [True]
    assert taken[1] == [False]
    (status, headers, body), (usual, usual_headers, usual_body) = map(parts, answers)
    assert (status, headers) == (usual, usual_headers)
    if b"trace_id" in body:
        assert {**json.loads(body), "trace_id": ""} == {**json.loads(usual_body), "trace_id": ""}
    else:
        assert body == usual_body


NOT_SHORT = {
    "head": request("HEAD", "/v1/games"),
    "options": request("OPTIONS", "/v1/games"),
    "closing": request("GET", "/v1/games", Connection="close"),
    "http 1.0": request("GET", "/v1/games").replace(b"1.1", b"1.0"),
    "escaped": request("GET", "/v1/g%61mes"),
    "expecting": request("POST", "/v1/players", GUEST, Idempotency_Key=KEY % "expect", Expect="100-continue"),
    "in chunks": request("POST", "/v1/players", Idempotency_Key=KEY % "chunk", Transfer_Encoding="chunked")
    + b"e\r\n" + GUEST + b"\r\n0\r\n\r\n",
    "two at once": request("GET", "/v1/games") + request("GET", "/v1/games"),
    "one and a half": request("GET", "/v1/games") + b"GET /v1/ga",
    "no path": request("GET", "/v1/nothing"),
    "not the contract's": request("GET", "/nothing"),
    "in pieces": request("GET", "/v1/tables/00000000-0000-4000-8000-000000000000/record"),
    "broken": b"GET /v1/games HTTP/1.1\r\nHost : x\r\n\r\n",
    "two lengths": request("POST", "/v1/players", GUEST).replace(b"\r\n\r\n", b"\r\nContent-Length: 3\r\n\r\n", 1),
}  # fmt: skip


@pytest.mark.parametrize("sent", NOT_SHORT.values(), ids=NOT_SHORT.keys())
def test_what_is_not_plain_goes_the_usual_way(service_url: str, ways: list[bool], sent: bytes) -> None:
    with connected(service_url) as connection:
        connection.sendall(sent)
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 ")
    assert ways == [False]


def test_a_connection_changes_ways_as_often_as_it_has_to(service_url: str, ways: list[bool]) -> None:
    whole = request("GET", "/v1/games")
    with connected(service_url) as connection:
        for _ in range(3):
            connection.sendall(whole)
            assert read_answer(connection).startswith(b"HTTP/1.1 200")
            for piece in (whole[:9], whole[9:]):
                connection.sendall(piece)
                time.sleep(0.05)
            assert read_answer(connection).startswith(b"HTTP/1.1 200")
    assert ways.count(True) == 3


@pytest.fixture
def slowly(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """New accounts wait for this event."""
    begun, release = threading.Event(), threading.Event()
    create = Accounts.create_guest

    async def waiting(self: Accounts, name: str, key: str) -> Any:
        begun.set()
        while not release.is_set():  # noqa: ASYNC110 - set by another thread
            await asyncio.sleep(0.01)
        return await create(self, name, key)

    monkeypatch.setattr(Accounts, "create_guest", waiting)
    release.begun = begun  # type: ignore[attr-defined]
    return release


def test_what_comes_meanwhile_is_answered_afterwards(service_url: str, slowly: Any) -> None:
    with connected(service_url) as connection:
        connection.sendall(request("POST", "/v1/players", GUEST, Idempotency_Key=KEY % "meanwhile"))
        assert slowly.begun.wait(10)
        connection.sendall(request("GET", "/v1/games") + request("GET", "/v1/me")[:15])
        connection.settimeout(0.3)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        connection.settimeout(10)
        slowly.set()
        received = b""
        while received.count(b"HTTP/1.1 ") < 2 or not received.endswith(b"}"):
            received += _some(connection)
        connection.sendall(request("GET", "/v1/me")[15:])
        assert read_answer(connection).startswith(b"HTTP/1.1 401")
    assert received.startswith(b"HTTP/1.1 201")
    assert b"HTTP/1.1 200" in received


def test_who_leaves_is_not_missed(service_url: str, slowly: Any) -> None:
    sent = request("POST", "/v1/players", GUEST, Idempotency_Key=KEY % "leaving")
    with connected(service_url) as connection:
        connection.sendall(sent)
        assert slowly.begun.wait(10)
    slowly.set()
    with connected(service_url) as connection:
        connection.sendall(sent)
        assert read_answer(connection).startswith(b"HTTP/1.1 201")


def test_a_request_under_way_is_answered_before_the_service_ends(
    module_database_url: str, module_redis_url: str, slowly: Any
) -> None:
    serving = running_service(settings_for(module_database_url, module_redis_url), worker=False)
    url = serving.__enter__()
    with connected(url) as connection:
        connection.sendall(request("POST", "/v1/players", GUEST, Idempotency_Key=KEY % "ending"))
        assert slowly.begun.wait(10)
        ending = threading.Thread(target=serving.__exit__, args=(None, None, None))
        ending.start()
        time.sleep(0.5)
        slowly.set()
        answer = read_answer(connection)
        assert answer.startswith(b"HTTP/1.1 201")
        assert b"\r\nconnection: close\r\n" in answer
        assert connection.recv(1) == b""
        ending.join(20)
        assert not ending.is_alive()


def test_a_failure_is_answered_and_ends_the_connection(service_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def failing(*_: Any) -> None:
        raise RuntimeError("a defect")

    with connected(service_url) as connection:
        monkeypatch.setattr(Resource, "__call__", failing)
        connection.sendall(request("GET", "/v1/games"))
        answer = read_answer(connection)
        assert answer.startswith(b"HTTP/1.1 500")
        assert connection.recv(1) == b""
        assert b"defect" not in answer


def test_an_idle_connection_is_closed_by_one_timer(service_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = Protocol._begin

    def hurried(self: Protocol, data: bytes, short: Any) -> bool:
        self.timeout_keep_alive = 1
        return begin(self, data, short)

    monkeypatch.setattr(Protocol, "_begin", hurried)
    with connected(service_url) as connection:
        for _ in range(4):  # longer than the time-out, never silent for so long
            time.sleep(0.4)
            connection.sendall(request("GET", "/v1/games"))
            read_answer(connection)
        silent = time.monotonic()
        assert connection.recv(1) == b""
        assert 0.5 < time.monotonic() - silent < 5


def everything(connection: socket.socket) -> bytes:
    """Read until the server closes."""
    received = b""
    while piece := connection.recv(1 << 16):
        received += piece
    return received


def test_a_body_behind_an_upgrade_is_no_request(service_url: str) -> None:
    smuggled = request("GET", "/v1/games")
    head = request("POST", "/v1/players", b"x" * len(smuggled), Connection="Upgrade", Upgrade="h2c")
    with connected(service_url) as connection:
        connection.sendall(head[: -len(smuggled)])
        time.sleep(0.1)
        connection.sendall(smuggled)
        received = everything(connection)
    assert received.count(b"HTTP/1.1 ") == 1
    assert received.startswith(b"HTTP/1.1 400")


def test_an_upgrade_without_a_body_is_answered_and_ends_the_connection(service_url: str) -> None:
    with connected(service_url) as connection:
        connection.sendall(request("GET", "/v1/games", Connection="Upgrade", Upgrade="h2c"))
        received = everything(connection)
    assert received.startswith(b"HTTP/1.1 200")
    assert b"\r\nconnection: close\r\n" in received


@pytest.mark.parametrize("pause", [0.0, 0.1])
def test_trailers_are_no_headers(service_url: str, pause: float) -> None:
    sent = request("POST", "/v1/players", Content_Type="application/json", Transfer_Encoding="chunked")
    trailer = b"Idempotency-Key: " + (KEY % "trailer").encode() + b"\r\n\r\n"
    with connected(service_url) as connection:
        connection.sendall(sent + b"e\r\n" + GUEST + b"\r\n0\r\n")
        time.sleep(pause)
        connection.sendall(trailer)
        assert read_answer(connection).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize("pieces", [1, 2])
def test_who_has_no_more_to_say_still_hears_the_answer(service_url: str, pieces: int) -> None:
    sent = request("POST", "/v1/players", GUEST, Idempotency_Key=KEY % f"half{pieces}")
    with connected(service_url) as connection:
        for piece in (sent,) if pieces == 1 else (sent[:30], sent[30:]):
            connection.sendall(piece)
            time.sleep(0.05 * (pieces - 1))
        connection.shutdown(socket.SHUT_WR)
        received = everything(connection)
    assert received.startswith(b"HTTP/1.1 201")


@pytest.mark.parametrize("pieces", [1, 2])
def test_a_refusal_does_not_overtake_an_answer(service_url: str, slowly: Any, pieces: int) -> None:
    sent = request("POST", "/v1/players", GUEST, Idempotency_Key=KEY % f"overtaken{pieces}")
    with connected(service_url) as connection:
        for piece in (sent,) if pieces == 1 else (sent[:30], sent[30:]):
            connection.sendall(piece)
            time.sleep(0.05)
        assert slowly.begun.wait(10)
        connection.sendall(b"\0\r\n\r\n")
        time.sleep(0.05)
        slowly.set()
        received = everything(connection)
    assert received.startswith(b"HTTP/1.1 201")


def test_a_large_body_is_not_taken_for_the_next_head(service_url: str) -> None:
    body = b'{"name":"' + b" " * (MAX_BODY_BYTES - 20) + b'Ada"}'
    with connected(service_url) as connection:
        sent = request("POST", "/v1/players", body, Idempotency_Key=KEY % "large")
        connection.sendall(sent + request("GET", "/v1/games")[:20])
        assert read_answer(connection).startswith(b"HTTP/1.1 ")
        connection.sendall(request("GET", "/v1/games")[20:])
        assert read_answer(connection).startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("then", [b"", b"\r\n"])
def test_no_connection_stays_open_for_ever(
    service_url: str, monkeypatch: pytest.MonkeyPatch, whole: bool, then: bytes
) -> None:
    receive = Protocol.data_received

    def hurried(self: Protocol, data: bytes) -> None:
        if self.timeout_keep_alive != 1:
            self.timeout_keep_alive = 1
            assert self._idle_timer is not None
            self._idle_timer.cancel()
            self._end_if_idle()
        receive(self, data)

    monkeypatch.setattr(Protocol, "data_received", hurried)
    sent = request("GET", "/v1/games")
    with connected(service_url) as connection:
        for piece in (sent,) if whole else (sent[:20], sent[20:]):
            connection.sendall(piece)
            time.sleep(0.05)
        read_answer(connection)
        connection.sendall(then)
        assert connection.recv(1) == b""
