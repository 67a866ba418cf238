"""Documents that are the same for everybody who asks: encoded and tagged once, and compressed once if anybody wants."""

import gzip
from collections.abc import Mapping
from functools import cached_property
from hashlib import sha256
from typing import Any, Final

from litestar import Request, Response

from service.api.headers import has
from service.api.negotiation import accepts_gzip
from service.api.responses import tagged

FIXED_HEADERS: Final = {"Cache-Control": "public, max-age=86400"}
"""Headers of responses that change only with the software: kept for a day by whoever wants to."""
FIXED_ETAG: Final = {"ETag": "Strong entity tag of this document in this encoding, for If-None-Match."}


class FixedDocument:
    """An encoded document as it is and compressed, each with a tag of its own (RFC 9110: tags differ by encoding)."""

    def __init__(self, body: bytes, headers: Mapping[str, str] | None = None) -> None:
        """`headers`: what every response with it has beside those of its operation."""
        self._digest = sha256(body).hexdigest()[:32]
        self._headers = dict(headers or {})
        self._body = body

    @cached_property
    def _compressed(self) -> bytes:
        return gzip.compress(self._body, mtime=0)

    def response(self, request: Request[Any, Any, Any]) -> Response[bytes | None]:
        """Return it in the encoding that the caller accepts; 304 if the caller has it already."""
        compressed = accepts_gzip(request.scope)
        etag = f'"{self._digest}-gzip"' if compressed else f'"{self._digest}"'
        if has(request, etag):
            return tagged(None, etag, self._headers)
        if not compressed:
            return tagged(self._body, etag, self._headers)
        return tagged(self._compressed, etag, {**self._headers, "Content-Encoding": "gzip"})
