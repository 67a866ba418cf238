"""What happens to every request on its way to a handler and back."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

from litestar.enums import ScopeType
from litestar.middleware import ASGIMiddleware
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from service.api.negotiation import negotiated
from service.api.operation import Operation
from service.api.trace import method_of, trace_id_of
from service.errors import MalformedBodyError, NotFoundError
from service.runtime.logs import begin_request
from service.runtime.metrics import Metrics
from service.store.log import Log

_BEGUN: Final = "begun"
_READING: Final = ("GET", "HEAD", "OPTIONS")
_METHODS: Final = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")


class RequestContext(ASGIMiddleware):
    """Notes when the request began, and adds it, and the table if it is about one, to what is logged meanwhile."""

    scopes = (ScopeType.HTTP,)

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Pass the request on."""
        table = scope["path_params"].get("table")
        scope["state"][_BEGUN] = time.perf_counter()
        begin_request(trace_id=trace_id_of(scope), table=None if table is None else str(table))
        await next_app(scope, receive, send)


def count_requests(metrics: Metrics) -> Callable[[Message, Scope], Awaitable[None]]:
    """Return the hook that counts every response, also of paths that do not exist, and the time until it starts.

    Litestar's own middleware for Prometheus takes as long as the rest of a small request, and does not see what
    other middlewares refuse.
    """

    async def count(message: Message, scope: Scope) -> None:
        if message["type"] == "http.response.start":
            method, begun = method_of(scope), scope["state"].get(_BEGUN)
            seconds = 0.0 if begun is None else time.perf_counter() - begun
            route = scope.get("path_template") if method in _METHODS else None
            metrics.observe(method if method in _METHODS else "any", route or "none", message["status"], seconds)

    return count


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
                raise NotFoundError("Nothing is available to you at this address.")
            if handler.response is not None:
                negotiated(scope, handler.response_media_types)
        await next_app(scope, receive, send)


class Writable(ASGIMiddleware):
    """Refuses everything but reads while nothing may be written."""

    scopes = (ScopeType.HTTP,)

    def __init__(self, log: Log) -> None:
        self._log = log

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Pass the request on. LogWentBackError if it would write and the log went back."""
        if method_of(scope) not in _READING:
            self._log.require_writable()
        await next_app(scope, receive, send)


class BodyDeadline(ASGIMiddleware):
    """Gives up on bodies that take longer than `seconds` to arrive, or end early. MalformedBodyError to the reader."""

    scopes = (ScopeType.HTTP,)

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds

    async def handle(self, scope: Scope, receive: Receive, send: Send, next_app: ASGIApp) -> None:
        """Pass the request on with a body that arrives in time."""
        if method_of(scope) in _READING:  # nobody reads their bodies
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
