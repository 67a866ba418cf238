"""Headers: what requests carry beside the body, and what every response has."""

import re
from collections.abc import Awaitable, Callable
from typing import Any, Final

from litestar import Request
from litestar.types import Message, Scope

from service.api.operation import Operation
from service.api.trace import method_of, trace_id_of
from service.errors import FieldError, InvalidRequestError, KeyRequiredError

TAG_LENGTH_MAX: Final = 100
_KEY: Final = re.compile(r'"([!#-\[\]-~]{16,128})"')
_EVERY_RESPONSE: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
)
_OVER_TLS: Final = (b"strict-transport-security", b"max-age=31536000; includeSubDomains")


def known_tag(request: Request[Any, Any, Any]) -> str | None:
    """Return the entity tag of If-None-Match, None if absent. InvalidRequestError if it is too long."""
    given = request.headers.get("if-none-match")
    if given is None:
        return None
    if len(given) > TAG_LENGTH_MAX:
        raise InvalidRequestError("A header is wrong.", errors=(FieldError("#If-None-Match", "is too long"),))
    return given.removeprefix("W/")  # a proxy that recodes weakens the tag; the comparison is weak (RFC 9110)


def idempotency_key(request: Request[Any, Any, Any]) -> str:
    """Return the key of a creating request. KeyRequiredError if it is missing or malformed."""
    match = _KEY.fullmatch(request.headers.get("idempotency-key", ""))
    if match is None:
        raise KeyRequiredError(
            "Send Idempotency-Key with a quoted string of 16 to 128 visible ASCII characters, "
            "the same one for every try of the same request."
        )
    return match[1]


def standard_headers(*, over_tls: bool, cross_origin: bool) -> Callable[[Message, Scope], Awaitable[None]]:
    """Return the hook that completes every response, also of paths that do not exist.

    `over_tls`: clients come by https. `cross_origin`: responses depend on the origin of the page that asks.
    """
    always = (*_EVERY_RESPONSE, _OVER_TLS) if over_tls else _EVERY_RESPONSE

    async def complete(message: Message, scope: Scope) -> None:
        if message["type"] == "http.response.start":
            trace_id = (b"x-request-id", trace_id_of(scope).encode())
            message["headers"] = [*message["headers"], *_vary(scope, message["headers"]), *always, trace_id]
        elif message["type"] == "http.response.body" and method_of(scope) == "HEAD":
            message["body"] = b""

    def _vary(scope: Scope, headers: Any) -> list[tuple[bytes, bytes]]:
        handler = scope.get("route_handler")
        fields = list(handler.vary) if isinstance(handler, Operation) else []
        named = any(name == b"vary" and b"Origin" in value for name, value in headers)  # Litestar does for known ones
        if cross_origin and not named:
            fields.append("Origin")
        return [(b"vary", ", ".join(fields).encode())] if fields else []

    return complete
