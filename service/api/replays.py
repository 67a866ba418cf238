"""Replays of a table at any version, and explanations of moves."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Response
from litestar.di import NamedDependency
from litestar.params import FromPath
from msgspec.structs import replace

from domain.decider import AnyGame
from domain.explain import Explanation
from domain.registry import CURRENT
from service.api.authentication import CallerRequest
from service.api.bodies import decoded_for, decoders_of, strict
from service.api.compression import match_is_over
from service.api.negotiation import asked_language
from service.api.operation import PRIVATE_HEADERS, Operation
from service.api.queries import decoded_query, query_error
from service.api.responses import next_link
from service.api.streams import MESSAGE_BYTES_MAX, StreamedResponse, Streams
from service.api.types import replays as types
from service.errors import FieldError, InvalidRequestError
from service.languages.catalogues import Language, translated
from service.languages.message import Message
from service.tables.replays import Replay, Replays, Viewer

_encode: Final = msgspec.json.Encoder().encode
_moves: Final = decoders_of({key: strict(game.types.move) for key, game in CURRENT.items()})


@Operation(
    "GET",
    "/v1/tables/{table:uuid}/replay",
    id="getReplay",
    summary="Get a table as it was at any version",
    description="One step with `version`, several with `from` and `to` (at most 200 per response; `next_from` "
    "continues), the newest one without any of them. Each step has the event as the viewer saw it and "
    "the view after it, with what was legal then. During the match: your own seat or a spectator; "
    "afterwards every seat, and `all` with all cards open. Drafts and hand orders are not included.",
    tag="replays",
    public_when_over=True,
    query=types.ReplayQuery,
    response=types.REPLAY,
    limits=("documents",),
    problems=(404, 409),
    response_headers={"Link": "The next steps, if there are any."},
    headers=PRIVATE_HEADERS,
    compressed="when_over",
)
async def get_replay(
    request: CallerRequest, table: FromPath[UUID], replays: NamedDependency[Replays], streams: NamedDependency[Streams]
) -> StreamedResponse:
    params = decoded_query(request, types.ReplayQuery)
    first, last = _span(params)
    viewer = None if params.seat is None else _viewer(params.seat)
    replay = await replays.steps(table, request.user.id, viewer, first, last)
    if replay.over:
        match_is_over(request)
    next_page = {"from": replay.next_from, "to": params.last, "seat": params.seat}
    link = {} if replay.next_from is None else next_link(f"/v1/tables/{table}/replay", next_page)
    return StreamedResponse(_document(replay), streams, request.user.id, media_type="application/json", headers=link)


@Operation(
    "GET",
    "/v1/tables/{table:uuid}/explain",
    id="explainMove",
    summary="Explain why a move is or was legal or not",
    description="Judges a move of a seat at the point after `version` events and names the rule that decides, "
    "together with the view that the seat had. Without `move` it judges every card of the hand. During "
    "the match: your own seat only.",
    tag="replays",
    public_when_over=True,
    query=types.ExplainQuery,
    response=types.EXPLAINED,
    problems=(404, 409),
    headers=PRIVATE_HEADERS,
    vary=("Accept-Language",),
    response_headers={"Content-Language": "The language of the texts."},
)
async def explain_move(
    request: CallerRequest, table: FromPath[UUID], replays: NamedDependency[Replays]
) -> Response[Any]:
    params, language = decoded_query(request, types.ExplainQuery), asked_language(request.scope)
    seat = None if params.seat is None else int(params.seat)
    decode = None if params.move is None else _decoder(params.move)
    explained = await replays.explain(table, request.user.id, seat, params.version, decode)
    answers = tuple(_in(language, answer) for answer in explained.answers)
    return Response(replace(explained, answers=answers), headers={"Content-Language": language})


def _in(language: Language, answer: Explanation) -> Explanation:
    """Return an answer with its texts in a language."""
    text, detail = (None if one is None else translated(one, language) for one in (answer.text, answer.detail))
    return replace(answer, text=text, detail=detail)


async def _document(replay: Replay) -> AsyncGenerator[bytes, None]:
    opening = {"game": replay.game, "version": replay.version, "seat": str(replay.viewer)}
    piece, comma = _encode(opening)[:-1] + b',"items":[', b""
    for step in replay.steps:
        piece += comma + _encode(step)
        comma = b","
        if len(piece) >= MESSAGE_BYTES_MAX:
            yield piece
            piece = b""
        await asyncio.sleep(0)  # others have their turn
    yield piece + b'],"next_from":%b}' % _encode(replay.next_from)


def _span(query: types.ReplayQuery) -> tuple[int | None, int | None]:
    """Return first and last version: one alone, or a range."""
    if query.version is not None:
        if query.first is not None or query.last is not None:
            raise _invalid("version", Message("does not go together with `from` and `to`"))
        return query.version, query.version
    if query.last is None:
        return query.first, None
    first = query.first or 1
    if first > query.last:
        raise _invalid("to", Message("is before `from`"))
    return first, query.last


def _invalid(parameter: str, detail: str) -> InvalidRequestError:
    return InvalidRequestError("A query parameter is invalid.", errors=(FieldError(f"#{parameter}", detail),))


def _viewer(seat: str) -> Viewer:
    return "all" if seat == "all" else "spectator" if seat == "spectator" else int(seat)


def _decoder(text: str) -> Callable[[AnyGame], Any]:
    def decode(game: AnyGame) -> Any:
        try:
            return decoded_for(text.encode(), _moves, game.key)
        except InvalidRequestError as error:
            raise query_error("move", "is not the JSON of a move in this game") from error

    return decode


HANDLERS: Final = (
    get_replay,
    explain_move,
)
