"""Options of Von Herzen: strict types, ranges, defaults (V-77)."""

from collections.abc import Mapping
from typing import Any, Final

from domain.decider import OptionProblem
from domain.games.von_herzen.model import VonHerzenOptions

_INTEGERS: Final = {
    # name: least, most, default (None: must be given)
    "players": (2, 6, None),  # V-1
    "complete_rounds": (1, 10, 2),  # V-70
    "swap_rounds": (1, 2, 1),  # V-26
    "standstill_rounds": (1, 5, 2),  # V-60
}
_FLAGS: Final = {
    "own_joker_layoff": True,  # V-46
    "pure_flute_four": False,  # V-66
}
_PICKS: Final = ("top", "any")  # V-32, the default first

OPTIONS_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "players": {
            "type": "integer",
            "minimum": 2,
            "maximum": 6,
            "description": "Number of players. If absent, the number of seats of the table.",
        },
        "complete_rounds": {
            "type": "integer",
            "minimum": 1,
            "maximum": 10,
            "default": 2,
            "description": "Complete rounds: in each of them everybody deals once.",
        },
        "swap_rounds": {
            "type": "integer",
            "minimum": 1,
            "maximum": 2,
            "default": 1,
            "description": "How often everybody is giver in the swap phase.",
        },
        "pile_pick": {
            "type": "string",
            "enum": list(_PICKS),
            "default": "top",
            "description": "Which card of the discard pile may be taken.",
        },
        "own_joker_layoff": {
            "type": "boolean",
            "default": True,
            "description": "Whether a joker may be added to one's own run on the table.",
        },
        "pure_flute_four": {
            "type": "boolean",
            "default": False,
            "description": "Whether a run of eight without a joker earns 4 extra points instead of 2.",
        },
        "standstill_rounds": {
            "type": "integer",
            "minimum": 1,
            "maximum": 5,
            "default": 2,
            "description": "Go-rounds without progress that end a round.",
        },
    },
}
"""JSON Schema of the options a client may send."""


def parse_options(raw: Mapping[str, object], seats: int | None) -> VonHerzenOptions | OptionProblem:
    """Judge raw options and fill in the defaults; `seats` stands in for an absent `players`."""
    for name in raw:
        if name not in OPTIONS_SCHEMA["properties"]:
            return OptionProblem("option_unknown", "V-77", name)
    given = dict(raw)
    if "players" not in given:
        given["players"] = seats
    for name, (least, most, default) in _INTEGERS.items():
        number = given.setdefault(name, default)
        if type(number) is not int or not least <= number <= most:  # V-77: a boolean is not an integer
            return OptionProblem("option_value", "V-77", name)
    for name, flag in _FLAGS.items():
        if type(given.setdefault(name, flag)) is not bool:
            return OptionProblem("option_value", "V-77", name)
    pick = given.setdefault("pile_pick", _PICKS[0])
    if type(pick) is not str or pick not in _PICKS:
        return OptionProblem("option_value", "V-77", "pile_pick")
    if seats is not None and given["players"] != seats:
        return OptionProblem("option_conflict", "V-1", "players")
    return _built(given)


def _built(given: Mapping[str, Any]) -> VonHerzenOptions:
    """Return the options from values that have been judged."""
    return VonHerzenOptions(
        players=given["players"],
        complete_rounds=given["complete_rounds"],
        swap_rounds=given["swap_rounds"],
        pile_pick=given["pile_pick"],
        own_joker_layoff=given["own_joker_layoff"],
        pure_flute_four=given["pure_flute_four"],
        standstill_rounds=given["standstill_rounds"],
    )


def seat_count(options: VonHerzenOptions, _seats: int | None) -> int:
    """Return the seats of the table: the option `players` (V-1)."""
    return options.players
