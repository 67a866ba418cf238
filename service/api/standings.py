"""Leaderboards, and the public profile of a player with statistics."""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from domain.standings import Tally
from service.api.http import Answer, Call, Operation, answer
from service.api.shared import GAME_PARAMETER, VIEW_HEADERS
from service.api.types import standings as wire

_encode: Final = msgspec.json.Encoder().encode
_COUNTS: Final = (
    "Finished matches count, at private tables too, unless they are annulled. Bots are in no leaderboard. Who left "
    "a seat to a bot while the match ran has the last place of it, if it was finished without him. New results are "
    "there within seconds."
)


async def get_leaderboard(call: Call) -> Answer:
    game, query = call.path("game"), call.query(wire.LeaderboardQuery)
    page, cursor = await call.services.standings.page(game, query.cursor, query.limit)
    names = await call.services.accounts.names_of(one.player for one in page)
    items = tuple(wire.LeaderboardEntry(one.player, names.get(one.player), **figures_of(one.tally)) for one in page)
    body = _encode(wire.Leaderboard(game, items, cursor))
    tag = f'"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'
    headers = {**VIEW_HEADERS, "ETag": tag}
    if cursor is not None:
        headers["Link"] = f'</v1/leaderboards/{game}?cursor={cursor}&limit={query.limit}>; rel="next"'
    if tag == call.known_tag():
        return answer(None, status=304, headers=headers)
    return answer(body, headers=headers)


async def get_player(call: Call) -> Answer:
    player = call.uuid("player")
    name = await call.services.accounts.public_name(player)
    found = await call.services.standings.of_player(player)
    statistics = tuple(wire.GameStatistics(game, **figures_of(tally)) for game, tally in found)
    return answer(wire.PlayerPublic(str(player), name, statistics))


def figures_of(tally: Tally) -> Mapping[str, Any]:
    """Return the figures of an entry by name."""
    return {
        "matches": tally.matches,
        "wins": tally.places[0],
        "places": tally.places,
        "average_place": tally.average_thousandths / 1000,
        "left": tally.left,
    }


OPERATIONS: tuple[Operation[Any], ...] = (
    Operation(
        id="getLeaderboard",
        method="GET",
        path="/v1/leaderboards/{game}",
        summary="Look at the leaderboard of a game",
        description=f"Most wins first, then the better average place. {_COUNTS}",
        tag="standings",
        run=get_leaderboard,
        query=wire.LeaderboardQuery,
        answer=wire.Leaderboard,
        conditional=True,
        problems=(404,),
        answer_headers={"ETag": "Strong tag of the page; for If-None-Match."},
        path_parameters=GAME_PARAMETER,
    ),
    Operation(
        id="getPlayer",
        method="GET",
        path="/v1/players/{player}",
        summary="Look at a player's public profile",
        description=f"The public name, and statistics by game. {_COUNTS}",
        tag="players",
        run=get_player,
        answer=wire.PlayerPublic,
        problems=(404,),
    ),
)
