"""The types of the API for replays and explanations."""

from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct, defstruct

from domain.decider import AnyGame
from domain.registry import CURRENT
from service.api.types.common import JoinCode, ReachedVersion, SeatNumber, Version
from service.api.types.per_game import class_name, many, per_game
from service.api.types.tables import EVENTS, TABLES, YOUS


class ReplayQuery(Struct, frozen=True):
    """Which steps of a table, and for which viewer."""

    version: Annotated[
        ReachedVersion | None, Meta(description="The version to get; cannot be combined with `from` and `to`.")
    ] = None
    first: Annotated[ReachedVersion | None, Meta(description="First version of a range; 1 if only `to` is given.")] = (
        msgspec.field(default=None, name="from")
    )
    last: Annotated[ReachedVersion | None, Meta(description="Last version of a range; the newest if not given.")] = (
        msgspec.field(default=None, name="to")
    )
    seat: Annotated[
        Literal["0", "1", "2", "3", "4", "5", "spectator", "all"] | None,
        Meta(description="The viewer; by default your own seat, or a spectator if you have none."),
    ] = None
    join_code: JoinCode | None = None


class ExplainQuery(Struct, frozen=True):
    """The point in a match and the move to judge there."""

    version: Annotated[
        ReachedVersion | None, Meta(description="The point after this many events; the newest version if not given.")
    ] = None
    seat: Annotated[
        Literal["0", "1", "2", "3", "4", "5"] | None, Meta(description="The seat that moves; your own if not given.")
    ] = None
    move: (
        Annotated[
            str,
            Meta(
                min_length=2,
                max_length=16_000,
                description="The move as JSON text, as in makeMove; if not given, every card of the hand is judged.",
                examples=['{"type":"play","card":"QS"}'],
                extra_json_schema={"contentMediaType": "application/json"},
            ),
        ]
        | None
    ) = None
    join_code: JoinCode | None = None


def _step_type(game: AnyGame) -> Any:
    return defstruct(
        class_name(game, "ReplayStep"),
        [
            ("version", Version),
            ("event", EVENTS[game.key]),
            ("view", TABLES[game.key]),
            (
                "hands",
                Annotated[
                    many(YOUS[game.key]) | None, Meta(description="Every seat's part with `all`, otherwise null.")
                ],
            ),
        ],
        frozen=True,
        namespace={"__doc__": "One version of a table: its event, and the view after it."},
    )


def _explanation_type(game: AnyGame) -> Any:
    fields = [
        ("move", game.types.move),
        ("legal", bool),
        ("code", Annotated[str | None, Meta(description="Why the move is not legal; null if it is.")]),
        (
            "rule",
            Annotated[
                str | None, Meta(description="The rule that refuses the move; null if no rule of the game does.")
            ],
        ),
        ("text", Annotated[str | None, Meta(description="The text of that rule.")]),
        ("detail", Annotated[str | None, Meta(description="A sentence for the player.")]),
        ("have", Annotated[int | None, Meta(description="How much the seat has of what it lacks.")]),
        ("need", Annotated[int | None, Meta(description="How much it would need.")]),
    ]
    doc = "The judgement of one move."
    return defstruct(class_name(game, "Explanation"), fields, frozen=True, namespace={"__doc__": doc})


EXPLANATIONS: Final[dict[str, Any]] = {key: _explanation_type(game) for key, game in CURRENT.items()}
REPLAY: Final[Any] = per_game(
    "Replay",
    "Steps of a table for one viewer. `version` is the table's newest version; `next_from` continues, null at the end.",
    lambda game: [
        ("version", Version),
        ("seat", Literal["0", "1", "2", "3", "4", "5", "spectator", "all"]),
        ("items", many(_step_type(game))),
        ("next_from", Version | None),
    ],
)
EXPLAINED: Final[Any] = per_game(
    "Explained",
    "What the rules say about one seat's moves after `version` events, and the view that seat had.",
    lambda game: [
        ("version", Version),
        ("seat", SeatNumber),
        ("view", TABLES[game.key]),
        ("answers", many(EXPLANATIONS[game.key])),
    ],
)
