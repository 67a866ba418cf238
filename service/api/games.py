"""Games, their options and rules."""

from functools import cache
from typing import Any, Final, TypeAlias

import msgspec
from litestar import Request, Response
from litestar.params import FromPath

from domain.decider import AnyGame, OptionLabel, OptionSetting, Rule
from domain.registry import CURRENT
from service.api.fixed import FIXED_ETAG, FIXED_HEADERS, FixedDocument
from service.api.links import game_links
from service.api.negotiation import asked_language
from service.api.operation import Operation
from service.api.responses import GAME_PARAMETER
from service.api.types import games as types
from service.api.types.json_schema import completed
from service.errors import NotFoundError
from service.languages.cards import CARD_WORDS
from service.languages.catalogues import Language, translated

AnyRequest: TypeAlias = Request[Any, Any, Any]

_HEADERS: Final = {**FIXED_ETAG, "Content-Language": "The language of the texts."}


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
    conditional=True,
    headers=FIXED_HEADERS,
    vary=("Accept-Language",),
    compressed="by_itself",
    response_headers=_HEADERS,
)
async def list_games(request: AnyRequest) -> Response[bytes | None]:
    return _list_of_games(asked_language(request.scope)).response(request)


@Operation(
    "GET",
    "/v1/games/{game:str}",
    id="getGame",
    summary="Get a game and its options",
    description="`options` is the JSON Schema of what createTable takes as `options`: names, values, defaults "
    "and texts. `settings` is the same for a settings screen: title, help, labels, and which options go together.",
    tag="games",
    public=True,
    response=types.GameInfo,
    problems=(404,),
    path_parameters=GAME_PARAMETER,
    links=game_links(),
    conditional=True,
    headers=FIXED_HEADERS,
    vary=("Accept-Language",),
    compressed="by_itself",
    response_headers=_HEADERS,
)
async def get_game(request: AnyRequest, game: FromPath[str]) -> Response[bytes | None]:
    language = asked_language(request.scope)
    return _game(_found(game).key, language).response(request)


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
    conditional=True,
    headers=FIXED_HEADERS,
    vary=("Accept-Language",),
    compressed="by_itself",
    response_headers=_HEADERS,
)
async def get_rules(request: AnyRequest, game: FromPath[str]) -> Response[bytes | None]:
    language = asked_language(request.scope)
    return _rules(_found(game).key, language).response(request)


def game_summary(game: AnyGame, language: Language = "en") -> types.GameSummary:
    """Return the entry of a game in the list of games."""
    title, credits = translated(game.title, language), translated(game.credits, language)
    return types.GameSummary(game.key, title, game.rules_version, *game.seats, credits)


def game_info(game: AnyGame, language: Language = "en") -> types.GameInfo:
    """Return a game with the schema of its options."""
    title, credits = translated(game.title, language), translated(game.credits, language)
    named = {**game.words, "card": CARD_WORDS}
    words = {name: {code: translated(word, language) for code, word in codes.items()} for name, codes in named.items()}
    settings = tuple(_setting(setting, language) for setting in game.options.settings)
    options = completed(game.options.schema)
    for schema in options["properties"].values():
        if "description" in schema:
            schema["description"] = translated(schema["description"], language)
    return types.GameInfo(game.key, title, game.rules_version, *game.seats, credits, options, words, settings)


def _setting(setting: OptionSetting, language: Language) -> OptionSetting:
    labels = tuple(OptionLabel(one.value, translated(one.label, language)) for one in setting.labels)
    title, help_ = translated(setting.title, language), translated(setting.help, language)
    return OptionSetting(setting.option, title, help_, labels, setting.depends_on)


def rule_list(game: AnyGame, language: Language = "en") -> types.RuleList:
    """Return all rules of a game, and the sentences of its refusals."""
    rules = tuple(Rule(rule.number, translated(rule.text, language)) for rule in game.rules)
    rejections = {code: translated(sentence, language) for code, sentence in game.rejections.items()}
    return types.RuleList(game.key, game.rules_version, rules, rejections)


@cache
def _list_of_games(language: Language) -> FixedDocument:
    return _in(language, types.GameList(tuple(game_summary(game, language) for game in CURRENT.values())))


@cache
def _game(key: str, language: Language) -> FixedDocument:
    return _in(language, game_info(CURRENT[key], language))


@cache
def _rules(key: str, language: Language) -> FixedDocument:
    return _in(language, rule_list(CURRENT[key], language))


def _in(language: Language, content: msgspec.Struct) -> FixedDocument:
    return FixedDocument(msgspec.json.encode(content), {"Content-Language": language})


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
