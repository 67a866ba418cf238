"""HTTP/1.1 as uvicorn speaks it, with an ASGI extension for answers that are complete when they begin.

An application that finds `whole_answer` among the scope's extensions may call it instead of sending
`http.response.start` and `http.response.body`: head and body then leave in one write, which saves the
server a system call and the client a packet. It returns False where the answer has to go the usual way.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

WHOLE_ANSWER: Final = "blattwerk.whole_answer"

WholeAnswer: TypeAlias = Callable[[int, Sequence[tuple[bytes, bytes]], bytes], bool]
"""Takes status, headers (`content-length` among them) and body."""


class Protocol(HttpToolsProtocol):
    """Offers `whole_answer` to every request."""

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
