"""Debian's nginx in front of the service, with the configuration that operators copy."""

import socket
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from service.embedded import EmbeddedServers
from service.runtime.settings import Settings
from tests.deploy.nginx import Proxy, nginx
from tests.service.api_process import POURING, SLOW, ApiProcess, api_process
from tests.service.client import within
from tests.service.connections import everything, read_answer, request, sent_until_refused
from tests.service.running import settings_for

HOST = b"Host: cards.example\r\n"
GAMES = b"GET /v1/games HTTP/1.1\r\n" + HOST + b"\r\n"
KB, MB = 1024, 1024 * 1024


@pytest.fixture(scope="module")
def api(module_database_url: str, servers: EmbeddedServers) -> Iterator[ApiProcess]:
    """The service."""
    settings = settings_for(
        module_database_url, servers.redis_url, public_url="https://cards.example", trusted_proxies=("127.0.0.1",)
    )
    with api_process(settings) as running:
        yield running


@pytest.fixture(scope="module")
def proxy(api: ApiProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    """The proxy, less patient than an operator's."""
    folder = tmp_path_factory.mktemp("nginx")
    with nginx(folder, api.port, client_header_timeout="1s", client_body_timeout="1s", lingering_time="1s") as running:
        yield running


def answered(proxy: Proxy, sent: bytes) -> bytes:
    """Send this and read until the proxy closes."""
    with proxy.connected() as connection:
        connection.sendall(sent)
        return everything(connection)


def test_a_request_is_answered_over_tls_with_what_that_asks_for(proxy: Proxy) -> None:
    with proxy.connected() as connection:
        for _ in range(3):
            connection.sendall(GAMES)
            answer = read_answer(connection)
            assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
            assert b"\r\nstrict-transport-security: max-age=" in answer.lower()
            assert answer.lower().count(b"\r\nserver: nginx\r\n") == 1


def test_http_2_is_spoken_to_whom_it_is_agreed_with(proxy: Proxy) -> None:
    with proxy.connected("h2", "http/1.1") as connection:
        assert connection.selected_alpn_protocol() == "h2"
        fields = {b":method": b"GET", b":scheme": b"https", b":authority": b"cards.example", b":path": b"/v1/games"}
        # HPACK, the plainest way: literal fields that are not remembered, without Huffman's code (RFC 7541, 6.2.2)
        head = b"".join(
            b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value for name, value in fields.items()
        )
        connection.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0) + frame(1, 5, 1, head))
        answer = read_frames(connection)
    heads = [payload for kind, stream, payload in answer if (kind, stream) == (1, 1)]
    body = b"".join(payload for kind, stream, payload in answer if (kind, stream) == (0, 1))
    assert heads[0].startswith(b"\x88"), ":status 200 has a number of its own"
    assert b'"hearts"' in body


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """A frame of HTTP/2 (RFC 9113, 4.1)."""
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def read_frames(connection: socket.socket) -> list[tuple[int, int, bytes]]:
    """Kind, stream and payload of each frame, up to the end of stream 1."""
    received, frames = b"", []
    while True:
        while len(received) >= 9 and len(received) >= 9 + int.from_bytes(received[:3], "big"):
            length, kind, flags = int.from_bytes(received[:3], "big"), received[3], received[4]
            stream = int.from_bytes(received[5:9], "big")
            frames.append((kind, stream, received[9 : 9 + length]))
            received = received[9 + length :]
            if stream == 1 and kind in (0, 1) and flags & 1:
                return frames
        piece = connection.recv(1 << 16)
        assert piece, "closed before the answer was complete"
        received += piece


@pytest.mark.parametrize("begun", [b"", b"GET /v1/ga", b"GET /v1/games HTTP/1.1\r\nHost: cards.example\r\n"])
def test_a_head_has_to_arrive_in_time(proxy: Proxy, begun: bytes) -> None:
    start, received = time.monotonic(), b""
    with proxy.connected() as connection, suppress(ConnectionError):  # it is closed with a reset, which spares memory
        connection.sendall(begun)
        received = everything(connection)
    assert received == b"" or received.startswith(b"HTTP/1.1 408")
    assert time.monotonic() - start < 8


def test_a_head_that_comes_byte_by_byte_has_no_more_time(proxy: Proxy) -> None:
    with proxy.connected() as connection:
        start, sent = time.monotonic(), 0
        with suppress(OSError):  # closed
            for place in range(len(GAMES) - 1):
                connection.sendall(GAMES[place : place + 1])
                sent += 1
                time.sleep(0.1)
    assert sent < len(GAMES) - 1
    assert time.monotonic() - start < 8


def test_a_body_has_to_go_on_arriving(proxy: Proxy) -> None:
    start = time.monotonic()
    received = b""
    with suppress(ConnectionError):
        received = answered(proxy, post(b'{"name": "Ada"}')[:-3])
    assert received == b"" or received.startswith(b"HTTP/1.1 408")
    assert time.monotonic() - start < 8


def post(body: bytes, **headers: str) -> bytes:
    """A request for an account."""
    sent = request("POST", "/v1/players", body, Idempotency_Key='"0123456789abcdef0123456789abcdef"', **headers)
    return sent.replace(b"Host: x\r\n", HOST)


REFUSED = {
    "no host": (GAMES.replace(HOST, b""), 400),
    "two hosts": (GAMES.replace(HOST, HOST + b"Host: evil.example\r\n"), 400),
    "the same host twice": (GAMES.replace(HOST, HOST + HOST), 400),
    "a host that is none": (GAMES.replace(HOST, b"Host: cards.example/evil\r\n"), 400),
    "an empty host": (GAMES.replace(HOST, b"Host:\r\n"), 400),
    "a version before hosts": (b"GET /v1/games HTTP/0.9\r\n\r\n", 400),
    "an unknown transfer coding": (post(b"", Transfer_Encoding="gzip"), 501),
    "an unknown transfer coding before chunks": (post(b"", Transfer_Encoding="gzip, chunked") + b"0\r\n\r\n", 501),
    "two transfer codings": (post(b"", Transfer_Encoding="chunked, chunked") + b"0\r\n\r\n", 501),
    "a length beside chunks": (post(b"", Transfer_Encoding="chunked", Content_Length="5") + b"0\r\n\r\n", 400),
    "two lengths": (post(b"{}").replace(b"\r\n\r\n", b"\r\nContent-Length: 3\r\n\r\n"), 400),
    "a long header": (GAMES.replace(HOST, HOST + b"X: " + b"y" * 9 * KB + b"\r\n"), 400),
    "many headers": (GAMES.replace(HOST, HOST + (b"X: " + b"y" * 4 * KB + b"\r\n") * 10), 400),
    "a long address": (GAMES.replace(b"/v1/games", b"/" + b"y" * 9 * KB), 414),
    "a long body": (post(b"x" * 129 * KB), 413),
    "a body announced to be long": (post(b"", Content_Length=str(129 * KB)), 413),
}


@pytest.mark.parametrize(("sent", "status"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_no_request_for_the_service_is_refused(proxy: Proxy, sent: bytes, status: int) -> None:
    with proxy.connected() as connection:
        with suppress(OSError):  # it need not be read to its end
            connection.sendall(sent)
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 %d " % status)


@pytest.mark.parametrize("sent", [b"GET /v1/games\r\n\r\n", b"GET /v1/games\r\n" + HOST + b"\r\n"])
def test_http_0_9_is_not_spoken(proxy: Proxy, sent: bytes) -> None:
    assert answered(proxy, sent) == b""


def test_an_encoded_slash_reaches_the_service_as_it_is(proxy: Proxy) -> None:
    answer = answered(proxy, GAMES.replace(b"/v1/games", b"/v1%2fgames").replace(HOST, HOST + b"Connection: close\r\n"))
    assert answer.startswith(b"HTTP/1.1 404")


def test_a_body_that_nobody_reads_does_not_drip_on(proxy: Proxy) -> None:
    with proxy.connected() as connection:
        connection.sendall(post(b"", Content_Length=str(129 * KB)))
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 413")
        begun = time.monotonic()
        with suppress(OSError):  # closed
            while time.monotonic() - begun < 8:
                connection.sendall(b"x")
                time.sleep(0.05)
    assert time.monotonic() - begun < 5


def test_a_body_that_the_service_does_not_take_is_refused_in_its_words(proxy: Proxy) -> None:
    with proxy.connected() as connection:
        connection.sendall(post(b'{"name": "' + b"a" * 100 * KB + b'"}'))
        answer = connection.recv(1 << 16)
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"application/problem+json" in answer


@pytest.mark.parametrize(("endless", "status"), [(b"GET /", 414), (GAMES[:-2] + b"X: ", 400)], ids=["path", "header"])
def test_a_head_without_end_is_refused_and_holds_nothing(
    proxy: Proxy, api: ApiProcess, endless: bytes, status: int
) -> None:
    before = api.memory(), proxy.memory()
    with proxy.connected() as connection:
        connection.sendall(endless)
        sent_until_refused(connection, b"y" * 64 * KB, 5 * MB)
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 %d " % status)
        assert api.memory() - before[0] < 5 * MB
        assert proxy.memory() - before[1] < 5 * MB


@pytest.mark.parametrize("endless", [b"0\r\nX: ", b"1;"], ids=["trailer", "extension of a chunk"])
def test_a_body_without_end_holds_nothing(proxy: Proxy, api: ApiProcess, endless: bytes) -> None:
    before = api.memory(), proxy.memory()
    with proxy.connected() as connection:
        connection.sendall(post(b"", Content_Type="application/json", Transfer_Encoding="chunked") + endless)
        sent_until_refused(connection, b"y" * 64 * KB, 20 * MB)
        assert api.memory() - before[0] < 5 * MB
        assert proxy.memory() - before[1] < 5 * MB


def test_connections_that_ask_without_reading_hold_little(proxy: Proxy, api: ApiProcess) -> None:
    before = api.memory()
    flood = GAMES.replace(b"/v1/games", b"/v1/games/hearts/rules") * 2_000
    connections = [proxy.connected() for _ in range(20)]
    for connection in connections:
        connection.settimeout(0.05)
        with suppress(TimeoutError):
            connection.sendall(flood)
    grown = api.memory() - before
    assert httpx.get(f"{api.url}/livez", timeout=30).status_code == 200
    for connection in connections:
        connection.close()
    assert grown < 30 * MB


@pytest.mark.parametrize("claimed", ["", "198.51.100.7", "127.0.0.1"])
def test_the_service_sees_who_asks_and_not_whom_he_claims_to_be(tmp_path: Path, claimed: str) -> None:
    headers = f"X-Forwarded-For: {claimed}\r\nForwarded: for={claimed}\r\n".encode() if claimed else b""
    with api_process(Settings(trusted_proxies=("127.0.0.1",)), SLOW) as api, nginx(tmp_path, api.port) as proxy:
        for address in ("127.0.0.1", "127.0.0.2"):
            with proxy.connected(address=address) as connection:
                connection.sendall(GAMES.replace(HOST, HOST + headers))
                assert read_answer(connection).endswith(f"\r\n\r\n{address}".encode())


def test_a_service_that_is_away_is_said_to_be(tmp_path: Path, api: ApiProcess) -> None:
    with nginx(tmp_path, 9) as proxy, proxy.connected() as connection:
        connection.sendall(GAMES)
        assert read_answer(connection).startswith(b"HTTP/1.1 502")


def test_who_does_not_read_is_closed_and_the_service_with_him(tmp_path: Path) -> None:
    with (
        api_process(Settings(), POURING) as api,
        nginx(tmp_path, api.port, send_timeout="1s") as proxy,
        proxy.connected() as connection,
    ):
        assert api.said() == "ended\n", "for whoever looked whether it answers, and has left"
        connection.sendall(GAMES)
        assert api.said() == "ended\n"
        assert within(5, lambda: established(api) == 0)


def test_a_document_that_breaks_off_does_not_pass_for_a_whole_one(tmp_path: Path) -> None:
    with api_process(Settings(), POURING) as api, nginx(tmp_path, api.port) as proxy, proxy.connected() as connection:
        connection.sendall(GAMES.replace(b"/v1/games", b"/broken"))
        received = b""
        with suppress(OSError):  # closed
            received = everything(connection)
        assert received.startswith(b"HTTP/1.1 200 ")
        assert not received.endswith(b"\r\n0\r\n\r\n")


def established(api: ApiProcess) -> int:
    """The connections of the processes that answer."""
    return sum(one.status == "ESTABLISHED" for child in api.children for one in child.net_connections())
