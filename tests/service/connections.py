"""Requests as bytes, and connections on which tests say exactly what they mean."""

import socket
import time
from typing import Final

GAMES: Final = b"GET /v1/games HTTP/1.1\r\nHost: x\r\n\r\n"


def connected(port: int, seconds: float = 10) -> socket.socket:
    """Return a connection to a server of this machine."""
    return socket.create_connection(("127.0.0.1", port), timeout=seconds)


def request(method: str, path: str, body: bytes = b"", **headers: str) -> bytes:
    """One whole request."""
    lines = [f"{method} {path} HTTP/1.1", "Host: x"]
    lines += [f"{name.replace('_', '-')}: {text}" for name, text in headers.items()]
    if body:
        lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def read_answer(connection: socket.socket, *, body: bool = True) -> bytes:
    """Read one whole answer; what follows it is an error. `body` is False for answers to HEAD."""
    received = b""
    while b"\r\n\r\n" not in received:
        received += _some(connection)
    head, _, rest = received.partition(b"\r\n\r\n")
    lengths = [int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    while body and len(rest) < sum(lengths):
        rest += _some(connection)
    assert len(rest) == (sum(lengths) if body else 0)
    return head + b"\r\n\r\n" + rest


def everything(connection: socket.socket) -> bytes:
    """Read until the server closes."""
    received = b""
    while piece := connection.recv(1 << 16):
        received += piece
    return received


def is_closed(connection: socket.socket, seconds: float) -> bool:
    """Whether the server closes within so many seconds; what it says before is left out."""
    connection.settimeout(seconds)
    try:
        everything(connection)
    except TimeoutError:
        return False
    except OSError:
        return True
    return True


def wait_until_refused(port: int, seconds: float = 30) -> None:
    """Return when nobody listens there any more."""
    until = time.monotonic() + seconds
    while True:
        try:
            connected(port).close()
        except ConnectionRefusedError:
            return
        except ConnectionError:  # it had not been accepted when the listener was closed
            pass
        assert time.monotonic() < until, "connections are still accepted"
        time.sleep(0.05)


def sent_until_refused(connection: socket.socket, piece: bytes, bytes_max: int) -> int:
    """Send pieces until the server takes no more; how many bytes it took."""
    sent = 0
    while sent < bytes_max:
        try:
            connection.sendall(piece)
        except OSError:
            break
        sent += len(piece)
    return sent


def parts(answer: bytes) -> tuple[bytes, dict[bytes, bytes], bytes]:
    """Status line, headers without those that differ from request to request, body."""
    head, _, body = answer.partition(b"\r\n\r\n")
    status, *lines = head.split(b"\r\n")
    headers = dict(line.split(b": ", 1) for line in lines)
    for name in (b"x-request-id", b"date"):
        assert headers.pop(name)
    return status, headers, body


def _some(connection: socket.socket) -> bytes:
    piece = connection.recv(1 << 16)
    assert piece, "the connection was closed"
    return piece
