"""One API process: granian runs it below a process of its own, which ends with it and lets it finish on SIGTERM.

Before that, load balancers get the time to notice: `/readyz` is 503 while everything is answered as ever.
"""

import gc
import multiprocessing
import os
import signal
import threading
import time
from types import FrameType
from typing import Final

from granian import Granian
from granian.constants import HTTPModes, Interfaces, Loops, RuntimeModes
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.utils.proxies import wrap_asgi_with_proxy_headers
from litestar.types import ASGIApp

from service.processes.address import resolved
from service.runtime.draining import DRAIN_SIGNAL, listen
from service.runtime.logs import configure_logs
from service.runtime.settings import Settings, load_settings

HEAD_SECONDS: Final = 30
"""The time for a request's line and headers, and the longest silence between two requests of a connection."""
_HEAD_BYTES_MAX: Final = 64 * 1024
"""The most that a connection holds of what it has read: heads, and requests that wait for their turn."""
_CONNECTIONS_MAX: Final = 8192
"""The most connections of a process; further ones wait."""
_BACKLOG: Final = 2048
_EXTRA_SECONDS: Final = 5
"""How much longer than it was told a process without a parent gets to finish."""
_ALLOCATIONS_MAX: Final = 20_000
"""New containers after which the collector looks at the young ones."""
LOGS: Final = {"loggers": {"_granian": {"handlers": [], "propagate": True}}}
"""Granian's lines go where ours go."""
HTTP: Final = HTTP1Settings(header_read_timeout=HEAD_SECONDS * 1000, max_buffer_size=_HEAD_BYTES_MAX)


def serve_api(settings: Settings, application: str = "service.processes.api:application") -> None:
    """Serve requests until SIGTERM or SIGINT; those under way are finished within `settings.shutdown_seconds`.

    New ones are taken for `settings.drain_seconds` more, while `/readyz` is 503; a second signal ends that.

    The process that answers calls `application`, a name, for what it serves; it finds its settings in the
    environment. If it ends by itself this one does too, with status 1. Others may serve on the same address.
    """
    # granian watches the process from a thread, and a fork beside threads may leave a lock held for ever
    multiprocessing.set_start_method("spawn", force=True)
    signal.signal(DRAIN_SIGNAL, signal.SIG_IGN)  # inherited: one that still starts is not ended by it
    server = Granian(
        application,
        factory=True,
        address=resolved(settings)[1],
        port=settings.port,
        interface=Interfaces.ASGI,
        workers=1,  # of several, granian would end those that answer when one dies twice within seconds
        workers_kill_timeout=settings.shutdown_seconds,
        loop=Loops.uvloop,
        runtime_mode=RuntimeModes.st,
        http=HTTPModes.http1,
        http1_settings=HTTP,
        websockets=False,
        backlog=_BACKLOG,
        backpressure=_CONNECTIONS_MAX,
        log_level=LogLevels.warning,
        log_dictconfig=LOGS,
    )
    server.on_startup(lambda: _drain_first(settings.drain_seconds))
    server.serve()


def _drain_first(seconds: int) -> None:
    """Put a pause, in which the processes that answer are not ready, between a signal and what the server does then."""
    if seconds == 0:
        return
    ends = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}

    def drain(_number: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGALRM, ends[signal.SIGTERM])
        for number, end in ends.items():
            signal.signal(number, end)
        for child in multiprocessing.active_children():
            if child.pid is not None:
                os.kill(child.pid, DRAIN_SIGNAL)
        signal.alarm(seconds)

    for number in ends:
        signal.signal(number, drain)


def application() -> ASGIApp:
    """Return what an API process serves."""
    # Loaded by the processes that answer, not by the one above them.
    from service.app import create_app

    settings = load_settings()
    return in_process(create_app(settings), settings)


def in_process(app: ASGIApp, settings: Settings) -> ASGIApp:
    """Make this process one of the API, and return the application with callers' addresses as proxies give them."""
    configure_logs(settings)
    listen()
    _end_without_parent(settings)
    _settle_memory()
    if not settings.trusted_proxies:
        return app
    wrapped: ASGIApp = wrap_asgi_with_proxy_headers(app, list(settings.trusted_proxies))
    return wrapped


def _end_without_parent(settings: Settings) -> None:
    """End this process when the one that watches it is killed."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def wait() -> None:
        parent.join()
        for _ in range(settings.shutdown_seconds + _EXTRA_SECONDS):
            os.kill(os.getpid(), signal.SIGTERM)  # more than once: granian does not hear it while it starts
            time.sleep(1)
        os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _settle_memory() -> None:
    """Let the collector leave alone what lives as long as the process, and look at the rest less often.

    States and views are trees that reference counts free; a full collection finds only the rare cycle of a
    failed request, and would walk through every table in memory for it.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS_MAX, 20, 50)
