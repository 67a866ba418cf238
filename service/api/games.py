"""Games, their options and rules."""

from typing import Any, Final

from domain.decider import AnyGame
from domain.registry import CURRENT
from service.api.http import Answer, Call, Operation, answer
from service.api.links import game_links
from service.api.shared import GAME_PARAMETER
from service.api.types import resources as wire
from service.contract.schemas import completed
from service.errors import NotFoundError

_CACHE: Final = {"Cache-Control": "public, max-age=300"}


async def list_games(_: Call) -> Answer:
    return answer(wire.GameList(tuple(map(game_summary, CURRENT.values()))), headers=_CACHE)


async def get_game(call: Call) -> Answer:
    return answer(game_info(_game(call)), headers=_CACHE)


async def get_rules(call: Call) -> Answer:
    return answer(rule_list(_game(call)), headers=_CACHE)


def game_summary(game: AnyGame) -> wire.GameSummary:
    """Return what the list of games says of one."""
    return wire.GameSummary(game.key, game.title, game.rules_version, *game.seats, game.credits)


def game_info(game: AnyGame) -> wire.GameInfo:
    """Return a game with the schema of its options."""
    options = completed(game.options.schema)
    return wire.GameInfo(game.key, game.title, game.rules_version, *game.seats, game.credits, options)


def rule_list(game: AnyGame) -> wire.RuleList:
    """Return all rules of a game, and the sentences of its refusals."""
    return wire.RuleList(game.key, game.rules_version, game.rules, dict(game.rejections))


def _game(call: Call) -> AnyGame:
    game = CURRENT.get(call.path("game"))
    if game is None:
        raise NotFoundError("There is no game of this name.")
    return game


OPERATIONS: tuple[Operation[Any], ...] = (
    Operation(
        id="listGames",
        method="GET",
        path="/v1/games",
        summary="List the games",
        description="Their names, for `game` elsewhere, with the number of seats and the newest version of the rules.",
        tag="games",
        run=list_games,
        public=True,
        answer=wire.GameList,
        links={"getGame": {"operationId": "getGame", "parameters": {"game": "$response.body#/items/0/game"}}},
    ),
    Operation(
        id="getGame",
        method="GET",
        path="/v1/games/{game}",
        summary="Look at a game and its options",
        description="`options` is the JSON Schema of what createTable takes as `options`: names, values, defaults "
        "and texts for a form.",
        tag="games",
        run=get_game,
        public=True,
        answer=wire.GameInfo,
        problems=(404,),
        path_parameters=GAME_PARAMETER,
        links=game_links(),
    ),
    Operation(
        id="getRules",
        method="GET",
        path="/v1/games/{game}/rules",
        summary="Read the numbered rules of a game",
        description="Every rule number with a short text, and every code a move can be refused with. "
        "A refused move names the number in `rule`.",
        tag="games",
        run=get_rules,
        public=True,
        answer=wire.RuleList,
        problems=(404,),
        path_parameters=GAME_PARAMETER,
    ),
)
