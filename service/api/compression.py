"""Compressing responses: for operations that say so, and for callers who accept it.

Where a response holds a secret beside text that others choose, its length tells of the secret (BREACH), so views and
events of running matches, tokens and codes are never compressed.
"""

from typing import Any, Final, Literal, TypeAlias

from litestar import Request
from litestar.config.compression import CompressionConfig
from litestar.enums import CompressionEncoding
from litestar.middleware import DefineMiddleware, MiddlewareProtocol
from litestar.middleware.compression import CompressionMiddleware
from litestar.types import ASGIApp, Message, Receive, Scope, Send

from service.api.negotiation import accepts_gzip

Compressed: TypeAlias = Literal["never", "always", "when_over", "by_itself"]
"""Which responses of an operation are compressed: of a match only when it is over; `by_itself` where it keeps its
documents compressed."""
_CONFIG: Final = CompressionConfig("gzip", gzip_compress_level=6)
_OVER: Final = "match_over"
"""The key in a request's state once its match is known to be over."""


def match_is_over(request: Request[Any, Any, Any]) -> None:
    """Allow a response to be compressed that tells of a match that is over."""
    request.scope["state"][_OVER] = True


class _Compression(MiddlewareProtocol):
    """The framework's compression, for whoever accepts gzip: by itself it reads the word and not its weight."""

    def __init__(self, app: ASGIApp, when_over: bool) -> None:
        self._app = app
        self._when_over = when_over
        self._library = CompressionMiddleware(app, _CONFIG)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, with a way to send that compresses."""
        if not accepts_gzip(scope):
            await self._app(scope, receive, send)
            return
        compressing = self._library.create_compression_send_wrapper(send, CompressionEncoding.GZIP, scope)

        async def choose(message: Message) -> None:
            allowed = not self._when_over or scope["state"].get(_OVER, False)
            await (compressing if allowed else send)(message)

        await self._app(scope, receive, choose)


COMPRESSION: Final[dict[Compressed, list[DefineMiddleware]]] = {
    "never": [],
    "always": [DefineMiddleware(_Compression, when_over=False)],
    "when_over": [DefineMiddleware(_Compression, when_over=True)],
    "by_itself": [],
}
"""The middleware of an operation."""
