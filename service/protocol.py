"""HTTP/1.1 as uvicorn speaks it, with an ASGI extension for answers that are complete when they begin.

An application that finds `whole_answer` among the scope's extensions may call it instead of sending
`http.response.start` and `http.response.body`: head and body then leave in one write, which saves the
server a system call and the client a packet. It returns False where the answer has to go the usual way.
"""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

WHOLE_ANSWER: Final = "blattwerk.whole_answer"

WholeAnswer: TypeAlias = Callable[[int, Sequence[tuple[bytes, bytes]], bytes], bool]
"""Takes status, headers (`content-length` among them) and body."""


HEAD_BYTES: Final = 64 * 1024
"""The most bytes of a request's line and headers that are waited for."""
HEAD_SECONDS: Final = 15.0
"""In which they have to arrive, from the opening of the connection or from their first byte."""


class Protocol(HttpToolsProtocol):
    """Offers `whole_answer` to every request, and gives up a request whose head does not end."""

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
        scope["extensions"] = {WHOLE_ANSWER: partial(_answer, cycle)}
        super()._start_asgi_task(cycle, app)


def _answer(cycle: RequestResponseCycle, status: int, headers: Sequence[tuple[bytes, bytes]], body: bytes) -> bool:
    """Do what the cycle's `send` does with a start and a body. ValueError if a header would break out of its line."""
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
