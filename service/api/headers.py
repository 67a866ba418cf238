"""Headers: what requests carry beside the body, and what every response has."""

import re
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final

from litestar import Request
from litestar.types import Message, Scope

from service.api.operation import Operation
from service.api.trace import header, method_of, trace_id_of
from service.errors import FieldError, InvalidRequestError, KeyRequiredError
from service.runtime.metrics import Metrics

BEGUN: Final = "begun"
"""The key in a request's state of when it began, by `time.perf_counter`."""
TAG_LENGTH_MAX: Final = 100
_METHODS: Final = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
_KEY: Final = re.compile(r'"([!#-\[\]-~]{16,128})"')
_EVERY_RESPONSE: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
)
_OVER_TLS: Final = (b"strict-transport-security", b"max-age=31536000; includeSubDomains")


def known_tag(request: Request[Any, Any, Any]) -> str | None:
    """Return the entity tag of If-None-Match, None if absent. InvalidRequestError if it is too long."""
    given = header(request.scope, b"if-none-match")
    if given is None:
        return None
    if len(given) > TAG_LENGTH_MAX:
        raise InvalidRequestError("A header is invalid.", errors=(FieldError("#If-None-Match", "is too long"),))
    return given.removeprefix("W/")  # a proxy that recodes weakens the tag; the comparison is weak (RFC 9110)


def idempotency_key(request: Request[Any, Any, Any]) -> str:
    """Return the key of a creating request. KeyRequiredError if it is missing or malformed."""
    match = _KEY.fullmatch(request.headers.get("idempotency-key", ""))
    if match is None:
        raise KeyRequiredError(
            "Send Idempotency-Key with a quoted string of 16 to 128 visible ASCII characters, the same for every "
            "attempt of the same request."
        )
    return match[1]


def completed(metrics: Metrics, *, over_tls: bool, cross_origin: bool) -> Callable[[Message, Scope], Awaitable[None]]:
    """Return the hook that completes and counts every response, also of paths that do not exist.

    `over_tls`: clients come by https. `cross_origin`: responses depend on the origin of the page that asks.
    Litestar's own middleware for Prometheus takes as long as the rest of a small request, and does not see what
    other middlewares refuse.
    """
    always = (*_EVERY_RESPONSE, _OVER_TLS) if over_tls else _EVERY_RESPONSE

    async def complete(message: Message, scope: Scope) -> None:
        if message["type"] == "http.response.start":
            trace_id = (b"x-request-id", trace_id_of(scope).encode())
            message["headers"] = [*message["headers"], *_vary(scope, message["headers"]), *always, trace_id]
            _count(metrics, message["status"], scope)
        elif message["type"] == "http.response.body" and method_of(scope) == "HEAD":
            message["body"] = b""

    def _vary(scope: Scope, headers: Any) -> tuple[tuple[bytes, bytes], ...]:
        handler = scope.get("route_handler")
        known = handler.vary_header if isinstance(handler, Operation) else ()
        if not cross_origin or any(name == b"vary" and b"Origin" in value for name, value in headers):
            return known  # Litestar names the origin for known ones
        return ((b"vary", b", ".join((*(value for _, value in known), b"Origin"))),)

    return complete


def _count(metrics: Metrics, status: int, scope: Scope) -> None:
    """Count a response and the time until it started."""
    method, begun = method_of(scope), scope["state"].get(BEGUN)
    seconds = 0.0 if begun is None else time.perf_counter() - begun
    route = scope.get("path_template") if method in _METHODS else None
    metrics.observe(method if method in _METHODS else "any", route or "none", status, seconds)
