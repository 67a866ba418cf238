"""Requests and answers: strict decoding, problems, headers, and the declaration of operations.

An operation says once what it takes and gives; routing and the contract are both made from it.
"""

import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from random import Random
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar
from urllib.parse import parse_qsl
from uuid import UUID

import msgspec
from litestar.types import Receive, Send
from msgspec import Struct

from service.errors import (
    FieldError,
    HttpError,
    InvalidRequestError,
    KeyRequiredError,
    MalformedBodyError,
    NotFoundError,
)

if TYPE_CHECKING:
    from service.accounts.accounts import Account
    from service.composition import Services

MAX_BODY_BYTES: Final = 64 * 1024
TAG_LENGTH_MAX: Final = 100
_encode: Final = msgspec.json.Encoder().encode
_UUID_LENGTH: Final = 36
_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_trace_ids: Final = partial(Random(os.urandom(32)).getrandbits, 128)  # noqa: S311
"""New trace ids: unique, but no secret."""
_TRACEPARENT: Final = re.compile(rb"[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}")
_POINTER: Final = re.compile(r" - at `(?:key in )?\$(.*)`$")
_ANYTHING: Final = (None, b"*/*", b"application/json")
_WEIGHT: Final = re.compile(r"[01](?:\.[0-9]{0,3})?")
_KEY: Final = re.compile(r'"([!#-\[\]-~]{16,128})"')

StructT = TypeVar("StructT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation(Generic[StructT]):
    """One method on one path: what it takes, what it gives, who may ask."""

    id: str
    method: str
    path: str
    summary: str
    description: str = ""
    tag: str
    run: "Callable[[Call], Awaitable[Answer]]"
    status: int = 200
    answer: Any = None
    """Type of the successful body; None for none."""
    answer_media_types: tuple[str, ...] = ("application/json",)
    """What a caller may ask for in Accept; the first one has the answer's schema, others are texts."""
    body: Any = None
    """Type of the body; a tuple of types where any of them may come."""
    query: Any = None
    """Struct of the query parameters."""
    json_query: Mapping[str, Any] | None = None
    """Types of the query parameters whose text is JSON."""
    public: bool = False
    """Whether no token is needed."""
    roles: tuple[str, ...] = ("player", "arbiter", "operator")
    idempotent: bool = False
    """Whether `Idempotency-Key` is required."""
    conditional: bool = False
    """Whether `If-None-Match` is honoured with 304."""
    problems: tuple[int, ...] = ()
    """Statuses of problems beyond those that follow from the fields above."""
    answer_headers: Mapping[str, str] | None = None
    """Headers of the successful answer: name and description."""
    streams: bool = False
    """Whether its answer may come piece by piece."""
    links: Mapping[str, Any] | None = None
    path_parameters: Mapping[str, Mapping[str, Any]] | None = None
    """JSON Schemas of path parameters that are not UUIDs."""


class Answer(Struct, frozen=True):
    """What is sent back: status, headers (without those that every answer has), body."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes = b""
    pieces: AsyncIterator[bytes] | None = None
    """A body that comes piece by piece, instead of `body`."""

    def every_header(self, trace_id: str) -> list[tuple[bytes, bytes]]:
        """Return its headers and those that every answer has."""
        return [*self.headers, *_EVERY_ANSWER, (b"x-request-id", trace_id.encode())]

    def complete_headers(self, trace_id: str, *, over_tls: bool) -> list[tuple[bytes, bytes]]:
        """Return all headers, with the length of a body that is known. `over_tls`: clients come by https."""
        headers = self.every_header(trace_id)
        if over_tls:
            headers.append(_OVER_TLS)
        if self.status not in (204, 304) and self.pieces is None:
            headers.append((b"content-length", b"%d" % len(self.body)))
        return headers

    async def send(self, send: Send, headers: list[tuple[bytes, bytes]], *, head: bool) -> None:
        """Send it message by message; `head` leaves the body out, as HEAD asks."""
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        if self.pieces is not None and not head:
            async for piece in self.pieces:
                await send({"type": "http.response.body", "body": piece, "more_body": True})
        await send({"type": "http.response.body", "body": b"" if head else self.body, "more_body": False})


_EVERY_ANSWER: Final = (
    (b"x-content-type-options", b"nosniff"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
)


_OVER_TLS: Final = (b"strict-transport-security", b"max-age=31536000; includeSubDomains")


class Call:
    """One request on its way through an operation."""

    __slots__ = (
        "_body",
        "_headers",
        "_receive",
        "_scope",
        "account",
        "media_type",
        "services",
        "trace_id",
    )

    def __init__(self, scope: Any, receive: Receive, services: "Services") -> None:
        self._scope = scope
        self._receive = receive
        self._headers: dict[bytes, bytes] = dict(scope["headers"])
        self._body: bytes | None = None
        self.services = services
        self.trace_id = _trace_id(self._headers.get(b"traceparent"))
        self.account: Account | None = None
        self.media_type = ""
        """The one of the operation's media types that the caller prefers."""

    @property
    def caller(self) -> "Account":
        """The account that asks, on operations that need a token."""
        if self.account is None:
            raise RuntimeError("operation without authentication has no caller")
        return self.account

    def path(self, name: str) -> str:
        """Return a path parameter as it was sent."""
        given: str = self._scope["path_params"][name]
        return given

    def uuid(self, name: str) -> UUID:
        """Return a path parameter as UUID; other spellings than the usual one do not exist."""
        text = self.path(name)
        found = _uuid(text) if len(text) == _UUID_LENGTH else None  # longer ones would fill the memory of `_uuid`
        if found is None:
            raise NotFoundError("There is nothing at this address for you.")
        return found

    def header(self, name: bytes) -> str | None:
        """Return a header's value, None if absent. `name` in lower case."""
        value = self._headers.get(name)
        return None if value is None else str(value, "latin-1")

    def negotiate(self, media_types: tuple[str, ...]) -> str:
        """Return the media type to answer with, the first one if nothing is preferred. HttpError 406 if none."""
        if self._headers.get(b"accept") in _ANYTHING and "json" in media_types[0]:
            return media_types[0]
        fields = [value for name, value in self._scope["headers"] if name == b"accept"]
        accept = str(b",".join(fields), "latin-1") if fields else "*/*"
        best = max(media_types, key=lambda media_type: quality(accept, media_type))
        if quality(accept, best) == 0:
            raise HttpError(406)
        return best

    async def read(self) -> bytes:
        """Read the body once. HttpError if it is not JSON by its type, or too large."""
        if self._body is None:
            media_type = self._headers.get(b"content-type", b"")
            if media_type != b"application/json" and _bare(media_type) != b"application/json":
                raise HttpError(415)
            self._body = await self._arriving()
        return self._body

    async def _arriving(self) -> bytes:
        try:
            return await self.services.body_patience.wait(self._limited_body())
        except TimeoutError:
            raise MalformedBodyError("The body did not arrive in time.") from None

    async def _limited_body(self) -> bytes:
        length = self._headers.get(b"content-length", b"0")
        if length.isdigit() and int(length) > MAX_BODY_BYTES:
            raise HttpError(413)
        received = b""
        while True:
            message: Any = await self._receive()
            if message["type"] != "http.request":
                raise MalformedBodyError("The body ended early.")
            chunk: bytes = message.get("body", b"")
            received += chunk
            if len(received) > MAX_BODY_BYTES:
                raise HttpError(413)
            if not message.get("more_body", False):
                return received

    async def body(self, decoder: "msgspec.json.Decoder[StructT]") -> StructT:
        """Decode the body strictly: unknown fields, other types and out-of-range values are refused."""
        return decoded(await self.read(), decoder)

    def query(self, type_: type[StructT]) -> StructT:
        """Decode the query string into its struct. InvalidRequestError for unknown or repeated names."""
        struct: Any = type_
        needed = _needed(struct)
        if not self._scope["query_string"] and not needed:
            return type_()
        pairs = parse_qsl(self._scope["query_string"].decode("latin-1"), keep_blank_values=True)
        given: dict[str, str] = {}
        for name, value in pairs:
            if name in given:
                raise _query_error(name, "is given more than once")
            given[name] = value
        for name in given:
            if name not in type_.__struct_encode_fields__:  # type: ignore[attr-defined]
                raise _query_error(name, "is not a parameter here")
        for name in needed:
            if name not in given:
                raise _query_error(name, "is needed")
        try:
            query = msgspec.convert(given, type_, strict=False)
        except msgspec.ValidationError as error:
            pointer, detail = _split(str(error))
            raise _query_error(pointer.lstrip("/"), detail) from error
        for field in msgspec.structs.fields(type_):  # type: ignore[arg-type]
            if field.encode_name in given and getattr(query, field.name) is None:
                raise _query_error(field.encode_name, "is left out, not null")
        return query

    def known_tag(self) -> str | None:
        """Return the entity tag of If-None-Match, None if absent. InvalidRequestError if it is too long."""
        given = self.header(b"if-none-match")
        if given is None:
            return None
        if len(given) > TAG_LENGTH_MAX:
            raise InvalidRequestError("A header is wrong.", errors=(FieldError("#If-None-Match", "is too long"),))
        return given.removeprefix("W/")  # a proxy that recodes weakens the tag; the comparison is weak (RFC 9110)

    def idempotency_key(self) -> str:
        """Return the key of a creating request. KeyRequiredError if missing or malformed."""
        header = self.header(b"idempotency-key")
        match = _KEY.fullmatch(header or "")
        if match is None:
            raise KeyRequiredError(
                "Send Idempotency-Key with a quoted string of 16 to 128 visible ASCII characters, "
                "the same one for every try of the same request."
            )
        return match[1]


def decoded(raw: bytes, decoder: "msgspec.json.Decoder[StructT]") -> StructT:
    """Decode JSON strictly: unknown fields, other types and out-of-range values are InvalidRequestErrors."""
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as error:
        lenient: StructT = _decode_with_whole_floats(raw, decoder.type, error)
        return lenient
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise MalformedBodyError("The body is not valid JSON.") from error


def quality(accept: str, media_type: str) -> float:
    """Return the weight that an Accept header gives a media type; its most specific range decides (RFC 9110).

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


@lru_cache(maxsize=16_384)
def _uuid(text: str) -> UUID | None:
    return UUID(text) if _UUID.fullmatch(text) else None


def _bare(media_type: bytes) -> bytes:
    return media_type.partition(b";")[0].strip().lower()


def _decode_with_whole_floats(raw: bytes, type_: Any, error: msgspec.ValidationError) -> Any:
    """Decode once more with `4.0` read as the integer 4, as JSON Schema defines integers."""
    try:
        return msgspec.convert(_whole(msgspec.json.decode(raw)), type_, strict=True)
    except msgspec.ValidationError as second:
        pointer, detail = _split(str(second))
        raise InvalidRequestError("A field of the body is wrong.", errors=(FieldError(pointer, detail),)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise MalformedBodyError("The body is not valid JSON.") from broken


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {key: item if key == "options" else _whole(item) for key, item in value.items()}
    return value


def _split(message: str) -> tuple[str, str]:
    """Split msgspec's message into a JSON Pointer and a sentence that repeats nothing of the request."""
    match = _POINTER.search(message)
    detail = _POINTER.sub("", message)
    if detail.startswith(("Invalid enum value", "Invalid value")):
        detail = detail.partition(" `")[0].partition(" '")[0]
    if detail.startswith("Object contains unknown field"):
        detail = "Object contains an unknown field"
    pointer = "/".join(part for part in re.split(r"[.\[\]]+", match[1]) if part) if match else ""
    return ("/" + pointer if pointer else ""), detail


@cache
def _needed(type_: Any) -> tuple[str, ...]:
    """The query parameters that have no default."""
    return tuple(field.encode_name for field in msgspec.structs.fields(type_) if field.required)


def _query_error(name: str, detail: str) -> InvalidRequestError:
    known = name if re.fullmatch(r"[a-z_]{1,40}", name) else "?"
    return InvalidRequestError("A query parameter is wrong.", errors=(FieldError("#" + known, detail),))


def _trace_id(traceparent: bytes | None) -> str:
    """Return the caller's trace id (W3C traceparent), or a new one."""
    match = _TRACEPARENT.fullmatch(traceparent) if traceparent else None
    return match[1].decode() if match else f"{_trace_ids():032x}"


# Answers


def answer(
    body: Any, *, status: int = 200, headers: Mapping[str, str] | None = None, media_type: str = "application/json"
) -> Answer:
    """Return a successful answer; `bytes` are sent as they are."""
    content = body if isinstance(body, bytes) else b"" if body is None else _encode(body)
    sent = (
        [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
        if headers
        else []
    )
    if content:
        sent.append((b"content-type", media_type.encode()))
    return Answer(status, tuple(sent), content)


def streamed(pieces: AsyncIterator[bytes], media_type: str, headers: Mapping[str, str]) -> Answer:
    """Return a successful answer whose body comes piece by piece."""
    return Answer(200, answer(None, headers={**headers, "Content-Type": media_type}).headers, pieces=pieces)


def canonical_body(raw: bytes) -> bytes:
    """Return the body's canonical bytes, for the fingerprint of an idempotent request."""
    try:
        return msgspec.json.encode(msgspec.json.decode(raw), order="deterministic")
    except RecursionError as deep:
        raise MalformedBodyError("The body is nested too deeply.") from deep
