"""The committed contract: equal to what is served, complete, closed, with examples that keep it."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from service.api.problems import Problem
from service.api.types.tables import MOVE_RESULT
from service.contract.__main__ import main
from service.contract.fields import field_texts, structs_in
from service.errors import LegalMoves
from tests.contract.document import CONTRACT, OPERATIONS, PATH, Operation, examples_of, faults, reachable, resolved

PROBLEM = "application/problem+json"
EVERY = pytest.mark.parametrize("operation", OPERATIONS.values(), ids=list(OPERATIONS))


def contents(operation: Operation) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Every content of an operation: where it is, its media type, and what is said of it."""
    for media_type, content in operation.definition.get("requestBody", {}).get("content", {}).items():
        yield "body", media_type, content
    for status, response in operation.definition["responses"].items():
        for media_type, content in resolved(response).get("content", {}).items():
            yield status, media_type, content


def test_the_committed_contract_is_that_of_the_service() -> None:
    assert main(["--check", str(PATH)]) == 0


def test_a_contract_that_differs_is_noticed(tmp_path: Any, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "openapi.json"
    other.write_bytes(PATH.read_bytes().replace(b"Blattwerk", b"Blattwerg", 1))
    assert main(["--check", str(other)]) == 1
    assert "is not what the service serves" in capsys.readouterr().out
    assert main(["--write", str(other)]) == 0
    assert other.read_bytes() == PATH.read_bytes()


def test_the_running_service_serves_the_committed_contract(service_url: str) -> None:
    served = httpx.get(f"{service_url}/openapi.json")
    compact = json.dumps(json.loads(PATH.read_bytes()), separators=(",", ":"), ensure_ascii=False)
    assert served.content == compact.encode()
    assert served.headers["content-type"] == "application/json"


def test_operations_have_names_of_their_own_and_declared_tags() -> None:
    named = [operation["operationId"] for methods in CONTRACT["paths"].values() for operation in methods.values()]
    assert len(set(named)) == len(named)
    tags = {tag["name"] for tag in CONTRACT["tags"]}
    for operation in OPERATIONS.values():
        assert len(operation.definition["tags"]) == 1, operation.id
        assert set(operation.definition["tags"]) <= tags, operation.id
        assert operation.definition["summary"], operation.id
        assert operation.definition["description"], operation.id
        assert operation.definition["description"] != operation.definition["summary"] + ".", operation.id


def test_what_stands_below_a_field_in_the_source_is_its_description() -> None:
    described = 0
    for struct in {*structs_in([MOVE_RESULT, Problem])} - {LegalMoves}:  # stands for one of a union
        properties = CONTRACT["components"]["schemas"][struct.__name__].get("properties", {})
        for name, text in field_texts(struct).items():
            if name not in ("type", "game"):
                assert properties[name]["description"].startswith(text), (struct, name)
                described += 1
    assert described > 50


@EVERY
def test_every_status_that_can_come_is_declared_with_its_problem(operation: Operation) -> None:
    definition = operation.definition
    statuses = {int(status) for status in definition["responses"]}
    expected = {500, 503}
    if definition.get("security") != []:
        expected |= {401}
    if operation.method != "get":
        expected |= {400, 413}
    if "requestBody" in definition:
        expected.add(415)
    parameters = definition.get("parameters", [])
    if any(parameter["in"] == "query" for parameter in parameters):
        expected |= {400}
    if any(parameter["in"] == "path" for parameter in parameters):
        expected |= {404}
    if any(parameter["name"] == "Idempotency-Key" for parameter in parameters):
        expected |= {400, 422}
    if any("content" in resolved(definition["responses"][str(status)]) for status in statuses if status < 300):
        expected |= {406}
    assert expected <= statuses
    assert any(400 <= status < 500 for status in statuses)
    for status in statuses:
        if status >= 400:
            assert set(resolved(definition["responses"][str(status)])["content"]) == {PROBLEM}, status


@EVERY
def test_bodies_are_closed(operation: Operation) -> None:
    schema = operation.definition.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    for part in reachable(schema):
        if part.get("type") == "object":
            assert part.get("additionalProperties") is False, part.get("title")


@EVERY
def test_everything_sent_or_answered_has_an_example_and_keeps_its_schema(operation: Operation) -> None:
    for where, media_type, content in contents(operation):
        examples = examples_of(content)
        assert examples, f"{where} {media_type}"
        for name, value in examples.items():
            assert not faults(content["schema"], value), f"{where} {media_type} {name}"


def test_an_example_that_does_not_keep_its_schema_would_be_noticed() -> None:
    assert faults({"$ref": "#/components/schemas/NewPlayer"}, {"name": "Ada", "age": 7})
    assert faults({"$ref": "#/components/schemas/NewPlayer"}, {"name": "\u0007"})
    assert not faults({"$ref": "#/components/schemas/NewPlayer"}, {"name": "Ada"})


@EVERY
def test_parameters_say_what_they_are(operation: Operation) -> None:
    for parameter in operation.definition.get("parameters", ()):
        assert parameter["description"], parameter["name"]
        for example in parameter.get("schema", {}).get("examples", ()):
            assert not faults(parameter["schema"], example), parameter["name"]


def test_links_lead_to_operations_and_parameters_that_exist() -> None:
    for operation in OPERATIONS.values():
        for response in operation.definition["responses"].values():
            for name, link in resolved(response).get("links", {}).items():
                target = OPERATIONS[link["operationId"]].definition
                known = {parameter["name"] for parameter in target.get("parameters", ())}
                assert set(link.get("parameters", ())) <= known, f"{operation.id} {name}"
                assert "requestBody" not in link, f"{operation.id} {name}: generators take no bodies of links"
