"""Links of the contract: what can be done next with the values of a response.

The links of moves follow from the types of the games, so a new game has them as well.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from domain.registry import CURRENT

_READS: Final = ("getTable", "listEvents", "getHead")
_LOBBY: Final = ("takeSeat", "changeOptions", "markReady", "endMatch", "leaveTable")
_MATCH: Final = ("getReplay", "explainMove", "getDrafts", "prepareDraft", "orderHand", "askAdvice", "leaveTable")
_OVER: Final = ("getRecord", "auditTable")
_EXACT: Final = {"x-schemathesis": {"merge_body": False}}
"""The body of a link is the whole body: nothing may be merged into it."""


def lobby_links() -> dict[str, Any]:
    """Return the links of an answer that is the view of a table before its match, by name."""
    view = "$response.body#"
    links = {name: _link(name, view) for name in (*_READS, *_LOBBY)}
    links["startRound"] = _link("startRound", view, body={"round": 1})
    links["freeSeat"] = _link("freeSeat", view, seat=f"{view}/seats/1/seat")
    return links


def watch_links() -> dict[str, Any]:
    """Return the links of an answer that is a spectator's view of a table, by name."""
    return {name: _link(name, "$response.body#") for name in _READS}


def match_links(view: str = "$response.body#") -> dict[str, Any]:
    """Return the links of an answer that holds the view of a table with a match, by name."""
    links = {name: _link(name, view) for name in (*_READS, *_MATCH, *_OVER)}
    return links | {name: _link("makeMove", view, body=body) for name, body in _moves(view)}


def draft_links() -> dict[str, Any]:
    """Return the links of the view after a draft was prepared, by name."""
    view = "$response.body#"
    links = {name: _link(name, view) for name in ("getDrafts", "takeBackDrafts")}
    links["takeBackDraft"] = _link("takeBackDraft", view, draft=f"{view}/you/private/drafts/0/draft")
    return links | {name: _link("makeMove", view, body=body) for name, body in _moves(view)}


def game_links() -> dict[str, Any]:
    """Return the links of an operation that answers with a game."""
    table = {"game": "$response.body#/game", "seats": 3, "bots": [1, 2], "visibility": "private"}
    game = {"game": "$response.body#/game"}
    return {
        "createTable": {"operationId": "createTable", "requestBody": table, **_EXACT},
        "getRules": {"operationId": "getRules", "parameters": game},
        "listTables": {"operationId": "listTables", "parameters": game},
    }


def _link(operation: str, view: str, *, body: Mapping[str, Any] | None = None, **parameters: str) -> dict[str, Any]:
    link: dict[str, Any] = {"operationId": operation, "parameters": {"table": f"{view}/table", **parameters}}
    return link if body is None else {**link, "requestBody": body, **_EXACT}


def _moves(view: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Bodies of moves by name: those without fields, and those of cards that the first entry of `legal` lists.

    A seat that goes on after its own move has its next decision at the version which that move made.
    """
    for game in CURRENT.values():
        listed = {entry.__struct_config__.tag: entry.__struct_fields__ for entry in _members(game.types.legal)}
        for move in _members(game.types.move):
            tag = move.__struct_config__.tag
            required = {field.encode_name: field for field in msgspec.structs.fields(move) if field.required}
            if not required:
                yield f"{game.key}_{tag}", {"decision": f"{view}/version", "move": {"type": tag}}
            elif "cards" in listed.get(tag, ()):
                cards = _cards(required, f"{view}/you/legal/0/cards")
                yield f"{game.key}_{tag}", {"decision": f"{view}/you/decision", "move": {"type": tag, **cards}}


def _members(union: Any) -> tuple[Any, ...]:
    members: tuple[Any, ...] = getattr(union, "__args__", (union,))
    return members


def _cards(required: Mapping[str, Any], legal: str) -> dict[str, Any]:
    """The card or cards of a move; as many as the example in its type has."""
    if "cards" not in required:
        return {"card": f"{legal}/0"}
    (schema,), _ = msgspec.json.schema_components([required["cards"].type])
    return {"cards": [f"{legal}/{place}" for place in range(len(schema.get("examples", [[None]])[0]))]}
