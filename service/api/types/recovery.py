"""The types of the API for codes by which an account gets a token on another device."""

from typing import Annotated

from msgspec import Meta, Struct

from service.api.types.common import Id, Time, TypedCode
from service.api.types.players import Bearer, Name, NewLabel, TokenDays
from service.codes import RECOVERY, TRANSFER, Shape


def _shown(shape: Shape, text: str, example: str) -> Meta:
    """Return what the contract says of a code that is shown."""
    return Meta(pattern=shape.pattern, max_length=shape.shown_length, description=text, examples=[example])


class RecoveryCode(Struct, frozen=True):
    """A recovery code, which is shown only once."""

    code: Annotated[
        str, _shown(RECOVERY, "Recovery code; keep it apart from the device.", "7KQ2M-9XT4H-PW8RV-D0C1B-3Z6YJ")
    ]
    created: Time


class TransferCode(Struct, frozen=True):
    """A transfer code: for one device, within minutes."""

    code: Annotated[str, _shown(TRANSFER, "Transfer code; shown only once.", "4HPW-8RVD-0C1B")]
    created: Time
    expires: Time


class CodeRedemption(Struct, frozen=True, forbid_unknown_fields=True):
    """A recovery or transfer code, and the token wanted for it."""

    code: TypedCode
    label: NewLabel
    expires_in_days: TokenDays = 365
    revoke_others: Annotated[bool, Meta(description="Revoke all other tokens of the account, at once everywhere.")] = (
        False
    )


class TokenRedeemed(Struct, frozen=True):
    """An account and a new token of it, which is shown only once."""

    player: Id
    name: Name | None
    token_id: Id
    label: str
    expires: Time | None
    token: Bearer
