"""JSON Schemas of the contract: what msgspec says of the types, and what it leaves out."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from domain.registry import CURRENT
from service.api.types.json_schema import completed
from service.contract.fields import describe_fields

REF_TEMPLATE: Final = "#/components/schemas/{name}"


def component_schemas(types: Iterable[Any]) -> dict[str, Any]:
    """Return the schemas of all types and of what they are made of, by name."""
    structs = dict.fromkeys(type_ for type_ in types if not is_plain(type_))
    _, components = msgspec.json.schema_components(list(structs), ref_template=REF_TEMPLATE)
    describe_fields(structs, components)
    for game in CURRENT.values():
        name = "".join(word.capitalize() for word in game.key.split("_"))
        components[f"{name}NewTable"]["properties"]["options"] = {
            **game.options.schema,
            "title": f"{name}OptionsIn",
        }
    components["OptionsChange"] |= _options_change()
    components["Problem"]["properties"]["legal"] = {
        "type": "array",
        "description": "What the seat may do instead: entries like those of `you.legal`.",
        "items": {"type": "object"},
    }
    return {name: completed(schema) for name, schema in sorted(components.items())}


def _options_change() -> dict[str, Any]:
    changeable = [game for game in CURRENT.values() if game.lobby is not None]
    properties: dict[str, Any] = {}
    for game in changeable:
        properties |= game.options.schema["properties"]
    if not changeable:
        return {"type": "object", "properties": {}}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def is_plain(type_: Any) -> bool:
    """Whether a type is text or an object of any form, which is no component."""
    return type_ is str or getattr(type_, "__origin__", None) is dict


def schema_of(type_: Any) -> dict[str, Any]:
    """Return the schema of a body or answer, by reference where it is a component."""
    if isinstance(type_, tuple):
        options = [schema_of(one) for one in type_]
        return options[0] if len(options) == 1 else {"anyOf": options}
    if type_ is str:
        return {"type": "string"}
    if is_plain(type_):
        return {"type": "object"}
    (schema,), _ = msgspec.json.schema_components([type_], ref_template=REF_TEMPLATE)
    return schema
