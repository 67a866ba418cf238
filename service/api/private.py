"""What a seat keeps to itself, for games that have it: drafts, the order of the hand, advice."""

import hashlib
import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from domain.registry import CURRENT
from domain.table.model import TableRefusal
from service.api.http import Answer, Call, Operation, answer, canonical_body
from service.api.links import draft_links
from service.api.shared import TABLE_ETAG, VIEW_HEADERS, body_for, found_table, strict, view_answer
from service.api.types import games as wire_games
from service.errors import NotFoundError
from service.tables.recorder import once
from service.tables.refusals import raise_refusal


def _decoders(types: Mapping[str, Any]) -> dict[str, Any]:
    return {key: msgspec.json.Decoder(strict(type_)) for key, type_ in types.items()}


_DRAFT: Final = re.compile("p[0-9]{1,4}")
_drafts: Final = _decoders(wire_games.DRAFTS)
_orders: Final = _decoders(wire_games.HAND_ORDERS)
_questions: Final = _decoders(wire_games.QUESTIONS)


async def get_drafts(call: Call) -> Answer:
    return answer(
        await call.services.seat_private.private(await found_table(call), call.caller.id), headers=VIEW_HEADERS
    )


async def prepare_draft(call: Call) -> Answer:
    table, key = await found_table(call), call.idempotency_key()
    draft = await body_for(call, _drafts, table.codec.game.key, "no_notes")
    digest = hashlib.sha256(canonical_body(await call.read())).digest()
    command = call.services.recorder.keyed("prepare", call.caller.id, key, digest, draft)
    return view_answer(await call.services.seat_private.record(table, call.caller.id, command), status=201)


async def take_back_drafts(call: Call) -> Answer:
    return await _take_back(call, None)


async def take_back_draft(call: Call) -> Answer:
    draft = call.path("draft")
    if not _DRAFT.fullmatch(draft):
        raise NotFoundError("There is nothing at this address for you.")
    return await _take_back(call, draft)


async def order_hand(call: Call) -> Answer:
    table = await found_table(call)
    move = await body_for(call, _orders, table.codec.game.key, "no_notes")
    command = once(move.__struct_config__.tag, move)
    return view_answer(await call.services.seat_private.record(table, call.caller.id, command))


async def ask_advice(call: Call) -> Answer:
    table = await found_table(call)
    question = await body_for(call, _questions, table.codec.game.key, "no_advice")
    return answer(await call.services.seat_private.advise(table, call.caller.id, question), headers=VIEW_HEADERS)


async def _take_back(call: Call, draft: str | None) -> Answer:
    table = await found_table(call)
    game = table.codec.game.key
    if game not in wire_games.TAKE_BACKS:
        raise_refusal(TableRefusal("no_notes"), CURRENT[game])
    move: Any = wire_games.TAKE_BACKS[game](draft)
    return view_answer(await call.services.seat_private.record(table, call.caller.id, once("take_back", move)))


_DRAFT_PARAMETER: Final = {
    "draft": {"type": "string", "pattern": f"^{_DRAFT.pattern}$", "maxLength": 5, "examples": ["p1"]}
}

OPERATIONS: tuple[Operation[Any], ...] = (
    Operation(
        id="getDrafts",
        method="GET",
        path="/v1/tables/{table}/drafts",
        summary="Look at my drafts",
        description="What only your seat knows of the running round, as in `you.private`. 409 in games without drafts.",
        tag="private",
        run=get_drafts,
        answer=tuple(wire_games.PRIVATES.values()),
        problems=(404, 409),
    ),
    Operation(
        id="prepareDraft",
        method="POST",
        path="/v1/tables/{table}/drafts",
        summary="Prepare a meld that nobody else sees",
        description="For games with melds (Rommé), in your own turn. A draft sets cards aside in your view only and "
        "ends with the turn; a move `lay` without melds lays all drafts. Its name is in the answer, in "
        "`you.private`.",
        tag="private",
        run=prepare_draft,
        status=201,
        body=tuple(wire_games.DRAFTS.values()),
        answer=wire_games.TABLE,
        idempotent=True,
        problems=(404, 409),
        answer_headers=TABLE_ETAG,
        links=draft_links(),
    ),
    Operation(
        id="takeBackDrafts",
        method="DELETE",
        path="/v1/tables/{table}/drafts",
        summary="Take back all my drafts",
        description="In your own turn. Nobody else learns of it.",
        tag="private",
        run=take_back_drafts,
        answer=wire_games.TABLE,
        problems=(404, 409),
        answer_headers=TABLE_ETAG,
    ),
    Operation(
        id="takeBackDraft",
        method="DELETE",
        path="/v1/tables/{table}/drafts/{draft}",
        summary="Take back one of my drafts",
        description="In your own turn. Nobody else learns of it.",
        tag="private",
        run=take_back_draft,
        answer=wire_games.TABLE,
        problems=(404, 409),
        answer_headers=TABLE_ETAG,
        path_parameters=_DRAFT_PARAMETER,
    ),
    Operation(
        id="orderHand",
        method="PUT",
        path="/v1/tables/{table}/hand-order",
        summary="Put my hand in order",
        description="Sort it, move one card, or name the whole order. Allowed at any time during a round; nobody "
        "else learns of it.",
        tag="private",
        run=order_hand,
        body=tuple(wire_games.HAND_ORDERS.values()),
        answer=wire_games.TABLE,
        problems=(404, 409),
        answer_headers=TABLE_ETAG,
    ),
    Operation(
        id="askAdvice",
        method="POST",
        path="/v1/tables/{table}/advice",
        summary="Ask what my cards can be",
        description="For games with melds (Rommé). `readings`: which melds these cards can be, also added to melds "
        "on the table. `partition`: the best split of the whole hand. `melds`: melds in the hand. It "
        "uses what you see and nothing else.",
        tag="private",
        run=ask_advice,
        body=tuple(wire_games.QUESTIONS.values()),
        answer=tuple(wire_games.ADVICE.values()),
        problems=(404, 409),
    ),
)
