"""Documents that are the same for everybody who asks: encoded, compressed and tagged once."""

import gzip
from collections.abc import Mapping
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
        digest = sha256(body).hexdigest()[:32]
        self._headers = dict(headers or {})
        self._plain = (body, f'"{digest}"')
        self._compressed = (gzip.compress(body, mtime=0), f'"{digest}-gzip"')

    def response(self, request: Request[Any, Any, Any]) -> Response[bytes | None]:
        """Return it in the encoding that the caller accepts; 304 if the caller has it already."""
        compressed = accepts_gzip(request.scope)
        body, etag = self._compressed if compressed else self._plain
        if has(request, etag):
            return tagged(None, etag, self._headers)
        encoding = {"Content-Encoding": "gzip"} if compressed else {}
        return tagged(body, etag, {**self._headers, **encoding})
