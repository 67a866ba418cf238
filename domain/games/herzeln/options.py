"""Options of a table: what a client may send and what it means (section 2, Z-46)."""

from collections.abc import Mapping
from typing import Any, Final

from domain.decider import OptionProblem
from domain.games.herzeln.model import HerzelnOptions

OPTIONS_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "players": {
            "type": "integer",
            "enum": [3, 4],
            "description": "Number of players (Z-1); if absent, the number of seats asked for.",
        },
        "match_length": {
            "type": "string",
            "enum": ["one_series", "series_per_player"],
            "default": "one_series",
            "description": "One series of eight rounds, or as many series as players (Z-51).",
        },
        "stop_when_decided": {
            "type": "boolean",
            "default": False,
            "description": "End a round once its last scoring card has been taken (Z-28).",
        },
    },
}


def parse_options(raw: Mapping[str, object], seats: int | None) -> HerzelnOptions | OptionProblem:
    """Judge raw options and fill in the defaults (Z-46).

    `players` has no default: without it the number of seats asked for is taken, and without both
    the options are refused. `option_conflict` (Z-1) if both are given and differ.
    """
    for name in raw:
        if name not in OPTIONS_SCHEMA["properties"]:
            return OptionProblem("option_unknown", "Z-46", name)
    players = raw.get("players", seats)
    if type(players) is not int or players not in (3, 4):  # a boolean is not an integer
        return OptionProblem("option_value", "Z-46", "players")
    match_length = raw.get("match_length", "one_series")
    if match_length != "one_series" and match_length != "series_per_player":
        return OptionProblem("option_value", "Z-46", "match_length")
    stop_when_decided = raw.get("stop_when_decided", False)
    if not isinstance(stop_when_decided, bool):
        return OptionProblem("option_value", "Z-46", "stop_when_decided")
    if seats is not None and seats != players:
        return OptionProblem("option_conflict", "Z-1", "players")
    return HerzelnOptions(
        players, "series_per_player" if match_length == "series_per_player" else "one_series", stop_when_decided
    )


def seat_count(options: HerzelnOptions, _seats: int | None) -> int:
    """Return the number of seats: what `players` says."""
    return options.players
