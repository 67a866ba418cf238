"""Games, their options and rules."""

from typing import Final

from litestar.params import FromPath

from domain.decider import AnyGame
from domain.registry import CURRENT
from service.api.links import game_links
from service.api.operation import Operation
from service.api.responses import GAME_PARAMETER
from service.api.types import games as types
from service.api.types.json_schema import completed
from service.errors import NotFoundError

_CACHE: Final = {"Cache-Control": "public, max-age=300"}


@Operation(
    "GET",
    "/v1/games",
    id="listGames",
    summary="List the games",
    description="The keys to use as `game` elsewhere, with the number of seats and the newest rules version.",
    tag="games",
    public=True,
    response=types.GameList,
    links={"getGame": {"operationId": "getGame", "parameters": {"game": "$response.body#/items/0/game"}}},
    headers=_CACHE,
)
async def list_games() -> types.GameList:
    return types.GameList(tuple(map(game_summary, CURRENT.values())))


@Operation(
    "GET",
    "/v1/games/{game:str}",
    id="getGame",
    summary="Get a game and its options",
    description="`options` is the JSON Schema of what createTable takes as `options`: names, values, defaults "
    "and texts for a form.",
    tag="games",
    public=True,
    response=types.GameInfo,
    problems=(404,),
    path_parameters=GAME_PARAMETER,
    links=game_links(),
    headers=_CACHE,
    compressed=True,
)
async def get_game(game: FromPath[str]) -> types.GameInfo:
    return game_info(_found(game))


@Operation(
    "GET",
    "/v1/games/{game:str}/rules",
    id="getRules",
    summary="Get the numbered rules of a game",
    description="Every rule number with a short text, and every code with which a move can be refused. The problem "
    "of a refused move has the number in `rule`.",
    tag="games",
    public=True,
    response=types.RuleList,
    problems=(404,),
    path_parameters=GAME_PARAMETER,
    headers=_CACHE,
    compressed=True,
)
async def get_rules(game: FromPath[str]) -> types.RuleList:
    return rule_list(_found(game))


def game_summary(game: AnyGame) -> types.GameSummary:
    """Return the entry of a game in the list of games."""
    return types.GameSummary(game.key, game.title, game.rules_version, *game.seats, game.credits)


def game_info(game: AnyGame) -> types.GameInfo:
    """Return a game with the schema of its options."""
    options = completed(game.options.schema)
    return types.GameInfo(game.key, game.title, game.rules_version, *game.seats, game.credits, options)


def rule_list(game: AnyGame) -> types.RuleList:
    """Return all rules of a game, and the sentences of its refusals."""
    return types.RuleList(game.key, game.rules_version, game.rules, dict(game.rejections))


def _found(game: str) -> AnyGame:
    found = CURRENT.get(game)
    if found is None:
        raise NotFoundError("There is no such game.")
    return found


HANDLERS: Final = (
    list_games,
    get_game,
    get_rules,
)
