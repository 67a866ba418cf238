"""A line to the database that can be cut or frozen at a chosen moment."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal, TypeAlias
from urllib.parse import quote, unquote

Fault: TypeAlias = Literal["request", "answer", "silence"]


class Proxy:
    """Passes bytes between the service and the database's socket.

    The next bytes after a fault was ordered meet it: `request` cuts before the database has seen them,
    `answer` lets the database carry them out and cuts instead of passing on what it says, `silence`
    keeps the line open and lets nothing more through.
    """

    def __init__(self, upstream: str) -> None:
        self._upstream = upstream
        self._fault: Fault | None = None
        self._lasting = False
        self._writers: set[asyncio.StreamWriter] = set()
        self.met = 0
        """How often a fault was met."""
        self.hit = asyncio.Event()
        """Set when the first one is."""

    def order(self, fault: Fault, *, lasting: bool = False) -> None:
        """Let the next bytes from the service meet a fault; `lasting`: all bytes until `mend`."""
        self._fault = fault
        self._lasting = lasting

    def mend(self) -> None:
        """Let bytes through again."""
        self._fault = None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection of the service."""
        upstream_reader, upstream_writer = await asyncio.open_unix_connection(self._upstream)
        self._writers |= {writer, upstream_writer}
        swallowed = asyncio.Event()
        back = asyncio.create_task(self._back(upstream_reader, writer, swallowed))
        try:
            while data := await reader.read(65536):
                fault = self._fault
                if not self._lasting:
                    self._fault = None
                if fault is not None:
                    self.met += 1
                    self.hit.set()
                if fault == "request":
                    break
                if fault == "silence":
                    await asyncio.Event().wait()
                if fault == "answer":
                    swallowed.set()
                upstream_writer.write(data)
                if fault == "answer":
                    await back
                    break
        except ConnectionError:
            return  # the other side was faster to cut
        finally:
            back.cancel()
            for end in (writer, upstream_writer):
                end.close()
                self._writers.discard(end)

    async def _back(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, swallowed: asyncio.Event) -> None:
        while data := await reader.read(65536):
            if swallowed.is_set():
                return
            writer.write(data)
        writer.close()

    def close(self) -> None:
        """Cut everything."""
        for writer in self._writers:
            writer.close()


@asynccontextmanager
async def proxied(database_url: str, folder: Path) -> AsyncIterator[tuple[Proxy, str]]:
    """A proxy before a database on a socket, and the address that leads through it."""
    begin, _, host = database_url.partition("?host=")
    proxy = Proxy(f"{unquote(host)}/.s.PGSQL.5432")
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(proxy.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_unix_server(accept, folder / ".s.PGSQL.5432")
    try:
        yield proxy, f"{begin}?host={quote(str(folder), safe='')}"
    finally:
        server.close()
        proxy.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await server.wait_closed()
