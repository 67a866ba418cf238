"""Tables: creating, finding, seats, the host's commands, moves, events, head."""

from typing import Any, Final
from uuid import UUID

import msgspec
from litestar import Response
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from domain.table.model import TableRefusal
from service.api.authentication import CallerRequest
from service.api.bodies import body_digest, body_of, require_json, strict
from service.api.compression import match_is_over
from service.api.decoding import decoded, with_whole_numbers
from service.api.dependencies import LIVE_TABLE
from service.api.headers import idempotency_key, known_tags, wants_minimal
from service.api.links import lobby_links, match_links
from service.api.operation import PRIVATE_HEADERS, Operation
from service.api.queries import decoded_query
from service.api.responses import PREFERENCE_APPLIED, TABLE_ETAG, TableResponse, move_response, paged, view_response
from service.api.types import tables as types
from service.api.types.common import NoQuery
from service.errors import NotFoundError
from service.records.signer import Signer
from service.tables.inbox import Inbox
from service.tables.live_table import LiveTable
from service.tables.lobby import Lobby
from service.tables.refusals import check_changes, raise_refusal, refuse_commitment
from service.tables.tables import Tables

_encode: Final = msgspec.json.Encoder().encode
_values: Final[Any] = msgspec.json.Decoder(dict[str, Any])
_move_requests: Final[Any] = msgspec.json.Decoder(types.move_requests(lambda game: strict(game.types.move)))
_SEAT_PARAMETER: Final = {"seat": {"type": "integer", "minimum": 0, "maximum": 5}}
_NEXT_PAGE: Final = {"Link": "The next page, if there is one."}


@Operation(
    "POST",
    "/v1/tables",
    id="createTable",
    summary="Create a table",
    description="You become host on seat 0. The response has the commitment to the shuffle secret; add your client "
    "seed afterwards with takeSeat.",
    tag="tables",
    status=201,
    body=types.NEW_TABLE,
    limits=("open_tables", "bot_tables"),
    response=types.TABLE,
    idempotent=True,
    problems=(404, 409),
    headers=PRIVATE_HEADERS,
    response_headers={**TABLE_ETAG, "Location": "The table."},
    links=lobby_links(),
)
async def create_table(request: CallerRequest, data: JSONBody[Any], tables: NamedDependency[Tables]) -> TableResponse:
    made = await tables.create(
        request.user.id,
        idempotency_key(request),
        game=type(data).__struct_config__.tag,
        options=with_whole_numbers(data.options),
        seats=data.seats,
        bots=data.bots,
        visibility=data.visibility,
        bot_pace=data.bot_pace,
        digest=body_digest(request),
    )
    return view_response(made.view, location=f"/v1/tables/{made.table}")


@Operation(
    "GET",
    "/v1/tables",
    id="listTables",
    summary="List public tables",
    description="Newest first.",
    tag="tables",
    query=types.TablesQuery,
    response=types.TablePage,
    problems=(404,),
    response_headers=_NEXT_PAGE,
    compressed="always",
)
async def list_tables(request: CallerRequest, lobby: NamedDependency[Lobby]) -> Response[bytes]:
    params = decoded_query(request, types.TablesQuery)
    items, cursor = await lobby.page(params.game, params.status, params.cursor, params.limit)
    following = {"cursor": cursor, "limit": params.limit, "game": params.game, "status": params.status}
    return paged(_page(items, cursor), "/v1/tables", following if cursor else None)


@Operation(
    "GET",
    "/v1/me/tables",
    id="listMyTables",
    summary="List the tables at which I sit",
    description="Private ones too, in this order: those that wait for me, those that run, those before their match, "
    "those that are over; in each of these the newest first. A table that begins or ceases to wait for you "
    "changes its place; on the pages behind a cursor none comes twice, and none is left out.",
    tag="me",
    query=types.MyTablesQuery,
    response=types.MyTablePage,
    problems=(404,),
    headers=PRIVATE_HEADERS,
    response_headers=_NEXT_PAGE,
    links={"getTable": {"operationId": "getTable", "parameters": {"table": "$response.body#/items/0/table"}}},
    compressed="always",
)
async def list_my_tables(request: CallerRequest, inbox: NamedDependency[Inbox]) -> Response[bytes]:
    params = decoded_query(request, types.MyTablesQuery)
    items, cursor = await inbox.page(request.user.id, params.cursor, params.limit)
    following = {"cursor": cursor, "limit": params.limit}
    return paged(_page(items, cursor), "/v1/me/tables", following if cursor else None)


@Operation(
    "GET",
    "/v1/tables/{table:uuid}",
    id="getTable",
    summary="Get my view of a table, as a seat or as a spectator",
    description="Everything the caller may see: seats, board and, for a caller who has a seat, `you` with hand, "
    "open decision and legal moves; `you` is null for spectators. Poll it with If-None-Match. With `since` it brings "
    "the events that you missed, of the same version as the view, so that one request is enough to catch up.",
    tag="tables",
    public_when_over=True,
    query=types.ViewQuery,
    response=types.TABLE,
    conditional=True,
    problems=(404,),
    headers=PRIVATE_HEADERS,
    response_headers=TABLE_ETAG,
    links=match_links(),
)
async def get_table(request: CallerRequest, table: FromPath[UUID], tables: NamedDependency[Tables]) -> TableResponse:
    params = decoded_query(request, types.ViewQuery)
    tags = known_tags(request)
    if params.since is None:
        return view_response(await tables.view(table, request.user.id, tags))
    seen, missed = await tables.view_since(table, request.user.id, tags, params.since)
    return view_response(seen, missed)


@Operation(
    "POST",
    "/v1/tables/{table:uuid}/seats",
    id="takeSeat",
    summary="Sit down, add a client seed, or seat a bot",
    description="Before the match starts. Without `seat` you get the first open seat. A player who already has a "
    "seat may call it again, once, to add a client seed. `bot` is for the host. At a private table "
    "one sits down with its code, see joinTable.",
    tag="seats",
    status=201,
    body=types.Sit,
    limits=("open_tables", "bot_tables"),
    response=types.TABLE,
    idempotent=True,
    problems=(404, 409),
    headers=PRIVATE_HEADERS,
    response_headers={**TABLE_ETAG, "Location": "The table."},
)
async def take_seat(
    request: CallerRequest, table: FromPath[UUID], data: JSONBody[types.Sit], tables: NamedDependency[Tables]
) -> TableResponse:
    found, key = await tables.find(table, request.user.id), idempotency_key(request)
    refuse_commitment(data.seed_commitment)
    sat = await tables.sit(
        found,
        request.user.id,
        key,
        seat=data.seat,
        client_seed=data.client_seed,
        bot=data.bot,
        digest=body_digest(request),
    )
    return view_response(sat.view, location=f"/v1/tables/{table}")


@Operation(
    "DELETE",
    "/v1/tables/{table:uuid}/seats/me",
    id="leaveTable",
    summary="Leave the table",
    description="Before the match the seat becomes open; during the match a bot takes it. If the host leaves, the "
    "next person clockwise becomes host; if no person is left, the table is closed. Done again it changes nothing.",
    tag="seats",
    status=204,
    problems=(404, 409),
)
async def leave_table(request: CallerRequest, table: FromPath[UUID], tables: NamedDependency[Tables]) -> None:
    account = request.user.id
    try:
        found = await tables.find(table, account)
    except NotFoundError:
        if await tables.has_left(table, account):  # and does not see it any more
            return
        raise
    await tables.leave(found, account)


@Operation(
    "DELETE",
    "/v1/tables/{table:uuid}/seats/{seat:int}",
    id="freeSeat",
    summary="Free a bot's seat before the match (host)",
    description="Makes room for a person. A person's seat becomes open when that person leaves.",
    tag="seats",
    response=types.TABLE,
    problems=(400, 404, 409),
    headers=PRIVATE_HEADERS,
    response_headers=TABLE_ETAG,
    path_parameters=_SEAT_PARAMETER,
)
async def free_seat(
    request: CallerRequest, table: FromPath[UUID], seat: FromPath[int], tables: NamedDependency[Tables]
) -> TableResponse:
    if not 0 <= seat <= 5:
        raise NotFoundError
    live_table = await tables.find(table, request.user.id)
    return view_response((await tables.unseat_bot(live_table, request.user.id, seat)).view)


@Operation(
    "POST",
    "/v1/tables/{table:uuid}/start",
    id="startRound",
    summary="Start the match, or the next round (host)",
    description="`round` 1 starts the match. In games in which the host starts each round, the next number starts "
    "the next round. Starting a round that has already started is not an error, so a retry is safe.",
    tag="tables",
    body=types.Start,
    response=types.TABLE,
    problems=(404, 409),
    headers=PRIVATE_HEADERS,
    response_headers=TABLE_ETAG,
    links=match_links(),
)
async def start_round(
    request: CallerRequest, table: FromPath[UUID], data: JSONBody[types.Start], tables: NamedDependency[Tables]
) -> TableResponse:
    live_table = await tables.find(table, request.user.id)
    return view_response((await tables.start(live_table, request.user.id, data.round)).view)


@Operation(
    "PATCH",
    "/v1/tables/{table:uuid}/options",
    id="changeOptions",
    summary="Change options between rounds (host)",
    description="Only in games whose options can be changed after creation; the body has the new values by name.",
    tag="tables",
    body=types.OPTIONS_CHANGE,
    response=types.TABLE,
    problems=(404, 409),
    headers=PRIVATE_HEADERS,
    response_headers=TABLE_ETAG,
    dependencies=LIVE_TABLE,
)
async def change_options(
    request: CallerRequest, live_table: NamedDependency[LiveTable], tables: NamedDependency[Tables]
) -> TableResponse:
    require_json(request)
    values = with_whole_numbers(decoded(body_of(request), _values))
    check_changes(values, live_table.codec.game.key)
    return view_response((await tables.change_options(live_table, request.user.id, values)).view)


@Operation(
    "PUT",
    "/v1/tables/{table:uuid}/ready",
    id="markReady",
    summary="Set or clear my ready mark",
    description="Tells the host that you are ready; the host need not wait for it. All marks are cleared when an "
    "option changes or a round starts.",
    tag="tables",
    body=types.Ready,
    response=types.TABLE,
    problems=(404, 409),
    headers=PRIVATE_HEADERS,
    response_headers=TABLE_ETAG,
)
async def mark_ready(
    request: CallerRequest, table: FromPath[UUID], data: JSONBody[types.Ready], tables: NamedDependency[Tables]
) -> TableResponse:
    live_table = await tables.find(table, request.user.id)
    return view_response((await tables.mark_ready(live_table, request.user.id, data.ready)).view)


@Operation(
    "POST",
    "/v1/tables/{table:uuid}/end",
    id="endMatch",
    summary="End an open match between rounds (host)",
    description="For matches without a fixed end (Rommé with `match_end` set to `open`), between two rounds. "
    "Places follow from the totals.",
    tag="tables",
    response=types.TABLE,
    problems=(404, 409),
    headers=PRIVATE_HEADERS,
    response_headers=TABLE_ETAG,
)
async def end_match(request: CallerRequest, table: FromPath[UUID], tables: NamedDependency[Tables]) -> TableResponse:
    live_table = await tables.find(table, request.user.id)
    return view_response((await tables.end_match(live_table, request.user.id)).view)


@Operation(
    "POST",
    "/v1/tables/{table:uuid}/moves",
    id="makeMove",
    summary="Answer a decision",
    description="Send the table's `game` and `you.decision` with the move. Sending the same decision with the same "
    "move again, even days later, gives the same `version` and `event`, says `replayed` and records nothing twice; "
    "`view` is the table as it is by then. Cards that may be named in any order make the same move in every order. "
    "With another move it is refused. With `since` the view brings the events that you missed; with "
    "`Prefer: return=minimal` the response has no view.",
    tag="moves",
    body=types.MOVE_REQUEST,
    query=types.MoveQuery,
    minimal=True,
    limits=("moves",),
    response=types.MOVE_RESULT,
    problems=(404, 409),
    headers=PRIVATE_HEADERS,
    response_headers={**TABLE_ETAG, **PREFERENCE_APPLIED},
    links=match_links("$request.path.table"),
)
async def make_move(request: CallerRequest, table: FromPath[UUID], tables: NamedDependency[Tables]) -> TableResponse:
    since, minimal = decoded_query(request, types.MoveQuery).since, wants_minimal(request)
    live_table = await tables.find(table, request.user.id)
    require_json(request)
    body = decoded(body_of(request), _move_requests)
    if type(body).__struct_config__.tag != live_table.codec.game.key:
        raise_refusal(TableRefusal("wrong_game"), live_table.codec.game)
    made = await tables.move(live_table, request.user.id, body.decision, body.move, since)
    return move_response(made, minimal=minimal)


@Operation(
    "GET",
    "/v1/tables/{table:uuid}/events",
    id="listEvents",
    summary="List a table's events as my seat may see them",
    description="In order of version, after any version. Once the match is over, everything is open to everyone.",
    tag="events",
    public_when_over=True,
    query=types.EventsQuery,
    response=types.EVENT_PAGE,
    problems=(404,),
    headers=PRIVATE_HEADERS,
    response_headers=_NEXT_PAGE,
    compressed="when_over",
)
async def list_events(request: CallerRequest, table: FromPath[UUID], tables: NamedDependency[Tables]) -> Response[Any]:
    params = decoded_query(request, types.EventsQuery)
    live_table = await tables.find(table, request.user.id)
    page = await tables.events(live_table, request.user.id, params.after, params.limit)
    if page.over:
        match_is_over(request)
    after = page.events[-1].version if page.more else None
    body = {"game": page.game, "version": page.version, "items": page.events, "next_after": after}
    following = None if after is None else {"after": after, "limit": params.limit}
    return paged(body, f"/v1/tables/{table}/events", following)


@Operation(
    "GET",
    "/v1/tables/{table:uuid}/head",
    id="getHead",
    summary="Get the signed head of a table's chain",
    description="Two different signed heads of one version prove that the server showed two histories.",
    tag="events",
    public_when_over=True,
    query=NoQuery,
    response=types.Head,
    problems=(404,),
    headers=PRIVATE_HEADERS,
)
async def get_head(
    request: CallerRequest, table: FromPath[UUID], tables: NamedDependency[Tables], signer: NamedDependency[Signer]
) -> types.Head:
    decoded_query(request, NoQuery)
    version, hash_, time = await tables.head(await tables.find(table, request.user.id))
    note = signer.head(table, version, hash_, time)
    return types.Head(str(table), version, hash_.hex(), time, note, signer.verifier_key)


def _page(items: list[bytes], cursor: str | None) -> bytes:
    return b'{"items":[%b],"next_cursor":%b}' % (b",".join(items), _encode(cursor))


HANDLERS: Final = (
    create_table,
    list_tables,
    list_my_tables,
    get_table,
    take_seat,
    leave_table,
    free_seat,
    start_round,
    change_options,
    mark_ready,
    end_match,
    make_move,
    list_events,
    get_head,
)
