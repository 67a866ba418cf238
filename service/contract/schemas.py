"""JSON Schemas of the contract: what msgspec says of the types, explained, shaped, and complete."""

from collections.abc import Iterable
from typing import Any, Final

import msgspec

from domain.cards import Card, Face
from domain.registry import CURRENT
from service.api.problem_types import codes
from service.api.types.json_schema import completed
from service.api.types.per_game import class_name
from service.api.types.tables import LEGAL_MOVES
from service.contract.fields import describe_fields, structs_in
from service.contract.shaping import REF, Shaper, reachable, required_when_sent
from service.errors import LegalMoves

REF_TEMPLATE: Final = REF + "{name}"
_DOCUMENT: Final = "OpenApiDocument"
_ANY_OBJECT: Final = {"type": "object", "additionalProperties": True}


def component_schemas(asked: Iterable[Any], answered: Iterable[Any]) -> dict[str, Any]:
    """Return the schemas of all types and of what they are made of, by name.

    `asked` are the types of bodies of requests, `answered` those of responses and problems.
    """
    bodies = [type_ for type_ in asked if not is_plain(type_)]
    answers = [type_ for type_ in answered if not is_plain(type_)] + [LEGAL_MOVES]
    structs = list(dict.fromkeys((*bodies, *answers)))
    schemas, components = msgspec.json.schema_components((Card, Face, *structs), ref_template=REF_TEMPLATE)
    describe_fields(structs, components)
    _declare_options(components)
    del components[LegalMoves.__name__]  # is sent as one of the types that the union of this name declares
    del components["Problem"]["properties"]["legal"]["$ref"]
    components["Problem"]["properties"]["legal"] |= _reference(LEGAL_MOVES)
    components["Problem"]["properties"]["code"] |= {"enum": codes()}
    named: dict[str, Any] = {_DOCUMENT: {**_ANY_OBJECT, "description": "An OpenAPI document."}}
    shaper = Shaper(named)
    for schema in schemas:
        shaper.shaped(schema, asked=False)
    in_bodies = reachable(map(_reference, bodies), components)
    for name, schema in components.items():
        named[name] = shaper.component(schema, asked=name in in_bodies) if "properties" in schema else schema
    for struct in structs_in(answers):
        if struct.__name__ in components and struct.__name__ not in in_bodies:
            named[struct.__name__] = required_when_sent(named[struct.__name__], _left_out(struct))
    return {name: completed(schema) for name, schema in sorted(named.items())}


def _left_out(struct: type[msgspec.Struct]) -> frozenset[str]:
    """The fields that are not sent where they have their default."""
    all_defaults = struct.__struct_config__.omit_defaults
    return frozenset(
        field.encode_name
        for field in msgspec.structs.fields(struct)
        if not field.required and (all_defaults or field.default is msgspec.UNSET)
    )


# Options: what a client may send of them


def _declare_options(components: dict[str, Any]) -> None:
    """Let bodies say which options there are: their structs take any, and the games judge them."""
    for game in CURRENT.values():
        for option, field in components[game.options.type.__name__]["properties"].items():
            field.setdefault("description", game.options.schema["properties"][option].get("description"))
        name = class_name(game, "NewOptions")
        text = f"Options of a table of {game.title}; those that are left out have their defaults."
        components[name] = {"title": name, "description": text, "required": [], **game.options.schema}
        components[class_name(game, "NewTable")]["properties"]["options"] = {
            "$ref": REF + name,
            "description": "The options that are not to have their defaults.",
        }
    changeable = [game for game in CURRENT.values() if game.lobby is not None]
    changes = {
        name: {key: value for key, value in option.items() if key != "default"}
        for game in changeable
        for name, option in game.options.schema["properties"].items()
    }
    components["OptionsChange"] |= {"properties": changes, "required": [], "additionalProperties": False}


# References


def is_plain(type_: Any) -> bool:
    """Whether a type is text or an object of any form, which is no struct."""
    return type_ is str or getattr(type_, "__origin__", None) is dict


def schema_of(type_: Any) -> dict[str, Any]:
    """Return the schema of a body or answer, by reference where it is a component."""
    if isinstance(type_, tuple):
        (type_,) = type_
    if type_ is str:
        return {"type": "string"}
    if is_plain(type_):
        return {"$ref": REF + _DOCUMENT}
    return Shaper({}).shaped(_reference(type_), asked=False)


def _reference(type_: Any) -> dict[str, Any]:
    schema: dict[str, Any]
    (schema,), _ = msgspec.json.schema_components([type_], ref_template=REF_TEMPLATE)
    return schema
