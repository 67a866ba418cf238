"""Headers: what requests carry beside the body, and what every response has."""

import re
import time
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeAlias

from litestar import Request
from litestar.types import Message, Scope

from service.api.operation import Operation
from service.api.trace import header, method_of, trace_id_of
from service.errors import FieldError, InvalidRequestError, KeyRequiredError
from service.runtime.draining import draining
from service.runtime.metrics import Metrics

Complete: TypeAlias = Callable[[Message, Scope], Awaitable[None]]
"""Completes a message of a response before it is sent."""
BEGUN: Final = "begun"
"""The key in a request's state of when it began, by `time.perf_counter`."""
TAGS_LENGTH_MAX: Final = 8192
"""A list of tags may be so long: as a line of a head behind a proxy."""
PREFER_LENGTH_MAX: Final = 200
_RETURN: Final = re.compile(r'(?i:(?:^|,)[ \t]*return[ \t]*=[ \t]*"?(minimal|representation)"?[ \t]*(?=[;,]|$))')
_TAG: Final = re.compile(r'"[^"]*"')
_METHODS: Final = ("GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE")
KEY_PATTERN: Final = r'^"[!#-\[\]-~]{16,128}"$'
_HEX: Final = "[0-9A-Fa-f]"
SECRET_KEY_PATTERN: Final = (
    rf'^"({_HEX}{{8}}-{_HEX}{{4}}-4{_HEX}{{3}}-[89ABab]{_HEX}{{3}}-{_HEX}{{12}}|{_HEX}{{32,128}})"$'
)
"""Forms that hold at least 122 random bits: UUIDs of version 4, and 32 hexadecimal digits or more."""
_KEY: Final = re.compile(KEY_PATTERN)
_SECRET_KEY: Final = re.compile(SECRET_KEY_PATTERN)
_EVERY_RESPONSE: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
)
_CLOSES: Final = ((b"connection", b"close"),)
_OVER_TLS: Final = (b"strict-transport-security", b"max-age=31536000; includeSubDomains")


def known_tags(request: Request[Any, Any, Any]) -> tuple[str, ...]:
    """Return the entity tags of If-None-Match, `*` for any; none if it is absent. What is no tag is left out.

    Weak ones too: a proxy that recodes weakens a tag, and the comparison is weak (RFC 9110).
    InvalidRequestError if the list is too long.
    """
    given = [value.decode("latin-1") for name, value in request.scope["headers"] if name == b"if-none-match"]
    if not given:
        return ()
    tags = ",".join(given)
    if len(tags) > TAGS_LENGTH_MAX:
        raise InvalidRequestError("A header is invalid.", errors=(FieldError("#If-None-Match", "is too long"),))
    return ("*",) if tags == "*" else tuple(_TAG.findall(tags))


def wants_minimal(request: Request[Any, Any, Any]) -> bool:
    """Whether the caller prefers `return=minimal` (RFC 7240); of two preferences for `return` the first counts.

    InvalidRequestError if the header is too long.
    """
    preferred = header(request.scope, b"prefer")
    if preferred is None:
        return False
    if len(preferred) > PREFER_LENGTH_MAX:
        raise InvalidRequestError("A header is invalid.", errors=(FieldError("#Prefer", "is too long"),))
    found = _RETURN.search(preferred)
    return found is not None and found[1].lower() == "minimal"


def host_of(request: Request[Any, Any, Any]) -> str:
    """Return the address that a request comes from, as trusted proxies give it."""
    client = request.scope["client"]
    return client[0] if client else ""


def has(request: Request[Any, Any, Any], etag: str) -> bool:
    """Whether a request says that its sender has what this entity tag stands for."""
    tags = known_tags(request)
    return etag in tags or "*" in tags


def idempotency_key(request: Request[Any, Any, Any]) -> str:
    """Return the key of a creating request. KeyRequiredError if it is missing or malformed."""
    key = _KEY.fullmatch(header(request.scope, b"idempotency-key") or "")
    if key is None:
        raise KeyRequiredError(
            "Send Idempotency-Key with a quoted string of 16 to 128 visible ASCII characters, the same for every "
            "attempt of the same request."
        )
    return key[0][1:-1]


def secret_idempotency_key(request: Request[Any, Any, Any]) -> str:
    """Return the key of a request that creates what belongs to whoever knows the key.

    KeyRequiredError if it is missing, or of a form that may be guessed.
    """
    key = _SECRET_KEY.fullmatch(header(request.scope, b"idempotency-key") or "")
    if key is None:
        raise KeyRequiredError(
            "Send Idempotency-Key with a random UUID (version 4) or 32 to 128 random hexadecimal digits, in quotes, "
            "the same for every attempt of the same request. Whoever knows it can get the account."
        )
    return key[0][1:-1]


def completed(metrics: Metrics, *, over_tls: bool, cross_origin: bool) -> Complete:
    """Return the hook that completes and counts every response, also of paths that do not exist.

    `over_tls`: clients come by https. `cross_origin`: responses depend on the origin of the page that asks.
    Litestar's own middleware for Prometheus takes as long as the rest of a small request, and does not see what
    other middlewares refuse.
    """
    always = (*_EVERY_RESPONSE, _OVER_TLS) if over_tls else _EVERY_RESPONSE

    async def complete(message: Message, scope: Scope) -> None:
        if message["type"] == "http.response.start":
            trace_id = (b"x-request-id", trace_id_of(scope).encode())
            # who keeps a connection open to a process that ends would find it closed under the next request
            closes = _CLOSES if draining() else ()
            message["headers"] = [*message["headers"], *_vary(scope, message["headers"]), *always, trace_id, *closes]
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
