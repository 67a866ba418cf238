"""Tables: creating, finding, seats, the host's commands, moves, events, head."""

import hashlib
from typing import Any, Final

import msgspec

from domain.registry import CURRENT
from service.api.http import Answer, Call, Operation, answer, canonical_body
from service.api.links import lobby_links, match_links
from service.api.shared import TABLE_ETAG, VIEW_HEADERS, body_for, strict, tagged, view_answer
from service.api.types import games as wire_games
from service.api.types import resources as wire
from service.errors import NotFoundError
from service.tables.refusals import check_changes
from service.tables.tables import TableAnswer

_encode: Final = msgspec.json.Encoder().encode
_new_table: Final[Any] = msgspec.json.Decoder(wire_games.NEW_TABLE)
_sit = msgspec.json.Decoder(wire.Sit)
_start = msgspec.json.Decoder(wire.Start)
_ready = msgspec.json.Decoder(wire.Ready)
_values: Final[Any] = msgspec.json.Decoder(dict[str, Any])
_moves: Final[dict[str, Any]] = {
    key: msgspec.json.Decoder(wire_games.move_request(game, strict(game.types.move))) for key, game in CURRENT.items()
}


async def create_table(call: Call) -> Answer:
    body, key = await call.body(_new_table), call.idempotency_key()
    made = await call.services.tables.create(
        call.caller.id,
        key,
        game=type(body).__struct_config__.tag,
        options=body.options,
        seats=body.seats,
        bots=body.bots,
        visibility=body.visibility,
        digest=hashlib.sha256(canonical_body(await call.read())).digest(),
    )
    return view_answer(made.view, status=201, headers={"Location": f"/v1/tables/{made.table}"})


async def list_tables(call: Call) -> Answer:
    query = call.query(wire.TablesQuery)
    items, cursor = await call.services.lobby.page(query.game, query.status, query.cursor, query.limit)
    body = b'{"items":[%b],"next_cursor":%b}' % (b",".join(items), msgspec.json.encode(cursor))
    if cursor is None:
        return answer(body)
    filters = "".join(f"&{name}={value}" for name, value in (("game", query.game), ("status", query.status)) if value)
    link = f'</v1/tables?cursor={cursor}&limit={query.limit}{filters}>; rel="next"'
    return answer(body, headers={"Link": link})


async def get_table(call: Call) -> Answer:
    table, query = call.uuid("table"), call.query(wire.TableQuery)
    seen = await call.services.tables.view(table, call.caller.id, call.known_tag(), query.join_code)
    if seen.body is None:
        return answer(None, status=304, headers={**VIEW_HEADERS, "ETag": seen.etag})
    return view_answer(seen)


async def take_seat(call: Call) -> Answer:
    table = call.uuid("table")
    body, key = await call.body(_sit), call.idempotency_key()
    sat = await call.services.tables.sit(
        table,
        call.caller.id,
        key,
        seat=body.seat,
        client_seed=body.client_seed,
        code=body.join_code,
        bot=body.bot,
        digest=hashlib.sha256(canonical_body(await call.read())).digest(),
    )
    return view_answer(sat.view, status=201, headers={"Location": f"/v1/tables/{table}"})


async def leave_table(call: Call) -> Answer:
    await call.services.tables.leave(call.uuid("table"), call.caller.id)
    return answer(None, status=204)


async def free_seat(call: Call) -> Answer:
    seat: str = call.path("seat")
    if seat not in ("0", "1", "2", "3", "4", "5"):
        raise NotFoundError("There is nothing at this address for you.")
    return _after(await call.services.tables.unseat_bot(call.uuid("table"), call.caller.id, int(seat)))


async def start_round(call: Call) -> Answer:
    table, body = call.uuid("table"), await call.body(_start)
    return _after(await call.services.tables.start(table, call.caller.id, body.round))


async def change_options(call: Call) -> Answer:
    table = call.uuid("table")
    game = await call.services.tables.game_of(table, call.caller.id)
    values = await call.body(_values)
    check_changes(values, game)
    return _after(await call.services.tables.change_options(table, call.caller.id, values))


async def mark_ready(call: Call) -> Answer:
    table, body = call.uuid("table"), await call.body(_ready)
    return _after(await call.services.tables.mark_ready(table, call.caller.id, body.ready))


async def end_match(call: Call) -> Answer:
    return _after(await call.services.tables.end_match(call.uuid("table"), call.caller.id))


async def make_move(call: Call) -> Answer:
    stream = call.uuid("table")
    game = await call.services.tables.game_of(stream, call.caller.id)
    body = await body_for(call, _moves, game)
    made = await call.services.tables.move(stream, call.caller.id, body.decision, body.move)
    head, view = _encode(made.event), made.view.body or b"null"
    content = b'{"game":"%b","version":%d,"event":%b,"view":%b}' % (game.encode(), made.version, head, view)
    return tagged(content, made.view.etag)


async def list_events(call: Call) -> Answer:
    table, query = call.uuid("table"), call.query(wire.EventsQuery)
    page = await call.services.tables.events(table, call.caller.id, query.after, query.limit, query.join_code)
    after = page.events[-1].version if page.more else None
    body = {"game": page.game, "version": page.version, "items": page.events, "next_after": after}
    link = (
        {} if after is None else {"Link": f'</v1/tables/{table}/events?after={after}&limit={query.limit}>; rel="next"'}
    )
    return answer(body, headers={**VIEW_HEADERS, **link})


async def get_head(call: Call) -> Answer:
    table, query = call.uuid("table"), call.query(wire.TableQuery)
    version, hash_, time = await call.services.tables.head(table, call.caller.id, query.join_code)
    signer = call.services.signer
    note = signer.head(table, version, hash_, time)
    return answer(wire.Head(str(table), version, hash_.hex(), time, note, signer.verifier_key), headers=VIEW_HEADERS)


def _after(done: TableAnswer) -> Answer:
    return view_answer(done.view)


_SEAT_PARAMETER: Final = {"seat": {"type": "integer", "minimum": 0, "maximum": 5}}

OPERATIONS: tuple[Operation[Any], ...] = (
    Operation(
        id="createTable",
        method="POST",
        path="/v1/tables",
        summary="Create a table",
        description="You become host on seat 0. The commitment to the shuffle secret is in the answer; give your "
        "client seed afterwards with takeSeat.",
        tag="tables",
        run=create_table,
        status=201,
        body=wire_games.NEW_TABLE,
        answer=wire_games.TABLE,
        idempotent=True,
        problems=(404, 409),
        answer_headers={**TABLE_ETAG, "Location": "The table."},
        links=lobby_links(),
    ),
    Operation(
        id="listTables",
        method="GET",
        path="/v1/tables",
        summary="List public tables",
        description="Newest first.",
        tag="tables",
        run=list_tables,
        query=wire.TablesQuery,
        answer=wire.TablePage,
        problems=(404,),
        answer_headers={"Link": "The next page, if there is one."},
    ),
    Operation(
        id="getTable",
        method="GET",
        path="/v1/tables/{table}",
        summary="Look at a table as my seat, or as a spectator",
        description="The whole of what the caller may see: seats, board and, for who holds a seat, `you` with hand, "
        "open decision and legal moves; `you` is null for spectators. Poll it with If-None-Match.",
        tag="tables",
        run=get_table,
        query=wire.TableQuery,
        answer=wire_games.TABLE,
        conditional=True,
        problems=(404,),
        answer_headers=TABLE_ETAG,
        links=match_links(),
    ),
    Operation(
        id="takeSeat",
        method="POST",
        path="/v1/tables/{table}/seats",
        summary="Sit down, add a client seed, or seat a bot",
        description="Before the match. Without `seat` you get the first open one. Who sits already may call it "
        "again, once, to add a client seed. `bot` is for the host. A private table asks for its "
        "`join_code`.",
        tag="seats",
        run=take_seat,
        status=201,
        body=wire.Sit,
        answer=wire_games.TABLE,
        idempotent=True,
        problems=(404, 409),
        answer_headers={**TABLE_ETAG, "Location": "The table."},
    ),
    Operation(
        id="leaveTable",
        method="DELETE",
        path="/v1/tables/{table}/seats/me",
        summary="Leave the table",
        description="Before the match the seat becomes open; later a bot takes it. If the host leaves, the next "
        "person clockwise becomes host; if no person is left the table is closed.",
        tag="seats",
        run=leave_table,
        status=204,
        problems=(404, 409),
    ),
    Operation(
        id="freeSeat",
        method="DELETE",
        path="/v1/tables/{table}/seats/{seat}",
        summary="Free a bot's seat before the match (host)",
        description="So that a person can sit there. The seats of people become open when they leave.",
        tag="seats",
        run=free_seat,
        answer=wire_games.TABLE,
        problems=(400, 404, 409),
        answer_headers=TABLE_ETAG,
        path_parameters=_SEAT_PARAMETER,
    ),
    Operation(
        id="startRound",
        method="POST",
        path="/v1/tables/{table}/start",
        summary="Start the match, or the next round (host)",
        description="`round` 1 starts the match. Where the host starts each round, the next number starts the next "
        "one. A round that has started already is no error, so a retry is safe.",
        tag="tables",
        run=start_round,
        body=wire.Start,
        answer=wire_games.TABLE,
        problems=(404, 409),
        answer_headers=TABLE_ETAG,
        links=match_links(),
    ),
    Operation(
        id="changeOptions",
        method="PATCH",
        path="/v1/tables/{table}/options",
        summary="Change options between rounds (host)",
        description="Only for games whose options may change in the lobby; the body holds the new values by name.",
        tag="tables",
        run=change_options,
        body=wire.OPTIONS_CHANGE,
        answer=wire_games.TABLE,
        problems=(404, 409),
        answer_headers=TABLE_ETAG,
    ),
    Operation(
        id="markReady",
        method="PUT",
        path="/v1/tables/{table}/ready",
        summary="Set or clear my ready mark",
        description="The host sees that you are ready; nobody has to wait for it. All marks go when an option "
        "changes or a round starts.",
        tag="tables",
        run=mark_ready,
        body=wire.Ready,
        answer=wire_games.TABLE,
        problems=(404, 409),
        answer_headers=TABLE_ETAG,
    ),
    Operation(
        id="endMatch",
        method="POST",
        path="/v1/tables/{table}/end",
        summary="End an open match between rounds (host)",
        description="For matches without a fixed end (Rommé with `match_end` open), after any round but before the "
        "next; places follow from the totals.",
        tag="tables",
        run=end_match,
        answer=wire_games.TABLE,
        problems=(404, 409),
        answer_headers=TABLE_ETAG,
    ),
    Operation(
        id="makeMove",
        method="POST",
        path="/v1/tables/{table}/moves",
        summary="Answer a decision",
        description="Send `you.decision` with the move. The same decision with the same move again, days later too, "
        "gives the same answer and records nothing twice; with another move it is refused.",
        tag="moves",
        run=make_move,
        body=wire_games.MOVE_REQUESTS,
        answer=wire_games.MOVE_RESULT,
        problems=(404, 409),
        answer_headers=TABLE_ETAG,
        links=match_links("$response.body#/view"),
    ),
    Operation(
        id="listEvents",
        method="GET",
        path="/v1/tables/{table}/events",
        summary="Read a table's events as my seat may see them",
        description="In order of their versions, from any version on. After the match everything is open to everyone.",
        tag="events",
        run=list_events,
        query=wire.EventsQuery,
        answer=wire_games.EVENT_PAGE,
        problems=(404,),
        answer_headers={"Link": "The next page, if there is one."},
    ),
    Operation(
        id="getHead",
        method="GET",
        path="/v1/tables/{table}/head",
        summary="Get the signed end of a table's chain",
        description="Two different signed heads of one version prove that the server showed two histories.",
        tag="events",
        run=get_head,
        query=wire.TableQuery,
        answer=wire.Head,
        problems=(404,),
    ),
)
