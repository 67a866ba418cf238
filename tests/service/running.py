"""A running service for tests: the real application on the real server, with a worker, in a thread of its own."""

import asyncio
import faulthandler
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Final

import uvloop
from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server.embed import Server

from service.app import create_app
from service.composition import Services, opened
from service.processes.address import answers, reserved_port
from service.processes.api import HTTP, LOGS
from service.runtime.settings import Secret, Settings

KEY = "42" * 32
MANY: Final = (
    *("open_tables=1000", "bot_tables=1000", "renames=100000/60", "guests_ipv4=100000/60"),
    *("account_codes=100000/60", "redemptions_ipv4=100000/60", "table_codes=100000/60"),
    *("joins=100000/60", "joins_ipv4=100000/60"),
)
"""Limits that tests do not reach which are about something else."""
_END_SECONDS: Final = 90.0
"""How long a service may take to end, on a machine with much else to do."""


def settings_for(database_url: str, redis_url: str, **changes: object) -> Settings:
    """Settings of a service on these servers, where one account may have many tables, names and codes."""
    given: dict[str, object] = {
        "database_url": Secret(database_url),
        "redis_url": Secret(redis_url),
        "secret_key": Secret(KEY),
        "public_url": "http://blattwerk.test",
        "limits": MANY,
        "bot_milliseconds": 1,
    }
    return Settings(**(given | changes))  # type: ignore[arg-type]


async def rebuild(settings: Settings) -> tuple[int, int]:
    """Rebuild all projections; returns the number of tables and the new generation."""
    async with opened(settings) as services:
        return await services.worker.rebuild()


@contextmanager
def running_service(settings: Settings, *, worker: bool = True) -> Iterator[str]:
    """Serve until the block ends; yields the base URL."""
    with reserved_port(Settings(port=0)) as port:
        started = threading.Event()

        async def main() -> None:
            server = Server(
                create_app(settings),
                port=port,
                interface=Interfaces.ASGI,
                http=HTTPModes.http1,
                http1_settings=HTTP,
                websockets=False,
                log_level=LogLevels.error,
                log_dictconfig=LOGS,
            )
            services = Services(settings)
            if worker:
                await services.open()
            working = asyncio.create_task(services.worker.run()) if worker else None
            serving = asyncio.create_task(server.serve())
            loop = asyncio.get_running_loop()
            stop.append(lambda: loop.call_soon_threadsafe(server.stop))
            started.set()
            try:
                await serving
            finally:
                if working is not None:
                    while not working.done():  # a library may lose a cancellation
                        working.cancel()
                        await asyncio.wait({working}, timeout=1)
                    await services.close()

        stop: list[Callable[[], object]] = []
        thread = threading.Thread(target=uvloop.run, args=(main(),), daemon=True)
        thread.start()
        try:
            while not answers("127.0.0.1", port):
                if not thread.is_alive():
                    raise RuntimeError("the service did not start")
                threading.Event().wait(0.01)
            yield f"http://127.0.0.1:{port}"
        finally:
            while thread.is_alive() and not started.wait(0.1):
                pass  # it ends by itself if it cannot start
            with suppress(RuntimeError, IndexError):  # it has ended, or never began
                stop[0]()
            thread.join(_END_SECONDS)
            if thread.is_alive():
                faulthandler.dump_traceback()
                raise RuntimeError("the service did not end; the stacks of all threads are above")
