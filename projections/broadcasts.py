"""Short messages from each process to all others, over the channel `bw:<identity>:broadcast`.

Classic publish and subscribe: it reaches every node of a cluster, and a lost connection is noticed.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from projections.generations import Generations
from projections.redis_connection import (
    ANSWER_SECONDS_MAX,
    UNAVAILABLE_ERRORS,
    UNAVAILABLE_SECONDS,
    RedisConnection,
)

_LOOK_SECONDS: Final = 1.0


class Broadcasts:
    """Sends messages to all processes and receives theirs."""

    def __init__(self, connection: RedisConnection, generations: Generations) -> None:
        self._connection = connection
        self._generations = generations
        self.listening = False
        """Whether messages of other processes arrive."""
        self.listener: asyncio.Task[None] | None = None

    async def broadcast(self, message: str) -> None:
        """Send a message to all processes. RedisUnavailableError if it is not known to be on its way."""
        await self._connection.round_trip(("PUBLISH", self._channel, message))

    @property
    def _channel(self) -> str:
        return f"{self._generations.prefix}:broadcast"

    def listen(self, on_broadcast: Callable[[str], None], on_gap: Callable[[], None]) -> None:
        """Call `on_broadcast` for each message from now on, and `on_gap` when some may have been missed."""
        self.listener = asyncio.create_task(self._listen(on_broadcast, on_gap))

    async def _listen(self, on_broadcast: Callable[[str], None], on_gap: Callable[[], None]) -> None:
        while True:
            try:
                async with self._connection.subscriber() as channel:
                    async with asyncio.timeout(ANSWER_SECONDS_MAX):
                        await channel.subscribe(self._channel)
                    self.listening = True
                    on_gap()
                    while True:
                        message = await channel.get_message(timeout=_LOOK_SECONDS)
                        if message is not None:
                            on_broadcast(message["data"].decode())
            except UNAVAILABLE_ERRORS:
                self.listening = False
                on_gap()
                await asyncio.sleep(UNAVAILABLE_SECONDS)
