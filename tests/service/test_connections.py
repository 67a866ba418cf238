"""What the service guarantees by itself, without a proxy: whole answers in order, bounded memory, ends of waiting."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from typing import Any
from urllib.parse import urlsplit

import pytest

from service.accounts.accounts import Accounts
from service.api.bodies import BODY_BYTES_MAX
from service.runtime.settings import Settings
from tests.service.api_process import ApiProcess, api_process
from tests.service.connections import (
    GAMES,
    connected,
    everything,
    parts,
    read_answer,
    request,
    sent_until_refused,
    wait_until_refused,
)
from tests.service.running import running_service, settings_for

GUEST = b'{"name":"Ada"}'
MB = 1024 * 1024


def key_of(word: str) -> str:
    """The Idempotency-Key of a test."""
    return f'"{sha256(word.encode()).hexdigest()}"'


@pytest.fixture(scope="module")
def settings(module_database_url: str, module_redis_url: str) -> Settings:
    return settings_for(module_database_url, module_redis_url, body_seconds=2, shutdown_seconds=2)


@pytest.fixture(scope="module")
def api(settings: Settings) -> Iterator[ApiProcess]:
    """The service in a process of its own, whose memory can be looked at."""
    with api_process(settings) as running:
        yield running


@pytest.fixture(scope="module")
def port(service_url: str) -> int:
    """The port of a service in this process, which tests can slow down."""
    return urlsplit(service_url).port or 0


def answered(port: int, sent: bytes, *, body: bool = True) -> bytes:
    """Send one request; its answer."""
    with connected(port) as connection:
        connection.sendall(sent)
        return read_answer(connection, body=body)


# --- answers ---------------------------------------------------------------------------------------


REQUESTS = {
    "a list": request("GET", "/v1/games"),
    "a query": request("GET", "/v1/tables?limit=1&game=hearts"),
    "a wrong query": request("GET", "/v1/tables?limit=1&limit=2"),
    "a new account": request("POST", "/v1/players", GUEST, Idempotency_Key=key_of("same")),
    "no token": request("GET", "/v1/me"),
    "no table": request("GET", "/v1/tables/00000000-0000-4000-8000-000000000000", Authorization="Bearer bw_x"),
    "a wrong body": request("POST", "/v1/players", b'{"name":', Idempotency_Key=key_of("body")),
    "a wrong method": request("DELETE", "/v1/games"),
    "no acceptable answer": request("GET", "/v1/games", Accept="image/png"),
    "header twice": request("GET", "/v1/games", X_A="1").replace(b"X-A: 1", b"Accept: image/png\r\nAccept: */*"),
}


@pytest.mark.parametrize("sent", REQUESTS.values(), ids=REQUESTS.keys())
def test_a_request_in_pieces_is_answered_as_one_that_comes_whole(port: int, sent: bytes) -> None:
    answers = []
    for pieces in ((sent,), (sent[:20], sent[20:])):
        with connected(port) as connection:
            for piece in pieces:
                connection.sendall(piece)
                time.sleep(0.05)
            answers.append(read_answer(connection))
    (status, headers, body), (usual, usual_headers, usual_body) = map(parts, answers)
    assert (status, headers) == (usual, usual_headers)
    if b"trace_id" in body:
        assert {**json.loads(body), "trace_id": ""} == {**json.loads(usual_body), "trace_id": ""}
    else:
        assert body == usual_body


def test_an_old_client_is_answered_and_the_connection_closed(port: int) -> None:
    with connected(port) as connection:
        connection.sendall(b"GET /v1/games HTTP/1.0\r\nHost: x\r\n\r\n")
        old = everything(connection)
    assert parts(old)[2] == parts(answered(port, GAMES))[2]


def test_who_asks_for_the_end_of_the_connection_gets_it(port: int) -> None:
    with connected(port) as connection:
        connection.sendall(request("GET", "/v1/games", Connection="close"))
        last = parts(everything(connection))
    assert last[1].pop(b"connection") == b"close"
    assert last == parts(answered(port, GAMES))


def test_head_has_no_body(port: int) -> None:
    status, headers, body = parts(answered(port, request("HEAD", "/v1/games"), body=False))
    assert (status, body) == (b"HTTP/1.1 200 OK", b"")
    assert headers == parts(answered(port, GAMES))[1]


def test_an_escaped_path_is_the_path(port: int) -> None:
    assert parts(answered(port, request("GET", "/v1/g%61mes"))) == parts(answered(port, GAMES))


def test_a_client_that_waits_to_be_asked_for_its_body_is_asked(port: int) -> None:
    sent = request("POST", "/v1/players", GUEST, Idempotency_Key=key_of("expect"), Expect="100-continue")
    head, _, body = sent.partition(b"\r\n\r\n")
    with connected(port) as connection:
        connection.sendall(head + b"\r\n\r\n")
        assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        connection.sendall(body)
        assert read_answer(connection).startswith(b"HTTP/1.1 201")


def test_a_body_in_chunks_is_taken_and_its_trailers_are_no_headers(port: int) -> None:
    chunks = b"e\r\n" + GUEST + b"\r\n0\r\n"
    key = key_of("chunks")
    whole = request("POST", "/v1/players", Content_Type="application/json", Transfer_Encoding="chunked")
    with_key = whole.replace(b"\r\n\r\n", f"\r\nIdempotency-Key: {key}\r\n\r\n".encode())
    assert answered(port, with_key + chunks + b"\r\n").startswith(b"HTTP/1.1 201")
    assert answered(port, whole + chunks + f"Idempotency-Key: {key}\r\n\r\n".encode()).startswith(b"HTTP/1.1 400")


def test_requests_sent_at_once_are_answered_in_their_order(port: int) -> None:
    paths = [b"/v1/games", b"/v1/games/hearts/rules", b"/v1/me", b"/v1/games"]
    sent = [GAMES.replace(b"/v1/games", path) for path in paths]
    alone = [parts(answered(port, one)) for one in sent]
    with connected(port) as connection:
        connection.sendall(b"".join(sent[:-1]) + sent[-1].replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        received = everything(connection)
    for path, (status, _, body) in zip(paths, alone, strict=True):
        head, _, received = received.partition(b"\r\n\r\n")
        assert head.startswith(status)
        answer, received = received[: len(body)], received[len(body) :]
        assert answer == body or (path == b"/v1/me" and b"trace_id" in answer)
    assert received == b""


# --- while a request is under way ------------------------------------------------------------------


@pytest.fixture
def slowly(monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, threading.Event]:
    """New accounts say that they begin and wait until they may go on."""
    begun, release = threading.Event(), threading.Event()
    create = Accounts.create_guest

    async def waiting(self: Accounts, name: str, key: str, host: str) -> Any:
        begun.set()
        while not release.is_set():  # noqa: ASYNC110 - set by another thread
            await asyncio.sleep(0.01)
        return await create(self, name, key, host)

    monkeypatch.setattr(Accounts, "create_guest", waiting)
    return begun, release


def test_what_comes_meanwhile_is_answered_afterwards(
    port: int, slowly: tuple[threading.Event, threading.Event]
) -> None:
    begun, release = slowly
    with connected(port) as connection:
        connection.sendall(request("POST", "/v1/players", GUEST, Idempotency_Key=key_of("meanwhile")))
        assert begun.wait(10)
        connection.sendall(GAMES + request("GET", "/v1/me")[:15])
        connection.settimeout(0.3)
        with pytest.raises(TimeoutError):
            connection.recv(1)
        connection.settimeout(10)
        release.set()
        received = b""
        while received.count(b"HTTP/1.1 ") < 2 or not received.endswith(b"}"):
            received += connection.recv(1 << 16)
        connection.sendall(request("GET", "/v1/me")[15:])
        assert read_answer(connection).startswith(b"HTTP/1.1 401")
    assert received.startswith(b"HTTP/1.1 201")
    assert b"HTTP/1.1 200" in received


def test_a_refusal_does_not_overtake_an_answer(port: int, slowly: tuple[threading.Event, threading.Event]) -> None:
    begun, release = slowly
    with connected(port) as connection:
        connection.sendall(request("POST", "/v1/players", GUEST, Idempotency_Key=key_of("overtaken")))
        assert begun.wait(10)
        connection.sendall(b"\0\r\n\r\n")
        time.sleep(0.05)
        release.set()
        assert everything(connection).startswith(b"HTTP/1.1 201")


def test_who_leaves_is_not_missed(port: int, slowly: tuple[threading.Event, threading.Event]) -> None:
    begun, release = slowly
    sent = request("POST", "/v1/players", GUEST, Idempotency_Key=key_of("leaving"))
    with connected(port) as connection:
        connection.sendall(sent)
        assert begun.wait(10)
    release.set()
    assert answered(port, sent).startswith(b"HTTP/1.1 201")


def test_a_request_under_way_is_answered_before_the_service_ends(
    module_database_url: str, module_redis_url: str, slowly: tuple[threading.Event, threading.Event]
) -> None:
    begun, release = slowly
    serving = running_service(settings_for(module_database_url, module_redis_url), worker=False)
    port = urlsplit(serving.__enter__()).port or 0
    with connected(port, 60) as connection:
        connection.sendall(request("POST", "/v1/players", GUEST, Idempotency_Key=key_of("ending")))
        assert begun.wait(60)
        ending = threading.Thread(target=serving.__exit__, args=(None, None, None))
        ending.start()
        wait_until_refused(port)
        release.set()
        answer = read_answer(connection)
        assert answer.startswith(b"HTTP/1.1 201")
        assert b"\r\nconnection: close\r\n" in answer
        assert connection.recv(1) == b""
        ending.join(60)
        assert not ending.is_alive()


# --- what is no request ----------------------------------------------------------------------------


BROKEN = {
    "a space before the colon": b"GET /v1/games HTTP/1.1\r\nHost : x\r\n\r\n",
    "a character that is none": b"GET /v1/games HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n",
    "two lengths": request("POST", "/v1/players", GUEST).replace(b"\r\n\r\n", b"\r\nContent-Length: 3\r\n\r\n", 1),
    "a length that is none": request("POST", "/v1/players", Content_Length="-1"),
    "an unknown transfer coding": request("POST", "/v1/players", Transfer_Encoding="gzip"),
    "HTTP/0.9": b"GET /v1/games\r\n\r\n",
    "another version": b"GET /v1/games HTTP/3.7\r\nHost: x\r\n\r\n",
    "nonsense": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
}


@pytest.mark.parametrize("sent", BROKEN.values(), ids=BROKEN.keys())
def test_what_is_no_request_is_refused_and_ends_the_connection(port: int, sent: bytes) -> None:
    with connected(port) as connection:
        connection.sendall(sent)
        received = everything(connection)
    assert received.count(b"HTTP/1.1 ") <= 1
    assert received == b"" or received.startswith(b"HTTP/1.1 400 Bad Request\r\n")


def test_a_length_beside_chunks_does_not_count_and_ends_the_connection(port: int) -> None:
    smuggled = request("GET", "/v1/me")
    head = request("POST", "/v1/players", Transfer_Encoding="chunked", Content_Length="5")
    with connected(port) as connection:
        connection.sendall(head + b"0\r\n\r\n" + smuggled)
        assert everything(connection).count(b"HTTP/1.1 ") == 1


def test_an_upgrade_that_is_asked_for_is_not_made(port: int) -> None:
    smuggled = request("GET", "/v1/games")
    sent = request("POST", "/v1/players", smuggled, Connection="Upgrade", Upgrade="h2c")
    received = b""
    with connected(port, 1) as connection:
        connection.sendall(sent)
        with suppress(TimeoutError):
            while piece := connection.recv(1 << 16):
                received += piece
    assert received.startswith(b"HTTP/1.1 400 Bad Request\r\n"), "a body without a key, and no other request"
    assert received.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_a_body_that_nobody_reads_does_not_drip_on(port: int, method: str) -> None:
    with connected(port) as connection:
        connection.sendall(f"{method} /v1/tables HTTP/1.1\r\nHost: x\r\nContent-Length: 60000\r\n\r\n".encode())
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 4")
        begun = time.monotonic()
        with suppress(OSError):  # closed
            while time.monotonic() - begun < 8:
                connection.sendall(b"x")
                time.sleep(0.05)
    assert time.monotonic() - begun < 4


def test_a_head_of_many_times_the_limit_is_refused_even_in_one_packet(port: int) -> None:
    for head in (b"X: " + b"y" * 256 * 1024 + b"\r\n", b"X: y\r\n" * 200):
        with connected(port) as connection:
            with suppress(OSError):  # it need not be read to its end
                connection.sendall(GAMES[:-2] + head + b"\r\n")
            assert connection.recv(1 << 16).startswith(b"HTTP/1.1 431 ")


# --- memory ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "head",
    [b"GET /" + b"a" * 60, b"GET /livez HTTP/1.1\r\nX: " + b"y" * 60, b"GET /livez HTTP/1.1\r\n" + b"X-1: y\r\n" * 10],
)
def test_a_head_that_does_not_end_is_given_up(api: ApiProcess, head: bytes) -> None:
    before = api.memory()
    with connected(api.port) as connection:
        connection.sendall(head)
        piece = b"X-1: y\r\n" * 512 if head.endswith(b"\n") else b"z" * 4096
        assert sent_until_refused(connection, piece, 50 * MB) < 50 * MB
        assert api.memory() - before < 10 * MB


@pytest.mark.parametrize("endless", [b"0\r\nX: " + b"y" * 65_000, b"1;" + b"y" * 65_000, b"1\r\n \r\n" * 10_000])
def test_a_body_does_not_go_on_for_ever(api: ApiProcess, endless: bytes) -> None:
    before = api.memory()
    head = request("POST", "/v1/players", Content_Type="application/json", Transfer_Encoding="chunked")
    head = head.replace(b"\r\n\r\n", f"\r\nIdempotency-Key: {key_of('endless')}\r\n\r\n".encode())
    with connected(api.port) as connection:
        connection.sendall(head + endless)
        piece = endless if endless.endswith(b"\n") else b"z" * 65_000
        assert sent_until_refused(connection, piece, 50 * MB) < 50 * MB
        assert api.memory() - before < 10 * MB


def test_a_body_that_is_too_large_is_refused(api: ApiProcess) -> None:
    body = b'{"name": "' + b"a" * 2 * BODY_BYTES_MAX + b'"}'
    with connected(api.port) as connection:
        connection.sendall(request("POST", "/v1/players", body, Idempotency_Key=key_of("large")))
        assert connection.recv(1 << 16).startswith(b"HTTP/1.1 413")


@pytest.mark.parametrize(
    ("zeros", "statuses"),
    [(0, [b"201", b"400", b"413"]), (1, [b"201", b"400", b"413"]), (5_000, [b"400", b"400", b"400"])],
)
def test_a_length_may_be_written_with_zeros_but_not_with_thousands(
    api: ApiProcess, zeros: int, statuses: list[bytes]
) -> None:
    got = []
    for length in (14, BODY_BYTES_MAX, BODY_BYTES_MAX + 1):
        key, announced = key_of("zeros"), "0" * zeros + str(length)
        body = b'{"name":"Eva"}'.ljust(min(length, BODY_BYTES_MAX), b"x")
        headers = {"Idempotency_Key": key, "Content_Type": "application/json", "Content_Length": announced}
        with connected(api.port) as connection:
            connection.sendall(request("POST", "/v1/players", b"", **headers) + body)
            got.append(connection.recv(1 << 16).split()[1])
    assert got == statuses


def test_a_large_body_is_not_taken_for_the_next_head(api: ApiProcess) -> None:
    body = b'{"name":"' + b" " * (BODY_BYTES_MAX - 20) + b'Ada"}'
    with connected(api.port) as connection:
        sent = request("POST", "/v1/players", body, Idempotency_Key=key_of("long"))
        connection.sendall(sent + GAMES[:20])
        assert read_answer(connection).startswith(b"HTTP/1.1 ")
        connection.sendall(GAMES[20:])
        assert read_answer(connection).startswith(b"HTTP/1.1 200")


def test_connections_that_ask_without_reading_hold_little(api: ApiProcess) -> None:
    before = api.memory()
    flood = request("GET", "/v1/games/hearts/rules") * 11_000
    connections = [connected(api.port) for _ in range(20)]
    for connection in connections:
        connection.setblocking(False)
    try:
        until, grown = time.monotonic() + 3, 0
        while time.monotonic() < until:
            for connection in connections:
                try:
                    connection.send(flood)
                except OSError:  # it takes no more for now
                    continue
            grown = max(grown, api.memory() - before)
    finally:
        for connection in connections:
            connection.close()
    assert grown < 60 * MB
    assert answered(api.port, GAMES).startswith(b"HTTP/1.1 200")


# --- time ------------------------------------------------------------------------------------------


def test_a_body_has_to_arrive_in_time(api: ApiProcess) -> None:
    sent = request("POST", "/v1/players", GUEST, Idempotency_Key=key_of("slow"))
    with connected(api.port) as connection:
        connection.sendall(sent[:-5])
        begun = time.monotonic()
        assert read_answer(connection).startswith(b"HTTP/1.1 400")
        assert 1 < time.monotonic() - begun < 8


def test_a_request_that_ends_early_is_recorded_by_nobody(api: ApiProcess) -> None:
    sent = request("POST", "/v1/players", GUEST, Idempotency_Key=key_of("cut"))
    with connected(api.port) as connection:
        connection.sendall(sent[:-5])
        connection.shutdown(socket.SHUT_WR)
        assert b"HTTP/1.1 201" not in everything(connection)


def test_a_service_that_is_asked_to_end_waits_for_no_silent_connection(settings: Settings) -> None:
    with api_process(settings) as api, connected(api.port) as silent, connected(api.port) as begun:
        silent.sendall(GAMES)
        assert read_answer(silent).startswith(b"HTTP/1.1 200")
        begun.sendall(GAMES[:10])
        api.process.terminate()
        assert api.process.wait(20) == 0
