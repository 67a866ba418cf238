"""Requests that arrive while a round trip is under way travel together in the next one.

The same idea as the log's group commit: no timer, the first request goes at once, and whatever comes
in the meantime shares the next one.
"""

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

RequestT = TypeVar("RequestT")
AnswerT = TypeVar("AnswerT")


class Coalescer(Generic[RequestT, AnswerT]):
    """Gathers requests for `round_trip`, which answers a list of them in order.

    An answer may be an exception: it is raised to that caller alone. If `round_trip` itself fails, all
    callers of that round get its exception, and so do those that wait for the next one: they have waited already.
    """

    def __init__(
        self, round_trip: Callable[[list[RequestT]], Awaitable[list[AnswerT | Exception]]], *, requests_max: int = 512
    ) -> None:
        self._round_trip = round_trip
        self._requests_max = requests_max
        self._waiting: list[tuple[RequestT, asyncio.Future[AnswerT]]] = []
        self._task: asyncio.Task[None] | None = None

    def submit(self, request: RequestT) -> asyncio.Future[AnswerT]:
        """Queue a request and return the future of its answer."""
        future: asyncio.Future[AnswerT] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if self._task is None:
            # in a context of its own: it works for all who ask, not for this request alone
            self._task = asyncio.create_task(self._run(), context=contextvars.Context())
        return future

    async def close(self) -> None:
        """Wait until everything asked so far is answered."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        try:
            while self._waiting:
                round_, self._waiting = self._waiting[: self._requests_max], self._waiting[self._requests_max :]
                await self._one_round(round_)
        finally:
            self._task = None

    async def _one_round(self, round_: list[tuple[RequestT, asyncio.Future[AnswerT]]]) -> None:
        answers: list[AnswerT | Exception]
        try:
            answers = await self._round_trip([request for request, _ in round_])
        except Exception as error:  # every caller of this round has to learn of it
            round_, self._waiting = round_ + self._waiting, []
            answers = [error] * len(round_)
        for (_, future), answer in zip(round_, answers, strict=True):
            if future.done():
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)
