"""Schemas in the form that code generators turn into good types.

What msgspec says of types is right, and yet no generator's favourite reading: unions are `anyOf` in place, null is a
member of a union, a field with a default that is always sent counts as optional. Here unions and shared values become
components with names, null a type of its own, and enums say whether they may grow.

An enum that may grow is an `enum` only where it is asked: whoever answers has to be free to answer more, and clients
that were generated before would fail at a value that their `enum` has not. Answers have it as text (or number) with
`x-extensible-enum`, by the guidelines of Zalando. An enum whose type has a title is closed. Numbers never have an
`enum`: what openapi-generator makes of one for Kotlin and gson does not compile.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, Final

from service.contract.unions import Union, name_of
from service.contract.words import LIMITS

Schema = dict[str, Any]
REF: Final = "#/components/schemas/"
_NULL: Final = {"type": "null"}
_TAGS: Final = ("type", "game")
_GROWS: Final = "More may be added, which clients have to bear."
_KINDS_GROW: Final = "More kinds may be added: ignore those that you do not know."


class Shaper:
    """Shapes schemas and collects the components that they refer to beside structs."""

    def __init__(self, components: dict[str, Schema]) -> None:
        self.components = components
        """Those of unions and of shared values, by name."""

    def component(self, schema: Schema, *, asked: bool) -> Schema:
        """Return the component of a struct. `asked`: it is part of the body of a request."""
        properties = {
            name: self.property(name, field, schema, asked=asked) for name, field in schema["properties"].items()
        }
        return {**schema, "properties": properties}

    def property(self, name: str, field: Schema, owner: Schema, *, asked: bool) -> Schema:
        """Return the schema of a field, or of an option."""
        if name in _TAGS and len(field.get("enum", ())) == 1 and name in owner.get("required", ()):
            (tag,) = field["enum"]
            return {"type": "string", "const": tag, "description": f"Always `{tag}`: by it kinds are told apart."}
        given = dict(field)
        default = given.pop("default", None)
        made = self.shaped(given, name=name, asked=asked)
        if asked and default not in (None, [], {}):
            made["description"] = f"{made.get('description', '')} If left out: `{json.dumps(default)}`.".strip()
        return made

    def shaped(self, schema: Schema, *, name: str = "", asked: bool) -> Schema:
        """Return a schema without `anyOf`; what has a name of its own is referred to."""
        said = {key: schema[key] for key in ("description",) if key in schema}
        if "anyOf" in schema:
            return said | self._alternatives(schema, name=name, asked=asked)
        if "$ref" in schema:
            return {"$ref": schema["$ref"]} | said
        if "title" in schema and schema.get("type") != "object":
            return self._named(schema, name=name) | said
        if schema.get("type") == "array":
            items = self.shaped(schema.get("items", {}), name=name, asked=asked)
            if "title" in schema.get("items", ()):  # the component says what it is
                items.pop("description", None)
            return {**schema, "items": items}
        if schema.get("type") == "object" and isinstance(schema.get("additionalProperties"), dict):
            return {**schema, "additionalProperties": self.shaped(schema["additionalProperties"], asked=asked)}
        if schema.get("type") == "object" and "properties" not in schema:  # else a generator takes it for an empty one
            return {"additionalProperties": True, **schema}
        made = _limited({key: value for key, value in schema.items() if key != "title"}, name)
        return _enumerated(made, asked=asked) if "enum" in made else made

    def _alternatives(self, schema: Schema, *, name: str, asked: bool) -> Schema:
        options = [option for option in schema["anyOf"] if option != _NULL]
        if len(options) == 1:
            said = {key: schema[key] for key in ("description",) if key in schema}
            made = self.shaped(options[0] | said, name=name, asked=asked)
        elif all("$ref" in option for option in options):
            made = self._union(schema, options)
        else:
            return {}  # several plain types, which no generator has a type for; the words say which
        return made if len(options) == len(schema["anyOf"]) else _or_null(made)

    def _union(self, schema: Schema, options: list[Schema]) -> Schema:
        members = frozenset(option["$ref"].removeprefix(REF) for option in options)
        named = Union(schema["title"], "One of several kinds.") if "title" in schema else name_of(members)
        if "discriminator" not in schema:
            raise LookupError(f"the members of {named.name} have no tag that tells them apart")
        told_apart = f"Told apart by `{schema['discriminator']['propertyName']}`. {_KINDS_GROW}"
        made = {"title": named.name, "description": f"{named.text} {told_apart}", "oneOf": options}
        self.components[named.name] = {**made, "discriminator": schema["discriminator"]}
        return {"$ref": REF + named.name}

    def _named(self, schema: Schema, *, name: str) -> Schema:
        """Refer to a value with a name of its own, such as `Card`; the first one says what it is."""
        title: str = schema["title"]
        if title not in self.components:
            made = _limited(schema, name)
            if "enum" in made:
                made = {"type": _type_of(made["enum"]), **made}
                made["description"] += " There will be no others."
            self.components[title] = made
        return {"$ref": REF + title}


def required_when_sent(schema: Schema, optional: frozenset[str]) -> Schema:
    """Return the component of a struct of answers: every field is sent, but for the optional ones, never null."""
    properties = {name: _not_null(field) if name in optional else field for name, field in schema["properties"].items()}
    return {**schema, "properties": properties, "required": [name for name in properties if name not in optional]}


def _not_null(schema: Schema) -> Schema:
    """What is left out instead of being null."""
    if "oneOf" in schema:
        return {**schema["oneOf"][0], **{key: value for key, value in schema.items() if key != "oneOf"}}
    if isinstance(schema.get("type"), list):
        return schema | {"type": schema["type"][0]}
    return schema


def _or_null(schema: Schema) -> Schema:
    if "$ref" in schema:
        said = {key: value for key, value in schema.items() if key != "$ref"}
        return {"oneOf": [{"$ref": schema["$ref"]}, _NULL], **said}
    if "type" not in schema:
        return schema
    with_null: Schema = {key: [*schema[key], None] for key in ("enum", "x-extensible-enum") if key in schema}
    return {**schema, "type": [schema["type"], "null"], **with_null}


def _limited(schema: Schema, name: str) -> Schema:
    """Give an integer the limits that its name has, where its type has none."""
    if schema.get("type") != "integer" or name not in LIMITS or "enum" in schema:
        return schema
    low, high = LIMITS[name]
    return {"minimum": low, "maximum": high, **schema}


def _enumerated(schema: Schema, *, asked: bool) -> Schema:
    values = schema["enum"]
    made = {"type": _type_of(values), **{key: value for key, value in schema.items() if key != "enum"}}
    text = schema.get("description", "")
    if asked and "string" in made["type"]:
        return {**made, "enum": values, "description": f"{text} More may be added.".strip()}
    listed = " or ".join(f"`{value}`" for value in values if value is not None)
    grows = "More may be added." if asked else _GROWS
    return {**made, "x-extensible-enum": values, "description": f"{text} One of {listed}. {grows}".strip()}


def _type_of(values: list[Any]) -> Any:
    """The type of what an enum lists, which is text or whole numbers, and perhaps null."""
    named = "string" if any(isinstance(value, str) for value in values) else "integer"
    return [named, "null"] if None in values else named


def reachable(schemas: Iterable[Any], components: Mapping[str, Any]) -> set[str]:
    """Return the names of all components that schemas refer to, and those refer to."""
    found: set[str] = set()
    waiting: list[Any] = list(schemas)
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            name = str(one.get("$ref", "")).removeprefix(REF)
            if name and name not in found:
                found.add(name)
                waiting.append(components[name])
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return found
