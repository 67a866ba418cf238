"""Highest Card: options and their defaults."""

from collections.abc import Mapping
from typing import Any

from domain.decider import OptionProblem
from tests.toy.highest.model import HighestOptions

_RANGES = {"rounds": (1, 5, 2), "hand_size": (1, 6, 3)}
"""Least, most and default value of each option. T-8"""

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        name: {"type": "integer", "minimum": least, "maximum": most, "default": default}
        for name, (least, most, default) in _RANGES.items()
    },
}


def parse_options(raw: Mapping[str, object], _seats: int | None) -> HighestOptions | OptionProblem:
    """Judge raw options and fill in the defaults."""
    for name in raw:
        if name not in _RANGES:
            return OptionProblem("option_unknown", "T-8", name)
    values: dict[str, int] = {}
    for name, (least, most, default) in _RANGES.items():
        value = raw.get(name, default)
        if type(value) is not int or not least <= value <= most:
            return OptionProblem("option_value", "T-8", name)
        values[name] = value
    return HighestOptions(**values)


def seat_count(_options: HighestOptions, seats: int | None) -> int:
    """Return the number asked for, three if none was."""
    return 3 if seats is None else seats
