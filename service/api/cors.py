"""Cross-origin requests (Fetch standard) from the web origins an operator names; off without any."""

from collections.abc import Iterable, MutableMapping
from typing import Any, Final

from litestar.types import ASGIApp, Message, Receive, Send

_METHODS: Final = "GET, HEAD, POST, PUT, PATCH, DELETE"
_REQUEST_HEADERS: Final = "Authorization, Content-Type, Idempotency-Key, If-None-Match, Last-Event-ID, traceparent"
_EXPOSED: Final = "ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id"
_PREFLIGHT_SECONDS: Final = 600


def with_cors(app: ASGIApp, origins: Iterable[str]) -> ASGIApp:
    """Return the application with answers that browsers hand to pages of these origins.

    Tokens travel in a header that pages set themselves, so credentials of the browser are never allowed.
    """
    allowed = frozenset(origin.encode() for origin in origins)
    if not allowed:
        return app

    async def asgi(scope: Any, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        given = dict(scope["headers"])
        origin = given.get(b"origin")
        if origin not in allowed:
            await app(scope, receive, _adding(send, [(b"vary", b"Origin")]))
            return
        headers = [(b"vary", b"Origin"), (b"access-control-allow-origin", origin)]
        if scope["method"] == "OPTIONS" and b"access-control-request-method" in given:
            headers += [
                (b"access-control-allow-methods", _METHODS.encode()),
                (b"access-control-allow-headers", _REQUEST_HEADERS.encode()),
                (b"access-control-max-age", str(_PREFLIGHT_SECONDS).encode()),
            ]
            await send({"type": "http.response.start", "status": 204, "headers": headers})
            await send({"type": "http.response.body", "body": b"", "more_body": False})
            return
        headers.append((b"access-control-expose-headers", _EXPOSED.encode()))
        await app(scope, receive, _adding(send, headers))

    return asgi


def _adding(send: Send, headers: list[tuple[bytes, bytes]]) -> Send:
    async def adding(message: Message) -> None:
        if message["type"] == "http.response.start":
            changed: MutableMapping[str, Any] = {**message, "headers": [*message["headers"], *headers]}
            await send(changed)  # type: ignore[arg-type]
        else:
            await send(message)

    return adding
