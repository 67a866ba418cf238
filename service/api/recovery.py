"""Codes by which an account gets a token on another device, and what they are redeemed for."""

from typing import Final

from litestar.di import NamedDependency
from litestar.params import JSONBody

from service.accounts.recovery import TRANSFER_SECONDS, Recovery
from service.api.authentication import CallerRequest
from service.api.headers import host_of, idempotency_key, secret_idempotency_key
from service.api.operation import NO_STORE, Operation
from service.api.types import recovery as types


@Operation(
    "POST",
    "/v1/me/recovery-code",
    id="createRecoveryCode",
    summary="Create or replace my recovery code",
    description="Whoever has the code gets a token of the account, see redeemCode: show it once, to be written down. "
    "It is valid until you create another one, or erase the account. A retry with the same Idempotency-Key returns the "
    "same code; 422 once it was replaced.",
    tag="me",
    status=201,
    response=types.RecoveryCode,
    idempotent=True,
    limits=("account_codes",),
    problems=(404,),
    headers=NO_STORE,
)
async def create_recovery_code(request: CallerRequest, recovery: NamedDependency[Recovery]) -> types.RecoveryCode:
    made = await recovery.make(request.user, "recovery", idempotency_key(request))
    return types.RecoveryCode(made.code, made.created)


@Operation(
    "POST",
    "/v1/me/transfer-code",
    id="createTransferCode",
    summary="Create a code that brings another device into my account",
    description=f"Redeem it on the other device, once, within {TRANSFER_SECONDS // 60} minutes, see redeemCode. A new "
    "one replaces it. A retry with the same Idempotency-Key returns the same code; 422 once it was replaced or "
    "used, or has expired.",
    tag="me",
    status=201,
    response=types.TransferCode,
    idempotent=True,
    limits=("account_codes",),
    problems=(404,),
    headers=NO_STORE,
)
async def create_transfer_code(request: CallerRequest, recovery: NamedDependency[Recovery]) -> types.TransferCode:
    made = await recovery.make(request.user, "transfer", idempotency_key(request))
    return types.TransferCode(made.code, made.created, made.expires or 0)


@Operation(
    "POST",
    "/v1/tokens",
    id="redeemCode",
    summary="Get a token for a recovery or transfer code",
    description="For a device that has no token of its account. Other tokens stay valid, and listTokens shows them, "
    "unless you revoke them with `revoke_others`. 404 with `code_unknown` if the code is wrong, replaced, used or "
    "expired. A retry with the same Idempotency-Key returns the same token, also of a transfer code; whoever knows "
    "code and key gets it, so the key has to be random, 122 bits at least.",
    tag="me",
    public=True,
    status=201,
    body=types.CodeRedemption,
    response=types.TokenRedeemed,
    idempotent=True,
    secret_key=True,
    limits=("redemptions_ipv4", "redemptions_ipv6", "redemptions_total", "tokens"),
    problems=(404,),
    headers=NO_STORE,
    links={"getPlayer": {"operationId": "getPlayer", "parameters": {"player": "$response.body#/player"}}},
)
async def redeem_code(
    request: CallerRequest, data: JSONBody[types.CodeRedemption], recovery: NamedDependency[Recovery]
) -> types.TokenRedeemed:
    made = await recovery.redeem(
        data.code,
        data.label,
        data.expires_in_days,
        revoke_others=data.revoke_others,
        key=secret_idempotency_key(request),
        host=host_of(request),
    )
    row = made.row
    return types.TokenRedeemed(str(row.player), made.name, str(row.id), row.label, row.expires, made.token)


HANDLERS: Final = (create_recovery_code, create_transfer_code, redeem_code)
