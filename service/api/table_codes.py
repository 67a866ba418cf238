"""Codes of tables: the host gives them out, others join or watch by them."""

from typing import Final
from uuid import UUID

from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from service.api.authentication import CallerRequest
from service.api.bodies import body_digest
from service.api.headers import host_of, idempotency_key
from service.api.links import lobby_links, watch_links
from service.api.operation import NO_STORE, PRIVATE_HEADERS, Operation
from service.api.responses import TABLE_ETAG, TableResponse, view_response
from service.api.types import table_codes as types
from service.api.types.tables import TABLE
from service.tables.refusals import refuse_commitment
from service.tables.table_codes import TableCodes

_JOINS: Final = ("joins", "joins_ipv4", "joins_ipv6", "joins_total")


@Operation(
    "POST",
    "/v1/tables/{table:uuid}/join-code",
    id="createJoinCode",
    summary="Create or replace the join code (host)",
    description="Before the match. With the code, or the link that has it in its fragment, others sit down, see "
    "joinTable; the code it replaces is dead at once, and with the start of the match so is this one. A retry with the "
    "same Idempotency-Key returns the same code; 422 once it was replaced.",
    tag="seats",
    status=201,
    response=types.JoinCode,
    idempotent=True,
    limits=("table_codes",),
    problems=(404, 409),
    headers=NO_STORE,
)
async def create_join_code(
    request: CallerRequest, table: FromPath[UUID], table_codes: NamedDependency[TableCodes]
) -> types.JoinCode:
    made = await table_codes.make(table, request.user.id, "join", idempotency_key(request))
    return types.JoinCode(made.code, made.link)


@Operation(
    "GET",
    "/v1/tables/{table:uuid}/join-code",
    id="getJoinCode",
    summary="Get the join code",
    description="For everybody who sits at the table, before the match. 404 if the host has not created one.",
    tag="seats",
    response=types.JoinCode,
    problems=(404, 409),
    headers=NO_STORE,
)
async def get_join_code(
    request: CallerRequest, table: FromPath[UUID], table_codes: NamedDependency[TableCodes]
) -> types.JoinCode:
    known = await table_codes.current(table, request.user.id, "join")
    return types.JoinCode(known.code, known.link)


@Operation(
    "POST",
    "/v1/join",
    id="joinTable",
    summary="Sit down by a join code",
    description="You get the first open seat of the table whose code it is; nothing else is needed to join a private "
    "table. 404 with `code_unknown` if the code is wrong or replaced, or the match has started. A retry with the same "
    "Idempotency-Key returns your view of the same table, also once the code is dead.",
    tag="seats",
    status=201,
    body=types.Join,
    response=TABLE,
    idempotent=True,
    limits=(*_JOINS, "open_tables"),
    problems=(404, 409),
    headers=PRIVATE_HEADERS,
    response_headers={**TABLE_ETAG, "Location": "The table."},
    links=lobby_links(),
)
async def join_table(
    request: CallerRequest, data: JSONBody[types.Join], table_codes: NamedDependency[TableCodes]
) -> TableResponse:
    key = idempotency_key(request)
    refuse_commitment(data.seed_commitment)
    sat = await table_codes.join(
        data.code,
        request.user.id,
        key,
        host=host_of(request),
        client_seed=data.client_seed,
        digest=body_digest(request),
    )
    return view_response(sat.view, location=f"/v1/tables/{sat.table}")


@Operation(
    "POST",
    "/v1/tables/{table:uuid}/spectator-code",
    id="createSpectatorCode",
    summary="Invite spectators to a private table (host)",
    description="At any time, after the match too. Whoever redeems the code, see watchTable, may read the table as a "
    "spectator, without its hidden cards. The code it replaces is dead at once; those who came by it stay. A retry "
    "with the same Idempotency-Key returns the same code; 422 once it was replaced.",
    tag="tables",
    status=201,
    response=types.SpectatorCode,
    idempotent=True,
    limits=("table_codes",),
    problems=(404, 409),
    headers=NO_STORE,
)
async def create_spectator_code(
    request: CallerRequest, table: FromPath[UUID], table_codes: NamedDependency[TableCodes]
) -> types.SpectatorCode:
    made = await table_codes.make(table, request.user.id, "watch", idempotency_key(request))
    return types.SpectatorCode(made.code, made.link)


@Operation(
    "GET",
    "/v1/tables/{table:uuid}/spectator-code",
    id="getSpectatorCode",
    summary="Get the spectator code (host)",
    description="404 if there is none, or it was withdrawn.",
    tag="tables",
    response=types.SpectatorCode,
    problems=(404, 409),
    headers=NO_STORE,
)
async def get_spectator_code(
    request: CallerRequest, table: FromPath[UUID], table_codes: NamedDependency[TableCodes]
) -> types.SpectatorCode:
    known = await table_codes.current(table, request.user.id, "watch")
    return types.SpectatorCode(known.code, known.link)


@Operation(
    "DELETE",
    "/v1/tables/{table:uuid}/spectator-code",
    id="withdrawSpectatorCode",
    summary="Withdraw the invitation of spectators (host)",
    description="Its code is dead, and nobody who came by a spectator code of this table may read it any more, at once "
    "everywhere. You can invite again. Withdrawing what is withdrawn is not an error.",
    tag="tables",
    status=204,
    problems=(404, 409),
)
async def withdraw_spectator_code(
    request: CallerRequest, table: FromPath[UUID], table_codes: NamedDependency[TableCodes]
) -> None:
    await table_codes.withdraw(table, request.user.id)


@Operation(
    "POST",
    "/v1/watch",
    id="watchTable",
    summary="Watch a private table by a spectator code",
    description="From now on your account may read the table as a spectator: view, events, replay, record; until the "
    "host withdraws the invitation. 404 with `code_unknown` if the code is wrong, replaced or withdrawn. Sending it "
    "again is safe.",
    tag="tables",
    body=types.Watch,
    response=TABLE,
    limits=_JOINS,
    problems=(404,),
    headers=PRIVATE_HEADERS,
    response_headers=TABLE_ETAG,
    links=watch_links(),
)
async def watch_table(
    request: CallerRequest, data: JSONBody[types.Watch], table_codes: NamedDependency[TableCodes]
) -> TableResponse:
    return view_response(await table_codes.watch(data.code, request.user.id, host=host_of(request)))


HANDLERS: Final = (
    create_join_code,
    get_join_code,
    join_table,
    create_spectator_code,
    get_spectator_code,
    withdraw_spectator_code,
    watch_table,
)
