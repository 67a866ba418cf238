"""Leaderboards, and the public profile of a player with statistics."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Response
from litestar.di import NamedDependency
from litestar.params import FromPath

from domain.standings import Tally
from service.accounts.accounts import Accounts
from service.accounts.public_names import PublicNames
from service.api.authentication import CallerRequest
from service.api.fixed import FIXED_ETAG, FixedDocument
from service.api.operation import PRIVATE_HEADERS, Operation
from service.api.queries import decoded_query
from service.api.responses import GAME_PARAMETER, next_link
from service.api.types import standings as types
from service.standings.standings import Standings

_encode: Final = msgspec.json.Encoder().encode
_COUNTS: Final = (
    "Finished matches count, also at private tables, unless they are annulled. Leaderboards do not list bots. A "
    "player who left the seat to a bot during a match that was then finished gets last place in it. New results "
    "appear within seconds."
)


@Operation(
    "GET",
    "/v1/leaderboards/{game:str}",
    id="getLeaderboard",
    summary="Get the leaderboard of a game",
    description=f"Most wins first, then the better average place. {_COUNTS}",
    tag="standings",
    query=types.LeaderboardQuery,
    response=types.Leaderboard,
    conditional=True,
    problems=(404,),
    response_headers=FIXED_ETAG,
    compressed="by_itself",
    path_parameters=GAME_PARAMETER,
    headers=PRIVATE_HEADERS,
)
async def get_leaderboard(
    request: CallerRequest,
    game: FromPath[str],
    standings: NamedDependency[Standings],
    names: NamedDependency[PublicNames],
) -> Response[Any]:
    params = decoded_query(request, types.LeaderboardQuery)
    page, cursor = await standings.page(game, params.cursor, params.limit)
    by_player = await names.names_of(one.player for one in page)
    items = tuple(
        types.LeaderboardEntry(one.player, by_player.get(one.player), **figures_of(one.tally)) for one in page
    )
    body = _encode(types.Leaderboard(game, items, cursor))
    following = {"cursor": cursor, "limit": params.limit}
    links = {} if cursor is None else next_link(f"/v1/leaderboards/{game}", following)
    return FixedDocument(body, links).response(request)


@Operation(
    "GET",
    "/v1/players/{player:uuid}",
    id="getPlayer",
    summary="Get a player's public profile",
    description=f"The public name, and statistics by game. {_COUNTS}",
    tag="players",
    response=types.PlayerPublic,
    problems=(404,),
)
async def get_player(
    player: FromPath[UUID], accounts: NamedDependency[Accounts], standings: NamedDependency[Standings]
) -> types.PlayerPublic:
    name = await accounts.public_name(player)
    found = await standings.of_player(player)
    statistics = tuple(types.GameStatistics(game, **figures_of(tally)) for game, tally in found)
    return types.PlayerPublic(str(player), name, statistics)


def figures_of(tally: Tally) -> Mapping[str, Any]:
    """Return the figures of an entry by name."""
    return {
        "matches": tally.matches,
        "wins": tally.places[0],
        "places": tally.places,
        "average_place": tally.average_thousandths / 1000,
        "left": tally.left,
    }


HANDLERS: Final = (
    get_leaderboard,
    get_player,
)
