"""What several kinds of resources have in common: shapes of answers, bodies that depend on the game."""

from collections.abc import Mapping
from typing import Annotated, Any, Final

from msgspec import Meta, Struct

from domain.registry import CURRENT
from domain.table.model import TableRefusal
from service.api.http import Answer, Call, answer, decoded
from service.errors import InvalidRequestError
from service.tables.live_table import LiveTable
from service.tables.refusals import raise_refusal
from service.tables.views import ViewSeen

VIEW_HEADERS: Final = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}
_VIEW_HEADERS: Final = answer(b"{}", headers=VIEW_HEADERS).headers
GAME_PARAMETER: Final = {
    "game": {"type": "string", "pattern": "^[a-z][a-z_]{1,29}$", "maxLength": 30, "examples": sorted(CURRENT)}
}
TABLE_ETAG: Final = {"ETag": "Strong tag of this view, from version and viewer; for If-None-Match."}


def view_answer(seen: ViewSeen, *, status: int = 200, headers: Mapping[str, str] | None = None) -> Answer:
    """Return a view with its tag."""
    if headers is None and seen.body is not None:
        return tagged(seen.body, seen.etag, status)
    return answer(seen.body, status=status, headers={**VIEW_HEADERS, "ETag": seen.etag, **(headers or {})})


def tagged(body: bytes, etag: str, status: int = 200) -> Answer:
    """Return JSON that is private to the caller, with its tag."""
    return Answer(status, (*_VIEW_HEADERS, (b"etag", etag.encode())), body)


async def found_table(call: Call) -> LiveTable:
    """Return the table that the path names, as it is known here. NotFoundError if there is none for the caller."""
    return await call.services.tables.find(call.uuid("table"), call.caller.id)


class _Nothing(Struct, frozen=True, tag_field="type", tag="nothing"):
    """No body is ever this: it makes a union of what stands beside it."""

    impossible: Annotated[int, Meta(gt=0, lt=0)]


def strict(type_: Any) -> Any:
    """Return the type to decode in place of `type_`: a struct alone would be decoded without its `type` too."""
    tagged = isinstance(type_, type) and issubclass(type_, Struct) and type_.__struct_config__.tag is not None
    return type_ | _Nothing if tagged else type_


async def body_for(call: Call, decoders: Mapping[str, Any], game: str, absent: str = "wrong_game") -> Any:
    """Decode the body of an operation whose bodies differ from game to game.

    A body that is well formed for another game only is a conflict, not a malformed one; `absent` is the code of
    the refusal if this game has no body for the operation at all.
    """
    return decoded_for(await call.read(), decoders, game, absent)


def decoded_for(raw: bytes, decoders: Mapping[str, Any], game: str, absent: str = "wrong_game") -> Any:
    """Decode JSON that differs from game to game, as `body_for` does."""
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
