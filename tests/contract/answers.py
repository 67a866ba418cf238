"""Real answers held against the contract: the operation's status, media type and schema."""

import re
from collections import Counter
from typing import Any, Final

import httpx

from service.api.routes import HANDLERS
from tests.contract.document import CONTRACT, Operation, faults, operations, resolved
from tests.service.client import Player

PROBLEM: Final = "application/problem+json"
_ROUTES: Final = [
    (re.compile(re.sub(r"\{[a-z_]+\}", "[^/]+", operation.path)), operation)
    for operation in sorted(operations(), key=lambda operation: operation.path.count("{"))
]


class Checked:
    """Checks every answer that a player gets, and counts them by operation and status."""

    def __init__(self) -> None:
        self.seen: Counter[tuple[str, int]] = Counter()

    def watch(self, player: Player) -> Player:
        """Check what this player gets from now on."""
        player.http.event_hooks["response"] = [self._check]
        return player

    def _check(self, response: httpx.Response) -> None:
        response.read()
        operation = operation_of(response.request)
        self.seen[operation.id, response.status_code] += 1
        wrong = faults_of(operation, response)
        assert not wrong, f"{operation.id} {response.status_code}: {wrong[:5]}\n{response.text[:2000]}"


def operation_of(request: httpx.Request) -> Operation:
    """Return the operation that a request is for."""
    for route, operation in _ROUTES:
        if operation.method == request.method.lower() and route.fullmatch(request.url.path):
            return operation
    raise AssertionError(f"the contract has no {request.method} {request.url.path}")


def faults_of(operation: Operation, response: httpx.Response) -> list[str]:
    """Return in what an answer differs from what the contract says of it."""
    declared = resolved(operation.definition["responses"].get(str(response.status_code)))
    if declared is None:
        return ["the status is not declared"]
    wrong = [] if may_be_compressed(operation, response) else ["it is compressed"]
    missing = wrong + [f"header {name}" for name in ("X-Request-Id",) if name not in response.headers]
    given = response.headers.get("content-type")
    if "content" not in declared:
        return missing + (["a body where none is declared"] if response.content or given else [])
    contents = {name.partition(";")[0]: content for name, content in declared["content"].items()}
    media_type = (given or "").partition(";")[0]
    if media_type not in contents:
        return [*missing, f"media type {given}"]
    value: Any = response.json() if media_type.endswith("json") else response.text
    return missing + faults(contents[media_type]["schema"], value)


def may_be_compressed(operation: Operation, response: httpx.Response) -> bool:
    """Whether a response has no encoding that its operation never has; whether a match is over is another test's."""
    declared = next(handler.compressed for handler in HANDLERS if handler.id == operation.id)
    return declared != "never" or "content-encoding" not in response.headers


def problem_faults(response: httpx.Response) -> list[str]:
    """Return what is wrong with a problem that belongs to no operation."""
    assert response.headers["content-type"] == PROBLEM
    assert "Problem" in CONTRACT["components"]["schemas"]
    return faults({"$ref": "#/components/schemas/Problem"}, response.json())
