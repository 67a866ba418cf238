"""The types of the API for tables: bodies, queries, views, events, moves."""

from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, get_args

import msgspec
from msgspec import Meta, Struct, defstruct

from domain.cards import Card
from domain.decider import AnyGame
from domain.registry import CURRENT
from domain.table.model import BotPace, Status, TableCommand, TableFact, Visibility
from domain.table.views import SeatPublic
from projections.table_view import LobbySeat
from service.api.types.common import Cursor, GameKey, Hash, Id, Limit, SeatNumber, Time, Version
from service.api.types.per_game import class_name, many, members, per_game, union
from service.tables.tables import EVENTS_SINCE_MAX

ClientSeed = Annotated[
    Hash | None,
    Meta(
        description="32 random bytes in hex on which the shuffles will depend; may be added later, once. Tables under "
        "`bw1` take it, which all are today; under `bw2` `seed_commitment` takes its place."
    ),
]
SeedCommitment = Annotated[
    Hash | None,
    Meta(description="For tables under `bw2`: the hash of a seed that is revealed at the start. None is, today: 409."),
]


class Sit(Struct, frozen=True, forbid_unknown_fields=True):
    """A request for a seat."""

    seat: Annotated[SeatNumber | None, Meta(description="The seat; null for the first open one.")] = None
    client_seed: ClientSeed = None
    seed_commitment: SeedCommitment = None
    bot: Annotated[bool, Meta(description="Seat a bot there (host only; requires `seat`).")] = False


class Start(Struct, frozen=True, forbid_unknown_fields=True):
    """The round to start; a round that has already started is not an error."""

    round: Annotated[int, Meta(ge=1, le=10_000, description="1 starts the match.", examples=[1])]


class Ready(Struct, frozen=True, forbid_unknown_fields=True):
    """A ready mark."""

    ready: bool


_Since = Annotated[
    Version | None,
    Meta(description="Give the events after this version too, up to the view; a version that you have seen."),
]


class ViewQuery(Struct, frozen=True):
    """Parameters of a table's view."""

    since: _Since = None


class MoveQuery(Struct, frozen=True):
    """Parameters of a move."""

    since: _Since = None


class TablesQuery(Struct, frozen=True):
    """Filters and position in the list of public tables."""

    game: Annotated[GameKey | None, Meta(description="Only tables of this game.")] = None
    status: Annotated[Status, Meta(description="Only tables in this status.")] = "lobby"
    limit: Limit = 20
    cursor: Cursor | None = None


class TableSummary(Struct, frozen=True):
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

    items: tuple[TableSummary, ...]
    next_cursor: str | None


OwnTablesCursor = Annotated[
    str,
    Meta(min_length=1, max_length=4000, pattern="^[A-Za-z0-9_-]+$", description="`next_cursor` of the previous page."),
]
"""It names the open tables that were listed: they may have another place by then."""


class MyTablesQuery(Struct, frozen=True):
    """Position in the list of the caller's tables."""

    limit: Limit = 20
    cursor: OwnTablesCursor | None = None


class MyTable(TableSummary, frozen=True):
    """A table at which the caller sits."""

    seat: Annotated[SeatNumber, Meta(description="Your seat.")]
    version: Version
    visibility: Visibility
    waiting: Annotated[
        bool,
        Meta(
            description="Whether the match waits for you: a decision of your seat is open, or you are the host between "
            "two rounds."
        ),
    ]


class MyTablePage(Struct, frozen=True):
    """A page of the caller's tables: those that wait for the caller first."""

    items: tuple[MyTable, ...]
    next_cursor: str | None


class EventsQuery(Struct, frozen=True):
    """Position in a table's events."""

    after: Annotated[Version, Meta(description="Only events with a greater version.")] = 0
    limit: Limit = 50


class Head(Struct, frozen=True):
    """The signed head of a table's chain at one version."""

    table: Id
    version: Version
    hash: Hash
    time: Time
    note: Annotated[str, Meta(description="C2SP signed note (Ed25519) over origin, table, version, hash and time.")]
    key: Annotated[str, Meta(description="The verifier key of the note: name, key id and key.")]


class OptionsChange(Struct, frozen=True):
    """New values of options by name; options that are not named keep their values."""


OPTIONS_CHANGE: Final[Any] = OptionsChange
"""Declares the body of changeOptions; its properties come from the games (`service.contract.document`)."""


# What depends on the game


def _you_type(game: AnyGame) -> Any:
    return defstruct(
        class_name(game, "You"),
        [
            ("seat", SeatNumber),
            (
                "decision",
                Annotated[
                    Version | None,
                    Meta(description="The number to send with the next move; null while no decision is open."),
                ],
            ),
            ("hand", tuple[Card, ...]),
            ("legal", many(game.types.legal)),
            ("private", game.types.private_part | None),
        ],
        frozen=True,
        namespace={"__doc__": "What only one seat may see."},
    )


def _event_types(game: AnyGame) -> Any:
    """The commands of the table, and the moves of the game."""
    moves = [move.__struct_config__.tag for move in members(game.types.move)]
    return Literal[(*get_args(TableCommand), *moves)]


def _event_facts(game: AnyGame) -> Any:
    """All forms of the game's facts: during a match those that the viewer may see, afterwards complete ones."""
    facts = members(game.types.public_form) + members(game.types.private_form) + members(game.types.fact)
    return union(tuple(dict.fromkeys(facts)))


def _event_type(game: AnyGame) -> Any:
    return defstruct(
        class_name(game, "Event"),
        [
            ("version", Version),
            ("time", Time),
            ("type", _event_types(game)),
            ("seat", SeatNumber | None),
            ("decision", Version | None),
            ("table", tuple[TableFact, ...]),
            ("facts", many(EVENT_FACTS[game.key])),
        ],
        frozen=True,
        namespace={"__doc__": "One recorded command with what followed from it, as the caller may see it."},
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
            ("bot_pace", BotPace),
            ("created", Time),
            ("host", SeatNumber | None),
            ("seats", tuple[SeatPublic, ...]),
            ("options", game.options.type),
            ("commitment", Hash),
            ("round", int),
            ("to_act", tuple[SeatNumber, ...]),
            ("board", game.types.board | None),
            (
                "you",
                Annotated[
                    YOUS[game.key] | None, Meta(description="What only your seat may know; null if you have no seat.")
                ],
            ),
            (
                "events",
                Annotated[
                    many(EVENTS[game.key]),
                    Meta(
                        description="With `since`: the events after that version up to this view; absent if there "
                        f"are more than {EVENTS_SINCE_MAX}."
                    ),
                ]
                | msgspec.UnsetType,
                msgspec.UNSET,
            ),
            (
                "events_after",
                Annotated[
                    Version,
                    Meta(description="With `since`, where `events` is absent: read the pages of events after it."),
                ]
                | msgspec.UnsetType,
                msgspec.UNSET,
            ),
        ],
        frozen=True,
        tag_field="game",
        tag=game.key,
        namespace={"__doc__": f"A table of {game.title} as the caller may see it."},
    )


YOUS: Final[dict[str, Any]] = {key: _you_type(game) for key, game in CURRENT.items()}
EVENT_FACTS: Final[dict[str, Any]] = {key: _event_facts(game) for key, game in CURRENT.items()}
EVENTS: Final[dict[str, Any]] = {key: _event_type(game) for key, game in CURRENT.items()}
TABLES: Final[dict[str, Any]] = {key: _table_type(game) for key, game in CURRENT.items()}
TABLE: Final[Any] = union(tuple(TABLES.values()))
MOVE_RESULT: Final[Any] = per_game(
    "MoveResult",
    "An accepted move: the version it made, what followed from it, and the view of the table as it is now.",
    lambda game: [
        ("version", Annotated[Version, Meta(description="The version that the move made, the first time.")]),
        (
            "replayed",
            Annotated[
                bool,
                Meta(
                    description="Whether an earlier attempt recorded this move; then `view` may be of a later version."
                ),
            ],
        ),
        ("event", EVENTS[game.key]),
        (
            "view",
            Annotated[TABLES[game.key], Meta(description="Absent with `Prefer: return=minimal`.")] | msgspec.UnsetType,
            msgspec.UNSET,
        ),
    ],
)
EVENT_PAGE: Final[Any] = per_game(
    "EventPage",
    "A page of a table's events. `version` is the table's newest version; `next_after` continues, null at the end.",
    lambda game: [("version", Version), ("items", many(EVENTS[game.key])), ("next_after", Version | None)],
)


def _seats(game: AnyGame) -> Any:
    fewest, most = game.seats
    return Annotated[
        int, Meta(ge=fewest, le=most, description="Number of seats, in games whose options do not set it.")
    ]


_BOTS = Annotated[tuple[SeatNumber, ...], Meta(max_length=5, description="Seats for bots; seat 0 is yours.")]
NEW_TABLE: Final[Any] = per_game(
    "NewTable",
    "A table to create; its creator is host on seat 0.",
    lambda game: [
        ("options", dict[str, Any], msgspec.field(default_factory=dict)),
        ("seats", _seats(game) | None, None),
        ("bots", _BOTS, ()),
        ("visibility", Visibility, "public"),
        ("bot_pace", BotPace, "normal"),
    ],
    closed=True,
)


DecisionNumber = Annotated[Version, Meta(description="The open decision that it answers: `you.decision`.")]


def move_requests(move_type: Callable[[AnyGame], Any] = lambda game: game.types.move) -> Any:
    """The union of the bodies of a move; `move_type` gives the type of the moves of a game."""
    return per_game(
        "MoveRequest",
        "A move at a table: the answer to a decision.",
        lambda game: [("decision", DecisionNumber), ("move", move_type(game))],
        closed=True,
    )


MOVE_REQUEST: Final[Any] = move_requests()
LEGAL_MOVES: Final[Any] = per_game(
    "LegalMoves",
    "What a seat may do now.",
    lambda game: [
        (
            "entries",
            Annotated[
                many(game.types.legal),
                Meta(description="An entry for each kind of move that is open now, like those of `you.legal`."),
            ],
        )
    ],
)
"""Declares `legal` of problems, which is sent as `service.errors.LegalMoves`."""
