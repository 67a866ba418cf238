"""The options of a table: names, values, defaults and what does not go together."""

from collections.abc import Mapping
from typing import Any, Final

from domain.decider import OptionProblem
from domain.games.hearts.model import HeartsMoonRule, HeartsOptions, HeartsVariant

_DEFAULT_TARGET: Final[dict[HeartsVariant, int]] = {"standard": 100, "spot": 500}  # H-8
_VARIANTS: Final[dict[object, HeartsVariant]] = {"standard": "standard", "spot": "spot"}
_MOON_RULES: Final[dict[object, HeartsMoonRule]] = {
    "add_to_others": "add_to_others",
    "subtract_from_own": "subtract_from_own",
    "none": "none",
}
_RANGES: Final = {"players": (3, 5), "target_score": (1, 5000)}
_TYPES: Final[dict[str, type]] = {
    "variant": str,
    "players": int,
    "black_maria": bool,
    "omnibus": bool,
    "moon_rule": str,
    "target_score": int,
}

OPTIONS_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "variant": {
            "type": "string",
            "enum": ["standard", "spot"],
            "default": "standard",
            "description": "Spot Hearts counts each heart by its number and the queen of spades 25.",
        },
        "players": {
            "type": "integer",
            "minimum": 3,
            "maximum": 5,
            "default": 4,
            "description": "Number of seats.",
        },
        "black_maria": {
            "type": "boolean",
            "default": False,
            "description": "King and ace of spades cost 10 and 7, and nobody shoots the moon.",
        },
        "omnibus": {
            "type": "boolean",
            "default": False,
            "description": "The jack of diamonds takes off 10.",
        },
        "moon_rule": {
            "type": "string",
            "enum": ["add_to_others", "subtract_from_own", "none"],
            "description": "What a moon does. The default, and the only value allowed, is none with black_maria; "
            "without it the default is add_to_others and none is not allowed.",
        },
        "target_score": {
            "type": "integer",
            "minimum": 1,
            "maximum": 5000,
            "description": "The match ends when a total reaches it. Default: 100, in Spot Hearts 500.",
        },
    },
}
"""JSON Schema of the options a client may send."""


def parse_options(raw: Mapping[str, object], seats: int | None) -> HeartsOptions | OptionProblem:
    """Judge raw options and fill in the defaults; `seats` stands in for an absent `players`.

    The first failure is reported: unknown names, then values in the order of H-4, then combinations.
    """
    for name in raw:
        if name not in _TYPES:
            return OptionProblem("option_unknown", "H-4", name)
    given = dict(raw)
    if seats is not None:
        given.setdefault("players", seats)
    for name in _TYPES:
        if name in given and (problem := _value_problem(name, given[name])):
            return problem
    if seats is not None and given["players"] != seats:
        return OptionProblem("option_conflict", "H-9", "players")
    options = _filled_in(given)
    if (options.moon_rule == "none") != options.black_maria:
        return OptionProblem("option_conflict", "H-5", "moon_rule")
    return options


def _value_problem(name: str, value: object) -> OptionProblem | None:
    if type(value) is not _TYPES[name]:  # H-7: strict, a boolean is no integer
        return OptionProblem("option_value", "H-7", name)
    allowed = True
    if isinstance(value, int) and name in _RANGES:
        lowest, most = _RANGES[name]
        allowed = lowest <= value <= most
    elif isinstance(value, str):
        allowed = value in (_VARIANTS if name == "variant" else _MOON_RULES)
    return None if allowed else OptionProblem("option_value", "H-4", name)


def _filled_in(given: Mapping[str, Any]) -> HeartsOptions:
    variant = _VARIANTS[given.get("variant", "standard")]
    black_maria: bool = given.get("black_maria", False)
    return HeartsOptions(
        variant=variant,
        players=given.get("players", 4),
        black_maria=black_maria,
        omnibus=given.get("omnibus", False),
        moon_rule=_MOON_RULES[given.get("moon_rule", "none" if black_maria else "add_to_others")],
        target_score=given.get("target_score", _DEFAULT_TARGET[variant]),
    )


def seat_count(options: HeartsOptions, _seats: int | None) -> int:
    """Return the number of seats: the option `players`."""
    return options.players
