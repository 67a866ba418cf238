"""The types of the API for accounts and tokens."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from service.accounts.names import NAME_PATTERN
from service.api.types.common import Id, Time

Name = Annotated[
    str,
    Meta(min_length=1, max_length=40, pattern=NAME_PATTERN, description="Public name.", examples=["Ada"]),
]


class NewPlayer(Struct, frozen=True, forbid_unknown_fields=True):
    """A guest account to create."""

    name: Name


class PlayerCreated(Struct, frozen=True):
    """A new account and its first token, shown once."""

    player: Id
    name: Name
    token_id: Id
    token: Annotated[str, Meta(pattern="^bw_[A-Za-z0-9_-]{43}$", description="Bearer token; keep it secret.")]


class Me(Struct, frozen=True):
    """The caller's account."""

    player: Id
    name: Name | None
    role: Literal["player", "arbiter", "operator"]
    created: Time


class MeChange(Struct, frozen=True, forbid_unknown_fields=True):
    """What of the account is to change."""

    name: Name


class NewToken(Struct, frozen=True, forbid_unknown_fields=True):
    """A further token, one for each device."""

    label: Annotated[str, Meta(min_length=1, max_length=60, pattern=NAME_PATTERN, examples=["phone"])]
    expires_in_days: Annotated[int, Meta(ge=1, le=3650)] = 365


class TokenCreated(Struct, frozen=True):
    """A new token, shown once."""

    token_id: Id
    label: str
    expires: Time | None
    token: Annotated[str, Meta(pattern="^bw_[A-Za-z0-9_-]{43}$", description="Bearer token; keep it secret.")]


class TokenInfo(Struct, frozen=True):
    """A token without its secret."""

    token_id: Id
    label: str
    created: Time
    last_used: Annotated[Time | None, Meta(description="To the minute; null if never used.")]
    expires: Time | None
    current: Annotated[bool, Meta(description="Whether this request used it.")]


class TokenList(Struct, frozen=True):
    """The caller's valid tokens, newest first."""

    items: tuple[TokenInfo, ...]
