"""The types of the API for accounts and tokens."""

from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from service.accounts.names import NAME_PATTERN, RULE
from service.api.types.common import Cursor, Id, Limit, Time

_PATTERN: Final = {"pattern": NAME_PATTERN}
"""For clients alone: `service.accounts.names` accepts more."""
Name = Annotated[str, Meta(min_length=1, max_length=40, description="Public name.", examples=["Ada"])]
NewName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=40,
        description=f"Public name. {RULE}",
        examples=["Ada"],
        extra_json_schema=_PATTERN,
    ),
]
NewLabel = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=60,
        description=f"Name of the device, by the rule of public names. {RULE}",
        examples=["phone"],
        extra_json_schema=_PATTERN,
    ),
]


Bearer = Annotated[str, Meta(pattern="^bw_[A-Za-z0-9_-]{43}$", description="Bearer token; keep it secret.")]
TokenDays = Annotated[int, Meta(ge=1, le=3650)]


class NewPlayer(Struct, frozen=True, forbid_unknown_fields=True):
    """A guest account to create."""

    name: NewName


class PlayerCreated(Struct, frozen=True):
    """A new account and its first token, which is shown only once."""

    player: Id
    name: Name
    token_id: Id
    token: Bearer


class Me(Struct, frozen=True):
    """The caller's account."""

    player: Id
    name: Name | None
    role: Literal["player", "arbiter", "operator"]
    created: Time
    recovery_code_created: Annotated[
        Time | None,
        Meta(description="When the recovery code was made; null if there is none. Milliseconds since 1970 UTC."),
    ]


class MeChange(Struct, frozen=True, forbid_unknown_fields=True):
    """A change of the account."""

    name: NewName


class NewToken(Struct, frozen=True, forbid_unknown_fields=True):
    """Another token, one for each device."""

    label: NewLabel
    expires_in_days: TokenDays = 365


class TokenCreated(Struct, frozen=True):
    """A new token, which is shown only once."""

    token_id: Id
    label: str
    expires: Time | None
    token: Bearer


class TokenInfo(Struct, frozen=True):
    """A token without its secret."""

    token_id: Id
    label: str
    created: Time
    last_used: Annotated[Time | None, Meta(description="To the minute; null if never used.")]
    expires: Time | None
    current: Annotated[bool, Meta(description="Whether this request used it.")]


class TokensQuery(Struct, frozen=True):
    """Query of the list of tokens."""

    cursor: Cursor | None = None
    limit: Limit = 50


class TokenPage(Struct, frozen=True):
    """A page of the caller's valid tokens, newest first."""

    items: tuple[TokenInfo, ...]
    next_cursor: Cursor | None
