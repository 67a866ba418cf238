"""Examples of the contract, by operation and name. Those of tables and matches are real ones."""

import json
from functools import cache
from typing import Any, Final

import msgspec

from domain.decider import Rejection
from domain.explain import explain, moves_to_explain
from domain.merkle import leaf_hash, node_hash
from domain.record import Inclusion
from domain.registry import CURRENT
from domain.table.views import event_seen
from domain.transparency import checkpoint_text, leaf_of
from domain.verify import verify
from projections.own_tables import own_table
from service.api.games import game_info, game_summary, rule_list
from service.api.problem_types import PROBLEM_TYPES_BY_SLUG, problem_type_page
from service.api.types.private import DRAFTS, HAND_ORDERS, QUESTIONS
from service.api.types.tables import Head
from service.contract.disputes import dispute_bodies, dispute_responses
from service.contract.matches import PLAYER, TABLE, TIME, ExampleMatch, asked_seats
from service.contract.schemas import REF_TEMPLATE
from service.records.signer import Signer
from service.verify.notes import is_signed

_TOKEN: Final = "a3f1b2c4-0d5e-4f6a-8b7c-9d0e1f2a3b4c"  # noqa: S105 - an id
_BEARER: Final = "bw_" + "A" * 43
_RECOVERY: Final = "7KQ2M-9XT4H-PW8RV-D0C1B-3Z6YJ"
_TRANSFER: Final = "4HPW-8RVD-0C1B"
_JOIN: Final = "7KQ2-M9XT"
_HEARTS: Final = "hearts"
_RULES_SHOWN: Final = 3
"""Of the rules and the codes of a game the example shows so many."""
_VIEWS: Final = (
    "createTable",
    "getTable",
    "takeSeat",
    "joinTable",
    "freeSeat",
    "startRound",
    "changeOptions",
    "markReady",
    "endMatch",
)
_FIGURES: Final = {"matches": 7, "wins": 4, "places": [4, 1, 0, 2, 0, 0], "average_place": 2.0, "left": 1}
_PRIVATE_VIEWS: Final = ("prepareDraft", "takeBackDrafts", "takeBackDraft", "orderHand")

Examples = dict[str, Any]
"""Values by name, as they are sent."""


@cache
def bodies() -> dict[str, Examples]:
    """Return examples of request bodies by operation."""
    tables: Examples = {}
    moves: Examples = {}
    for key, match in _matches().items():
        asked = asked_seats(match.game)
        bots = [1, 2][: match.state.setup.seats - 1]
        tables[key] = {"game": key, "bots": bots} | ({"seats": asked} if asked else {})
        answered = match.events[-1]
        moves[key] = {"game": key, "decision": answered.decision, "move": _builtin(answered.move)}
    return {
        "createPlayer": {"ada": {"name": "Ada"}},
        "changeMe": {"ada": {"name": "Ada L."}},
        "createToken": {"phone": {"label": "phone", "expires_in_days": 90}},
        "redeemCode": {
            "recovery": {"code": _RECOVERY, "label": "new phone", "revoke_others": True},
            "transfer": {"code": _TRANSFER.lower().replace("-", " "), "label": "tablet"},
        },
        "createTable": tables,
        "joinTable": {"typed": {"code": _JOIN.lower(), "client_seed": "20" * 32}, "read": {"code": _JOIN}},
        "watchTable": {"read": {"code": _TRANSFER}},
        "takeSeat": {"first_open": {"client_seed": "20" * 32}, "bot": {"bot": True, "seat": 2}},
        "startRound": {"match": {"round": 1}},
        "markReady": {"ready": {"ready": True}},
        "changeOptions": {"first_meld_min": {"first_meld_min": 40}},
        "makeMove": moves,
        "prepareDraft": _described(tuple(DRAFTS.values())),
        "orderHand": _described(tuple(HAND_ORDERS.values())),
        "askAdvice": _described(tuple(QUESTIONS.values())),
        **dispute_bodies(),
    }


@cache
def responses() -> dict[str, Examples]:
    """Return examples of responses by operation."""
    views = {key: match.view() for key, match in _matches().items()}
    with_private_stream = {
        key: match.view(game.new())
        for key, match in _matches().items()
        if (game := match.game.private_stream) is not None
    }
    return {
        **dict.fromkeys(_VIEWS, views),
        **dict.fromkeys(_PRIVATE_VIEWS, with_private_stream),
        "watchTable": {key: view | {"you": None} for key, view in views.items()},
        **{name: {"code": _link("join", _JOIN)} for name in ("createJoinCode", "getJoinCode")},
        **{name: {"code": _link("watch", _TRANSFER)} for name in ("createSpectatorCode", "getSpectatorCode")},
        "getDrafts": {key: view["you"]["private"] for key, view in with_private_stream.items()},
        "askAdvice": _advice(),
        **_accounts(),
        **_games(),
        **_evidence(),
        **dispute_responses(),
        **{name: {key: example(match) for key, match in _matches().items()} for name, example in _OF_MATCHES.items()},
        "listTables": {"page": {"items": [_summary(match) for match in _matches().values()], "next_cursor": None}},
        "listMyTables": {"page": {"items": [_own(match) for match in _matches().values()], "next_cursor": None}},
        "livez": {"ok": {"status": "ok"}},
        "readyz": {
            "ok": {
                "status": "ok",
                "database": "ok",
                "views": "ok",
                "log": "ok",
                "owed_seconds": {"views": 0, "names": 0, "departures": 0},
            }
        },
        "metrics": {"requests": 'http_server_request_duration_seconds_count{http_route="/livez"} 7.0\n'},
        "getContract": {
            "contract": {"openapi": "3.1.0", "info": {"title": "Blattwerk", "version": "1.0.0"}, "paths": {}}
        },
    }


@cache
def _matches() -> dict[str, ExampleMatch]:
    matches = {key: ExampleMatch(game) for key, game in CURRENT.items()}
    for match in matches.values():
        match.play_until_own_move()
    return matches


def _link(path: str, code: str) -> Any:
    return {"code": code, "link": f"https://cards.example/{path}#{code}"}


def _builtin(value: Any) -> Any:
    return json.loads(msgspec.json.encode(value))


def _described(types: tuple[Any, ...]) -> Examples:
    """Return an example for each member of unions of tagged structs, from what their fields say of themselves."""
    (*_,), components = msgspec.json.schema_components(types, ref_template=REF_TEMPLATE)
    tagged = {name: schema for name, schema in components.items() if "type" in schema.get("properties", {})}
    return {
        schema["properties"]["type"]["enum"][0]: {
            field: _first(schema["properties"][field]) for field in schema["required"]
        }
        for schema in tagged.values()
    }


def _first(schema: Any) -> Any:
    """The first value that a schema names, for an array one of its items."""
    for key in ("examples", "enum"):
        if key in schema:
            return schema[key][0]
    return [_first(schema["items"])]


# accounts


def _accounts() -> dict[str, Examples]:
    me = {"player": PLAYER, "name": "Ada", "role": "player", "created": TIME, "recovery_code_created": None}
    redeemed = {"player": PLAYER, "name": "Ada", "token_id": _TOKEN, "label": "phone", "expires": TIME}
    token = {"token_id": _TOKEN, "label": "phone", "created": TIME, "last_used": TIME, "expires": None, "current": True}
    return {
        "createPlayer": {"ada": {"player": PLAYER, "name": "Ada", "token_id": _TOKEN, "token": _BEARER}},
        "getPlayer": {"ada": {"player": PLAYER, "name": "Ada", "statistics": [{"game": _HEARTS, **_FIGURES}]}},
        "getLeaderboard": {
            _HEARTS: {
                "game": _HEARTS,
                "items": [{"player": PLAYER, "name": "Ada", **_FIGURES}],
                "next_cursor": None,
            }
        },
        "getMe": {"ada": me},
        "changeMe": {"ada": me | {"name": "Ada L."}},
        "createToken": {"phone": {"token_id": _TOKEN, "label": "phone", "expires": TIME, "token": _BEARER}},
        "createRecoveryCode": {"code": {"code": _RECOVERY, "created": TIME}},
        "createTransferCode": {"code": {"code": _TRANSFER, "created": TIME, "expires": TIME + 600_000}},
        "redeemCode": {"phone": {**redeemed, "token": _BEARER}},
        "listTokens": {"phone": {"items": [token], "next_cursor": None}},
    }


# games


def _games() -> dict[str, Examples]:
    rules = _builtin(rule_list(CURRENT[_HEARTS]))
    rules["rules"] = rules["rules"][:_RULES_SHOWN]
    rules["rejections"] = dict(list(rules["rejections"].items())[:_RULES_SHOWN])
    return {
        "listGames": {"all": {"items": [_builtin(game_summary(game)) for game in CURRENT.values()]}},
        "getGame": {key: _builtin(game_info(game)) for key, game in CURRENT.items()},
        "getRules": {_HEARTS: rules},
        "getProblemType": {"decision": _builtin(problem_type_page(PROBLEM_TYPES_BY_SLUG["decision"], ("makeMove",)))},
    }


# matches


def _summary(match: ExampleMatch) -> Any:
    return json.loads(match.projection().header.summary)


def _own(match: ExampleMatch) -> Any:
    projection = match.projection()
    own = own_table(PLAYER, projection.public, projection.header.summary)
    return None if own is None else json.loads(own.content())


def _last(match: ExampleMatch) -> Any:
    return _builtin(event_seen(match.events[-1], 0, over=False))


def _page(match: ExampleMatch) -> Any:
    seen = [_builtin(event_seen(event, 0, over=False)) for event in match.events[:3]]
    return {"game": match.game.key, "version": match.state.version, "items": seen, "next_after": 3}


def _result(match: ExampleMatch) -> Any:
    made = {"game": match.game.key, "version": match.state.version, "replayed": False}
    return {**made, "event": _last(match), "view": match.view()}


def _replay(match: ExampleMatch) -> Any:
    version = match.state.version
    step = {"version": version, "event": _last(match), "view": match.view(), "hands": None}
    return {"game": match.game.key, "version": version, "seat": "0", "items": [step], "next_from": None}


def _explained(match: ExampleMatch) -> Any:
    view, key = match.view(), match.game.key
    judged = _builtin(explain(match.state, 0, moves_to_explain(match.state, 0, view["you"]["hand"])[:2]))
    return {"game": key, "version": match.state.version, "seat": 0, "view": view, "answers": judged}


_OF_MATCHES: Final = {"makeMove": _result, "listEvents": _page, "getReplay": _replay, "explainMove": _explained}


def _advice() -> Examples:
    """Answers to those example questions that can be asked of the example's hand."""
    made: Examples = {}
    for key, question_type in QUESTIONS.items():
        match, advice = _matches()[key], CURRENT[key].advice
        for name, question in _described((question_type,)).items():
            answer = (
                None
                if advice is None
                else advice.answer(match.state.game_state, 0, msgspec.convert(question, question_type))
            )
            if answer is not None and not isinstance(answer, Rejection):
                made[f"{key}_{name}"] = _builtin(answer)
    return made


# evidence


def _evidence() -> dict[str, Examples]:
    """A match that ended because everybody left: its head, its record, its audit."""
    match, signer = ExampleMatch(CURRENT[_HEARTS]), Signer(bytes(32), "blattwerk.example")
    match.play_until_own_move()
    match.leave()
    record = match.record(signer, _inclusion(match, signer))
    report = verify(record, check_note=is_signed)
    version, time = match.state.version, match.events[-1].time
    note = signer.head(TABLE, version, match.hash, time)
    head = Head(str(TABLE), version, match.hash.hex(), time, note, signer.verifier_key)
    text = f'[Table "{TABLE}"]\n[Rules "{match.game.rules_id}"]\n\n1. create\n'
    return {
        "getHead": {_HEARTS: _builtin(head)},
        "getRecord": {_HEARTS: json.loads(record), "text/plain": text},
        **_transparency(match, signer),
        "auditTable": {_HEARTS: {"ok": report.ok, "checks": _builtin(report.checks)}},
    }


def _inclusion(match: ExampleMatch, signer: Signer) -> Inclusion:
    """The place of the match in a log of two leaves."""
    other, own = bytes(64), leaf_of(TABLE.bytes, match.state.version, match.hash)
    root = node_hash(leaf_hash(other), leaf_hash(own))
    checkpoint = signer.sign(checkpoint_text(signer.origin, 2, root))
    return Inclusion(1, 2, (leaf_hash(other).hex(),), checkpoint)


def _transparency(match: ExampleMatch, signer: Signer) -> dict[str, Examples]:
    inclusion, leaf = _inclusion(match, signer), leaf_of(TABLE.bytes, match.state.version, match.hash)
    key = {"key": signer.verifier_key}
    entries = [{"index": 0, "leaf": bytes(64).hex()}, {"index": 1, "leaf": leaf.hex()}]
    return {
        "getCheckpoint": {"two_leaves": inclusion.checkpoint},
        "getInclusion": {_HEARTS: {"leaf": leaf.hex(), **_builtin(inclusion), **key}},
        "getConsistency": {"two_leaves": {"from": 1, "to": 2, "proof": [leaf_hash(leaf).hex()]}},
        "listEntries": {"all": {"size": 2, **key, "items": entries, "next_from": None}},
    }
