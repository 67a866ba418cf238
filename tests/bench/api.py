"""The API as `blattwerk serve` runs it, with two routes more that do nothing: the ceiling.

Run as `python -m tests.bench.api SOCKET READY` with the settings of the service in the environment. SOCKET is
bound to the address to listen on and reserves it, READY the file that gets one byte before requests are answered.
"""

import os
import socket
import sys

from litestar import get, post
from litestar.types import ASGIApp
from msgspec.structs import replace

from service.api.operation import PUBLIC
from service.app import create_app
from service.processes.api import in_process, serve_api
from service.runtime.settings import Settings, load_settings


@post("/noop", status_code=200, opt={PUBLIC: True})
async def noop_post() -> dict[str, bool]:
    """Answer without looking at anything."""
    return {"ok": True}


@get("/noop", opt={PUBLIC: True})
async def noop_get() -> dict[str, bool]:
    """Answer without looking at anything."""
    return {"ok": True}


def application() -> ASGIApp:
    """Return what a process serves."""
    settings = load_settings()
    return in_process(create_app(settings, extra_routes=(noop_post, noop_get)), settings)


def settings_at(reserved: socket.socket) -> Settings:
    """Return the settings of the environment, with the address of a socket."""
    host, port = reserved.getsockname()
    return replace(load_settings(), host=host, port=port)


def main(reserved: str, ready: str) -> None:
    """Serve until told to stop."""
    os.write(int(ready), b"1")
    serve_api(settings_at(socket.socket(fileno=int(reserved))), "tests.bench.api:application")


if __name__ == "__main__":
    main(*sys.argv[1:])
