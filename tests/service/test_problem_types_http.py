"""The page behind each type of problems, and the one list of all codes."""

import ast
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from domain.disputes.model import REFUSALS as DISPUTE_REFUSALS
from domain.registry import CURRENT
from domain.table.model import REFUSALS
from service.api.problem_types import PROBLEM_TYPES_BY_SLUG, codes, meanings
from service.api.routes import HANDLERS
from service.errors import PROBLEM_TYPES
from tests.service.client import Player
from tests.service.test_tables_http import code_of

ROOT = Path(__file__).parent.parent.parent


def page_of(service_url: str, slug: str, language: str = "en") -> dict[str, Any]:
    got = httpx.get(f"{service_url}/problems/{slug}", headers={"Accept-Language": language})
    assert got.status_code == 200, got.text
    assert got.headers["content-language"] == language
    assert "Accept-Language" in got.headers["vary"]
    page: dict[str, Any] = got.json()
    return page


@pytest.mark.parametrize("slug", PROBLEM_TYPES_BY_SLUG)
def test_every_type_says_what_it_means_and_what_a_client_does_next(service_url: str, slug: str) -> None:
    english, german = page_of(service_url, slug), page_of(service_url, slug, "de")
    known = PROBLEM_TYPES_BY_SLUG[slug]
    assert (english["type"], english["status"], english["title"]) == (f"/problems/{slug}", known.status, known.title)
    assert english["codes"], "every type has a code"
    assert english["operations"] == german["operations"]
    assert english["operations"] or slug == "method-not-allowed", "no operation has a method that is not allowed"
    assert english["title"] != german["title"]
    assert english["advice"] != german["advice"]
    assert [one["code"] for one in english["codes"]] == [one["code"] for one in german["codes"]]


def test_the_type_of_a_problem_leads_to_its_page_and_the_page_has_its_code(service_url: str) -> None:
    ada = Player(service_url, "Ada")
    table = ada.create("hearts")
    problems = [
        httpx.get(f"{service_url}/problems/no-such-type"),
        httpx.get(f"{service_url}/v1/me"),
        ada.http.post("/v1/tables", json={"game": "hearts"}),
        ada.post("/v1/tables", {"game": "hearts", "wrong": 1}, keyed=True),
        ada.post(f"/v1/tables/{table}/start", {"round": 1}),
        ada.move(table, 7, {"type": "play", "card": "2C"}),
    ]
    for problem in problems:
        assert problem.status_code >= 400
        page = httpx.get(service_url + problem.json()["type"]).json()
        assert page["status"] == problem.status_code
        assert code_of(problem) in [one["code"] for one in page["codes"]]


def test_every_code_is_in_the_contract() -> None:
    schema = json.loads((ROOT / "openapi" / "openapi.json").read_text())["components"]["schemas"]["Problem"]
    assert schema["properties"]["code"]["x-extensible-enum"] == codes()
    known = {code for sentences in (REFUSALS, DISPUTE_REFUSALS) for code in sentences}
    known |= {code for game in CURRENT.values() for code in game.rejections}
    known |= {error.code for error in PROBLEM_TYPES} | set(named_in_source())
    assert known <= set(codes())


def named_in_source() -> Iterator[str]:
    """Codes that the service gives to an error where it raises it."""
    for module in (ROOT / "service").rglob("*.py"):
        for node in ast.walk(ast.parse(module.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.endswith("Error"):
                for keyword in node.keywords:
                    if keyword.arg == "code" and isinstance(keyword.value, ast.Constant):
                        yield str(keyword.value.value)


def test_the_operations_of_a_page_are_those_of_the_contract(service_url: str) -> None:
    contract = httpx.get(f"{service_url}/openapi.json").json()["paths"]
    declared = {
        operation["operationId"]: operation["responses"].keys()
        for path in contract.values()
        for operation in path.values()
    }
    for slug, known in PROBLEM_TYPES_BY_SLUG.items():
        expected = {name for name, statuses in declared.items() if str(known.status) in statuses}
        if known.status != 405:
            assert set(page_of(service_url, slug)["operations"]) == expected
    assert len(declared) == len(HANDLERS)


def test_a_code_has_one_status_and_says_one_thing() -> None:
    statuses: dict[str, set[int]] = {}
    sentences: dict[str, set[str]] = {}
    for meaning in meanings():
        statuses.setdefault(meaning.code, set()).add(meaning.problem_type.status)
        sentences.setdefault(meaning.code, set()).add(meaning.sentence)
    assert [code for code, found in statuses.items() if len(found) > 1] == []
    differing = [code for code, found in sentences.items() if len(found) > 1]
    assert differing == ["match_over"], "the table says it also of one that was closed, in which a game has no say"
