"""The form in which types are written as JSON, and its digest."""

import hashlib
from typing import Any, Final, cast

import msgspec

_WORDS: Final = ("title", "description", "examples", "format")
_LIMITS: Final = (
    *("pattern", "minLength", "maxLength", "minItems", "maxItems"),
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
)


def form_digest(*parts: Any, **stamps: int) -> str:
    """Return the SHA-256, in hex, of the form of these types; `stamps` tell apart what is made of one form.

    Whatever was hashed or kept in a form is compared only with what a program of the same form makes. Words about a
    field, and the limits of its values, change no byte of what is written: they are left out, so that evidence and
    snapshots outlive a better sentence in a docstring.
    """
    schemas, components = msgspec.json.schema_components(parts)
    form = _form([schemas, components])
    return hashlib.sha256(msgspec.json.encode([stamps, form], order="deterministic")).hexdigest()


def _form(schema: Any) -> Any:
    """Return a schema, or what holds schemas, without what says nothing of bytes."""
    if isinstance(schema, list | tuple):
        return [_form(item) for item in cast("list[Any]", schema)]
    return _form_of_object(cast("dict[str, Any]", schema)) if isinstance(schema, dict) else schema


def _form_of_object(schema: dict[str, Any]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for key, value in schema.items():
        if key == "properties":  # its keys are names of fields, such as `title`
            made[key] = {name: _form(field) for name, field in value.items()}
        elif key in ("enum", "required", "default"):
            made[key] = value
        elif key not in _WORDS and key not in _LIMITS and not key.startswith("x-"):
            made[key] = _form(value)
    return made
