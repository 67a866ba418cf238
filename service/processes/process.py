"""A process of the running service: one of the API, which has another one below it, or a worker.

Started by the supervisor as `python -m service.processes.process api` or `... worker`, with all settings in its
environment.
"""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from typing import Final

import uvloop

from service.runtime.logs import configure_logs
from service.runtime.settings import Settings, load_settings

_WORKER_END_SECONDS: Final = 30.0
"""How long a worker may take to end when it is asked to."""


def run_worker(settings: Settings) -> None:
    """Work in the background until a signal asks to stop."""
    from service.composition import work

    async def until_stopped() -> None:
        working = asyncio.ensure_future(work(settings))
        loop = asyncio.get_running_loop()

        def end() -> None:
            working.cancel()
            # A library may lose the cancellation where database or Redis go away at the same time.
            loop.call_later(_WORKER_END_SECONDS, os._exit, 1)

        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, end)
        with suppress(asyncio.CancelledError):
            await working

    uvloop.run(until_stopped())


def main(role: str) -> None:
    """Be the part that the argument names."""
    settings = load_settings()
    configure_logs(settings)
    if role == "worker":
        run_worker(settings)
        return
    from service.processes.api import serve_api

    serve_api(settings)


if __name__ == "__main__":
    main(*sys.argv[1:])
