"""Short messages from each process to all others, over the channel `bw:<identity>:broadcast`.

Classic publish and subscribe: it reaches every node of a cluster. A listener proves by pings on the same connection
that messages arrive: what was sent before the answer to a ping arrives before it.
"""

import asyncio
import time
from collections.abc import Callable
from typing import Any, Final

from projections.generations import Generations
from projections.redis_connection import (
    ANSWER_SECONDS_MAX,
    UNAVAILABLE_ERRORS,
    UNAVAILABLE_SECONDS,
    RedisConnection,
)

_PING_SECONDS: Final = 2.0
PROOF_SECONDS: Final = 4.5
"""How long after a ping that was answered it is believed that messages arrive."""


class Broadcasts:
    """Sends messages to all processes and receives theirs."""

    def __init__(self, connection: RedisConnection, generations: Generations) -> None:
        self._connection = connection
        self._generations = generations
        self._proven_until = 0.0
        """By the monotonic clock."""
        self.listener: asyncio.Task[None] | None = None

    @property
    def listening(self) -> bool:
        """Whether messages of other processes are known to arrive."""
        return time.monotonic() < self._proven_until

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
                    on_gap()
                    while True:
                        await self._prove(channel, on_broadcast)
            except UNAVAILABLE_ERRORS:
                self._proven_until = 0.0
                on_gap()
                await asyncio.sleep(UNAVAILABLE_SECONDS)

    async def _prove(self, channel: Any, on_broadcast: Callable[[str], None]) -> None:
        """Send a ping and receive until its answer, then what else comes up to the next one; TimeoutError if none."""
        sent, answered = time.monotonic(), False
        await channel.ping()
        while (passed := time.monotonic() - sent) < _PING_SECONDS:
            message = await channel.get_message(timeout=_PING_SECONDS - passed)
            if message is not None and message["type"] == "pong":
                answered = True
                self._proven_until = sent + PROOF_SECONDS
            elif message is not None:
                on_broadcast(message["data"].decode())
        if not answered:
            raise TimeoutError("no answer to a ping")
