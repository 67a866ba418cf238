"""Replays of a table at any version, and explanations of moves."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from domain.decider import AnyGame
from domain.registry import CURRENT
from service.api.http import Answer, Call, Operation, answer
from service.api.shared import VIEW_HEADERS, decoded_for, strict
from service.api.types import games as wire_games
from service.api.types import resources as wire
from service.errors import ConflictError, FieldError, InvalidRequestError
from service.tables.replays import Viewer

_moves: Final[dict[str, Any]] = {key: msgspec.json.Decoder(strict(game.types.move)) for key, game in CURRENT.items()}


async def get_replay(call: Call) -> Answer:
    table, query = call.uuid("table"), call.query(wire.ReplayQuery)
    first, last = _span(query)
    viewer = None if query.seat is None else _viewer(query.seat)
    replay = await call.services.replays.steps(table, call.caller.id, query.join_code, viewer, first, last)
    following = replay.steps[-1].version + 1 if replay.more else None
    body = {
        "game": replay.game,
        "version": replay.version,
        "seat": str(replay.viewer),
        "items": replay.steps,
        "next_from": following,
    }
    link = {} if following is None else {"Link": f'</v1/tables/{table}/replay?{_next(query, following)}>; rel="next"'}
    return answer(body, headers={**VIEW_HEADERS, **link})


async def explain_move(call: Call) -> Answer:
    table, query = call.uuid("table"), call.query(wire.ExplainQuery)
    seat = None if query.seat is None else int(query.seat)
    decode = None if query.move is None else _decoder(query.move)
    explained = await call.services.replays.explain(table, call.caller.id, query.join_code, seat, query.version, decode)
    return answer(explained, headers=VIEW_HEADERS)


def _span(query: wire.ReplayQuery) -> tuple[int | None, int | None]:
    """Return first and last version: one alone, or a range."""
    if query.version is not None:
        if query.first is not None or query.last is not None:
            raise ConflictError("Ask for one version, or from one to another, not for both.", code="range_conflict")
        return query.version, query.version
    if query.last is None:
        return query.first, None
    first = query.first or 1
    if first > query.last:
        raise ConflictError("The last version is before the first.", code="range_conflict")
    return first, query.last


def _wrong(parameter: str, detail: str) -> InvalidRequestError:
    return InvalidRequestError("A query parameter is wrong.", errors=(FieldError(parameter, detail),))


def _next(query: wire.ReplayQuery, following: int) -> str:
    given = {"from": following, "to": query.last, "seat": query.seat}
    return "&".join(f"{name}={value}" for name, value in given.items() if value is not None)


def _viewer(seat: str) -> Viewer:
    return "all" if seat == "all" else "spectator" if seat == "spectator" else int(seat)


def _decoder(text: str) -> Callable[[AnyGame], Any]:
    def decode(game: AnyGame) -> Any:
        try:
            return decoded_for(text.encode(), _moves, game.key)
        except InvalidRequestError as error:
            raise _wrong("#move", "is not the JSON of a move of this game") from error

    return decode


OPERATIONS: tuple[Operation[Any], ...] = (
    Operation(
        id="getReplay",
        method="GET",
        path="/v1/tables/{table}/replay",
        summary="See a table as it was at any version",
        description="One step with `version`, several with `from` and `to` (200 in one answer, `next_from` continues), "
        "the newest one without any of them. Each step has the event as the viewer saw it and the view after it, with "
        "what was legal then. While the match runs: your own seat or a spectator; afterwards every seat, and `all` "
        "with open cards. Drafts and orders of hands are not part of it.",
        tag="replays",
        run=get_replay,
        query=wire.ReplayQuery,
        answer=wire_games.REPLAY,
        problems=(404, 409),
        answer_headers={"Link": "The next steps, if there are any."},
    ),
    Operation(
        id="explainMove",
        method="GET",
        path="/v1/tables/{table}/explain",
        summary="Learn why a move is or was legal or not",
        description="Judges a move of a seat at the point after `version` events and names the rule that decides; "
        "the view beside it is what that seat could know. Without `move` there is an answer for every card in its "
        "hand. While the match runs: your own seat only.",
        tag="replays",
        run=explain_move,
        query=wire.ExplainQuery,
        json_query={"move": wire_games.MOVES},
        answer=wire_games.EXPLAINED,
        problems=(404, 409),
    ),
)
