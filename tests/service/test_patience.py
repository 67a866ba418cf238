"""Waits end when they take too long, and only then."""

import asyncio
import time

import pytest

from service.api.patience import Patience


async def test_a_wait_that_is_in_time_gives_its_result_and_leaves_nothing_behind() -> None:
    patience = Patience(0.05)
    assert await patience.wait(asyncio.sleep(0, "come")) == "come"
    await asyncio.sleep(0.1)
    assert await patience.wait(asyncio.sleep(0, "again")) == "again"
    patience.close()


async def test_each_wait_ends_at_its_own_time() -> None:
    patience = Patience(0.2)
    begun = time.monotonic()

    async def late(after: float) -> float:
        await asyncio.sleep(after)
        with pytest.raises(TimeoutError):
            await patience.wait(asyncio.sleep(60))
        await asyncio.sleep(0)  # the task goes on as if nothing had been cancelled
        return time.monotonic() - begun - after

    async def in_time() -> str:
        return await patience.wait(asyncio.sleep(0.1, "in time"))

    *took, said = await asyncio.gather(late(0.0), late(0.1), late(0.15), in_time())
    assert said == "in time"
    assert all(0.19 < float(seconds) < 5 for seconds in took)


async def test_who_is_cancelled_by_somebody_else_stays_cancelled() -> None:
    patience = Patience(60)
    task = asyncio.create_task(patience.wait(asyncio.sleep(60)))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    patience.close()


async def test_an_error_of_what_is_waited_for_comes_through() -> None:
    async def fail() -> None:
        raise LookupError

    patience = Patience(60)
    with pytest.raises(LookupError):
        await patience.wait(fail())
    patience.close()
