"""Bodies of the contract's links: the contract names no bodies, since generators take none, and runs follow more with.

The links of moves follow from the types of the games, so a new game has them as well.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec

from domain.registry import CURRENT
from service.api.types.per_game import members

_EXACT: Final = {"x-schemathesis": {"merge_body": False}}
"""The body of a link is the whole body: nothing may be merged into it."""


def with_bodies(contract: dict[str, Any]) -> None:
    """Give the links of a contract bodies where their operations need some, and a link from each game to a table."""
    for methods in contract["paths"].values():
        for operation in methods.values():
            for response in operation["responses"].values():
                links = response.get("links", {})
                for name, link in [*links.items()]:
                    if link["operationId"] == "startRound":
                        links[name] = {**link, "requestBody": {"round": 1}, **_EXACT}
                    elif link["operationId"] == "makeMove":
                        table = link["parameters"]["table"]
                        view = "$response.body#/view" if table.startswith("$request") else table.removesuffix("/table")
                        links |= {move: {**link, "requestBody": body, **_EXACT} for move, body in _moves(view)}
                        del links[name]
                    elif link["operationId"] == "getRules":
                        body = {"game": link["parameters"]["game"], "seats": 3, "bots": [1, 2], "visibility": "private"}
                        links["createTable"] = {"operationId": "createTable", "requestBody": body, **_EXACT}


def _moves(view: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Bodies of moves by name: those without fields, and those of cards that the first entry of `legal` lists.

    A seat that goes on after its own move has its next decision at the version which that move made.
    """
    for game in CURRENT.values():
        listed = {entry.__struct_config__.tag: entry.__struct_fields__ for entry in members(game.types.legal)}
        for move in members(game.types.move):
            tag = move.__struct_config__.tag
            required = {field.encode_name: field for field in msgspec.structs.fields(move) if field.required}
            body: dict[str, Any] = {"game": game.key, "decision": f"{view}/version", "move": {"type": tag}}
            if not required:
                yield f"{game.key}_{tag}", body
            elif "cards" in listed.get(tag, ()):
                cards = _cards(required, f"{view}/you/legal/0/cards")
                move_body = {"type": tag, **cards}
                yield f"{game.key}_{tag}", {**body, "decision": f"{view}/you/decision", "move": move_body}


def _cards(required: Mapping[str, Any], legal: str) -> dict[str, Any]:
    """The card or cards of a move; as many as the example in its type has."""
    if "cards" not in required:
        return {"card": f"{legal}/0"}
    (schema,), _ = msgspec.json.schema_components([required["cards"].type])
    return {"cards": [f"{legal}/{place}" for place in range(len(schema.get("examples", [[None]])[0]))]}
