"""The schemas of the contract give every code generator good types: names, unions, limits, enums, words."""

import json
from collections.abc import Iterator
from typing import Any, Final

import pytest

from service.contract.shaping import Shaper
from service.contract.unions import name_of
from tests.contract.document import CONTRACT, OPERATIONS, Operation, reachable, resolved

SCHEMAS: Final[dict[str, Any]] = CONTRACT["components"]["schemas"]
EVERY_SCHEMA = pytest.mark.parametrize("name", SCHEMAS)
EVERY_OPERATION = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=list(OPERATIONS))
LARGE: Final = {"time", "created", "opened", "expires", "last_used", "index", "size", "from", "to", "next_from"}
"""Fields with numbers above 2^31: milliseconds, and places in the transparency log."""


def parts(schema: Any, field: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """A schema and all that it is made of in place, with the name of the field to which it belongs."""
    if isinstance(schema, list):
        for item in schema:
            yield from parts(item, field)
    elif isinstance(schema, dict):
        yield field, schema
        for keyword in ("items", "oneOf", "anyOf", "allOf", "additionalProperties"):
            yield from parts(schema.get(keyword), field)
        for name, inner in schema.get("properties", {}).items():
            yield from parts(inner, name)


def bodies() -> Iterator[dict[str, Any]]:
    for operation in OPERATIONS.values():
        for content in operation.definition.get("requestBody", {}).get("content", {}).values():
            yield content["schema"]


ASKED: Final = {
    json.dumps(part, sort_keys=True) for schema in bodies() for outer in reachable(schema) for _, part in parts(outer)
}
"""All schemas of bodies."""


@EVERY_SCHEMA
def test_every_field_is_explained(name: str) -> None:
    for field, schema in SCHEMAS[name].get("properties", {}).items():
        assert len(schema.get("description", "")) > 6, f"{name}.{field}: give it a docstring, or its name a word"


@EVERY_SCHEMA
def test_a_union_is_a_component_whose_members_are_told_apart(name: str) -> None:
    schema = SCHEMAS[name]
    for field, part in parts(schema):
        assert "anyOf" not in part, f"{name}.{field}"
        assert "allOf" not in part, f"{name}.{field}"
        if part is not schema and "oneOf" in part:
            member, null = part["oneOf"]
            assert (set(member), null) == ({"$ref"}, {"type": "null"}), f"{name}.{field}"
    if "oneOf" in schema:
        tag, mapping = schema["discriminator"]["propertyName"], schema["discriminator"]["mapping"]
        members = {resolved(each)["properties"][tag]["const"]: each["$ref"] for each in schema["oneOf"]}
        assert mapping == members
        assert all(tag in resolved(each)["required"] for each in schema["oneOf"])
        assert len(members) == len(schema["oneOf"]) > 1
        assert "More kinds may be added" in schema["description"]


@EVERY_SCHEMA
def test_numbers_have_their_real_limits(name: str) -> None:
    for field, part in parts(SCHEMAS[name]):
        if part.get("type") in ("integer", ["integer", "null"]):
            assert part["minimum"] <= part["maximum"], f"{name}.{field}"
            assert field in LARGE or part["format"] == "int32", f"{name}.{field}: say its limits"


@EVERY_SCHEMA
def test_every_enum_says_whether_it_may_grow(name: str) -> None:
    schema = SCHEMAS[name]
    for field, part in parts(schema):
        if "enum" in part:
            assert part["type"] == "string", f"{name}.{field}: Kotlin's gson models take no other enums"
            closed = part is schema and part["description"].endswith("There will be no others.")
            asked = json.dumps(part, sort_keys=True) in ASKED and "More may be added." in part["description"]
            assert closed or asked, f"{name}.{field}: an enum of answers cannot grow"
        if "x-extensible-enum" in part:
            assert "More may be added" in part["description"], f"{name}.{field}"


@EVERY_SCHEMA
def test_no_schema_has_a_default(name: str) -> None:
    """Some generators make fields that have one required, and send what the service would fill in."""
    for field, part in parts(SCHEMAS[name]):
        assert "default" not in part, f"{name}.{field}"


def test_a_default_is_said_in_words() -> None:
    fields = SCHEMAS["HeartsNewOptions"]["properties"] | SCHEMAS["NewToken"]["properties"]
    assert fields["players"]["description"].endswith("If left out: `4`.")
    assert fields["expires_in_days"]["description"].endswith("If left out: `365`.")
    assert "expires_in_days" not in SCHEMAS["NewToken"]["required"]


@EVERY_OPERATION
def test_what_is_sent_and_answered_has_a_name(operation: Operation) -> None:
    contents = [operation.definition.get("requestBody", {}).get("content", {})]
    contents += [resolved(response).get("content", {}) for response in operation.definition["responses"].values()]
    for media_types in contents:
        for media_type, content in media_types.items():
            assert "$ref" in content["schema"] or media_type.startswith("text/"), media_type


def test_moves_and_tables_are_told_apart_by_their_game() -> None:
    for operation, union in (("makeMove", "MoveRequest"), ("createTable", "NewTable")):
        content = OPERATIONS[operation].definition["requestBody"]["content"]["application/json"]
        assert content["schema"] == {"$ref": f"#/components/schemas/{union}"}
        assert SCHEMAS[union]["discriminator"]["propertyName"] == "game"
    assert SCHEMAS["Problem"]["properties"]["legal"]["$ref"] == "#/components/schemas/LegalMoves"


def test_cards_have_a_notation() -> None:
    hand = SCHEMAS["RommeYou"]["properties"]["hand"]
    card = SCHEMAS["Card"]
    assert hand["items"] == {"$ref": "#/components/schemas/Card"}
    assert SCHEMAS["RommeDiscard"]["properties"]["card"]["$ref"] == "#/components/schemas/Card"
    assert card["pattern"]
    assert "T for ten" in card["description"]


def test_a_union_without_a_name_is_refused() -> None:
    with pytest.raises(LookupError, match=r"HeartsPass.*RommeLay"):
        name_of(frozenset({"HeartsPass", "RommeLay"}))


def test_a_union_whose_members_nothing_tells_apart_is_refused() -> None:
    either = {"title": "Either", "anyOf": [{"$ref": "#/components/schemas/Card"}, {"$ref": "#/components/schemas/Me"}]}
    with pytest.raises(LookupError, match="Either have no tag"):
        Shaper({}).shaped(either, asked=False)
