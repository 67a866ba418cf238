"""What happens to every request on its way to a handler and back."""

import asyncio
from collections.abc import Mapping
from typing import Any

from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Receive, Scope, Send

from service.api.negotiation import negotiated
from service.api.operation import Operation
from service.api.trace import method_of, trace_id_of
from service.errors import MalformedBodyError, NotFoundError
from service.runtime.logs import begin_request


class LogContext(ASGIMiddleware):
    """Adds the request, and the table if it is about one, to what is logged meanwhile."""

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Pass the request on."""
        table = scope["path_params"].get("table")
        begin_request(trace_id=trace_id_of(scope), table=None if table is None else str(table))
        await next_app(scope, receive, send)


class Preconditions(ASGIMiddleware):
    """Refuses what no handler of an operation should see.

    Path parameters that are spelled differently from how the service spells them do not exist (404): a resource
    has one address. A caller has to accept one of the operation's media types (406).
    """

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Pass the request on, or raise NotFoundError or HttpError 406."""
        handler = scope["route_handler"]
        if isinstance(handler, Operation):
            if scope["path_params"] and not _is_canonical(scope["path"], scope["path_params"]):
                raise NotFoundError("There is nothing at this address for you.")
            if handler.response is not None:
                negotiated(scope, handler.response_media_types)
        await next_app(scope, receive, send)


class BodyDeadline(ASGIMiddleware):
    """Gives up on bodies that take longer than `seconds` to arrive, or end early. MalformedBodyError to the reader."""

    scopes = (ScopeType.HTTP,)

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Pass the request on with a body that arrives in time."""
        if method_of(scope) in ("GET", "HEAD", "OPTIONS"):  # nobody reads their bodies
            await next_app(scope, receive, send)
            return
        deadline = asyncio.get_running_loop().time() + self._seconds
        complete = False

        async def receive_in_time() -> Any:
            nonlocal complete
            if complete:
                return await receive()
            try:
                async with asyncio.timeout_at(deadline):
                    message: Any = await receive()
            except TimeoutError:
                raise MalformedBodyError("The body did not arrive in time.") from None
            if message["type"] != "http.request":
                raise MalformedBodyError("The body ended early.")
            complete = not message.get("more_body", False)
            return message

        await next_app(scope, receive_in_time, send)


def _is_canonical(path: str, parameters: Mapping[str, Any]) -> bool:
    segments = path.split("/")
    return all(str(value) in segments for value in parameters.values())
