"""The HTTP application: the operations on Litestar, with what they are handed and what surrounds them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from litestar import Litestar, Response
from litestar.config.cors import CORSConfig
from litestar.di import Provide
from litestar.handlers import BaseRouteHandler, HTTPRouteHandler
from litestar.middleware import DefineMiddleware
from litestar.types import ASGIApp, Method

from service.api.bodies import BODY_BYTES_MAX
from service.api.headers import Complete, completed
from service.api.middleware import Admission
from service.api.operation import PUBLIC
from service.api.overload import Overload
from service.api.problem_types import operations_by_status
from service.api.problems import problem_handler
from service.api.routes import HANDLERS
from service.api.streams import Streams
from service.composition import Services
from service.contract.document import contract_bytes
from service.runtime.settings import Settings

_ALLOWED_METHODS: list[Any] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]
_ALLOWED_HEADERS = ["Authorization", "Content-Type", "Idempotency-Key", "If-None-Match", "Prefer", "traceparent"]
_EXPOSED_HEADERS = [
    *("ETag", "Link", "Location", "Preference-Applied", "RateLimit", "RateLimit-Policy", "Retry-After"),
    "X-Request-Id",
]


def create_app(settings: Settings, *, extra_routes: Sequence[BaseRouteHandler] = ()) -> ASGIApp:
    """Return the application; it opens its connections at start-up and closes them at shutdown.

    `extra_routes` are served beside the contract's operations; measurements put a route there that does nothing.
    """
    services = Services(settings)
    return Overload(
        operations_app(services, extra_routes),
        services.load,
        _complete(services),
        _cross_origin(settings),
        settings.problem_base_url,
    )


def operations_app(services: Services, extra_routes: Sequence[BaseRouteHandler] = ()) -> Litestar:
    """Return the operations alone, which take every request, however many there are."""
    settings = services.settings

    @asynccontextmanager
    async def lifespan(_: Litestar) -> AsyncIterator[None]:
        await services.open()
        try:
            yield
        finally:
            await services.close()

    return Litestar(
        [*_options_handlers(), *HANDLERS, *extra_routes],  # Litestar adds OPTIONS to paths that have none yet
        lifespan=[lifespan],
        dependencies=_dependencies(services),
        middleware=[
            DefineMiddleware(
                Admission,
                accounts=services.accounts,
                log=services.log,
                load=services.load,
                body_seconds=settings.body_seconds,
            ),
        ],
        exception_handlers={Exception: problem_handler(settings.problem_base_url, services.cache.unreadable)},
        before_send=[_complete(services)],
        cors_config=_cross_origin(settings),
        request_max_body_size=BODY_BYTES_MAX,
        openapi_config=None,
        logging_config=None,
    )


def _dependencies(services: Services) -> dict[str, Provide]:
    """Return what handlers may ask for by name."""
    parts: dict[str, Any] = {
        "accounts": services.accounts,
        "contract": contract_bytes(HANDLERS),
        "disputes": services.disputes,
        "inbox": services.inbox,
        "limits": services.limits,
        "lobby": services.lobby,
        "log": services.log,
        "log_watch": services.log_watch,
        "metrics": services.metrics,
        "names": services.names,
        "owed": services.owed,
        "readiness": services.readiness,
        "recorder": services.recorder,
        "records": services.records,
        "responding": operations_by_status(HANDLERS),
        "recovery": services.recovery,
        "redis": services.redis,
        "replays": services.replays,
        "seat_private": services.seat_private,
        "signer": services.signer,
        "standings": services.standings,
        "streams": Streams(services.settings.unread_seconds, partial(services.limits.require_room, "documents")),
        "table_codes": services.table_codes,
        "tables": services.tables,
        "transparency": services.transparency,
    }
    return {name: _provide(part) for name, part in parts.items()}


def _provide(part: Any) -> Provide:
    return Provide(lambda: part, sync_to_thread=False)


def _options_handlers() -> list[HTTPRouteHandler]:
    """Return a handler of OPTIONS for each path: Litestar's own names the methods of one handler only (issue 4169)."""
    methods: dict[str, set[str]] = {}
    for handler in HANDLERS:
        methods.setdefault(handler.path, {"OPTIONS"}).update(handler.http_methods)
    return [_options_handler(path, ", ".join(sorted(allowed))) for path, allowed in methods.items()]


def _options_handler(path: str, allowed: str) -> HTTPRouteHandler:
    async def options() -> Response[None]:
        return Response(None, headers={"Allow": allowed})

    method: Method = "OPTIONS"
    return HTTPRouteHandler(path, http_method=method, status_code=204, opt={PUBLIC: True})(options)


def _complete(services: Services) -> Complete:
    settings = services.settings
    over_tls = settings.base_url.startswith("https://")
    return completed(services.metrics, over_tls=over_tls, cross_origin=bool(settings.cors_origins))


def _cross_origin(settings: Settings) -> CORSConfig | None:
    """Return who may read responses in browsers, None for no page of another origin.

    Tokens travel in a header that pages set themselves, so credentials of the browser are never allowed.
    """
    if not settings.cors_origins:
        return None
    return CORSConfig(
        allow_origins=list(settings.cors_origins),
        allow_methods=_ALLOWED_METHODS,
        allow_headers=_ALLOWED_HEADERS,
        expose_headers=_EXPOSED_HEADERS,
    )
