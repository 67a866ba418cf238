"""Bodies have to arrive in time; what comes after them does not."""

import asyncio
import time
from typing import Any

import pytest

from service.api.deadline import body_in_time
from service.errors import MalformedBodyError
from service.runtime.deadline import Deadline

PIECE: dict[str, Any] = {"type": "http.request", "body": b"1", "more_body": True}
LAST: dict[str, Any] = {"type": "http.request", "body": b"2", "more_body": False}
GONE: dict[str, Any] = {"type": "http.disconnect"}


async def read(*arriving: tuple[float, dict[str, Any]], seconds: float = 0.2, count: int = 3) -> list[Any]:
    """What an application receives of messages that arrive after so many seconds each."""
    coming = iter(arriving)

    async def receive() -> Any:
        after, message = next(coming)
        await asyncio.sleep(after)
        return message

    received: list[Any] = []

    async def app(_: Any, receive: Any, __: Any) -> None:
        received.extend([await receive() for _ in range(count)])

    await app(None, body_in_time(receive, seconds, Deadline()), None)
    return received


async def test_a_body_that_is_in_time_comes_through_and_nothing_after_it_is_limited() -> None:
    assert await read((0, PIECE), (0.1, LAST), (0.3, GONE)) == [PIECE, LAST, GONE]


async def test_a_body_that_takes_too_long_is_given_up_however_often_something_comes() -> None:
    begun = time.monotonic()
    with pytest.raises(MalformedBodyError, match="in time"):
        await read(*[(0.15, PIECE)] * 60, count=60)
    assert 0.19 < time.monotonic() - begun < 5


async def test_a_body_that_ends_early_is_malformed() -> None:
    with pytest.raises(MalformedBodyError, match="ended early"):
        await read((0, PIECE), (0, GONE))


async def test_a_request_that_is_cancelled_by_somebody_else_stays_cancelled() -> None:
    task = asyncio.create_task(read((60, PIECE), seconds=60))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_an_error_of_the_reader_comes_through() -> None:
    async def receive() -> Any:
        raise LookupError

    with pytest.raises(LookupError):
        await body_in_time(receive, 60, Deadline())()
