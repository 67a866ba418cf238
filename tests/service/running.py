"""A running service for tests: the real application on a socket, with a worker, in a thread of its own."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import uvicorn

from service.app import create_app
from service.composition import Services, opened
from service.runtime.settings import Secret, Settings

KEY = "42" * 32


def settings_for(database_url: str, redis_url: str, **changes: object) -> Settings:
    """Settings of a service on these servers."""
    given: dict[str, object] = {
        "database_url": Secret(database_url),
        "redis_url": Secret(redis_url),
        "secret_key": Secret(KEY),
        "public_url": "http://blattwerk.test",
    }
    return Settings(**(given | changes))  # type: ignore[arg-type]


async def rebuild(settings: Settings) -> tuple[int, int]:
    """Rebuild all projections; returns the number of tables and the new generation."""
    async with opened(settings) as services:
        return await services.worker.rebuild()


@contextmanager
def running_service(settings: Settings, *, worker: bool = True) -> Iterator[str]:
    """Serve until the block ends; yields the base URL."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    app = create_app(settings)
    server = uvicorn.Server(uvicorn.Config(app, log_config=None, loop="uvloop"))

    async def main() -> None:
        services = Services(settings)
        if worker:
            await services.open()
        working = asyncio.create_task(services.worker.run()) if worker else None
        try:
            await server.serve([listener])
        finally:
            if working is not None:
                working.cancel()
                with suppress(asyncio.CancelledError):
                    await working
                await services.close()

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise RuntimeError("the service did not start")
            threading.Event().wait(0.01)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listener.close()
