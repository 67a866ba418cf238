"""Overboard: options and their defaults."""

from collections.abc import Mapping
from typing import Any

from domain.decider import OptionProblem
from tests.toy.overboard.model import OverboardOptions

_RANGES = {"lives": (1, 3, 2), "goal": (15, 31, 31)}
"""Least, most and default value of each option. O-9"""

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        name: {"type": "integer", "minimum": least, "maximum": most, "default": default}
        for name, (least, most, default) in _RANGES.items()
    },
}


def parse_options(raw: Mapping[str, object], _seats: int | None) -> OverboardOptions | OptionProblem:
    """Judge raw options and fill in the defaults."""
    for name in raw:
        if name not in _RANGES:
            return OptionProblem("option_unknown", "O-9", name)
    values: dict[str, int] = {}
    for name, (least, most, default) in _RANGES.items():
        value = raw.get(name, default)
        if type(value) is not int or not least <= value <= most:
            return OptionProblem("option_value", "O-9", name)
        values[name] = value
    return OverboardOptions(**values)


def seat_count(_options: OverboardOptions, seats: int | None) -> int:
    """Return the number asked for, five if none was."""
    return 5 if seats is None else seats
