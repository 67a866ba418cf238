"""A process that appends to many streams at once; what it was told is on its standard output.

    python -m tests.service.store.writer DATABASE_URL CLIENTS SECONDS STREAM...

Every client appends again and again to one of the streams, which other processes write to as well, and
to one of its own. The first line is `ready`, then each acknowledged command at once, at last `done`.
"""

import asyncio
import random
import sys
import time
from uuid import UUID, uuid4

from service.store.errors import StoreUnavailableError
from service.store.log import Log
from tests.service.store.given import first_event, following
from tests.service.store.opened import opened_log


async def main(database_url: str, clients: int, seconds: float, shared: list[UUID]) -> None:
    """Append until the time is up."""
    async with opened_log(database_url, timeout_seconds=30.0) as log:
        print("ready", flush=True)
        until = time.monotonic() + seconds
        await asyncio.gather(*(client(log, shared, until) for _ in range(clients)))
    print("done", flush=True)


async def client(log: Log, shared: list[UUID], until: float) -> None:
    """One client: in turn an event for its own stream and one for a shared one."""
    own = first_event(uuid4())
    while time.monotonic() < until:
        try:
            if (await log.append(own)).accepted:
                print(own.command, flush=True)
            else:
                raise AssertionError("another event in a stream that only this client writes to")
            own = following(own)
            stream = random.choice(shared)
            head = await log.find_last(stream)
            event = first_event(stream) if head is None else following(head)
            if (await log.append(event)).accepted:
                print(event.command, flush=True)
        except StoreUnavailableError:
            await asyncio.sleep(0.05)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), [UUID(text) for text in sys.argv[4:]]))
