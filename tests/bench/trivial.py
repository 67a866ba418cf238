"""A server that answers every request with the same bytes at once: how much the load generator can ask.

Run as `python -m tests.bench.trivial SOCKET` with the number of a listening socket that it inherits.
"""

import asyncio
import socket
import sys
from typing import Any, Final

import uvloop

_ANSWER: Final = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 11\r\n\r\n{"ok":true}'


class Trivial(asyncio.Protocol):
    """Answers whatever arrives; a request always fits into one piece."""

    _transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:  # noqa: ARG002
        self._transport.write(_ANSWER)


async def serve(listening: int) -> None:
    """Serve until the process is ended."""
    server = await asyncio.get_running_loop().create_server(Trivial, sock=socket.socket(fileno=listening))
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1])))
