"""One API process as `blattwerk serve` runs it, with two routes more that do nothing: the ceiling.

Run as `python -m tests.bench.api SOCKET` with the settings of the service in the environment; SOCKET is the
number of a listening socket that it inherits, and may share with other processes.
"""

import socket
import sys
from typing import Any

import uvicorn
from litestar import get, post

from service.app import create_app
from service.settings import load_settings


@post("/noop", status_code=200)
async def noop_post() -> dict[str, bool]:
    """Answer without looking at anything."""
    return {"ok": True}


@get("/noop")
async def noop_get() -> dict[str, bool]:
    """Answer without looking at anything."""
    return {"ok": True}


def main(listening: str) -> None:
    """Serve until told to stop."""
    app: Any = create_app(load_settings(), extra_routes=(noop_post, noop_get))
    config = uvicorn.Config(
        app,
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=75,
        backlog=2048,
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=int(listening))])


if __name__ == "__main__":
    main(*sys.argv[1:])
