"""Requests that arrive while an exchange runs travel together in the next one.

The same idea as the log's group commit: no timer, the first request goes at once, and whatever comes
in the meantime shares one round trip.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

AskT = TypeVar("AskT")
AnswerT = TypeVar("AnswerT")


class Coalescer(Generic[AskT, AnswerT]):
    """Gathers requests for `exchange`, which answers a list of them in order.

    An answer may be an exception: it is raised to that caller alone. If `exchange` itself fails, all
    callers of that round get its exception.
    """

    def __init__(
        self, exchange: Callable[[list[AskT]], Awaitable[list[AnswerT | Exception]]], *, most: int = 512
    ) -> None:
        self._exchange = exchange
        self._most = most
        self._waiting: list[tuple[AskT, asyncio.Future[AnswerT]]] = []
        self._task: asyncio.Task[None] | None = None

    def submit(self, request: AskT) -> asyncio.Future[AnswerT]:
        """Queue a request and return the future of its answer."""
        future: asyncio.Future[AnswerT] = asyncio.get_running_loop().create_future()
        self._waiting.append((request, future))
        if self._task is None:
            self._task = asyncio.create_task(self._run())
        return future

    async def close(self) -> None:
        """Wait until everything asked so far is answered."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        try:
            while self._waiting:
                round_, self._waiting = self._waiting[: self._most], self._waiting[self._most :]
                await self._one_round(round_)
        finally:
            self._task = None

    async def _one_round(self, round_: list[tuple[AskT, asyncio.Future[AnswerT]]]) -> None:
        answers: list[AnswerT | Exception]
        try:
            answers = await self._exchange([request for request, _ in round_])
        except Exception as error:  # every caller of this round has to learn of it
            answers = [error] * len(round_)
        for (_, future), answer in zip(round_, answers, strict=True):
            if future.done():
                continue
            if isinstance(answer, Exception):
                future.set_exception(answer)
            else:
                future.set_result(answer)
