"""The types of the API: what bodies and queries hold, and what answers are made of.

Answers are encoded from the domain's own structs. The types that depend on a game are in `wire_games`.
"""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from domain.decider import Rule
from domain.record import Record
from domain.table.model import Status
from domain.verify.report import Check
from projections.table_view import LobbySeat
from service.accounts.names import NAME_PATTERN

Id = Annotated[
    str,
    Meta(
        pattern="^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
        max_length=36,
        description="UUID in lower case.",
        examples=["018f2b6e-7c1a-7d3e-9a44-5b6c7d8e9f01"],
    ),
]
SeatNumber = Annotated[int, Meta(ge=0, le=5, description="A position at the table, from 0, clockwise.")]
Version = Annotated[int, Meta(ge=0, le=2**31 - 1, description="Number of events of the table.")]
ReachedVersion = Annotated[int, Meta(ge=1, le=2**31 - 1)]
Time = Annotated[int, Meta(ge=0, le=2**53 - 1, description="Milliseconds since 1970 UTC.")]
Name = Annotated[
    str,
    Meta(min_length=1, max_length=40, pattern=NAME_PATTERN, description="Public name.", examples=["Ada"]),
]
Hash = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", max_length=64, description="32 bytes in hex.")]
JoinCode = Annotated[
    str,
    Meta(
        pattern="^[2-9A-HJ-NP-Z]{16}$",
        max_length=16,
        description="Join code of a private table.",
        examples=["7KQ2M9XT4HPW8RVD"],
    ),
]
Cursor = Annotated[
    str, Meta(min_length=1, max_length=300, pattern="^[A-Za-z0-9_-]+$", description="`next_cursor` of the page before.")
]
Limit = Annotated[int, Meta(ge=1, le=100, description="Most items of the page.")]


# Players and tokens


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


# Games


class GameSummary(Struct, frozen=True):
    """A game that can be played."""

    game: str
    title: str
    rules_version: Annotated[int, Meta(ge=1, le=9999)]
    seats_min: Annotated[int, Meta(ge=2, le=6)]
    seats_max: Annotated[int, Meta(ge=2, le=6)]
    credits: str


class GameList(Struct, frozen=True):
    """All games."""

    items: tuple[GameSummary, ...]


class GameInfo(Struct, frozen=True):
    """A game with the JSON Schema of its options."""

    game: str
    title: str
    rules_version: Annotated[int, Meta(ge=1, le=9999)]
    seats_min: Annotated[int, Meta(ge=2, le=6)]
    seats_max: Annotated[int, Meta(ge=2, le=6)]
    credits: str
    options: Annotated[dict[str, Any], Meta(description="JSON Schema of `options` when a table is created.")]


class RuleList(Struct, frozen=True):
    """Every numbered rule of a game, and every code its rules refuse a move with."""

    game: str
    rules_version: Annotated[int, Meta(ge=1, le=9999)]
    rules: tuple[Rule, ...]
    rejections: Annotated[dict[str, str], Meta(description="Code to a sentence for the player.")]


# Tables

GameKey = Annotated[str, Meta(pattern="^[a-z][a-z_]{1,29}$", max_length=30, examples=["hearts"])]


class Sit(Struct, frozen=True, forbid_unknown_fields=True):
    """A wish for a seat."""

    seat: Annotated[SeatNumber | None, Meta(description="The seat; null for the first open one.")] = None
    client_seed: Annotated[
        Hash | None,
        Meta(description="32 random bytes in hex that the shuffles will depend on; may be added later, once."),
    ] = None
    join_code: JoinCode | None = None
    bot: Annotated[bool, Meta(description="Let a bot sit there (host; `seat` is needed).")] = False


class Start(Struct, frozen=True, forbid_unknown_fields=True):
    """Which round is to start; a round that has started already is no error."""

    round: Annotated[int, Meta(ge=1, le=10_000, description="1 starts the match.", examples=[1])]


class Ready(Struct, frozen=True, forbid_unknown_fields=True):
    """A ready mark."""

    ready: bool


class TableQuery(Struct, frozen=True):
    """Parameters of a table's view."""

    join_code: JoinCode | None = None


class TablesQuery(Struct, frozen=True):
    """Filters and place in the list of public tables."""

    game: Annotated[GameKey | None, Meta(description="Only tables of this game.")] = None
    status: Annotated[Status, Meta(description="Only tables in this status.")] = "lobby"
    limit: Limit = 20
    cursor: Cursor | None = None


class TableSummaryOut(Struct, frozen=True):
    """A table in a list."""

    table: Id
    game: str
    rules_version: int
    status: Status
    created: Time
    host: SeatNumber | None
    seats: tuple[LobbySeat, ...]
    open_seats: int
    options: dict[str, Any]


class TablePage(Struct, frozen=True):
    """A page of public tables, newest first."""

    items: tuple[TableSummaryOut, ...]
    next_cursor: str | None


class EventsQuery(Struct, frozen=True):
    """Place in a table's events."""

    after: Annotated[Version, Meta(description="Only events with a greater version.")] = 0
    limit: Limit = 50
    join_code: JoinCode | None = None


class ReplayQuery(Struct, frozen=True):
    """Which steps of a table, and whose eyes to see them with."""

    version: Annotated[ReachedVersion | None, Meta(description="The one version to see; goes without from and to.")] = (
        None
    )
    first: Annotated[ReachedVersion | None, Meta(description="First version of a range; 1 if only `to` is given.")] = (
        msgspec.field(default=None, name="from")
    )
    last: Annotated[
        ReachedVersion | None, Meta(description="Last version of a range; the newest if it is not given.")
    ] = msgspec.field(default=None, name="to")
    seat: Annotated[
        Literal["0", "1", "2", "3", "4", "5", "spectator", "all"] | None,
        Meta(description="The viewer; your own seat if it is not given, or a spectator without one."),
    ] = None
    join_code: JoinCode | None = None


class ExplainQuery(Struct, frozen=True):
    """The point of a match and the move to judge there."""

    version: Annotated[
        ReachedVersion | None, Meta(description="The point after this many events; now if it is not given.")
    ] = None
    seat: Annotated[
        Literal["0", "1", "2", "3", "4", "5"] | None, Meta(description="Who moves; your own seat if it is not given.")
    ] = None
    move: (
        Annotated[
            str,
            Meta(
                min_length=2,
                max_length=16_000,
                description="The move as JSON, as in makeMove; every card of the hand if it is not given.",
            ),
        ]
        | None
    ) = None
    join_code: JoinCode | None = None


class Head(Struct, frozen=True):
    """The signed end of a table's chain at one version."""

    table: Id
    version: Version
    hash: Hash
    time: Time
    note: Annotated[str, Meta(description="C2SP signed note (Ed25519) over origin, table, version, hash and time.")]
    key: Annotated[str, Meta(description="The verifier key of the note: name, key id and key.")]


class Health(Struct, frozen=True):
    """Whether the process serves."""

    status: Literal["ok"]


class Readiness(Struct, frozen=True):
    """Whether everything the process needs answers. Redis missing costs latency only."""

    status: Literal["ok", "degraded"]
    database: Literal["ok"]
    views: Literal["ok", "away"]


# Records


class Audit(Struct, frozen=True):
    """What verifying a match gives."""

    ok: bool
    checks: tuple[Check, ...]


RECORD: Final[Any] = Record
"""The record of a match; its form is that of `domain.record`."""


class OptionsChange(Struct, frozen=True):
    """New values of options by name; those that are not named keep theirs."""


OPTIONS_CHANGE: Final[Any] = OptionsChange
"""Declares the body of changeOptions; its properties come from the games (`service.contract.document`)."""
