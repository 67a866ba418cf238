"""The address of the service: found out, kept from others, asked whether it answers."""

import errno
import http.client
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from service.runtime.settings import PREFIX, Settings

_ANSWER_SECONDS: Final = 1.0


class ServeError(Exception):
    """The service cannot be started; the message is one line."""


def resolved(settings: Settings) -> tuple[socket.AddressFamily, str]:
    """Return family and address of the host to listen on. OSError if it has none."""
    family, _, _, _, address = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0]
    return family, str(address[0])


@contextmanager
def reserved_port(settings: Settings) -> Iterator[int]:
    """Keep the port to listen on from others until the end of the block.

    Nobody listens on the socket that is held here, but processes of this account may (SO_REUSEPORT). ServeError
    if the port is in use or there is no such address.
    """
    place = f"port {settings.port} of {settings.host}"
    try:
        family, host = resolved(settings)
        with socket.create_server((host, settings.port), family=family) as first:  # fails if anybody listens
            port = first.getsockname()[1]
        reserved = socket.socket(family)
        for option in (socket.SO_REUSEADDR, socket.SO_REUSEPORT):
            reserved.setsockopt(socket.SOL_SOCKET, option, 1)
        reserved.bind((host, port))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise ServeError(f"{place} is in use; another one: {PREFIX}PORT=8001") from error
        if error.errno == errno.EACCES:
            raise ServeError(f"{place} is not for this account; another one: {PREFIX}PORT=8000") from error
        raise ServeError(
            f"{settings.host} is no address of this machine that can be listened on; {PREFIX}HOST says which"
        ) from error
    with reserved:
        yield port


def answers(host: str, port: int) -> bool:
    """Whether a service answers there."""
    connection = http.client.HTTPConnection(host, port, timeout=_ANSWER_SECONDS)
    try:
        connection.request("GET", "/livez")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
