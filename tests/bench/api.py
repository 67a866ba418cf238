"""The API as `blattwerk serve` runs it, with routes more to compare with, through the same server and framework.

`/noop` does nothing. `/noop/GAME/BYTES` does what every move of a game pays before anything of ours begins: it
looks up the token, decodes the body strictly, and responds with as many bytes.

Run as `python -m tests.bench.api SOCKET READY` with the settings of the service in the environment. SOCKET is
bound to the address to listen on and reserves it, READY the file that gets one byte before requests are answered.
"""

import os
import socket
import sys
from functools import cache
from typing import Any, Final

from litestar import get, post
from litestar.params import FromPath, JSONBody
from litestar.types import ASGIApp
from msgspec.structs import replace

from domain.registry import CURRENT
from service.api.operation import PRIVATE_HEADERS, PUBLIC, Operation
from service.api.responses import TableResponse
from service.api.types.per_game import members
from service.api.types.tables import MOVE_REQUEST
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


@cache
def _filled(size: int) -> bytes:
    return b'{"filled":"%b"}' % (b"x" * (size - len(b'{"filled":""}')))


def _paying(key: str, body: Any) -> Operation:
    @Operation(
        "POST",
        f"/noop/{key}/{{size:int}}",
        id=f"noop_{key}",
        summary="",
        tag="bench",
        body=body,
        headers=PRIVATE_HEADERS,
    )
    async def pay(size: FromPath[int], data: JSONBody[Any]) -> TableResponse:
        return TableResponse(_filled(size), '"1.0.0-0"')

    return pay


NOOPS: Final = (
    noop_post,
    noop_get,
    *(_paying(key, body) for key, body in zip(CURRENT, members(MOVE_REQUEST), strict=True)),
)


def application() -> ASGIApp:
    """Return what a process serves."""
    settings = load_settings()
    return in_process(create_app(settings, extra_routes=NOOPS), settings)


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
