"""HTTP/1.1: uvicorn's protocol, with a short way for requests that come whole and are about the contract.

A client that asks for a path of the contract mostly has its whole request in one packet. Such a request goes
from the parser to its resource: no messages, no events, no timers of its own. Everything else (a request in pieces
or several at once, HEAD, `Expect`, `Upgrade`, chunked bodies, the end of a connection, answers in pieces, paths
that are not the contract's) is uvicorn's, as it always was. Both ways use the same parser and give the same
bytes; tests hold them against each other.

On uvicorn's way an application finds an `Exchange` among the scope's extensions: it takes the body from it, if all
of it has come, and gives it an answer that is complete when it begins, so that head and body leave in one write.
"""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from httptools import HttpParserError, HttpParserUpgrade, HttpRequestParser
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

if TYPE_CHECKING:
    from service.app import Resource, Resources

EXCHANGE: Final = "blattwerk.exchange"
"""The name of the extension."""
HEAD_BYTES: Final = 64 * 1024
"""The most bytes of a request's line and headers that are waited for."""
HEAD_SECONDS: Final = 15.0
"""In which they have to arrive, from the opening of the connection or from their first byte."""
_MESSAGE_BYTES: Final = 1024 * 1024
"""The most bytes of a whole request: no body may be so long, but chunks and trailers have no end of their own."""
_HELD_MOST: Final = 64 * 1024
"""Bytes of further requests that are read while one is answered."""
_SHORT: Final = (b"GET /v1/", b"POST /v1/", b"PUT /v1/", b"PATCH /v1/", b"DELETE /v1/")
_NOT_SHORT: Final = frozenset((b"expect", b"proxy-connection", b"transfer-encoding", b"upgrade"))
"""Headers by which a request asks for more than an answer."""
Headers = Sequence[tuple[bytes, bytes]]


class _Request:
    """What the parser says of one request."""

    __slots__ = ("begun", "body", "complete", "headers", "plain", "url")

    def __init__(self) -> None:
        self.begun = 0
        self.url = b""
        self.headers: list[tuple[bytes, bytes]] = []
        self.body = b""
        self.plain = True
        """Whether no header asks for anything special."""
        self.complete = False

    def on_message_begin(self) -> None:
        self.begun += 1

    def on_url(self, url: bytes) -> None:
        self.url += url

    def on_header(self, name: bytes, value: bytes) -> None:
        name = name.lower()
        if name in _NOT_SHORT or (name == b"connection" and value.lower() != b"keep-alive"):
            self.plain = False
        self.headers.append((name, value))

    def on_body(self, body: bytes) -> None:
        self.body += body

    def on_message_complete(self) -> None:
        self.complete = True


class Protocol(HttpToolsProtocol):
    """Serves whole requests for the `short` resources itself, and gives up a request whose head does not end."""

    _message_bytes = 0
    _in_head = True
    _in_message = False
    _message_ended = False
    _deaf = False
    """Whether nothing more is read: what comes could be anything."""
    _giving_up: asyncio.TimerHandle | None = None

    def __init__(self, *given: Any, short: "Resources | None" = None, **named: Any) -> None:
        super().__init__(*given, **named)
        self._short = short
        self._serving = False
        self._ending = False
        self._held = bytearray()
        self._last = 0.0
        self._idle_timer: asyncio.TimerHandle | None = None

    # the connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._last = self.loop.time()
        self._giving_up = self.loop.call_later(HEAD_SECONDS, self._give_up)
        self._idle_timer = self.loop.call_later(self.timeout_keep_alive, self._end_if_idle)

    def connection_lost(self, exc: Exception | None) -> None:
        self._expect_no_more()
        if self._idle_timer is not None:
            self._idle_timer.cancel()
            self._idle_timer = None
        super().connection_lost(exc)

    def eof_received(self) -> bool:  # type: ignore[override]
        """Answer what is under way to a client that has nothing more to say, then end the connection."""
        if self._in_message or not self._is_under_way():
            return False
        self._end_after_answers()
        return True

    def shutdown(self) -> None:
        """End the connection; a request under way is answered first."""
        if self._serving:
            self._ending = True
        else:
            super().shutdown()

    def data_received(self, data: bytes) -> None:
        self._last = self.loop.time()
        if self._deaf:
            return
        if self._serving:
            self._held += data
            if len(self._held) > _HELD_MOST:
                self.flow.pause_reading()
        elif self._short is None or not self._is_between() or not self._begin(data, self._short):
            self._receive(data)

    def _is_under_way(self) -> bool:
        """Whether a request waits for its answer."""
        cycle: RequestResponseCycle | None = self.cycle  # None before the first one
        return self._serving or bool(self.pipeline) or (cycle is not None and not cycle.response_complete)

    def _end_after_answers(self) -> None:
        """Read nothing more, and end the connection when what is under way is answered."""
        self._deaf = self._ending = True
        self._held.clear()
        if self.cycle is not None:
            self.cycle.keep_alive = False

    def _end_if_idle(self) -> None:
        """End a connection on which nothing has come or gone for too long. One timer looks after all requests."""
        left = self._last + self.timeout_keep_alive - self.loop.time()
        if self._is_under_way():
            left = self.timeout_keep_alive
        if left > 0:
            self._idle_timer = self.loop.call_later(left, self._end_if_idle)
        else:
            self._idle_timer = None
            self.transport.close()

    # the short way

    def _is_between(self) -> bool:
        """Whether the next bytes begin a request."""
        return not (self._in_message or self.flow.write_paused or self._is_under_way())

    def _begin(self, data: bytes, short: "Resources") -> bool:
        """Begin to serve if these bytes are one whole and plain request for a short resource."""
        if not data.startswith(_SHORT):
            return False
        request = _Request()
        parser = HttpRequestParser(request)
        try:
            parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade):
            return False
        if not (request.complete and request.begun == 1 and request.plain):
            return False
        url = request.url
        path, _, query = url.partition(b"?")
        if parser.get_http_version() != "1.1" or len(data) - len(request.body) > HEAD_BYTES:
            return False
        if b"%" in path or b"#" in url or not url.isascii():
            return False
        found = short.find(path.decode())
        if found is None or found[0].streams:
            return False
        resource, values = found
        exchange = _Short(self, request.body)
        scope = {
            "type": "http",
            "method": parser.get_method().decode(),
            "path": path.decode(),
            "query_string": query,
            "headers": request.headers,
            "path_params": values,
            "extensions": {EXCHANGE: exchange},
        }
        self._serving, self._in_head = True, False
        self._expect_no_more()
        self._unset_keepalive_if_required()
        task = self.loop.create_task(self._serve(resource, scope, exchange))
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        return True

    async def _serve(self, resource: "Resource", scope: dict[str, Any], exchange: "_Short") -> None:
        try:
            await resource(scope, _nothing, _nothing)
        except Exception:
            self.logger.exception("a request failed")
        finally:
            if not exchange.answered:
                self._ending = True
                exchange.answer(500, ((b"content-length", b"0"),), b"")

    def whole(self, status: int, headers: Headers, body: bytes) -> bytes:
        """Return the bytes of an answer. ValueError if a header would break out of its line."""
        if self._ending:
            headers = (*headers, (b"connection", b"close"))
        return _whole(status, (*self.server_state.default_headers, *headers), body)

    def send(self, answer: bytes) -> None:
        """Answer the request that is served, and go on with what has come meanwhile."""
        self._serving = False
        self._last = self.loop.time()
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.transport.write(answer)
        if self._ending:
            self.transport.close()
        elif self._held:
            data, self._held = bytes(self._held), bytearray()
            self.flow.resume_reading()
            self.data_received(data)

    # uvicorn's way

    def _receive(self, data: bytes) -> None:
        self._message_ended = False
        super().data_received(data)
        if self.transport.is_closing():
            return
        if not self._message_ended:  # otherwise most of it was another request
            self._message_bytes += len(data)
        if self._in_head:
            if self._message_bytes > HEAD_BYTES:
                self._give_up()
            elif self._giving_up is None:
                self._giving_up = self.loop.call_later(HEAD_SECONDS, self._give_up)
        elif self._in_message and self._message_bytes > _MESSAGE_BYTES:
            self.transport.close()

    def on_message_begin(self) -> None:
        self._in_head, self._message_bytes, self._in_message = True, 0, True
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:  # a trailer says nothing that counts: what it follows has been judged
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._in_head = False
        self._expect_no_more()
        super().on_headers_complete()
        if self.parser.should_upgrade():
            # The parser takes nothing after this head for its body, but all of it for further requests.
            self._end_after_answers()

    def on_message_complete(self) -> None:
        self._in_message, self._message_ended = False, True
        super().on_message_complete()

    def on_response_complete(self) -> None:
        self._last = self.loop.time()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuse what is no request; it does not overtake answers that are under way."""
        if self._is_under_way():
            self._end_after_answers()
        else:
            super().send_400_response(msg)

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


async def _nothing(*_: Any) -> Any:
    raise RuntimeError("a request that came whole has no messages")


class _Short:
    """The exchange of a request on the short way."""

    __slots__ = ("_body", "_protocol", "answered")

    def __init__(self, protocol: Protocol, body: bytes) -> None:
        self._protocol = protocol
        self._body = body
        self.answered = False

    def body(self) -> bytes:
        """Return the whole body."""
        return self._body

    def answer(self, status: int, headers: Headers, body: bytes) -> bool:
        """Send a whole answer; True. ValueError if a header would break out of its line."""
        if self.answered:
            raise RuntimeError("a request is answered once")
        answer = self._protocol.whole(status, headers, body)
        self.answered = True
        self._protocol.send(answer)
        return True


class Exchange:
    """One request on uvicorn's way and its answer, as far as they are whole."""

    __slots__ = ("_cycle",)

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self._cycle = cycle

    def body(self) -> bytes | None:
        """Return the whole body, None if some of it has yet to come."""
        cycle = self._cycle
        return None if cycle.more_body or cycle.disconnected else bytes(cycle.body)

    def answer(self, status: int, headers: Headers, body: bytes) -> bool:
        """Send an answer whose headers have its `content-length`; False if it has to go the usual way.

        ValueError if a header would break out of its line.
        """
        cycle = self._cycle
        if cycle.disconnected:
            return True
        if cycle.flow.write_paused or cycle.response_started or not cycle.keep_alive or cycle.scope["method"] == "HEAD":
            return False
        answer = _whole(status, (*cycle.default_headers, *headers), body)
        cycle.response_started = cycle.response_complete = True
        cycle.waiting_for_100_continue = False
        cycle.transport.write(answer)
        cycle.message_event.set()
        cycle.on_response()
        return True


_join: Final = b": ".join


def _whole(status: int, headers: Headers, body: bytes) -> bytes:
    lines = list(map(_join, headers))
    head = b"\r\n".join(lines)
    if head.count(b"\n") != len(lines) - 1 or b"\0" in head:
        raise ValueError("a header has more than one line")
    return b"".join((STATUS_LINE[status], head, b"\r\n\r\n", body))
