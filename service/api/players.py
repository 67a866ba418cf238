"""New accounts, the caller's account, tokens."""

from typing import Any
from uuid import UUID

import msgspec

from service.api.http import Answer, Call, Operation, answer
from service.api.types import resources as wire
from service.store.accounts import TokenRow

_new_player = msgspec.json.Decoder(wire.NewPlayer)
_me_change = msgspec.json.Decoder(wire.MeChange)
_new_token = msgspec.json.Decoder(wire.NewToken)
_NO_STORE = {"Cache-Control": "no-store"}


async def create_player(call: Call) -> Answer:
    body, key = await call.body(_new_player), call.idempotency_key()
    made = await call.services.accounts.create_guest(body.name, key)
    created = wire.PlayerCreated(str(made.id), made.name, str(made.token_id), made.token)
    return answer(created, status=201, headers={"Location": f"/v1/players/{made.id}", **_NO_STORE})


async def get_me(call: Call) -> Answer:
    name, created = await call.services.accounts.me(call.caller)
    return answer(wire.Me(call.caller.id, name, call.caller.role, created))


async def change_me(call: Call) -> Answer:
    body = await call.body(_me_change)
    name = await call.services.accounts.rename(call.caller, body.name)
    await call.services.memberships.show_names_of(call.caller.id)
    _, created = await call.services.accounts.me(call.caller)
    return answer(wire.Me(call.caller.id, name, call.caller.role, created))


async def delete_me(call: Call) -> Answer:
    await call.services.memberships.leave_all(call.caller.id)
    await call.services.disputes.erase_texts(call.caller.id)
    await call.services.accounts.erase(call.caller)
    await call.services.memberships.leave_all(call.caller.id)  # where he sat down meanwhile
    await call.services.memberships.show_names_of(call.caller.id)
    return answer(None, status=204)


async def create_token(call: Call) -> Answer:
    body, key = await call.body(_new_token), call.idempotency_key()
    row, token = await call.services.accounts.create_token(call.caller, body.label, body.expires_in_days, key)
    created = wire.TokenCreated(str(row.id), row.label, row.expires, token)
    return answer(created, status=201, headers=_NO_STORE)


async def list_tokens(call: Call) -> Answer:
    rows = await call.services.accounts.tokens(call.caller)
    return answer(wire.TokenList(tuple(_info(row, call.caller.token) for row in rows)), headers=_NO_STORE)


async def revoke_token(call: Call) -> Answer:
    await call.services.accounts.revoke(call.caller, call.uuid("token"))
    return answer(None, status=204)


def _info(row: TokenRow, current: UUID) -> wire.TokenInfo:
    last_used = None if row.last_used is None else row.last_used // 60_000 * 60_000
    return wire.TokenInfo(str(row.id), row.label, row.created, last_used, row.expires, row.id == current)


OPERATIONS: tuple[Operation[Any], ...] = (
    Operation(
        id="createPlayer",
        method="POST",
        path="/v1/players",
        summary="Create a guest account",
        description="Returns the account and its first token. The token is shown once; a retry with the same "
        "Idempotency-Key gives the same account and token.",
        tag="players",
        run=create_player,
        public=True,
        status=201,
        body=wire.NewPlayer,
        answer=wire.PlayerCreated,
        idempotent=True,
        answer_headers={"Location": "The account's public profile."},
        links={
            "getPlayer": {"operationId": "getPlayer", "parameters": {"player": "$response.body#/player"}},
        },
    ),
    Operation(
        id="getMe",
        method="GET",
        path="/v1/me",
        summary="Look at my account",
        description="Id, public name and role of the account that the token belongs to.",
        tag="me",
        run=get_me,
        answer=wire.Me,
        problems=(404,),
    ),
    Operation(
        id="changeMe",
        method="PATCH",
        path="/v1/me",
        summary="Change my public name",
        description="Names need not be unique. Views, lists and leaderboards show the new one at once; records name "
        "nobody.",
        tag="me",
        run=change_me,
        body=wire.MeChange,
        answer=wire.Me,
        problems=(404,),
    ),
    Operation(
        id="deleteMe",
        method="DELETE",
        path="/v1/me",
        summary="Erase my account",
        description="Leaves every table, erases the name, the texts of disputes and all tokens at once. The log "
        "keeps only the random id, so that matches still verify.",
        tag="me",
        run=delete_me,
        status=204,
    ),
    Operation(
        id="createToken",
        method="POST",
        path="/v1/me/tokens",
        summary="Create a token for a further device",
        description="Revoke one device without the others. The token is shown once; a retry with the same "
        "Idempotency-Key gives the same one.",
        tag="me",
        run=create_token,
        status=201,
        body=wire.NewToken,
        answer=wire.TokenCreated,
        idempotent=True,
        links={"revokeToken": {"operationId": "revokeToken", "parameters": {"token": "$response.body#/token_id"}}},
    ),
    Operation(
        id="listTokens",
        method="GET",
        path="/v1/me/tokens",
        summary="List my tokens",
        description="Those that are still valid, newest first, without their secrets; `current` is the one of this "
        "request.",
        tag="me",
        run=list_tokens,
        answer=wire.TokenList,
    ),
    Operation(
        id="revokeToken",
        method="DELETE",
        path="/v1/me/tokens/{token}",
        summary="Revoke a token at once everywhere",
        description="It is refused from now on by every process; your other tokens stay valid. The id is in "
        "listTokens.",
        tag="me",
        run=revoke_token,
        status=204,
        problems=(404,),
    ),
)
