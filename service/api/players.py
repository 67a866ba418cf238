"""New accounts, the caller's account, tokens."""

from typing import Final
from uuid import UUID

from litestar import Response
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from service.accounts.accounts import Accounts
from service.accounts.recovery import Recovery
from service.api.authentication import CallerRequest
from service.api.headers import host_of, idempotency_key, secret_idempotency_key
from service.api.operation import NO_STORE, Operation
from service.api.queries import decoded_query
from service.api.responses import paged
from service.api.types import players as types
from service.disputes.disputes import Disputes
from service.store.accounts import TokenRow


@Operation(
    "POST",
    "/v1/players",
    id="createPlayer",
    summary="Create a guest account",
    description="Returns the account and its first token. The token is shown only once; a retry with the same "
    "Idempotency-Key returns the same account and token. So whoever knows the key can get the account: it has to be "
    "random, 122 bits at least.",
    tag="players",
    public=True,
    status=201,
    body=types.NewPlayer,
    response=types.PlayerCreated,
    idempotent=True,
    secret_key=True,
    limits=("guests_ipv4", "guests_ipv6"),
    headers=NO_STORE,
    response_headers={"Location": "The account's public profile."},
    links={
        "getPlayer": {"operationId": "getPlayer", "parameters": {"player": "$response.body#/player"}},
    },
)
async def create_player(
    request: CallerRequest, data: JSONBody[types.NewPlayer], accounts: NamedDependency[Accounts]
) -> Response[types.PlayerCreated]:
    made = await accounts.create_guest(data.name, secret_idempotency_key(request), host_of(request))
    created = types.PlayerCreated(str(made.id), made.name, str(made.token_id), made.token)
    return Response(created, headers={"Location": f"/v1/players/{made.id}"})


@Operation(
    "GET",
    "/v1/me",
    id="getMe",
    summary="Get my account",
    description="Id, public name and role of the account that the token belongs to.",
    tag="me",
    response=types.Me,
    problems=(404,),
)
async def get_me(
    request: CallerRequest, accounts: NamedDependency[Accounts], recovery: NamedDependency[Recovery]
) -> types.Me:
    name, created = await accounts.me(request.user)
    return types.Me(request.user.id, name, request.user.role, created, await recovery.since(request.user))


@Operation(
    "PATCH",
    "/v1/me",
    id="changeMe",
    summary="Change my public name",
    description="Names need not be unique. The profile shows the new name at once; views, lists and leaderboards "
    "show it within two seconds. Records contain no names.",
    tag="me",
    body=types.MeChange,
    limits=("renames",),
    response=types.Me,
    problems=(404,),
)
async def change_me(
    request: CallerRequest,
    data: JSONBody[types.MeChange],
    accounts: NamedDependency[Accounts],
    recovery: NamedDependency[Recovery],
) -> types.Me:
    name = await accounts.rename(request.user, data.name)
    _, created = await accounts.me(request.user)
    return types.Me(request.user.id, name, request.user.role, created, await recovery.since(request.user))


@Operation(
    "DELETE",
    "/v1/me",
    id="deleteMe",
    summary="Erase my account",
    description="Erases the name, the texts of disputes, all tokens and codes at once; no view or list shows the name "
    "two seconds later. Bots take the account's seats soon after. The log keeps only the random id, so that matches "
    "still verify.",
    tag="me",
    status=204,
)
async def delete_me(
    request: CallerRequest, accounts: NamedDependency[Accounts], disputes: NamedDependency[Disputes]
) -> None:
    await disputes.erase_texts(request.user.id)
    await accounts.erase(request.user)


@Operation(
    "POST",
    "/v1/me/tokens",
    id="createToken",
    summary="Create a token for another device",
    description="With a token of its own, each device can be revoked by itself. The token is shown only once; a "
    "retry with the same Idempotency-Key returns the same one.",
    tag="me",
    status=201,
    body=types.NewToken,
    limits=("tokens",),
    response=types.TokenCreated,
    idempotent=True,
    headers=NO_STORE,
    links={"revokeToken": {"operationId": "revokeToken", "parameters": {"token": "$response.body#/token_id"}}},
)
async def create_token(
    request: CallerRequest, data: JSONBody[types.NewToken], accounts: NamedDependency[Accounts]
) -> types.TokenCreated:
    key = idempotency_key(request)
    row, token = await accounts.create_token(request.user, data.label, data.expires_in_days, key)
    return types.TokenCreated(str(row.id), row.label, row.expires, token)


@Operation(
    "GET",
    "/v1/me/tokens",
    id="listTokens",
    summary="List my tokens",
    description="Valid tokens, newest first, without their secrets; `current` marks the one of this request.",
    tag="me",
    query=types.TokensQuery,
    response=types.TokenPage,
    problems=(404,),
    response_headers={"Link": "The next page, if there is one."},
    headers=NO_STORE,
)
async def list_tokens(request: CallerRequest, accounts: NamedDependency[Accounts]) -> Response[types.TokenPage]:
    params = decoded_query(request, types.TokensQuery)
    rows, cursor = await accounts.tokens(request.user, params.cursor, params.limit)
    page = types.TokenPage(tuple(_info(row, request.user.token) for row in rows), cursor)
    return paged(page, "/v1/me/tokens", {"cursor": cursor, "limit": params.limit} if cursor else None)


@Operation(
    "DELETE",
    "/v1/me/tokens/{token:uuid}",
    id="revokeToken",
    summary="Revoke a token",
    description="Every process refuses it from now on; your other tokens stay valid. listTokens has its id.",
    tag="me",
    status=204,
    problems=(404,),
)
async def revoke_token(request: CallerRequest, token: FromPath[UUID], accounts: NamedDependency[Accounts]) -> None:
    await accounts.revoke(request.user, token)


def _info(row: TokenRow, current: UUID) -> types.TokenInfo:
    last_used = None if row.last_used is None else row.last_used // 60_000 * 60_000
    return types.TokenInfo(str(row.id), row.label, row.created, last_used, row.expires, row.id == current)


HANDLERS: Final = (create_player, get_me, change_me, delete_me, create_token, list_tokens, revoke_token)
