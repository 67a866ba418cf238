"""Strict decoding: unknown fields, other types and out-of-range values are refused, and the caller learns where."""

import re
from collections.abc import Callable
from typing import Any, Final, TypeVar

import msgspec

from service.errors import FieldError, InvalidRequestError, MalformedBodyError
from service.languages.message import Message

ValueT = TypeVar("ValueT")
_POINTER: Final = re.compile(r" - at `(?:key in )?\$(.*)`$")

_FIELD: Final = re.compile(r"(Object missing required field|Object contains unknown field) `(.*)`$", re.DOTALL)
_EXPECTED: Final = re.compile(r"Expected `([^`]*)`")
_BOUND: Final = re.compile(r"Expected `[^`]*` (of length )?(>=|<=|>|<|==) (-?[0-9.]+)")
_BOUNDS: Final[dict[tuple[str, str], Callable[[str], Message]]] = {
    ("", ">="): lambda limit: Message("has to be at least {limit}", limit=limit),
    ("", "<="): lambda limit: Message("has to be at most {limit}", limit=limit),
    ("", ">"): lambda limit: Message("has to be more than {limit}", limit=limit),
    ("", "<"): lambda limit: Message("has to be less than {limit}", limit=limit),
    ("of length ", ">="): lambda limit: Message("needs a length of at least {limit}", limit=limit),
    ("of length ", "<="): lambda limit: Message("has a length of at most {limit}", limit=limit),
    ("of length ", "=="): lambda limit: Message("needs a length of exactly {limit}", limit=limit),
}
_TYPES: Final = {
    "int": Message("a whole number"),
    "float": Message("a number"),
    "str": Message("a text"),
    "bool": Message("true or false"),
    "null": Message("null"),
    "array": Message("a list"),
    "object": Message("an object"),
    "uuid": Message("a UUID"),
}


def decoded(raw: bytes, decoder: msgspec.json.Decoder[ValueT]) -> ValueT:
    """Decode JSON. InvalidRequestError for a wrong field, MalformedBodyError for what is not JSON."""
    try:
        return decoder.decode(raw)
    except msgspec.ValidationError as error:
        value: ValueT = _decoded_with_whole_floats(raw, decoder.type, error)
        return value
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise malformed() from error


def malformed() -> MalformedBodyError:
    """Return the error for a body that is not JSON."""
    return MalformedBodyError("The body is not valid JSON.")


def canonical(raw: bytes) -> bytes:
    """Return the canonical bytes of JSON, for the fingerprint of an idempotent request."""
    try:
        return msgspec.json.encode(msgspec.json.decode(raw), order="deterministic")
    except RecursionError as deep:
        raise MalformedBodyError("The body is nested too deeply.") from deep


def explained(message: str) -> tuple[str, Message]:
    """Split msgspec's message into a JSON Pointer and words for a person, without a value of the request.

    A field that is missing or unknown is part of the pointer; of an unknown one only a name as this service gives
    them, `?` for any other.
    """
    match = _POINTER.search(message)
    text = _POINTER.sub("", message)
    parts = [part for part in re.split(r"[.\[\]]+", match[1]) if part] if match else []
    field = _FIELD.match(text)
    if field is not None:
        parts.append(field[2] if re.fullmatch(r"[a-z][a-z_0-9]{0,39}", field[2]) else "?")
        words = Message("is missing") if field[1].startswith("Object missing") else Message("is not a known field")
    else:
        words = _in_words(text)
    return "".join(f"/{part}" for part in parts), words


def _in_words(text: str) -> Message:
    """Say what msgspec expected without the names of its types."""
    if text.startswith(("Invalid enum value", "Invalid value")):
        return Message("is not one of the allowed values")
    bound = _BOUND.fullmatch(text)
    if bound is not None:
        return _BOUNDS[bound[1] or "", bound[2]](bound[3])
    if "matching regex" in text:
        return Message("does not have the right form")
    expected = _EXPECTED.match(text)
    words = [_TYPES[name] for name in expected[1].split(" | ") if name in _TYPES] if expected else []
    if not words:
        return Message("is not valid")
    several = words[0]
    for word in words[1:]:
        several = Message("{one} or {other}", one=several, other=word)
    return Message("has to be {type}", type=several)


def with_whole_numbers(value: Any) -> Any:
    """Return a JSON value with `4.0` read as the integer 4, as JSON Schema defines integers.

    MalformedBodyError if it is nested too deeply.
    """
    try:
        return _whole(value)
    except RecursionError as deep:
        raise MalformedBodyError("The body is nested too deeply.") from deep


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {key: _whole(item) for key, item in value.items()}
    return value


def _decoded_with_whole_floats(raw: bytes, type_: Any, error: msgspec.ValidationError) -> Any:
    """Decode once more, with whole numbers read as integers."""
    try:
        return msgspec.convert(with_whole_numbers(msgspec.json.decode(raw)), type_, strict=True)
    except msgspec.ValidationError as second:
        pointer, detail = explained(str(second))
        raise InvalidRequestError("A field of the body is invalid.", errors=(FieldError(pointer, detail),)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise malformed() from broken
