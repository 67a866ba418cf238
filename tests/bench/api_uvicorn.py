"""The API under uvicorn and its own supervisor: the other server that `tests.bench.servers` compares.

Run as `python -m tests.bench.api_uvicorn SOCKET READY`, as `tests.bench.api` is.
"""

import os
import socket
import sys

import uvicorn
from uvicorn.supervisors import Multiprocess

from service.runtime.settings import load_settings


def main(reserved: str, ready: str) -> None:
    """Serve until told to stop."""
    settings = load_settings()
    config = uvicorn.Config(
        "tests.bench.api:application",
        factory=True,
        workers=1,
        loop="uvloop",
        http="httptools",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=settings.shutdown_seconds,
        timeout_worker_healthcheck=30,
        backlog=2048,
    )
    os.write(int(ready), b"1")
    Multiprocess(config, [socket.socket(fileno=int(reserved))]).run()


if __name__ == "__main__":
    main(*sys.argv[1:])
