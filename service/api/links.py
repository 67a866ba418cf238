"""Links of the contract: what can be done next with the values of a response.

They say where to find the parameters of the next request, and nothing of its body: generators take no objects there.
"""

from typing import Any, Final

_READS: Final = ("getTable", "listEvents", "getHead")
_LOBBY: Final = ("takeSeat", "changeOptions", "markReady", "endMatch", "leaveTable")
_MATCH: Final = (
    "makeMove",
    "getReplay",
    "explainMove",
    "getDrafts",
    "prepareDraft",
    "orderHand",
    "askAdvice",
    "leaveTable",
)
_OVER: Final = ("getRecord", "auditTable")


def lobby_links() -> dict[str, Any]:
    """Return the links of an answer that is the view of a table before its match, by name."""
    view = "$response.body#"
    links = {name: _link(name, view) for name in (*_READS, *_LOBBY)}
    links["startRound"] = _link("startRound", view)
    links["freeSeat"] = _link("freeSeat", view, seat=f"{view}/seats/1/seat")
    return links


def watch_links() -> dict[str, Any]:
    """Return the links of an answer that is a spectator's view of a table, by name."""
    return {name: _link(name, "$response.body#") for name in _READS}


def match_links(table: str = "$response.body#/table") -> dict[str, Any]:
    """Return the links of an answer about a table with a match, by name; `table` says where its id is."""
    return {name: {"operationId": name, "parameters": {"table": table}} for name in (*_READS, *_MATCH, *_OVER)}


def draft_links() -> dict[str, Any]:
    """Return the links of the view after a draft was prepared, by name."""
    view = "$response.body#"
    links = {name: _link(name, view) for name in ("getDrafts", "takeBackDrafts")}
    links["takeBackDraft"] = _link("takeBackDraft", view, draft=f"{view}/you/private/drafts/0/draft")
    return links


def game_links() -> dict[str, Any]:
    """Return the links of an operation that answers with a game."""
    game = {"game": "$response.body#/game"}
    return {
        "getRules": {"operationId": "getRules", "parameters": game},
        "listTables": {"operationId": "listTables", "parameters": game},
    }


def _link(operation: str, view: str, **parameters: str) -> dict[str, Any]:
    return {"operationId": operation, "parameters": {"table": f"{view}/table", **parameters}}
