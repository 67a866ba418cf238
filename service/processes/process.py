"""One process of the service: it serves the API on a socket that it inherits, or works in the background.

Started by the supervisor as `python -m service.processes.process api SOCKET READY` or `... worker`, with all settings
in its environment. READY is the file that gets one byte when requests are answered.
"""

import asyncio
import gc
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import uvicorn
import uvloop

from service.runtime.logs import configure_logs
from service.runtime.settings import Settings, load_settings

if TYPE_CHECKING:
    from litestar.handlers import HTTPRouteHandler

_KEEP_ALIVE_SECONDS: Final = 75
_BACKLOG: Final = 2048
_WORKER_END_SECONDS: Final = 30.0
"""How long a worker may take to end when it is asked to."""
_YOUNG_MOST: Final = 20_000
"""New containers after which the collector looks at the young ones."""


def _settle_memory() -> None:
    """Let the collector leave alone what lives as long as the process, and look at the rest less often.

    States and views are trees that reference counts free; a full collection finds only the rare cycle of a
    failed request, and would walk through every table in memory for it.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_YOUNG_MOST, 20, 50)


class ApiServer(uvicorn.Server):
    """Uvicorn that tells when it answers requests."""

    def __init__(self, config: uvicorn.Config, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            _settle_memory()
            self._on_started()


def serve_api(
    settings: Settings,
    listener: socket.socket,
    on_started: Callable[[], None],
    *,
    extra_routes: "Sequence[HTTPRouteHandler]" = (),
) -> None:
    """Serve requests from a listening socket until a signal asks to stop; those under way are finished.

    `extra_routes` are served beside the contract's operations (see `create_app`).
    """
    from service.app import create_app

    config = uvicorn.Config(
        create_app(settings, extra_routes=extra_routes),
        loop="uvloop",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=list(settings.trusted_proxies),
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=settings.shutdown_seconds,
        backlog=_BACKLOG,
    )
    ApiServer(config, on_started).run(sockets=[listener])


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


def main(role: str, *files: str) -> None:
    """Be the process that the arguments name."""
    settings = load_settings()
    configure_logs(settings)
    if role == "worker":
        run_worker(settings)
        return
    listening, ready = map(int, files)

    def tell() -> None:
        with suppress(BrokenPipeError):  # a process that is started again: nobody waits for its word
            os.write(ready, b"1")
        os.close(ready)

    serve_api(settings, socket.socket(fileno=listening), tell)


if __name__ == "__main__":
    main(*sys.argv[1:])
