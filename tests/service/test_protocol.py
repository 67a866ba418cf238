"""Answers that leave in one write are the answers that two messages make."""

import asyncio
import socket
import time
from contextlib import suppress
from types import SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import pytest

from service.api import protocol
from service.api.protocol import EXCHANGE, HEAD_BYTES, Exchange, Protocol

GET = b"GET /v1/games HTTP/1.1\r\nHost: x\r\n%b\r\n"


def exchange(url: str, *requests: bytes) -> bytes:
    """Send everything at once and read until the server closes or falls silent."""
    address = urlsplit(url)
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        connection.sendall(b"".join(requests))
        received = b""
        connection.settimeout(1)
        try:
            while piece := connection.recv(1 << 20):
                received += piece
        except TimeoutError:
            pass
        return received


def parts(answer: bytes) -> tuple[bytes, dict[bytes, bytes], bytes]:
    """Status line, headers without those that differ from request to request, body."""
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *lines = head.split(b"\r\n")
    headers = dict(line.split(b": ", 1) for line in lines)
    for name in (b"x-request-id", b"date"):
        assert headers.pop(name)
    return status, headers, body


def test_one_write_and_two_messages_say_the_same(service_url: str) -> None:
    whole = parts(exchange(service_url, GET % b""))
    usual = parts(exchange(service_url, GET % b"Connection: close\r\n"))
    assert usual[1].pop(b"connection") == b"close"
    assert whole == usual
    assert int(whole[1][b"content-length"]) == len(whole[2]) > 0


def test_an_old_client_is_answered_and_the_connection_closed(service_url: str) -> None:
    old = exchange(service_url, b"GET /v1/games HTTP/1.0\r\nHost: x\r\n\r\n")
    assert parts(old)[2] == parts(exchange(service_url, GET % b""))[2]
    assert b"connection: close" in old


def test_head_has_no_body(service_url: str) -> None:
    status, headers, body = parts(exchange(service_url, (GET % b"").replace(b"GET", b"HEAD", 1)))
    assert (status, body) == (b"HTTP/1.1 200 OK", b"")
    assert headers == parts(exchange(service_url, GET % b""))[1]


def test_requests_sent_at_once_are_answered_in_their_order(service_url: str) -> None:
    paths = [b"/v1/games", b"/v1/games/hearts/rules", b"/v1/me", b"/v1/games"]
    requests = [(GET % b"").replace(b"/v1/games", path) for path in paths]
    received = exchange(service_url, *requests)
    for request in requests:
        _, _, alone = parts(exchange(service_url, request))
        head, _, received = received.partition(b"\r\n\r\n")
        body, received = received[: len(alone)], received[len(alone) :]
        assert head.startswith(b"HTTP/1.1 401" if b"/v1/me" in request else b"HTTP/1.1 200")
        assert body == alone or b"trace_id" in body
    assert received == b""


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> tuple[Any, Exchange]:
    """A request under way, and the extension that the protocol gives it."""
    monkeypatch.setattr("uvicorn.protocols.http.httptools_impl.HttpToolsProtocol._start_asgi_task", lambda *_: None)
    written: list[bytes] = []
    cycle = SimpleNamespace(
        scope={"method": "GET"},
        disconnected=False,
        keep_alive=True,
        response_started=False,
        response_complete=False,
        default_headers=[],
        flow=SimpleNamespace(write_paused=False),
        transport=SimpleNamespace(write=written.append),
        message_event=asyncio.Event(),
        on_response=lambda: None,
        written=written,
    )
    Protocol._start_asgi_task(Protocol.__new__(Protocol), cycle, None)  # type: ignore[arg-type]
    return cycle, cycle.scope["extensions"][EXCHANGE]


@pytest.mark.parametrize("value", [b"a\r\nset-cookie: x", b"a\nb", b"a\0b"])
def test_no_header_breaks_out_of_its_line(begun: tuple[Any, Exchange], value: bytes) -> None:
    cycle, whole = begun
    with pytest.raises(ValueError, match="more than one line"):
        whole.answer(200, [(b"etag", value)], b"{}")
    assert not cycle.written
    assert not cycle.response_started


@pytest.mark.parametrize(
    "changed", [{"keep_alive": False}, {"response_started": True}, {"flow": SimpleNamespace(write_paused=True)}]
)
def test_what_needs_the_usual_way_is_left_to_it(begun: tuple[Any, Exchange], changed: dict[str, Any]) -> None:
    cycle, whole = begun
    vars(cycle).update(changed)
    assert not whole.answer(200, [], b"")
    assert not cycle.written


def test_nothing_is_written_to_who_has_gone(begun: tuple[Any, Exchange]) -> None:
    cycle, whole = begun
    cycle.disconnected = True
    assert whole.answer(200, [], b"{}")
    assert not cycle.written


def test_a_body_is_whole_when_its_last_piece_has_come(begun: tuple[Any, Exchange]) -> None:
    cycle, whole = begun
    cycle.body, cycle.more_body = bytearray(b'{"name":'), True
    assert whole.body() is None
    cycle.body += b'"A"}'
    cycle.more_body = False
    assert whole.body() == b'{"name":"A"}'
    cycle.disconnected = True
    assert whole.body() is None


@pytest.mark.parametrize("head", [b"GET /" + b"a" * 60, b"GET /livez HTTP/1.1\r\nX: " + b"y" * 60, b"X-1: y\r\n" * 10])
def test_a_head_that_does_not_end_is_given_up(service_url: str, head: bytes) -> None:
    if head.startswith(b"X"):
        head = b"GET /livez HTTP/1.1\r\n" + head
    address = urlsplit(service_url)
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        connection.sendall(head)
        sent = 0
        piece = b"X-1: y\r\n" * 512 if head.endswith(b"\n") else b"z" * 4096
        with suppress(OSError):
            while sent < 100 * HEAD_BYTES:
                connection.sendall(piece)
                sent += len(piece)
        assert sent < 100 * HEAD_BYTES


def test_a_head_has_to_arrive_in_time(service_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol, "HEAD_SECONDS", 0.5)
    slow = (b"", b"GET /livez HTT", b"GET /livez HTTP/1.1\r\nHost: x\r\n", GET % b"" + b"GET /livez HTTP/1.1\r\n")
    for head in slow:
        assert b"400 Bad Request" in exchange(service_url, head), head
    address = urlsplit(service_url)
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        for _ in range(3):
            connection.sendall(b"GET /livez HTTP/1.1\r\nHost: x\r\n\r\n")
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 200")
            time.sleep(0.7)  # between requests there is no head to wait for


def test_a_large_body_is_no_head(service_url: str) -> None:
    body = b'{"name": "' + b"a" * 2 * HEAD_BYTES + b'"}'
    post = b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b"
    received = exchange(service_url, post % (len(body), body), GET % b"")
    assert received.startswith(b"HTTP/1.1 413")
    assert b"HTTP/1.1 200" in received


@pytest.mark.parametrize("endless", [b"0\r\nX: " + b"y" * 65_000, b"1;" + b"y" * 65_000, b"1\r\n \r\n" * 10_000])
def test_a_request_does_not_go_on_for_ever(service_url: str, endless: bytes) -> None:
    address = urlsplit(service_url)
    head = (
        b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection((address.hostname, address.port), timeout=10) as connection:
        connection.sendall(head + endless)
        sent = len(endless)
        with suppress(OSError):
            while sent < 50_000_000:
                connection.sendall(endless[-6_000:] if endless.endswith(b"\n") else b"z" * 65_000)
                sent += 6_000
        assert sent < 50_000_000
