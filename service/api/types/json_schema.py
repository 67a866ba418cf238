"""JSON Schemas completed for code generators: integers with format and bounds, enums with a type."""

from typing import Any, Final

_INT32: Final = (-(2**31), 2**31 - 1)
_SAFE: Final = (1 - 2**53, 2**53 - 1)
"""Integers of events and views are below 2^53 (bw1, step 7)."""


def completed(schema: Any) -> Any:
    """Return a schema whose integers have a format and bounds, and whose enums have a type."""
    if isinstance(schema, list):
        return [completed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: value if key in _DATA else completed(value) for key, value in schema.items()}
    values = made.get("enum")
    if isinstance(values, list) and "type" not in made and all(isinstance(value, str) for value in values):
        made = {"type": "string"} | made
    if made.get("type") in ("integer", ["integer", "null"]):
        made |= _bounds(made)
        made.pop("exclusiveMaximum", None)
    return made


_DATA: Final = ("examples", "example", "default", "enum", "x-extensible-enum", "const", "required", "discriminator")
"""Keywords that hold data, not schemas."""


def _bounds(schema: dict[str, Any]) -> dict[str, Any]:
    listed = schema.get("enum", schema.get("x-extensible-enum", ()))
    numbers = [value for value in listed if value is not None]
    low = schema.get("minimum", min(numbers, default=_SAFE[0]))
    high = schema.get("maximum", max(numbers, default=_SAFE[1]))
    if "exclusiveMaximum" in schema:
        high = schema["exclusiveMaximum"] - 1
    small = _INT32[0] <= low and high <= _INT32[1]
    return {"format": "int32" if small else "int64", "minimum": low, "maximum": high}
