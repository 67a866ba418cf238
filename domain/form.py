"""The form in which types are written as JSON, and its digest."""

import hashlib
from typing import Any, Final

import msgspec

_SAYS_NOTHING_OF_BYTES: Final = frozenset(
    ("title", "description", "examples", "pattern", "format")
    + ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
    + ("minLength", "maxLength", "minItems", "maxItems")
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
        return [_form(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "properties" in schema:  # its keys are names of fields, such as `title`
        fields = {name: _form(field) for name, field in schema["properties"].items()}
        return _form({key: value for key, value in schema.items() if key != "properties"}) | {"properties": fields}
    return {
        key: value if key in ("enum", "required", "default") else _form(value)
        for key, value in schema.items()
        if key not in _SAYS_NOTHING_OF_BYTES and not key.startswith("x-")
    }
