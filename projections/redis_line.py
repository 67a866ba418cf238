"""A connection to Redis for whole exchanges, at a fraction of what the library's commands cost.

The library connects, with everything its URL may ask for; then the transport is ours. It answers in order,
so an exchange is one write and as many answers as there were commands, each parsed by hiredis where it arrives.
"""

import asyncio
from typing import Any, Final

import hiredis
from redis.exceptions import ConnectionError as LostError
from redis.exceptions import NoScriptError, ResponseError
from redis.exceptions import TimeoutError as LateError

_MORE: Final = object()
"""What the parser says while an answer is incomplete."""


class RedisLine(asyncio.Protocol):
    """Takes over a connection of the library; nothing else may use it any more. One exchange at a time."""

    def __init__(self, connection: Any) -> None:
        self.connection = connection
        self._transport: asyncio.Transport = connection._writer.transport  # it has no public name
        self._stream: Any = self._transport.get_protocol()
        self._parser = hiredis.Reader(replyError=_error, notEnoughData=_MORE)
        self._loop = asyncio.get_running_loop()
        self._waiting: asyncio.Future[list[Any]] | None = None
        self._answers: list[Any] = []
        self._count = 0
        self.lost = False
        self._transport.set_protocol(self)

    async def exchange(self, packed: bytes, count: int, seconds: float) -> list[Any]:
        """Send `count` packed commands and return their answers; an error answer is a value.

        LostError or LateError (no answers within `seconds`): nobody knows what was carried out, and this line
        must not be used again.
        """
        if self.lost:
            raise LostError("not connected")
        waiting: asyncio.Future[list[Any]] = self._loop.create_future()
        self._waiting = waiting
        self._answers, self._count = [], count
        timer = self._loop.call_later(seconds, self._end, LateError("no answer in time"))
        try:
            self._transport.write(packed)
            return await waiting
        finally:
            timer.cancel()
            self._waiting, self._answers = None, []

    def data_received(self, data: bytes) -> None:
        """Parse what has come; the last answer ends the exchange."""
        try:
            self._parser.feed(data)
            while (answer := self._parser.gets()) is not _MORE:
                self._answers.append(answer)
        except hiredis.HiredisError as error:
            self._end(LostError(f"not an answer: {error}"))
            self._transport.abort()
            return
        waited_for = self._count if self._waiting is not None and not self._waiting.done() else 0
        if len(self._answers) > waited_for:
            self._end(LostError("an answer that nobody asked for"))  # the next one would be taken for another's
            self._transport.abort()
        elif waited_for and len(self._answers) == waited_for and self._waiting is not None:
            self._waiting.set_result(self._answers)
            self._answers = []

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell whoever waits, and the library, which waits for it when it closes."""
        self.lost = True
        self._end(LostError("connection lost"))
        self._stream.connection_lost(exc)

    def pause_writing(self) -> None:
        """Nothing: an exchange is sent whole, and there is one at a time."""

    def _end(self, reason: Exception) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_exception(reason)


def _error(text: str) -> ResponseError:
    return NoScriptError(text) if text.startswith("NOSCRIPT") else ResponseError(text)
