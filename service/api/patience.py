"""An end to waiting that costs next to nothing while everybody is in time."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")


class Patience:
    """Ends waits that take longer than `seconds`, with one timer for all of them.

    All waits are equally long, so the one that began first is the first to end. `asyncio.timeout` makes
    several objects and a timer for each wait, which was 4 % of a move.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._begun: dict[asyncio.Task[Any], float] = {}
        self._late: set[asyncio.Task[Any]] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def wait(self, wanted: Coroutine[Any, Any, ResultT]) -> ResultT:
        """Return what `wanted` returns. TimeoutError if it takes too long."""
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a wait belongs to a task")
        loop = task.get_loop()
        self._begun[task] = loop.time()
        if self._timer is None:
            self._timer = loop.call_later(self._seconds, self._end_the_late, loop)
        try:
            return await wanted
        except asyncio.CancelledError:
            if task not in self._late:
                raise
            task.uncancel()
            raise TimeoutError from None
        finally:
            del self._begun[task]
            self._late.discard(task)

    def close(self) -> None:
        """Forget the timer; nobody waits any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _end_the_late(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        now = loop.time()
        for task, begun in self._begun.items():
            if begun + self._seconds > now:
                self._timer = loop.call_at(begun + self._seconds, self._end_the_late, loop)
                break
            if task not in self._late:
                self._late.add(task)
                task.cancel()
