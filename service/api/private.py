"""What a seat keeps to itself, for games that have it: drafts, the order of the hand, advice."""

import re
from typing import Any, Final

from litestar import Response
from litestar.di import NamedDependency
from litestar.params import FromPath

from domain.registry import CURRENT
from domain.table.model import TableRefusal
from service.api.authentication import CallerRequest
from service.api.bodies import body_digest, decoders_of, game_body, strict
from service.api.dependencies import LIVE_TABLE
from service.api.headers import idempotency_key
from service.api.links import draft_links
from service.api.operation import PRIVATE_HEADERS, Operation
from service.api.responses import TABLE_ETAG, TableResponse, view_response
from service.api.types import private as types
from service.api.types.tables import TABLE
from service.errors import NotFoundError
from service.tables.live_table import LiveTable
from service.tables.recorder import Recorder, once
from service.tables.refusals import raise_refusal
from service.tables.seat_private import SeatPrivate

_DRAFT: Final = re.compile("p[0-9]{1,4}")
_DRAFT_PARAMETER: Final[dict[str, Any]] = {
    "draft": {"type": "string", "pattern": f"^{_DRAFT.pattern}$", "maxLength": 5, "examples": ["p1"]}
}
_drafts: Final = decoders_of({key: strict(type_) for key, type_ in types.DRAFTS.items()})
_orders: Final = decoders_of({key: strict(type_) for key, type_ in types.HAND_ORDERS.items()})
_questions: Final = decoders_of({key: strict(type_) for key, type_ in types.QUESTIONS.items()})


@Operation(
    "GET",
    "/v1/tables/{table:uuid}/drafts",
    id="getDrafts",
    summary="Get my drafts",
    description="What only your seat knows about the current round, as in `you.private`. 409 in games without drafts.",
    tag="private",
    response=tuple(types.PRIVATES.values()),
    problems=(404, 409),
    headers=PRIVATE_HEADERS,
    dependencies=LIVE_TABLE,
)
async def get_drafts(
    request: CallerRequest, live_table: NamedDependency[LiveTable], seat_private: NamedDependency[SeatPrivate]
) -> Response[bytes]:
    return Response(await seat_private.private(live_table, request.user.id))


@Operation(
    "POST",
    "/v1/tables/{table:uuid}/drafts",
    id="prepareDraft",
    summary="Prepare a meld that nobody else sees",
    description="In games with melds (Rommé), during your own turn. A draft sets cards aside in your view only and "
    "ends with the turn; a move `lay` without melds lays all drafts. The response has its name, in "
    "`you.private`.",
    tag="private",
    status=201,
    body=tuple(types.DRAFTS.values()),
    response=TABLE,
    idempotent=True,
    problems=(404, 409),
    response_headers=TABLE_ETAG,
    links=draft_links(),
    headers=PRIVATE_HEADERS,
    dependencies=LIVE_TABLE,
)
async def prepare_draft(
    request: CallerRequest,
    live_table: NamedDependency[LiveTable],
    seat_private: NamedDependency[SeatPrivate],
    recorder: NamedDependency[Recorder],
) -> TableResponse:
    key = idempotency_key(request)
    draft = game_body(request, live_table, _drafts, "no_private_stream")
    command = recorder.keyed("prepare", request.user.id, key, body_digest(request), draft)
    return view_response(await seat_private.record(live_table, request.user.id, command))


@Operation(
    "DELETE",
    "/v1/tables/{table:uuid}/drafts",
    id="takeBackDrafts",
    summary="Take back all my drafts",
    description="During your own turn. Nobody else learns of it.",
    tag="private",
    response=TABLE,
    problems=(404, 409),
    response_headers=TABLE_ETAG,
    headers=PRIVATE_HEADERS,
    dependencies=LIVE_TABLE,
)
async def take_back_drafts(
    request: CallerRequest, live_table: NamedDependency[LiveTable], seat_private: NamedDependency[SeatPrivate]
) -> TableResponse:
    return await _take_back(request, live_table, seat_private, None)


@Operation(
    "DELETE",
    "/v1/tables/{table:uuid}/drafts/{draft:str}",
    id="takeBackDraft",
    summary="Take back one of my drafts",
    description="During your own turn. Nobody else learns of it.",
    tag="private",
    response=TABLE,
    problems=(404, 409),
    response_headers=TABLE_ETAG,
    path_parameters=_DRAFT_PARAMETER,
    headers=PRIVATE_HEADERS,
    dependencies=LIVE_TABLE,
)
async def take_back_draft(
    request: CallerRequest,
    draft: FromPath[str],
    live_table: NamedDependency[LiveTable],
    seat_private: NamedDependency[SeatPrivate],
) -> TableResponse:
    if not _DRAFT.fullmatch(draft):
        raise NotFoundError
    return await _take_back(request, live_table, seat_private, draft)


@Operation(
    "PUT",
    "/v1/tables/{table:uuid}/hand-order",
    id="orderHand",
    summary="Arrange my hand",
    description="Sort it, move one card, or give the whole order. Allowed at any time during a round; nobody else "
    "learns of it.",
    tag="private",
    body=tuple(types.HAND_ORDERS.values()),
    response=TABLE,
    problems=(404, 409),
    response_headers=TABLE_ETAG,
    headers=PRIVATE_HEADERS,
    dependencies=LIVE_TABLE,
)
async def order_hand(
    request: CallerRequest, live_table: NamedDependency[LiveTable], seat_private: NamedDependency[SeatPrivate]
) -> TableResponse:
    move = game_body(request, live_table, _orders, "no_private_stream")
    command = once(move.__struct_config__.tag, move)
    return view_response(await seat_private.record(live_table, request.user.id, command))


@Operation(
    "POST",
    "/v1/tables/{table:uuid}/advice",
    id="askAdvice",
    summary="Ask which melds my cards can form",
    description="In games with melds (Rommé). `readings`: which melds these cards can form, alone or added to "
    "melds on the table. `partition`: the best split of the whole hand. `melds`: the melds in the "
    "hand. The advice depends only on what you see.",
    tag="private",
    body=tuple(types.QUESTIONS.values()),
    response=tuple(types.ADVICE.values()),
    problems=(404, 409),
    headers=PRIVATE_HEADERS,
    dependencies=LIVE_TABLE,
)
async def ask_advice(
    request: CallerRequest, live_table: NamedDependency[LiveTable], seat_private: NamedDependency[SeatPrivate]
) -> Response[Any]:
    question = game_body(request, live_table, _questions, "no_advice")
    return Response(await seat_private.advise(live_table, request.user.id, question))


async def _take_back(
    request: CallerRequest, live_table: LiveTable, seat_private: SeatPrivate, draft: str | None
) -> TableResponse:
    game = live_table.codec.game.key
    if game not in types.TAKE_BACKS:
        raise_refusal(TableRefusal("no_private_stream"), CURRENT[game])
    move: Any = types.TAKE_BACKS[game](draft)
    return view_response(await seat_private.record(live_table, request.user.id, once("take_back", move)))


HANDLERS: Final = (
    get_drafts,
    prepare_draft,
    take_back_drafts,
    take_back_draft,
    order_hand,
    ask_advice,
)
