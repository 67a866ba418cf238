"""The types of the API that depend on the game, declared once for each game in the registry.

So the contract says exactly what is sent; a test decodes real answers with them.
"""

from typing import Annotated, Any, Final, Literal, Union

import msgspec
from msgspec import Meta, defstruct

from domain.cards import Card
from domain.decider import AnyGame
from domain.registry import CURRENT
from domain.table.model import Status, TableFact, Visibility
from domain.table.views import SeatPublic
from service.api.types.resources import Hash, Id, JoinCode, SeatNumber, Time, Version


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
            ("legal", many(game.types.legal)),
            ("private", game.types.private_part | None),
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
            ("options", game.options.type),
            ("commitment", Hash),
            ("round", int),
            ("to_act", tuple[SeatNumber, ...]),
            ("board", game.types.board | None),
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
    facts = _members(game.types.public_form) + _members(game.types.private_form) + _members(game.types.fact)
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
        [("decision", Version), ("move", move_type or game.types.move)],
        frozen=True,
        forbid_unknown_fields=True,
        namespace={"__doc__": f"A move at a table of {game.title}: the answer to a decision."},
    )


MOVES: Final[tuple[Any, ...]] = tuple(game.types.move for game in CURRENT.values())
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
        ("move", game.types.move),
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

_NOTED: Final = tuple(game for game in CURRENT.values() if game.private_stream is not None)
_ADVISED: Final = tuple(game for game in CURRENT.values() if game.advice is not None)


def _notes_tagged(game: AnyGame, *tags: str) -> Any:
    """The private moves of a game with one of these tags, as a union."""
    moves = _members(game.private_stream.move_type) if game.private_stream is not None else []
    return _union(tuple(move for move in moves if move.__struct_config__.tag in tags))


DRAFTS: Final[dict[str, Any]] = {game.key: _notes_tagged(game, "prepare") for game in _NOTED}
"""For each game with drafts the type of a draft to prepare."""
TAKE_BACKS: Final[dict[str, Any]] = {game.key: _notes_tagged(game, "take_back") for game in _NOTED}
HAND_ORDERS: Final[dict[str, Any]] = {
    game.key: _notes_tagged(game, "sort_hand", "move_card", "arrange_hand") for game in _NOTED
}
PRIVATES: Final[dict[str, Any]] = {game.key: game.types.private_part for game in _NOTED}
QUESTIONS: Final[dict[str, Any]] = {game.key: game.advice.question_type for game in _ADVISED if game.advice}
ADVICE: Final[dict[str, Any]] = {game.key: game.advice.answer_type for game in _ADVISED if game.advice}
