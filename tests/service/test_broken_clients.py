"""Clients that send nonsense or leave early leave no trace in the log: it is for operators, not for them."""

import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final
from uuid import uuid4

import pytest

from service.runtime.settings import Settings
from tests.service.api_process import ApiProcess, api_process
from tests.service.client import Player
from tests.service.connections import GAMES, connected, everything, read_answer, request
from tests.service.running import settings_for

TIMES: Final = 20
KEY: Final = f'"{uuid4()}"'
GUEST: Final = b'{"name":"Ada"}'
FULL: Final = request("POST", "/v1/players", GUEST, Idempotency_Key=KEY)
RULES: Final = request("GET", "/v1/games/hearts/rules")


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("log") / "api.log"


@pytest.fixture(scope="module")
def api(module_database_url: str, module_redis_url: str, log: Path) -> Iterator[ApiProcess]:
    """The service in a process of its own, whose log can be read."""
    settings: Settings = settings_for(module_database_url, module_redis_url, body_seconds=1, log_level="info")
    with api_process(settings, log=log) as running:
        yield running


NONSENSE = {
    "no request": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
    "HTTP/0.9": b"GET /v1/games\r\n\r\n",
    "half a head": GAMES[:30],
    "half a body": FULL[:-5],
    "a header without a colon": b"GET /v1/games HTTP/1.1\r\nHost x\r\n\r\n",
    "a host that is none": b"GET /v1/games HTTP/1.1\r\nHost: a b\r\n\r\n",
    "bytes in a path": b"GET /v1/%ff%fe%00 HTTP/1.1\r\nHost: x\r\n\r\n",
    "bytes in a query": b"GET /v1/tables?cursor=%ff&%00=\xff HTTP/1.1\r\nHost: x\r\n\r\n",
    "bytes in a header": b"GET /v1/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer bw_\xff\xfe\r\n\r\n",
    "a chunk without a length": request("POST", "/v1/players", Transfer_Encoding="chunked") + b"zz\r\n",
    "a body of another length": request("POST", "/v1/players", Content_Length="-1"),
    "a body that is no text": request("POST", "/v1/players", b"\xff\xfe{", Idempotency_Key=KEY),
    "a long head": GAMES.replace(b"\r\n\r\n", b"\r\nX: " + b"y" * 300_000 + b"\r\n\r\n"),
    "many headers": GAMES.replace(b"\r\n\r\n", b"\r\n" + b"X: y\r\n" * 500 + b"\r\n"),
    "a proxy's request": b"CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    "an upgrade": GAMES.replace(b"\r\n\r\n", b"\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
}


def logged(api: ApiProcess, log: Path) -> str:
    """What was logged once everything before was dealt with."""
    with connected(api.port) as connection:
        connection.sendall(GAMES)
        assert read_answer(connection).startswith(b"HTTP/1.1 200")
    return log.read_text()


@pytest.mark.parametrize("sent", NONSENSE.values(), ids=NONSENSE.keys())
def test_nonsense_is_not_logged(api: ApiProcess, log: Path, sent: bytes) -> None:
    before = logged(api, log)
    for _ in range(TIMES):
        with connected(api.port) as connection, suppress(OSError):
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            everything(connection)
    assert logged(api, log) == before


@pytest.mark.parametrize("sent", [FULL, FULL[:-5], RULES * 50, GAMES * 2000], ids=["body", "half", "rules", "pipeline"])
def test_who_leaves_early_is_not_logged(api: ApiProcess, log: Path, sent: bytes) -> None:
    before = logged(api, log)
    for _ in range(TIMES):
        connection = connected(api.port)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # left with a reset
        with suppress(OSError):
            connection.sendall(sent)
        connection.close()
    assert logged(api, log) == before


def test_a_body_that_does_not_come_is_not_logged(api: ApiProcess, log: Path) -> None:
    before = logged(api, log)
    waiting = [connected(api.port) for _ in range(TIMES)]
    for connection in waiting:
        connection.sendall(FULL[:-5])
    for connection in waiting:
        assert read_answer(connection).startswith(b"HTTP/1.1 400")
        connection.close()
    assert logged(api, log) == before


def test_refusals_are_not_logged(api: ApiProcess, log: Path) -> None:
    ada = Player(api.url, "Ada")
    before = logged(api, log)
    for _ in range(TIMES):
        ada.http.get("/v1/nothing")
        ada.http.get(f"/v1/tables/{uuid4()}")
        ada.http.get("/v1/me", headers={"Authorization": "Bearer bw_none"})
        ada.post("/v1/tables", {"game": "none"}, keyed=True)
        ada.http.put("/v1/games")
    Player.close_all()
    assert logged(api, log) == before
