"""Whose turn it is: one at a time, accounts in turn, so that nobody waits behind all tables of another one."""

import asyncio
from collections import OrderedDict, deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Turns:
    """A lock for which each account has a line of its own, and the lines take turns."""

    def __init__(self) -> None:
        self._lines: OrderedDict[str, deque[asyncio.Future[None]]] = OrderedDict()
        """By account, the one whose turn it is first."""
        self._taken = False

    @asynccontextmanager
    async def of(self, account: str) -> AsyncIterator[None]:
        """Hold a turn of an account; who has none ("") shares a line with all others who have none."""
        if self._taken:
            turn = asyncio.get_running_loop().create_future()
            self._lines.setdefault(account, deque()).append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if not turn.cancelled():
                    self._pass_on()
                raise
        self._taken = True
        try:
            yield
        finally:
            self._pass_on()

    def _pass_on(self) -> None:
        while self._lines:
            account, line = next(iter(self._lines.items()))
            turn = line.popleft()
            if line:
                self._lines.move_to_end(account)
            else:
                del self._lines[account]
            if not turn.done():
                turn.set_result(None)
                return
        self._taken = False
