"""Responses that take long, to make or to read: they end when their caller leaves or does not read."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Coroutine, Iterator, Mapping
from contextlib import aclosing, contextmanager, suppress
from typing import Any, Final, TypeVar

import structlog
from litestar.types import Receive, Scope, Send

from service.api.operation import PRIVATE_HEADERS
from service.api.trace import method_of, trace_id_of
from service.errors import UnavailableError

ResultT = TypeVar("ResultT")
Headers = tuple[tuple[bytes, bytes], ...]

MESSAGE_BYTES_MAX: Final = 16 * 1024
"""The server is given so much at once, and takes the next message when the caller has read enough of those before.
It keeps about eight of them, also when the response has ended, until the caller reads or closes the connection.
"""
STREAMS_MAX: Final = 100
"""So many documents are under way at once in each process; each holds two pieces."""
_LATER_SECONDS: Final = 5
_NO_MORE: Final = b""
log = structlog.get_logger("blattwerk.http")


class CallerLeftError(Exception):
    """The caller has closed the connection: there is nobody to answer."""


class _UnreadError(Exception):
    """The caller does not read."""


async def while_connected(receive: Receive, work: Coroutine[Any, Any, ResultT]) -> ResultT:
    """Return what the work gives. CallerLeftError, once it has stopped, if the caller leaves before.

    Who has sent another request behind this one is not seen to leave.
    """
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_left(receive))
    try:
        await asyncio.wait((working, leaving), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise CallerLeftError
        return working.result()
    finally:
        working.cancel()
        leaving.cancel()
        await asyncio.wait((working, leaving))


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Streams:
    """What all streamed responses of a process share."""

    def __init__(self, unread_seconds: float, require_room: Callable[[int], None]) -> None:
        self.unread_seconds = unread_seconds
        """How long a message waits for its reader."""
        self._require_room = require_room
        """Takes how many an account has under way; LimitError if there may be no more."""
        self._under_way: Counter[str] = Counter()
        """How many, by account."""

    @contextmanager
    def place(self, account: str) -> Iterator[None]:
        """Hold one of the places. UnavailableError if all are taken, LimitError if too many are by this account."""
        self._require_room(self._under_way[account])
        if self._under_way.total() >= STREAMS_MAX:
            raise UnavailableError(
                "Too many documents are being sent; try again.", headers={"Retry-After": str(_LATER_SECONDS)}
            )
        self._under_way[account] += 1
        try:
            yield
        finally:
            self._under_way[account] -= 1
            if self._under_way[account] == 0:
                del self._under_way[account]


class StreamedResponse:
    """A document that is sent piece by piece; the next piece is made when the last one was taken.

    An error before the first piece is answered as any other. After it, the response ends without its end, as it does
    if a message is not taken in time: the server then closes the connection, so that whoever reads it notices.
    A document of one piece is sent whole, with its length.
    """

    def __init__(
        self,
        pieces: AsyncGenerator[bytes, None],
        streams: Streams,
        account: str,
        *,
        media_type: str,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self._pieces = pieces
        self._streams = streams
        self._account = account
        self._headers = _encoded(headers or {}, media_type)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        with self._streams.place(self._account), suppress(CallerLeftError, _UnreadError):
            await while_connected(receive, self._send(scope, send))

    async def _send(self, scope: Scope, send: Send) -> None:
        async with aclosing(self._pieces):
            await self._send_pieces(scope, send)

    async def _send_pieces(self, scope: Scope, send: Send) -> None:
        piece = await anext(self._pieces, _NO_MORE)
        following = await anext(self._pieces, _NO_MORE)
        if not following and len(piece) <= MESSAGE_BYTES_MAX:
            await _send_whole(send, self._headers, piece)
            return
        await send({"type": "http.response.start", "status": 200, "headers": self._headers})
        try:
            while piece and method_of(scope) != "HEAD":
                await self._send_piece(send, piece)
                piece, following = following, await anext(self._pieces, _NO_MORE)
        except _UnreadError:
            raise
        except Exception as error:
            log.error("a document broke off", trace_id=trace_id_of(scope), exc_info=error)
            return
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_piece(self, send: Send, piece: bytes) -> None:
        for start in range(0, len(piece), MESSAGE_BYTES_MAX):
            await asyncio.sleep(0)  # what is sent to whom has left is taken at once: others have to get their turn
            body = piece[start : start + MESSAGE_BYTES_MAX]
            try:
                async with asyncio.timeout(self._streams.unread_seconds):
                    await send({"type": "http.response.body", "body": body, "more_body": True})
            except TimeoutError:
                raise _UnreadError from None


class WorkedResponse:
    """JSON that takes long to make: the work stops if its caller leaves."""

    def __init__(self, work: Callable[[], Coroutine[Any, Any, bytes]]) -> None:
        self._work = work
        self._headers = _encoded({}, "application/json")

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        with suppress(CallerLeftError):
            await _send_whole(send, self._headers, await while_connected(receive, self._work()))


async def _send_whole(send: Send, headers: Headers, body: bytes) -> None:
    length = (b"content-length", b"%d" % len(body))
    await send({"type": "http.response.start", "status": 200, "headers": [*headers, length]})
    await send({"type": "http.response.body", "body": body, "more_body": False})


def _encoded(headers: Mapping[str, str], media_type: str) -> Headers:
    given = {**PRIVATE_HEADERS, **headers, "content-type": media_type}
    return tuple((name.lower().encode(), value.encode()) for name, value in given.items())
