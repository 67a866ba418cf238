"""What Schemathesis is told beside the contract and its configuration; it loads this file by itself.

The folder in which it runs has `service.json`: where the service is, and the token of a user.
"""

import json
import re
import sys
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

import httpx
import schemathesis

sys.path.insert(0, str(Path(__file__).parents[2]))

from domain.registry import CURRENT
from service.accounts.names import NAME_PATTERN, clean
from tests.contract.links import with_bodies
from tests.contract.moves import some_move

_MOVES = ('{"type":"play","card":"QS"}', '{"type":"pass"}', '{"type":"draw_stock"}', '{"type":"discard","card":"2C#1"}')
_QUERY_MAX = 60_000
_NAMES = ("name", "label")
_NAME = re.compile(NAME_PATTERN)
_OPTIONS = ("createTable", "changeOptions")
_CODES = {"joinTable": "join", "watchTable": "spectator"}
_SERVICE = json.loads(Path("service.json").read_text())
_client = httpx.Client(base_url=_SERVICE["url"], headers={"Authorization": f"Bearer {_SERVICE['token']}"}, timeout=30)
_rng = Random(_SERVICE["seed"])


@schemathesis.hook
def before_load_schema(context: schemathesis.HookContext, raw_schema: dict[str, Any]) -> None:
    """Give links bodies, with which more of them can be followed."""
    with_bodies(raw_schema)


@schemathesis.hook
def map_body(context: schemathesis.HookContext, body: Any) -> Any:
    """Make tables private: of a public one everybody may see much, and a check asks who sees what is not theirs."""
    if (
        _operation_id(context) == "createTable"
        and isinstance(body, dict)
        and body.get("visibility", "public") == "public"
    ):
        body = {**body, "visibility": "private"}
    return body


@schemathesis.hook
def filter_body(context: schemathesis.HookContext, body: Any) -> bool:
    """Leave out bodies that are wrong by the pattern of a name alone: the service takes more names than match it."""
    given = [body[field] for field in _NAMES if field in body] if isinstance(body, dict) else []
    return not any(isinstance(name, str) and clean(name) and not _NAME.search(name) for name in given)


@schemathesis.hook
def filter_query(context: schemathesis.HookContext, query: Any) -> bool:
    """Leave out queries that no server reads: they are refused with 414 before the service sees them."""
    given = query.values() if isinstance(query, dict) else ()
    return sum(len(quote(value)) for value in given if isinstance(value, str)) < _QUERY_MAX


@schemathesis.hook
def before_call(context: schemathesis.HookContext, case: schemathesis.Case[Any], kwargs: dict[str, Any]) -> None:
    """Send legal moves and drafts instead of most generated ones, so that matches go on and their answers are seen.

    Codes of tables are those of a table that somebody else has made for this request, or wrong: whoever has one that
    was seen in an answer may see the private table, which the check whether others see what is not theirs takes for
    a leak.

    Of options that are numbers the contract gives the range alone, since generators make bad types of an enum, and of a
    move in a query that it is a text: right ones are put in their place.
    """
    positive = case.meta is not None and case.meta.generation.mode.is_positive
    name = _operation_id(context)
    if positive and case.query and "move" in case.query:
        case.query["move"] = _rng.choice(_MOVES)
    if positive and name == "getReplay" and case.query:
        _without_contradiction(case.query)
    if positive and name in _OPTIONS:
        case.body = _listed(case.body)
    if positive and name == "createTable":
        case.body = _with_seats(case.body)
    if name in _CODES and isinstance(case.body, dict) and isinstance(case.body.get("code"), str) and positive:
        case.body = {**case.body, "code": _code(_CODES[name]) if _rng.random() < 0.5 else "0"}
    if name not in ("makeMove", "prepareDraft") or not positive or _rng.random() < 0.4:
        return
    seen = _client.get(f"/v1/tables/{case.path_parameters['table']}")
    you = seen.json()["you"] if seen.status_code == 200 else None
    if you is None or you["decision"] is None:
        return
    if name == "makeMove":
        move = some_move(seen.json(), _rng)
        case.body = {"game": seen.json()["game"], "decision": you["decision"], "move": move}
    preparable = (you["private"] or {}).get("preparable")
    if name == "prepareDraft" and preparable:
        case.body = _rng.choice(preparable)["draft"]


def _code(kind: str) -> str:
    """A code of a new private table of somebody else."""
    headers = {"Authorization": f"Bearer {_SERVICE['host']}"}
    table = _client.post(
        "/v1/tables",
        json={"game": "hearts", "visibility": "private"},
        headers={**headers, "Idempotency-Key": f'"{_rng.getrandbits(128):032x}"'},
    ).json()["table"]
    made = _client.post(
        f"/v1/tables/{table}/{kind}-code", headers={**headers, "Idempotency-Key": f'"{_rng.getrandbits(128):032x}"'}
    )
    code: str = made.json()["code"]
    return code


def _operation_id(context: schemathesis.HookContext) -> str | None:
    name: str | None = None if context.operation is None else context.operation.definition.raw.get("operationId")
    return name


def _without_contradiction(query: dict[str, Any]) -> None:
    """Ask for one version or for a range, which the contract cannot demand."""
    if "version" in query:
        for name in ("from", "to"):
            query.pop(name, None)
    elif {"from", "to"} <= query.keys():  # numbers, or texts of them
        query["from"], query["to"] = sorted((query["from"], query["to"]), key=int)


def _listed(body: Any) -> Any:
    """Put a listed number in the place of one that is only in their range."""
    options = body.get("options", body) if isinstance(body, dict) else None
    if not isinstance(options, dict):
        return body
    for game in CURRENT.values():
        for name, schema in game.options.schema["properties"].items():
            numbers = [value for value in schema.get("enum", ()) if type(value) is int]
            given = options.get(name)
            if not numbers or isinstance(given, bool) or not isinstance(given, int | float) or given % 1:
                continue
            if min(numbers) <= given <= max(numbers):
                options[name] = type(given)(min(numbers, key=lambda number: abs(number - given)))
    return body


def _with_seats(body: Any) -> Any:
    """Say how many seats a table has where nothing else says it, which the contract cannot demand."""
    if not isinstance(body, dict) or body.get("game") not in CURRENT or body.get("seats") is not None:
        return body
    game, options = CURRENT[body["game"]], body.get("options") or {}
    players = game.options.schema["properties"].get("players", {})
    if "default" in players or not isinstance(options, dict) or "players" in options:
        return body
    return {**body, "seats": game.seats[0]}
