"""The HTTP application: routing of the operations, authentication, problems, headers, metrics."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import msgspec
import structlog
from litestar import Litestar, Request, Response
from litestar.enums import HttpMethod
from litestar.handlers import HTTPRouteHandler
from litestar.response.base import ASGIResponse
from litestar.types import ASGIApp, Message, Receive, Send

from service.api import games, operations, players, private, tables
from service.composition import Services
from service.contract import contract_bytes
from service.errors import ForbiddenError, HttpError, ServiceError, UnavailableError
from service.http import (
    MAX_BODY_BYTES,
    PROBLEM_TYPE,
    Call,
    Operation,
    problem_answer,
    problem_of,
    trace_id_of,
    translated,
)
from service.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from service.settings import Settings

OPERATIONS: Final[tuple[Operation[Any], ...]] = (
    *players.OPERATIONS,
    *games.OPERATIONS,
    *tables.OPERATIONS,
    *private.OPERATIONS,
    *operations.OPERATIONS,
)
_HEADERS: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
)
log = structlog.get_logger("blattwerk.http")


def create_app(settings: "Settings", *, extra_routes: Sequence[HTTPRouteHandler] = ()) -> ASGIApp:
    """Return the application; it opens its connections at start-up and closes them at shutdown.

    `extra_routes` are served beside the contract's operations; measurements put a route there that does nothing.
    """
    services = Services(settings)
    services.contract = contract_bytes(OPERATIONS)

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        await services.open()
        try:
            yield
        finally:
            await services.close()

    app = Litestar(
        [*(_route(operation, services) for operation in OPERATIONS), *extra_routes],
        openapi_config=None,
        lifespan=[lifespan],
        exception_handlers={
            Exception: lambda request, error: _unrouted(request, error, settings.problem_base_url),
        },
        request_max_body_size=MAX_BODY_BYTES,
        logging_config=None,
    )
    return _outermost(app, services)


def _route(operation: Operation[Any], services: Services) -> HTTPRouteHandler:
    """Make a route of an operation: who asks first, then what the operation does."""
    run, public, roles = operation.run, operation.public, operation.roles

    async def handler(request: Request[Any, Any, Any]) -> ASGIResponse:
        request.scope["state"]["route"] = operation.path
        call = Call(operation, request, services)
        try:
            if not public:
                account = await services.accounts.authenticate(call.header(b"authorization"))
                if account.role not in roles:
                    raise ForbiddenError("This is for " + " and ".join(roles) + "s.")
                call.account = account
            return await run(call)
        except Exception as error:  # every error of an operation becomes a problem
            shown = _shown(error, call.trace_id)
            return problem_answer(shown, call.trace_id, services.settings.problem_base_url)

    path = operation.path
    for name in ("table", "player", "token", "game", "seat", "draft"):
        path = path.replace(f"{{{name}}}", f"{{{name}:str}}")
    method = HttpMethod(operation.method)
    return HTTPRouteHandler(path, http_method=method, name=operation.id, status_code=200)(handler)


def _unrouted(request: "Request[Any, Any, Any]", error: Exception, base_url: str) -> Response[bytes]:
    """Answer what never reached an operation: no such path, no such method."""
    trace_id: str = request.scope["state"].get("trace_id", "")
    shown = _shown(error, trace_id)
    kind, problem = problem_of(shown, trace_id, base_url)
    headers = shown.headers if isinstance(shown, ServiceError) else {}
    return Response(msgspec.json.encode(problem), status_code=kind.status, media_type=PROBLEM_TYPE, headers=headers)


def _shown(error: Exception, trace_id: str) -> Exception:
    """Return the error that a caller sees instead of this one; what nobody foresaw is logged."""
    shown = translated(error)
    if isinstance(shown, StoreUnavailableError):
        shown = UnavailableError("The database does not answer; nothing was recorded.", headers={"Retry-After": "2"})
    if not isinstance(shown, ServiceError):
        log.error("request failed", trace_id=trace_id, exc_info=error)
    return shown


def _outermost(app: Litestar, services: Services) -> ASGIApp:
    """Wrap the application: trace ids, security headers, HEAD and OPTIONS as HTTP asks, metrics."""
    allowed = _methods_by_route()
    observe = services.metrics.observe

    async def asgi(scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        begun = time.perf_counter()
        method = scope["method"]
        trace_id = trace_id_of(scope["headers"])
        state: dict[str, Any] = {"trace_id": trace_id, "route": "unknown"}
        scope["state"] = state
        status = 500

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = [*message["headers"], *_HEADERS, (b"x-request-id", trace_id.encode())]
                message = {**message, "headers": headers}
            elif method == "HEAD" and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        if method == "OPTIONS":
            await _options(scope, answer, receive, allowed)
        else:
            asked = {**scope, "method": "GET"} if method == "HEAD" else scope
            await app(asked, receive, answer)
        observe(method, state["route"], status, time.perf_counter() - begun)

    return asgi


def _methods_by_route() -> dict[tuple[str, ...], list[str]]:
    allowed: dict[tuple[str, ...], list[str]] = {}
    for operation in OPERATIONS:
        methods = allowed.setdefault(tuple(operation.path.split("/")), ["OPTIONS"])
        methods += [operation.method, "HEAD"] if operation.method == "GET" else [operation.method]
    return allowed


async def _options(
    scope: Any,
    send: Callable[[Message], Awaitable[None]],
    receive: Receive,
    allowed: dict[tuple[str, ...], list[str]],
) -> None:
    """Answer OPTIONS with the methods of the path."""
    parts = str(scope["path"]).split("/")
    for route, methods in allowed.items():
        if len(route) == len(parts) and all(
            want.startswith("{") or want == part for want, part in zip(route, parts, strict=True)
        ):
            response = ASGIResponse(status_code=204, headers={"Allow": ", ".join(sorted(methods))}, media_type="")
            await response(scope, receive, send)
            return
    trace_id = scope["state"]["trace_id"]
    await problem_answer(HttpError(405, {"Allow": ""}), trace_id, "")(scope, receive, send)
