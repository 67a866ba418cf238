"""One API process as `blattwerk serve` runs it, with two routes more that do nothing: the ceiling.

Run as `python -m tests.bench.api SOCKET READY` with the settings of the service in the environment. SOCKET is
a listening socket that it inherits and may share with other processes, READY the file that gets one byte when
requests are answered.
"""

import os
import socket
import sys

from litestar import get, post

from service.api.operation import PUBLIC
from service.processes.process import serve_api
from service.runtime.settings import load_settings


@post("/noop", status_code=200, opt={PUBLIC: True})
async def noop_post() -> dict[str, bool]:
    """Answer without looking at anything."""
    return {"ok": True}


@get("/noop", opt={PUBLIC: True})
async def noop_get() -> dict[str, bool]:
    """Answer without looking at anything."""
    return {"ok": True}


def main(listening: str, ready: str) -> None:
    """Serve until told to stop."""

    def tell() -> None:
        os.write(int(ready), b"1")

    listener = socket.socket(fileno=int(listening))
    serve_api(load_settings(), listener, tell, extra_routes=(noop_post, noop_get))


if __name__ == "__main__":
    main(*sys.argv[1:])
