"""Bodies have to arrive in time and to be of bounded size; what comes after them does not."""

import asyncio
import time
from typing import Any

import pytest

from service.api.bodies import BODY_BYTES_MAX, read_body
from service.api.deadline import Deadline
from service.errors import HttpError, MalformedBodyError

PIECE: dict[str, Any] = {"type": "http.request", "body": b"1", "more_body": True}
LAST: dict[str, Any] = {"type": "http.request", "body": b"2", "more_body": False}
GONE: dict[str, Any] = {"type": "http.disconnect"}


async def read(*arriving: tuple[float, dict[str, Any]], seconds: float = 0.2, length: str = "") -> list[Any]:
    """What an application receives of messages that arrive after so many seconds each, the body and one more."""
    coming = iter(arriving)

    async def receive() -> Any:
        after, message = next(coming)
        await asyncio.sleep(after)
        return message

    scope: Any = {"headers": [(b"content-length", length.encode())] if length else [], "state": {}}
    again = await read_body(scope, receive, Deadline(seconds))
    return [await again(), await again()]


async def test_a_body_that_is_in_time_comes_as_one_and_nothing_after_it_is_limited() -> None:
    whole = {"type": "http.request", "body": b"12", "more_body": False}
    assert await read((0, PIECE), (0.1, LAST), (0.3, GONE)) == [whole, GONE]


async def test_a_body_that_takes_too_long_is_given_up_however_often_something_comes() -> None:
    begun = time.monotonic()
    with pytest.raises(MalformedBodyError, match="in time"):
        await read(*[(0.15, PIECE)] * 60)
    assert 0.19 < time.monotonic() - begun < 5


async def test_a_body_that_ends_early_is_malformed() -> None:
    with pytest.raises(MalformedBodyError, match="ended early"):
        await read((0, PIECE), (0, GONE))


async def test_a_body_that_is_too_large_is_not_kept_whatever_was_announced() -> None:
    large = PIECE | {"body": b"1" * (BODY_BYTES_MAX - 1)}
    with pytest.raises(HttpError) as announced:
        await read((0, GONE), length=str(BODY_BYTES_MAX + 1))
    with pytest.raises(HttpError) as sent:
        await read((0, large), (0, PIECE), (0, LAST), length="3")
    assert announced.value.status == sent.value.status == 413


async def test_a_request_that_is_cancelled_by_somebody_else_stays_cancelled() -> None:
    task = asyncio.create_task(read((60, PIECE), seconds=60))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_an_error_of_the_reader_comes_through() -> None:
    async def receive() -> Any:
        raise LookupError

    scope: Any = {"headers": [], "state": {}}
    with pytest.raises(LookupError):
        await read_body(scope, receive, Deadline(60))


async def test_each_of_many_has_its_own_deadline() -> None:
    deadline, begun = Deadline(0.3), time.monotonic()

    async def waits(before: float, seconds: float) -> float | None:
        await asyncio.sleep(before)
        try:
            await deadline.keep(asyncio.sleep(seconds))
        except TimeoutError:
            return time.monotonic() - begun
        return None

    ends = await asyncio.gather(*(waits(place / 10, 60 if place % 2 else 0.1) for place in range(6)))
    assert ends[::2] == [None] * 3
    for place, end in zip((1, 3, 5), ends[1::2], strict=True):
        assert end is not None
        assert place / 10 + 0.29 < end < place / 10 + 5
    assert await deadline.keep(asyncio.sleep(0.1, "later")) == "later"
