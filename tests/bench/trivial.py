"""A server that answers every request with the same bytes at once: how much the load generator can ask.

Run as `python -m tests.bench.trivial SOCKET READY`: a listening socket that it inherits, and the file that gets
one byte when requests are answered.
"""

import asyncio
import os
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


async def serve(listening: int, ready: int) -> None:
    """Serve until the process is ended."""
    server = await asyncio.get_running_loop().create_server(Trivial, sock=socket.socket(fileno=listening))
    os.write(ready, b"1")
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(serve(*map(int, sys.argv[1:])))
