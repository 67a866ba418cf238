"""The committed contract, as tests look at it."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import jsonschema_rs

PATH: Final = Path(__file__).parents[2] / "openapi" / "openapi.json"
CONTRACT: Final[dict[str, Any]] = json.loads(PATH.read_bytes())


class Operation(NamedTuple):
    """One operation of the contract."""

    method: str
    path: str
    definition: dict[str, Any]

    @property
    def id(self) -> str:
        """Its `operationId`."""
        name: str = self.definition["operationId"]
        return name


def operations() -> Iterator[Operation]:
    """Return every operation."""
    for path, methods in CONTRACT["paths"].items():
        for method, definition in methods.items():
            yield Operation(method, path, definition)


OPERATIONS: Final = {operation.id: operation for operation in operations()}


def resolved(thing: Any) -> Any:
    """Follow a reference into the components, if it is one."""
    while isinstance(thing, dict) and "$ref" in thing:
        found: Any = CONTRACT
        for name in thing["$ref"].removeprefix("#/").split("/"):
            found = found[name]
        thing = found
    return thing


def examples_of(content: dict[str, Any]) -> dict[str, Any]:
    """Return the values of a content's examples by name."""
    return {name: resolved(example)["value"] for name, example in content.get("examples", {}).items()}


def reachable(schema: Any, seen: set[str] | None = None) -> Iterator[dict[str, Any]]:
    """Return a schema and every schema it is made of, each component once."""
    seen = set() if seen is None else seen
    if isinstance(schema, list):
        for item in schema:
            yield from reachable(item, seen)
    elif isinstance(schema, dict):
        name = schema.get("$ref")
        if name is not None:
            if name not in seen:
                seen.add(name)
                yield from reachable(resolved(schema), seen)
            return
        yield schema
        for keyword in ("properties", "items", "oneOf", "additionalProperties"):
            inner = schema.get(keyword)
            yield from reachable(list(inner.values()) if keyword == "properties" and inner else inner, seen)


@cache
def _validator(schema: str) -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator({**json.loads(schema), "components": CONTRACT["components"]})


def faults(schema: dict[str, Any], value: Any) -> list[str]:
    """Return what is wrong with a value by its schema, empty if nothing is."""
    errors = _validator(json.dumps(schema)).iter_errors(value)
    return [f"{'/'.join(map(str, error.instance_path))}: {error.message[:300]}" for error in errors]
