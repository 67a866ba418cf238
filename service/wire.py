"""The types of the API: what bodies and queries hold, and what answers are made of.

Answers are encoded from the domain's own structs; the types that depend on a game are declared here
once for each game in the registry, so that the contract says exactly what is sent (a test decodes
real answers with them).
"""

from typing import Annotated, Any, Final, Literal, Union

import msgspec
from msgspec import Meta, Struct, defstruct

from domain.cards import Card
from domain.decider import AnyGame, Rule
from domain.record import Record
from domain.registry import CURRENT
from domain.table.model import Status, TableFact, Visibility
from domain.table.views import SeatPublic
from domain.verify.report import Check
from projections.table_view import LobbySeat
from service.names import NAME_PATTERN

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


# What depends on a game


def class_name(game: AnyGame, suffix: str) -> str:
    """The name of a type of one game."""
    return "".join(word.capitalize() for word in game.key.split("_")) + suffix


def _union(types: tuple[Any, ...]) -> Any:
    return Union[types] if types else Any  # noqa: UP007 - built from a list


def many(type_: Any) -> Any:
    """The type of a JSON array of `type_`, which is known at run time only."""
    return tuple[type_, ...]


def _you_type(game: AnyGame) -> Any:
    return defstruct(
        class_name(game, "You"),
        [
            ("seat", SeatNumber),
            (
                "decision",
                Annotated[
                    Version | None, Meta(description="Answer this number with the next move; null while none is open.")
                ],
            ),
            ("hand", tuple[Card, ...]),
            ("legal", many(game.legal_type)),
            ("private", game.private_type | None),
            ("join_code", JoinCode | None),
        ],
        frozen=True,
        namespace={"__doc__": "What only one seat may see."},
    )


def _table_type(game: AnyGame) -> Any:
    """The view of a table: what `splice` joins, declared."""
    return defstruct(
        class_name(game, "Table"),
        [
            ("table", Id),
            ("rules_version", int),
            ("status", Status),
            ("version", Version),
            ("visibility", Visibility),
            ("created", Time),
            ("host", SeatNumber | None),
            ("seats", tuple[SeatPublic, ...]),
            ("options", game.options_type),
            ("commitment", Hash),
            ("round", int),
            ("to_act", tuple[SeatNumber, ...]),
            ("board", game.board_type | None),
            (
                "you",
                Annotated[YOUS[game.key] | None, Meta(description="What only your seat may know; null without one.")],
            ),
        ],
        frozen=True,
        tag_field="game",
        tag=game.key,
        namespace={"__doc__": f"A table of {game.title} as the caller may see it."},
    )


def _event_type(game: AnyGame) -> Any:
    facts = _members(game.public_type) + _members(game.private_fact_type) + _members(game.fact_type)
    return defstruct(
        class_name(game, "Event"),
        [
            ("version", Version),
            ("time", Time),
            ("type", str),
            ("seat", SeatNumber | None),
            ("decision", Version | None),
            ("table", tuple[TableFact, ...]),
            ("facts", many(_union(tuple(dict.fromkeys(facts))))),
        ],
        frozen=True,
        namespace={"__doc__": "One recorded command with what followed from it, as the caller may see it."},
    )


def _members(union: Any) -> list[Any]:
    members = getattr(union, "__args__", None)
    return [union] if members is None else list(members)


YOUS: Final[dict[str, Any]] = {key: _you_type(game) for key, game in CURRENT.items()}
TABLES: Final[dict[str, Any]] = {key: _table_type(game) for key, game in CURRENT.items()}
EVENTS: Final[dict[str, Any]] = {key: _event_type(game) for key, game in CURRENT.items()}
TABLE: Final[Any] = _union(tuple(TABLES.values()))


def per_game(suffix: str, doc: str, fields: Any, *, closed: bool = False) -> Any:
    """A union over the games, told apart by `game`."""
    return _union(
        tuple(
            defstruct(
                class_name(game, suffix),
                fields(game),
                frozen=True,
                forbid_unknown_fields=closed,
                tag_field="game",
                tag=key,
                namespace={"__doc__": doc},
            )
            for key, game in CURRENT.items()
        )
    )


MOVE_RESULT: Final[Any] = per_game(
    "MoveResult",
    "An accepted move: the version it made, what followed from it, and the view after it.",
    lambda game: [("version", Version), ("event", EVENTS[game.key]), ("view", TABLES[game.key])],
)
EVENT_PAGE: Final[Any] = per_game(
    "EventPage",
    "A page of a table's events. `version` is the table's newest; `next_after` continues, null at the end.",
    lambda game: [("version", Version), ("items", many(EVENTS[game.key])), ("next_after", Version | None)],
)


def _seats(game: AnyGame) -> Any:
    fewest, most = game.seats
    return Annotated[int, Meta(ge=fewest, le=most, description="Number of seats, where the options do not say it.")]


_BOTS = Annotated[tuple[SeatNumber, ...], Meta(max_length=5, description="Seats that bots take; seat 0 is yours.")]
NEW_TABLE: Final[Any] = per_game(
    "NewTable",
    "A table to create; its creator is host on seat 0.",
    lambda game: [
        ("options", dict[str, Any], msgspec.field(default_factory=dict)),
        ("seats", _seats(game) | None, None),
        ("bots", _BOTS, ()),
        ("visibility", Visibility, "public"),
    ],
    closed=True,
)


def move_request(game: AnyGame, move_type: Any = None) -> Any:
    """The type of the body of a move at a table of this game; `move_type` takes the place of the game's."""
    return defstruct(
        class_name(game, "MoveRequest"),
        [("decision", Version), ("move", move_type or game.move_type)],
        frozen=True,
        forbid_unknown_fields=True,
        namespace={"__doc__": f"A move at a table of {game.title}: the answer to a decision."},
    )


MOVES: Final[tuple[Any, ...]] = tuple(game.move_type for game in CURRENT.values())
MOVE_REQUESTS: Final[tuple[Any, ...]] = tuple(move_request(game) for game in CURRENT.values())
"""Bodies of a move, one for each game; the table says which one it has to be."""


# Replays and explanations


def _step_type(game: AnyGame) -> Any:
    return defstruct(
        class_name(game, "ReplayStep"),
        [
            ("version", Version),
            ("event", EVENTS[game.key]),
            ("view", TABLES[game.key]),
            (
                "hands",
                Annotated[many(YOUS[game.key]) | None, Meta(description="Every seat's part for `all`, else null.")],
            ),
        ],
        frozen=True,
        namespace={"__doc__": "One version of a table: what it brought, and the view after it."},
    )


def _explanation_type(game: AnyGame) -> Any:
    fields = [
        ("move", game.move_type),
        ("legal", bool),
        ("code", Annotated[str | None, Meta(description="Why not; null if it is legal.")]),
        ("rule", Annotated[str | None, Meta(description="The rule that refuses; null if the table does.")]),
        ("text", Annotated[str | None, Meta(description="The text of that rule.")]),
        ("detail", Annotated[str | None, Meta(description="A sentence for the player.")]),
        ("have", Annotated[int | None, Meta(description="What the seat has of a quantity that is missing.")]),
        ("need", Annotated[int | None, Meta(description="What it would need.")]),
    ]
    doc = "The judgement of one move."
    return defstruct(class_name(game, "Explanation"), fields, frozen=True, namespace={"__doc__": doc})


EXPLANATIONS: Final[dict[str, Any]] = {key: _explanation_type(game) for key, game in CURRENT.items()}
REPLAY: Final[Any] = per_game(
    "Replay",
    "Steps of a table for one viewer. `version` is the table's newest; `next_from` continues, null at the end.",
    lambda game: [
        ("version", Version),
        ("seat", Literal["0", "1", "2", "3", "4", "5", "spectator", "all"]),
        ("items", many(_step_type(game))),
        ("next_from", Version | None),
    ],
)
EXPLAINED: Final[Any] = per_game(
    "Explained",
    "What the rules say of one seat's moves after `version` events, and the view that seat had.",
    lambda game: [
        ("version", Version),
        ("seat", SeatNumber),
        ("view", TABLES[game.key]),
        ("answers", many(EXPLANATIONS[game.key])),
    ],
)


# Private streams and advice

_NOTED: Final = tuple(game for game in CURRENT.values() if game.notes is not None)
_ADVISED: Final = tuple(game for game in CURRENT.values() if game.advice is not None)


def _notes_tagged(game: AnyGame, *tags: str) -> Any:
    """The private moves of a game with one of these tags, as a union."""
    moves = _members(game.notes.move_type) if game.notes is not None else []
    return _union(tuple(move for move in moves if move.__struct_config__.tag in tags))


DRAFTS: Final[dict[str, Any]] = {game.key: _notes_tagged(game, "prepare") for game in _NOTED}
"""For each game with drafts the type of a draft to prepare."""
TAKE_BACKS: Final[dict[str, Any]] = {game.key: _notes_tagged(game, "take_back") for game in _NOTED}
HAND_ORDERS: Final[dict[str, Any]] = {
    game.key: _notes_tagged(game, "sort_hand", "move_card", "arrange_hand") for game in _NOTED
}
PRIVATES: Final[dict[str, Any]] = {game.key: game.private_type for game in _NOTED}
QUESTIONS: Final[dict[str, Any]] = {game.key: game.advice.question_type for game in _ADVISED if game.advice}
ADVICE: Final[dict[str, Any]] = {game.key: game.advice.answer_type for game in _ADVISED if game.advice}


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
"""Declares the body of changeOptions; its properties come from the games (`service.contract`)."""
