"""Strict decoding: unknown fields, other types and out-of-range values are refused, and the caller learns where."""

import re
from typing import Any, Final, TypeVar

import msgspec

from service.errors import FieldError, InvalidRequestError, MalformedBodyError

ValueT = TypeVar("ValueT")
_POINTER: Final = re.compile(r" - at `(?:key in )?\$(.*)`$")


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


def explained(message: str) -> tuple[str, str]:
    """Split msgspec's message into a JSON Pointer and a sentence that repeats nothing of the request."""
    match = _POINTER.search(message)
    detail = _POINTER.sub("", message)
    if detail.startswith(("Invalid enum value", "Invalid value")):
        detail = detail.partition(" `")[0].partition(" '")[0]
    if detail.startswith("Object contains unknown field"):
        detail = "Object contains an unknown field"
    pointer = "/".join(part for part in re.split(r"[.\[\]]+", match[1]) if part) if match else ""
    return ("/" + pointer if pointer else ""), detail


def _decoded_with_whole_floats(raw: bytes, type_: Any, error: msgspec.ValidationError) -> Any:
    """Decode once more with `4.0` read as the integer 4, as JSON Schema defines integers."""
    try:
        return msgspec.convert(_whole(msgspec.json.decode(raw)), type_, strict=True)
    except msgspec.ValidationError as second:
        pointer, detail = explained(str(second))
        raise InvalidRequestError("A field of the body is wrong.", errors=(FieldError(pointer, detail),)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise malformed() from broken


def _whole(value: Any) -> Any:
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {key: item if key == "options" else _whole(item) for key, item in value.items()}
    return value
