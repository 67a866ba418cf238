"""The HTTP application: routing of the operations, authentication, problems, metrics.

Each path of the contract is a `Resource`, an ASGI application of its own. Between it and the server nothing
is parsed or built that the operation does not ask for.
"""

import time
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import structlog
from litestar import Litestar, Request, Response
from litestar.handlers import BaseRouteHandler
from litestar.types import Receive, Send

from service.api import (
    disputes,
    games,
    operations,
    players,
    private,
    records,
    replays,
    standings,
    tables,
    transparency,
)
from service.api.http import Answer, Call, Operation, answer
from service.api.problems import PROBLEM_TYPE, problem_answer, problem_of, translated
from service.composition import Services
from service.contract.document import contract_bytes
from service.errors import ForbiddenError, HttpError, ServiceError, UnavailableError
from service.runtime.logs import begin_request
from service.store.errors import StoreUnavailableError

if TYPE_CHECKING:
    from service.runtime.settings import Settings

OPERATIONS: Final[tuple[Operation[Any], ...]] = (
    *players.OPERATIONS,
    *standings.OPERATIONS,
    *games.OPERATIONS,
    *tables.OPERATIONS,
    *private.OPERATIONS,
    *records.OPERATIONS,
    *replays.OPERATIONS,
    *transparency.OPERATIONS,
    *disputes.OPERATIONS,
    *operations.OPERATIONS,
)
_PATHS_KEPT: Final = 8192
_PATH_KEPT_LENGTH: Final = 150
"""Longer paths are looked up each time, so that nobody fills the memory with them."""
log = structlog.get_logger("blattwerk.http")


class Application(Litestar):
    """Litestar with our resources in front of its router.

    A path of the contract goes straight to its resource. Everything else is Litestar's: start-up and
    shutdown, routes besides the contract's, paths that do not exist.
    """

    resources: "Resources"

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Take one connection, as ASGI has it."""
        if scope["type"] == "http":
            found = self.resources.find(scope["path"])
            if found is not None:
                resource, scope["path_params"] = found
                await resource(scope, receive, send)
                return
        await super().__call__(scope, receive, send)


def create_app(settings: "Settings", *, extra_routes: Sequence[BaseRouteHandler] = ()) -> Application:
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
    app = Application(
        extra_routes,
        openapi_config=None,
        lifespan=[lifespan],
        exception_handlers={
            Exception: lambda request, error: _unrouted(request, error, services),
        },
        logging_config=None,
    )
    app.resources = Resources(Resource(path, group, services) for path, group in by_path.items())
    return app


class Resources:
    """Resources by path; `{name}` in a path stands for any one segment that is not empty."""

    def __init__(self, resources: "Iterable[Resource]") -> None:
        self._plain: dict[str, Resource] = {}
        self._by_shape: dict[tuple[str | None, ...], tuple[Resource, tuple[tuple[int, str], ...]]] = {}
        self._shapes: dict[int, list[tuple[bool, ...]]] = {}
        for resource in resources:
            self._add(resource)
        self._found = lru_cache(maxsize=_PATHS_KEPT)(self._find)

    def find(self, path: str) -> "tuple[Resource, dict[str, str]] | None":
        """Return the resource of a path and the values of its parameters, None if there is none.

        The values are shared by all requests of the path.
        """
        return self._found(path) if len(path) < _PATH_KEPT_LENGTH else self._find(path)

    def _find(self, path: str) -> "tuple[Resource, dict[str, str]] | None":
        plain = self._plain.get(path)
        if plain is not None:
            return plain, {}
        segments = path.split("/")
        for shape in self._shapes.get(len(segments), ()):
            found = self._by_shape.get(
                tuple([segment if fixed else None for segment, fixed in zip(segments, shape, strict=True)])
            )
            if found is not None:
                resource, places = found
                values = {name: segments[place] for place, name in places}
                return (resource, values) if all(values.values()) else None
        return None

    def _add(self, resource: "Resource") -> None:
        segments = resource.path.split("/")
        shape = tuple([not segment.startswith("{") for segment in segments])
        if all(shape):
            self._plain[resource.path] = resource
            return
        key = tuple([segment if fixed else None for segment, fixed in zip(segments, shape, strict=True)])
        names = [(place, segment[1:-1]) for place, segment in enumerate(segments) if not shape[place]]
        self._by_shape[key] = (resource, tuple(names))
        shapes = self._shapes.setdefault(len(segments), [])
        if shape not in shapes:
            shapes.append(shape)
            shapes.sort(key=sum, reverse=True)  # what is spelled out goes before what stands for anything


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
            begin_request(trace_id=call.trace_id, table=scope["path_params"].get("table"))
            made = await self._operate(operation, call)
        elif method == "OPTIONS":
            made = answer(None, status=204, headers={"Allow": self._allow})
        else:
            made = problem_answer(HttpError(405, {"Allow": self._allow}), call.trace_id, self._base_url)
        headers = made.complete_headers(call.trace_id, over_tls=self._over_tls)
        await made.send(send, headers, head=method == "HEAD")
        route = self.path if operation is not None else "none"
        self._services.metrics.observe(method, route, made.status, time.perf_counter() - begun)

    async def _operate(self, operation: Operation[Any], call: Call) -> Answer:
        """Who asks first, then what the operation does; every error becomes a problem."""
        try:
            if not operation.public:
                header, accounts = call.header(b"authorization"), self._services.accounts
                account = accounts.remembered(header) or await accounts.authenticate(header)
                if account.role not in operation.roles:
                    raise ForbiddenError("This is for " + " and ".join(operation.roles) + "s.")
                call.account = account
            if operation.answer is not None:
                call.media_type = call.negotiate(operation.answer_media_types)
            return await operation.run(call)
        except Exception as error:
            return problem_answer(_shown(error, call.trace_id), call.trace_id, self._base_url)


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
