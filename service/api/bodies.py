"""Bodies of requests: a DTO that decodes strictly, and bodies that depend on the game of the table."""

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from typing import Annotated, Any, ClassVar, Final

import msgspec
from litestar import Request
from litestar.connection import ASGIConnection
from litestar.dto import AbstractDTO
from litestar.exceptions import ImproperlyConfiguredException
from litestar.types import Receive, Scope
from litestar.typing import FieldDefinition
from msgspec import Meta, Struct

from domain.registry import CURRENT
from domain.table.model import TableRefusal
from service.api.deadline import Deadline
from service.api.decoding import canonical, decoded
from service.api.trace import header
from service.errors import FieldError, HttpError, InvalidRequestError, MalformedBodyError
from service.tables.live_table import LiveTable
from service.tables.refusals import raise_refusal

BODY_BYTES_MAX: Final = 64 * 1024
_BODY: Final = "body"
"""The key in a request's state of its body."""
_LENGTH_DIGITS_MAX: Final = 20


async def read_body(scope: Scope, receive: Receive, deadline: Deadline) -> Receive:
    """Read the whole body of a request, for `body_of`; return what gives it once more, to the framework.

    HttpError 413 if it has more than `BODY_BYTES_MAX` bytes, MalformedBodyError if it is not complete by
    the deadline or ends early, InvalidRequestError if its announced length is no number of sensible size.
    """
    announced = header(scope, b"content-length")
    if announced is not None and _is_too_long(announced):
        with suppress(TimeoutError, MalformedBodyError, HttpError):  # a response that overtakes its body may be lost
            await deadline.keep(_whole_body(receive))
        raise HttpError(413)
    try:
        body = await deadline.keep(_whole_body(receive))
    except TimeoutError:
        raise MalformedBodyError("The body did not arrive in time.") from None
    scope["state"][_BODY] = body
    given = False

    async def receive_again() -> Any:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receive_again


def _is_too_long(announced: str) -> bool:
    """Whether a length is above the limit. InvalidRequestError if it has more digits than any length needs."""
    if len(announced) > _LENGTH_DIGITS_MAX:  # Python refuses to read thousands of them, zeros too
        raise InvalidRequestError("A header is invalid.", errors=(FieldError("#Content-Length", "is too long"),))
    return announced.isdecimal() and int(announced) > BODY_BYTES_MAX


async def _whole_body(receive: Receive) -> bytes:
    body, more = b"", True
    while more:
        message: Any = await receive()
        if message["type"] != "http.request":
            raise MalformedBodyError("The body ended early.")
        body += message["body"]
        if len(body) > BODY_BYTES_MAX:
            raise HttpError(413)
        more = message.get("more_body", False)
    return body


class StrictBody(AbstractDTO[Any]):
    """A body that has to be `application/json` and exactly of the operation's type."""

    decoder: ClassVar[msgspec.json.Decoder[Any]]

    def decode_bytes(self, value: bytes) -> Any:
        """Decode the body. HttpError 415, InvalidRequestError or MalformedBodyError if it is wrong."""
        require_json(self.asgi_connection)
        return decoded(value, self.decoder)

    @classmethod
    def create_for_field_definition(cls, field_definition: FieldDefinition, *_: Any, **__: Any) -> None:
        """Check that the handler takes what its operation declares; nothing is transferred between models."""
        if field_definition.annotation not in (Any, cls.model_type):
            raise ImproperlyConfiguredException(f"{field_definition.annotation} is not {cls.model_type}")


def strict_body(type_: Any) -> type[StrictBody]:
    """Return the DTO for bodies of a type."""
    return type("StrictBodyOf", (StrictBody,), {"model_type": type_, "decoder": msgspec.json.Decoder(type_)})


def require_json(connection: ASGIConnection[Any, Any, Any, Any]) -> None:
    """HttpError 415 if the body of a request is not JSON by its media type."""
    if not is_json(connection.scope):
        raise HttpError(415)


def is_json(scope: Scope) -> bool:
    """Whether the body of a request is JSON by its media type."""
    media_type = header(scope, b"content-type") or ""
    return media_type == "application/json" or media_type.partition(";")[0].strip().lower() == "application/json"


def body_of(request: Request[Any, Any, Any]) -> bytes:
    """Return the body of a request, which `read_body` has read."""
    body: bytes = request.scope["state"][_BODY]
    return body


def body_digest(request: Request[Any, Any, Any]) -> bytes:
    """Return the SHA-256 of the body in its canonical form, which tells whether a retry is the same request."""
    return hashlib.sha256(canonical(body_of(request))).digest()


# Bodies that depend on the game


class _Nothing(Struct, frozen=True, tag_field="type", tag="nothing"):
    """No body is ever of this type; it turns the type beside it into a union."""

    impossible: Annotated[int, Meta(gt=0, lt=0)]


def strict(type_: Any) -> Any:
    """Return the type to decode in place of `type_`: a struct alone would be decoded without its `type` too."""
    tagged = isinstance(type_, type) and issubclass(type_, Struct) and type_.__struct_config__.tag is not None
    return type_ | _Nothing if tagged else type_


def decoders_of(types: Mapping[str, Any]) -> dict[str, msgspec.json.Decoder[Any]]:
    """Return a decoder for the type of each game."""
    return {key: msgspec.json.Decoder(type_) for key, type_ in types.items()}


def game_body(
    request: Request[Any, Any, Any],
    live_table: LiveTable,
    decoders: Mapping[str, msgspec.json.Decoder[Any]],
    absent: str = "wrong_game",
) -> Any:
    """Return the body of an operation whose bodies differ from game to game; see `decoded_for`."""
    require_json(request)
    return decoded_for(body_of(request), decoders, live_table.codec.game.key, absent)


def decoded_for(
    raw: bytes, decoders: Mapping[str, msgspec.json.Decoder[Any]], game: str, absent: str = "wrong_game"
) -> Any:
    """Decode JSON that differs from game to game.

    JSON that is well formed for another game only is a conflict, not malformed; `absent` is the code of the
    refusal if this game has nothing for the operation at all.
    """
    if game in decoders:
        try:
            return decoded(raw, decoders[game])
        except InvalidRequestError:
            pass  # what is wrong with it is said below
    errors: list[InvalidRequestError] = []
    for key in sorted(decoders, key=lambda key: key != game):  # what is wrong is said in the terms of this game
        try:
            value = decoded(raw, decoders[key])
        except InvalidRequestError as error:
            errors.append(error)
            continue
        if key == game:
            return value
        raise_refusal(TableRefusal("wrong_game" if game in decoders else absent), CURRENT[game])
    raise errors[0]
