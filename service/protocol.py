"""HTTP/1.1 as uvicorn speaks it, with an ASGI extension for what is complete at once.

An application that finds an `Exchange` among the scope's extensions may take the body from it, if all of it has
come, instead of waiting for `http.request`; and it may give it an answer that is complete when it begins, instead
of sending `http.response.start` and `http.response.body`: head and body then leave in one write, which saves the
server a system call and the client a packet. Where that cannot be, the usual messages are used.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

EXCHANGE: Final = "blattwerk.exchange"
"""The name of the extension."""
HEAD_BYTES: Final = 64 * 1024
"""The most bytes of a request's line and headers that are waited for."""
HEAD_SECONDS: Final = 15.0
"""In which they have to arrive, from the opening of the connection or from their first byte."""


class Protocol(HttpToolsProtocol):
    """Offers an `Exchange` to every request, and gives up a request whose head does not end."""

    _head_bytes = 0
    _in_head = True
    _giving_up: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._giving_up = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect_no_more()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self._in_head or self.transport.is_closing():
            return
        self._head_bytes += len(data)
        if self._head_bytes > HEAD_BYTES:
            self._give_up()
        elif self._giving_up is None:
            self._giving_up = self.loop.call_later(HEAD_SECONDS, self._give_up)

    def on_message_begin(self) -> None:
        self._in_head, self._head_bytes = True, 0
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._expect_no_more()
        super().on_headers_complete()

    def _give_up(self) -> None:
        self._expect_no_more()
        self.send_400_response("The head of the request is too long or too slow.")

    def _expect_no_more(self) -> None:
        if self._giving_up is not None:
            self._giving_up.cancel()
            self._giving_up = None

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        scope: Any = cycle.scope  # uvicorn's type of extensions has no functions
        scope["extensions"] = {EXCHANGE: Exchange(cycle)}
        super()._start_asgi_task(cycle, app)


class Exchange:
    """One request and its answer, as far as they are whole."""

    __slots__ = ("_cycle",)

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self._cycle = cycle

    def body(self) -> bytes | None:
        """Return the whole body, None if some of it has yet to come."""
        cycle = self._cycle
        return None if cycle.more_body or cycle.disconnected else bytes(cycle.body)

    def answer(self, status: int, headers: Sequence[tuple[bytes, bytes]], body: bytes) -> bool:
        """Send an answer whose headers have its `content-length`; False if it has to go the usual way.

        ValueError if a header would break out of its line.
        """
        cycle = self._cycle
        if cycle.disconnected:
            return True
        if cycle.flow.write_paused or cycle.response_started or not cycle.keep_alive or cycle.scope["method"] == "HEAD":
            return False
        lines = [b": ".join(header) for header in (*cycle.default_headers, *headers)]
        head = b"\r\n".join(lines)
        if head.count(b"\n") != len(lines) - 1 or b"\0" in head:
            raise ValueError("a header has more than one line")
        cycle.response_started = cycle.response_complete = True
        cycle.waiting_for_100_continue = False
        cycle.transport.write(b"".join((STATUS_LINE[status], head, b"\r\n\r\n", body)))
        cycle.message_event.set()
        cycle.on_response()
        return True
