"""Query parameters: decoded into the operation's struct, unknown and repeated names refused."""

import re
from functools import cache
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import msgspec
from litestar import Request
from msgspec import Struct

from service.api.decoding import explained
from service.errors import FieldError, InvalidRequestError

StructT = TypeVar("StructT", bound=Struct)


def decoded_query(request: Request[Any, Any, Any], type_: type[StructT]) -> StructT:
    """Decode the query string into a struct. InvalidRequestError for unknown, repeated, missing or wrong ones.

    Handlers call it. A dependency beside that of a service would do the same, but Litestar resolves two
    dependencies that do not need each other in a task group, which costs more than the rest of a read.
    """
    raw, needed = request.scope["query_string"], _needed(type_)
    if not raw and not needed:
        return type_()
    given: dict[str, str] = {}
    for name, value in parse_qsl(raw.decode("latin-1"), keep_blank_values=True):
        if name in given:
            raise query_error(name, "is given more than once")
        given[name] = value
    for name in given:
        if name not in type_.__struct_encode_fields__:
            raise query_error(name, "is not a parameter here")
    for name in needed:
        if name not in given:
            raise query_error(name, "is needed")
    try:
        query = msgspec.convert(given, type_, strict=False)
    except msgspec.ValidationError as error:
        pointer, detail = explained(str(error))
        raise query_error(pointer.lstrip("/"), detail) from error
    for field in msgspec.structs.fields(type_):
        if field.encode_name in given and getattr(query, field.name) is None:
            raise query_error(field.encode_name, "is left out, not null")
    return query


def query_error(name: str, detail: str) -> InvalidRequestError:
    """Return the error of a query parameter; a name that nobody would have written is not repeated."""
    known = name if re.fullmatch(r"[a-z_]{1,40}", name) else "?"
    return InvalidRequestError("A query parameter is wrong.", errors=(FieldError("#" + known, detail),))


@cache
def _needed(type_: Any) -> tuple[str, ...]:
    """The query parameters that have no default."""
    return tuple(field.encode_name for field in msgspec.structs.fields(type_) if field.required)
