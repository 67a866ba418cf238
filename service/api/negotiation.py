"""Which media type, encoding and language a caller accepts (RFC 9110)."""

import re
from collections.abc import Sequence
from typing import Final

from litestar.types import Scope

from service.api.trace import header
from service.errors import FieldError, HttpError, InvalidRequestError
from service.languages.catalogues import ACCEPT_LENGTH_MAX, Language, preferred

_ANYTHING: Final = (b"*/*", b"application/json")
_WEIGHT: Final = re.compile(r"[01](?:\.[0-9]{0,3})?")


def negotiated(scope: Scope, media_types: Sequence[str]) -> str:
    """Return the media type to respond with, the first one if the caller prefers none. HttpError 406 if none fits."""
    fields = [value for name, value in scope["headers"] if name == b"accept"]
    if not fields or (len(fields) == 1 and fields[0] in _ANYTHING and "json" in media_types[0]):
        return media_types[0]
    accept = str(b",".join(fields), "latin-1")
    best = max(media_types, key=lambda media_type: quality(accept, media_type))
    if quality(accept, best) == 0:
        raise HttpError(406)
    return best


def accepts_gzip(scope: Scope) -> bool:
    """Whether the caller takes responses that are compressed with gzip; who does not say so does not."""
    weights: dict[str, float] = {}
    for entry in (header(scope, b"accept-encoding") or "").split(","):
        coding, *parameters = (part.strip().lower() for part in entry.split(";"))
        weights[coding] = _weight(parameters)
    return weights.get("gzip", weights.get("*", 0.0)) > 0


def language_of(scope: Scope) -> Language:
    """Return the language in which the caller wants texts."""
    return preferred(header(scope, b"accept-language"))


def asked_language(scope: Scope) -> Language:
    """Return the language in which the caller wants texts. InvalidRequestError if the header is too long."""
    asked = header(scope, b"accept-language")
    if asked is not None and len(asked) > ACCEPT_LENGTH_MAX:
        raise InvalidRequestError("A header is invalid.", errors=(FieldError("#Accept-Language", "is too long"),))
    return preferred(asked)


def quality(accept: str, media_type: str) -> float:
    """Return the weight that an Accept header gives a media type; its most specific range decides.

    Who takes `application/json` also takes types that are JSON by their name (`+json`).
    """
    bare = media_type.partition(";")[0]
    ranges = ["*/*", bare.partition("/")[0] + "/*", bare]
    if bare.endswith("+json"):
        ranges.insert(2, "application/json")
    found, weight = -1, 0.0
    for entry in accept.split(","):
        given, *parameters = (part.strip().lower() for part in entry.split(";"))
        place = ranges.index(given) if given in ranges else -1
        if place > found:
            found, weight = place, _weight(parameters)
    return weight


def _weight(parameters: list[str]) -> float:
    weights = [parameter[2:] for parameter in parameters if parameter.startswith("q=")]
    return float(weights[0]) if weights and _WEIGHT.fullmatch(weights[0]) else 1.0
