"""Redis as projections may meet it: behind a proxy that cuts and freezes, and as a cluster of three nodes."""

import asyncio
import socket
import ssl
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from redis import Redis
from redis.exceptions import ConnectionError as NotConnectedError

from tests.service.store.proxy import Proxy

_SLOTS = 16384
_START_SECONDS_MAX = 60.0


@asynccontextmanager
async def proxied(redis_url: str, encryption: ssl.SSLContext | None = None) -> AsyncIterator[tuple[Proxy, str]]:
    """A proxy in front of a server on a socket, and the URL that leads through it."""
    proxy = Proxy(unquote(urlsplit(redis_url).path))
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0, ssl=encryption)
    port = server.sockets[0].getsockname()[1]
    try:
        yield proxy, f"redis{'s' if encryption else ''}://127.0.0.1:{port}"
    finally:
        server.close()
        proxy.close()
        await asyncio.sleep(0)


@contextmanager
def cluster(program: Path, folder: Path, nodes: int = 3) -> Iterator[list[str]]:
    """A cluster of masters, each with its part of the slots; yields their URLs."""
    ports = [_free_port() for _ in range(2 * nodes)]
    clients: list[Any] = [Redis(host="127.0.0.1", port=port) for port in ports[:nodes]]
    started = [
        _start_node(program, folder / str(port), port, bus)
        for port, bus in zip(ports[:nodes], ports[nodes:], strict=True)
    ]
    try:
        for number, client in enumerate(clients):
            _until_answers(client)
            first, end = _SLOTS * number // nodes, _SLOTS * (number + 1) // nodes
            client.execute_command("CLUSTER", "ADDSLOTSRANGE", first, end - 1)
            client.execute_command("CLUSTER", "SET-CONFIG-EPOCH", number + 1)
        for port, bus in zip(ports[1:nodes], ports[nodes + 1 :], strict=True):
            clients[0].execute_command("CLUSTER", "MEET", "127.0.0.1", port, bus)
        for client in clients:
            _until_whole(client, nodes)
        yield [f"redis://127.0.0.1:{port}" for port in ports[:nodes]]
    finally:
        for client in clients:
            client.close()
        for process in started:
            process.terminate()
        for process in started:
            process.wait()


def _start_node(program: Path, home: Path, port: int, bus: int) -> "subprocess.Popen[bytes]":
    home.mkdir()
    settings = {"bind": "127.0.0.1", "port": port, "dir": home, "save": "", "loglevel": "warning"}
    settings |= {"cluster-enabled": "yes", "cluster-port": bus, "cluster-announce-ip": "127.0.0.1"}
    options = [part for name, value in settings.items() for part in (f"--{name}", str(value))]
    return subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)


def _until_answers(client: Any) -> None:
    deadline = time.monotonic() + _START_SECONDS_MAX
    while True:
        with suppress(NotConnectedError):
            client.ping()
            return
        assert time.monotonic() < deadline, "a node does not start"
        time.sleep(0.02)


def _until_whole(client: Any, nodes: int) -> None:
    deadline = time.monotonic() + _START_SECONDS_MAX
    while True:
        known = client.execute_command("CLUSTER", "INFO")
        if b"cluster_state:ok\r\n" in known and b"cluster_size:%d\r\n" % nodes in known:
            return
        assert time.monotonic() < deadline, "the nodes do not meet"
        time.sleep(0.05)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
        return port
