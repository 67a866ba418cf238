"""The HTTP application: routing of the operations, authentication, problems, metrics.

Litestar routes each path to a `Resource`, an ASGI application of its own. Between the two nothing is
parsed or built that the operation does not ask for.
"""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, Final

import structlog
from litestar import Litestar, Request, Response
from litestar._asgi.routing_trie.types import RouteTrieNode
from litestar.handlers import ASGIRouteHandler, BaseRouteHandler
from litestar.types import Receive, Send

from service.api import games, operations, players, private, records, replays, tables
from service.composition import Services
from service.contract import contract_bytes
from service.errors import ForbiddenError, HttpError, ServiceError, UnavailableError
from service.http import PROBLEM_TYPE, Answer, Call, Operation, answer, problem_answer, problem_of, translated
from service.logs import log_context
from service.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from service.settings import Settings

OPERATIONS: Final[tuple[Operation[Any], ...]] = (
    *players.OPERATIONS,
    *games.OPERATIONS,
    *tables.OPERATIONS,
    *private.OPERATIONS,
    *records.OPERATIONS,
    *replays.OPERATIONS,
    *operations.OPERATIONS,
)
log = structlog.get_logger("blattwerk.http")


def create_app(settings: "Settings", *, extra_routes: Sequence[BaseRouteHandler] = ()) -> Litestar:
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

    by_path: dict[str, list[Operation[Any]]] = {}
    for operation in OPERATIONS:
        by_path.setdefault(operation.path, []).append(operation)
    app = Litestar(
        [*(_route(Resource(path, group, services)) for path, group in by_path.items()), *extra_routes],
        openapi_config=None,
        lifespan=[lifespan],
        exception_handlers={
            Exception: lambda request, error: _unrouted(request, error, services),
        },
        logging_config=None,
    )
    _share_path_parameters(app.asgi_router.root_route_map_node)
    return app


def _share_path_parameters(node: RouteTrieNode) -> None:
    """Let ASGI routes have path parameters, whatever the method.

    Litestar 2.25 notes the parameters of such a route under `asgi` and looks them up under the
    request's method. Tests ask for every path, so a change of this in Litestar is noticed.
    """
    if node.is_asgi:
        node.path_parameters = _OfEveryMethod(node.path_parameters)
    for child in node.children.values():
        _share_path_parameters(child)


class _OfEveryMethod(dict[Any, Any]):
    """Path parameters by method, those of `asgi` for all that are not named."""

    def __missing__(self, _: Any) -> Any:
        return self["asgi"]


class Resource:
    """All operations of one path."""

    def __init__(self, path: str, operations_: Sequence[Operation[Any]], services: Services) -> None:
        self.path = path
        self._by_method = {operation.method: operation for operation in operations_}
        self._services = services
        self._base_url = services.settings.problem_base_url
        self._over_tls = services.settings.base_url.startswith("https://")
        methods = {"OPTIONS", *self._by_method} | ({"HEAD"} if "GET" in self._by_method else set())
        self._allow = ", ".join(sorted(methods))

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer one request."""
        begun = time.perf_counter()
        method: str = scope["method"]
        call = Call(scope, receive, self._services)
        operation = self._by_method.get("GET" if method == "HEAD" else method)
        if operation is not None:
            with log_context(trace_id=call.trace_id, table=scope["path_params"].get("table")):
                made = await self._operate(operation, call)
        elif method == "OPTIONS":
            made = answer(None, status=204, headers={"Allow": self._allow})
        else:
            made = problem_answer(HttpError(405, {"Allow": self._allow}), call.trace_id, self._base_url)
        await made.send(send, call.trace_id, head=method == "HEAD", over_tls=self._over_tls)
        route = self.path if operation is not None else "none"
        self._services.metrics.observe(method, route, made.status, time.perf_counter() - begun)

    async def _operate(self, operation: Operation[Any], call: Call) -> Answer:
        """Who asks first, then what the operation does; every error becomes a problem."""
        try:
            if not operation.public:
                account = await self._services.accounts.authenticate(call.header(b"authorization"))
                if account.role not in operation.roles:
                    raise ForbiddenError("This is for " + " and ".join(operation.roles) + "s.")
                call.account = account
            if operation.answer is not None:
                call.media_type = call.negotiate(operation.answer_media_types)
            return await operation.run(call)
        except Exception as error:
            return problem_answer(_shown(error, call.trace_id), call.trace_id, self._base_url)


def _route(resource: Resource) -> ASGIRouteHandler:
    path = resource.path
    for name in ("table", "player", "token", "game", "seat", "draft"):
        path = path.replace(f"{{{name}}}", f"{{{name}:str}}")

    async def handler(scope: Any, receive: Receive, send: Send) -> None:
        await resource(scope, receive, send)

    return ASGIRouteHandler(path, copy_scope=False)(handler)


def _unrouted(request: "Request[Any, Any, Any]", error: Exception, services: Services) -> Response[bytes]:
    """Answer what never reached a resource: there is no such path."""
    trace_id = Call(request.scope, request.receive, services).trace_id
    shown = _shown(error, trace_id)
    kind, problem = problem_of(shown, trace_id, services.settings.problem_base_url)
    made = answer(problem, status=kind.status, media_type=PROBLEM_TYPE)
    headers = {name.decode(): value.decode() for name, value in made.every_header(trace_id) if name != b"content-type"}
    services.metrics.observe("any", "none", kind.status, 0.0)
    return Response(made.body, status_code=kind.status, media_type=PROBLEM_TYPE, headers=headers)


def _shown(error: Exception, trace_id: str) -> Exception:
    """Return the error that a caller sees instead of this one; what nobody foresaw is logged."""
    shown = translated(error)
    if isinstance(shown, StoreUnavailableError):
        shown = UnavailableError("The database does not answer; nothing was recorded.", headers={"Retry-After": "2"})
    if not isinstance(shown, ServiceError):
        log.error("request failed", trace_id=trace_id, exc_info=error)
    return shown
