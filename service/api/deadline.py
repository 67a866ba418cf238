"""The deadline of bodies: one timer for all requests, because one for each costs a move 6 % of its processor time."""

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

ValueT = TypeVar("ValueT")


class Deadline:
    """How long anything may take that requests wait for. One per process."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._waiting: dict[asyncio.Task[Any], float] = {}
        """Who waits until when; the first one is the first to be late."""
        self._late: set[asyncio.Task[Any]] = set()
        self._timer: asyncio.TimerHandle | None = None

    async def keep(self, awaited: Awaitable[ValueT]) -> ValueT:
        """Wait as `asyncio.timeout` does: TimeoutError if it takes longer. For use in a task, once at a time."""
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        if task is None:
            raise RuntimeError("only a task can be given a deadline")
        self._waiting[task] = loop.time() + self._seconds
        if self._timer is None:
            self._timer = loop.call_later(self._seconds, self._end_the_late)
        try:
            return await awaited
        except asyncio.CancelledError:
            if task in self._late and task.uncancel() == 0:  # otherwise somebody else ended it too
                raise TimeoutError from None
            raise
        finally:
            self._late.discard(task)
            self._waiting.pop(task, None)

    def _end_the_late(self) -> None:
        """Cancel those who have waited too long; look again when the next one is late."""
        loop = asyncio.get_running_loop()
        self._timer = None
        while self._waiting:
            task, until = next(iter(self._waiting.items()))
            if until > loop.time():
                self._timer = loop.call_at(until, self._end_the_late)
                return
            del self._waiting[task]
            self._late.add(task)
            task.cancel()
