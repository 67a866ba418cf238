"""The OpenAPI 3.1 contract, made from what the route handlers say of themselves and the types they name.

The same document is committed, with line breaks, and served, without, at `/openapi.json`.
"""

import json
import re
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final

import msgspec

from service.api.headers import KEY_PATTERN, PREFER_LENGTH_MAX, SECRET_KEY_PATTERN, TAGS_LENGTH_MAX
from service.api.operation import Operation
from service.api.problems import PROBLEM_TYPE, Problem
from service.api.types.json_schema import completed
from service.contract.examples import Examples, bodies, responses
from service.contract.schemas import REF_TEMPLATE, component_schemas, schema_of
from service.errors import HTTP_PROBLEM_TYPES, INTERNAL, PROBLEM_TYPES, FieldError, ProblemType
from service.languages.catalogues import ACCEPT_LENGTH_MAX
from service.runtime.limits import DEFAULT_LIMITS

_TAGS: Final = {
    "players": "Guest accounts and public profiles.",
    "standings": "Leaderboards.",
    "me": "The caller's account and tokens.",
    "games": "Games, options and rules.",
    "tables": "Tables: creating, finding, viewing, the host's commands.",
    "seats": "Sitting down and leaving.",
    "moves": "Answers to decisions.",
    "private": "What a seat keeps to itself: drafts, the order of its hand, advice.",
    "events": "What was recorded.",
    "replays": "Any version of a match, and why a move was legal or not.",
    "records": "Matches that are over, as evidence.",
    "transparency": "The log of all matches that are over: signed, append-only, open to monitors.",
    "disputes": "Challenges of recorded moves, and how arbiters decide them.",
    "operations": "Health and metrics.",
}
_DESCRIPTION: Final = """\
Backend of card-game apps. Every accepted move is an immutable event; a table's `version` counts them.

**Decisions.** A view has `you.decision`; send that number with the move. A retry of the same move gets the same
response, so a client on a bad network simply sends it again.

**Legal moves.** `you.legal` has an entry for each kind of move open now, with the cards that may be used.

**Unknown kinds.** Unions are discriminated by `type` or `game`. New kinds may be added: ignore those you do not know.

**Problems.** Errors are `application/problem+json` (RFC 9457) with a stable `code`; `rule` names the rule that
refused a move, see `GET /v1/games/{game}/rules`.

**Languages.** Texts for people come in English or German by `Accept-Language`, in games, rules and problems (`title`,
`detail`, `errors`). Views, events and records hold codes alone, whatever their reader speaks.

**Limits.** Beyond them requests are refused with 429 and `Retry-After`; `RateLimit-Policy` names the limit, as in
`"moves";q=30;w=10`, and `RateLimit` says when there is more. These are the defaults, which operators may change; those
with a time are buckets that refill steadily:

"""
_ID_EXAMPLES: Final = {
    "table": "018f2b6e-7c1a-4d3e-9a44-5b6c7d8e9f01",
    "player": "5f0c2d8e-41c7-4b1e-9b7d-0d7b6f3c2a10",
    "token": "a3f1b2c4-0d5e-4f6a-8b7c-9d0e1f2a3b4c",
    "dispute": "7b1e9d34-52c8-4f0a-8e61-c0a9d2f4b817",
}


def contract(operations: Sequence[Operation]) -> dict[str, Any]:
    """Return the contract as a JSON object."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(_path(operation), {})[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Blattwerk",
            "version": "1.0.0",
            "summary": "Backend of card-game apps: provable, replayable, durable.",
            "description": _DESCRIPTION + _limits(),
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
            "contact": {"name": "Blattwerk", "url": "https://blattwerk.example/contact"},
        },
        "servers": [
            {
                "url": "/",
                "description": "The service that this contract was read from, local or in production.",
                "x-internal": False,
            }
        ],
        "tags": [{"name": name, "description": text} for name, text in _TAGS.items()],
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "bearer": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "Opaque token `bw_...`, from createPlayer or createToken.",
                }
            },
            "headers": {
                "RequestId": {
                    "description": "Trace id of the request, also in logs and problems.",
                    "schema": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
                }
            },
            "examples": {name: {"value": json.loads(text)} for text, name in _shared_examples().items()},
            "responses": {f"Problem{status}": _problem_response(status) for status in _used_statuses(operations)},
            "schemas": component_schemas(_asked(operations), _answered(operations)),
        },
    }


def contract_bytes(operations: Sequence[Operation]) -> bytes:
    """Return the contract as it is committed, for people to read."""
    return (json.dumps(contract(operations), indent=2, ensure_ascii=False) + "\n").encode()


def compact_contract(operations: Sequence[Operation]) -> bytes:
    """Return the contract as it is served: the same document without white space."""
    return json.dumps(contract(operations), separators=(",", ":"), ensure_ascii=False).encode()


def _limits() -> str:
    rows = [
        f"| `{name}` | {one.what} | {one.quota} {'at once' if one.seconds is None else f'in {one.seconds} s'} |\n"
        for name, one in DEFAULT_LIMITS.items()
    ]
    return "| limit | of | number |\n| --- | --- | --- |\n" + "".join(rows)


# Operations


def _path(operation: Operation) -> str:
    """Return the path without the types of its parameters, which only routing needs."""
    return re.sub(r"\{(\w+):\w+\}", r"{\1}", operation.path)


def _operation(operation: Operation) -> dict[str, Any]:
    made: dict[str, Any] = {
        "operationId": operation.id,
        "summary": operation.summary,
        "description": (operation.description or f"{operation.summary}.") + _limited(operation),
        "tags": [operation.tag],
    }
    if operation.public:
        made["security"] = []
    if operation.public_when_over:
        made["security"] = [{"bearer": []}, {}]
        made["description"] += " Public matches that are over need no token."
    parameters = [*_path_parameters(operation), *_query_parameters(operation), *_header_parameters(operation)]
    if parameters:
        made["parameters"] = parameters
    if operation.body is not None:
        content: dict[str, Any] = {"schema": schema_of(operation.body)}
        content["examples"] = _examples(bodies()[operation.id])
        made["requestBody"] = {"required": True, "content": {"application/json": content}}
    made["responses"] = _responses(operation)
    return made


def _examples(examples: Examples) -> dict[str, Any]:
    """Return examples by name; those of several operations are components."""
    shared = _shared_examples()
    return {
        name: {"$ref": f"#/components/examples/{shared[text]}"}
        if (text := json.dumps(value)) in shared
        else {"value": value}
        for name, value in examples.items()
    }


def _limited(operation: Operation) -> str:
    if not operation.limits:
        return ""
    return f" Limited by {' and '.join(f'`{name}`' for name in operation.limits)}."


@cache
def _shared_examples() -> dict[str, str]:
    """The names of those examples, by their JSON, that are shown for more than one operation."""
    names: dict[str, list[str]] = {}
    for operation, examples in (*responses().items(), *bodies().items()):
        for name, value in examples.items():
            names.setdefault(json.dumps(value), []).append(f"{operation}_{name}")
    return {text: several[0] for text, several in names.items() if len(several) > 1}


def _path_parameters(operation: Operation) -> Iterable[dict[str, Any]]:
    for part in _path(operation).split("/"):
        if not part.startswith("{"):
            continue
        name = part[1:-1]
        own = operation.path_parameters.get(name)
        schema = completed(own) if own else {"type": "string", "format": "uuid", "examples": [_ID_EXAMPLES[name]]}
        if not own:
            schema |= {"pattern": "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$", "maxLength": 36}
        yield {"name": name, "in": "path", "required": True, "description": _PARAMETER_TEXTS[name], "schema": schema}


_PARAMETER_TEXTS: Final = {
    "slug": "The last part of the `type` of a problem.",
    "table": "The table's id.",
    "player": "The account's id.",
    "token": "The token's id.",
    "game": "The game's name.",
    "seat": "The seat's number.",
    "draft": "The draft's name.",
    "dispute": "The dispute's id.",
}


def _query_parameters(operation: Operation) -> Iterable[dict[str, Any]]:
    if operation.query is None:
        return
    (_,), components = msgspec.json.schema_components([operation.query], ref_template=REF_TEMPLATE)
    query = components[operation.query.__name__]
    for name, schema in query["properties"].items():
        given = dict(schema)
        default = given.pop("default", None)
        if "anyOf" in given:  # optional: the null stands for leaving it out
            outer = {key: value for key, value in given.items() if key != "anyOf"}
            given = {**next(option for option in given["anyOf"] if option != {"type": "null"}), **outer}
        if default is not None:
            given["default"] = default
        text = given.pop("description", name)
        parameter = {"name": name, "in": "query", "required": name in query.get("required", ())}
        parameter["description"] = text
        yield {**parameter, "schema": completed(given)}


def _header_parameters(operation: Operation) -> Iterable[dict[str, Any]]:
    if operation.idempotent:
        text = "A string that you choose for this request and send again with every retry, quoted or not."
        if operation.secret_key:
            text += " Random and secret: a UUID of version 4, or at least 32 hexadecimal digits."
        yield {
            "name": "Idempotency-Key",
            "in": "header",
            "required": True,
            "description": text,
            "schema": {
                "type": "string",
                "pattern": SECRET_KEY_PATTERN if operation.secret_key else KEY_PATTERN,
                "minLength": 32 if operation.secret_key else 16,
                "maxLength": 130,
                "examples": ['"7d0c3a52-6f1e-4a7b-9c55-2f4b8a1e0d93"'],
            },
        }
    if operation.conditional:
        yield {
            "name": "If-None-Match",
            "in": "header",
            "required": False,
            "description": "The ETag that you have, or a list of some, or `*` for any; the response is 304 as long as "
            "it is current.",
            "schema": {"type": "string", "maxLength": TAGS_LENGTH_MAX, "examples": ['"41.0.5a3c77e1-2"']},
        }
    if "Accept-Language" in operation.vary:
        yield {
            "name": "Accept-Language",
            "in": "header",
            "required": False,
            "description": "The languages in which you read texts, by RFC 9110: English (`en`, the default) or German "
            "(`de`). Problems follow it too, at every operation.",
            "schema": {"type": "string", "maxLength": ACCEPT_LENGTH_MAX, "examples": ["de-AT, de;q=0.9, en;q=0.5"]},
        }
    if operation.minimal:
        yield {
            "name": "Prefer",
            "in": "header",
            "required": False,
            "description": "`return=minimal` for a response without what can be read elsewhere (RFC 7240). Other "
            "preferences are ignored.",
            "schema": {"type": "string", "maxLength": PREFER_LENGTH_MAX, "examples": ["return=minimal"]},
        }


def _responses(operation: Operation) -> dict[str, Any]:
    headers: dict[str, Any] = {"X-Request-Id": {"$ref": "#/components/headers/RequestId"}}
    for name, text in (operation.documented_headers).items():
        headers[name] = {"description": text, "schema": {"type": "string"}}
    success: dict[str, Any] = {"description": _STATUS_TEXTS[operation.status_code], "headers": headers}
    if operation.response is not None:
        content: dict[str, Any] = {"schema": schema_of(operation.response)}
        examples = responses()[operation.id]
        first, *others = operation.response_media_types
        content["examples"] = _examples({name: value for name, value in examples.items() if name not in others})
        success["content"] = {first: content}
        for other in others:
            shown = {"text": {"value": examples[other]}}
            success["content"][other] = {"schema": schema_of(str), "examples": shown}
    if operation.links:
        success["links"] = {name: dict(link) for name, link in operation.links.items()}
    made: dict[str, Any] = {str(operation.status_code): success}
    if operation.conditional:
        made["304"] = {"description": "You already have this version.", "headers": headers}
    for status in operation.problem_statuses:
        made[str(status)] = {"$ref": f"#/components/responses/Problem{status}"}
    return made


_STATUS_TEXTS: Final = {200: "Done.", 201: "Created.", 204: "Done; the response has no body."}


# Problems


def _used_statuses(operations: Sequence[Operation]) -> list[int]:
    return sorted({status for operation in operations for status in operation.problem_statuses})


_UNAVAILABLE_CODES: Final = (
    "An unavailable service says by `code` what became of the request: `unavailable`, `log_outdated` and `overloaded`, "
    "it recorded nothing; `outcome_unknown`, nobody knows, send the same again; `recorded`, it was, and its result "
    "follows."
)


def _problem_response(status: int) -> dict[str, Any]:
    problem_types = [
        one for one in (*PROBLEM_TYPES.values(), *HTTP_PROBLEM_TYPES.values(), INTERNAL) if one.status == status
    ]
    headers: dict[str, Any] = {
        "X-Request-Id": {"$ref": "#/components/headers/RequestId"},
        "Content-Language": {"description": "The language of the texts.", "schema": {"type": "string"}},
    }
    if status == 401:
        headers["WWW-Authenticate"] = {"description": "How to authenticate.", "schema": {"type": "string"}}
    if status == 429:
        headers["RateLimit-Policy"] = {"description": "The limit that was reached.", "schema": {"type": "string"}}
        headers["RateLimit"] = {
            "description": "What is left of it, and when more is.",
            "schema": {"type": "string"},
        }
    if status in (429, 503):
        headers["Retry-After"] = {"description": "Seconds to wait.", "schema": {"type": "string"}}
    description = ". ".join(one.title for one in problem_types) + "."
    return {
        "description": f"{description} {_UNAVAILABLE_CODES}" if status == 503 else description,
        "headers": headers,
        "content": {
            PROBLEM_TYPE: {
                "schema": {"$ref": "#/components/schemas/Problem"},
                "examples": {one.slug.replace("-", "_"): {"value": _example(one)} for one in problem_types},
            }
        },
    }


def _example(problem_type: ProblemType) -> dict[str, Any]:
    example: dict[str, Any] = {
        "type": f"/problems/{problem_type.slug}",
        "title": problem_type.title,
        "status": problem_type.status,
        "detail": problem_type.title + ".",
        "code": problem_type.slug.replace("-", "_"),
        "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736",
    }
    if problem_type.slug == "illegal-move":
        example |= {"detail": "You must follow suit.", "code": "must_follow_suit", "rule": "H-22", "version": 61}
        example["legal"] = {"game": "hearts", "entries": [{"type": "play", "cards": ["5C", "KC"]}]}
    if problem_type.slug == "decision":
        example |= {"code": "stale_decision", "version": 61}
    return example


# Types


def _asked(operations: Sequence[Operation]) -> Iterable[Any]:
    for operation in operations:
        yield from _each(operation.body)


def _answered(operations: Sequence[Operation]) -> Iterable[Any]:
    yield from (Problem, FieldError)
    for operation in operations:
        yield from _each(operation.response)


def _each(types: Any) -> Iterable[Any]:
    return types if isinstance(types, tuple) else () if types is None else (types,)
