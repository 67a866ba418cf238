"""The options of a table: values, defaults, what does not go together, and changes between rounds."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Final

from msgspec import convert
from msgspec.structs import asdict

from domain.decider import OptionProblem
from domain.games.romme.model import RommeOptionMark, RommeOptions, RommeOptionValue

SEATS_MIN: Final = 2
SEATS_MAX: Final = 6
DEFAULT_SEATS: Final = SEATS_MIN
"""Seats of a table whose creator did not say how many: the fewest that can play."""

_VALUES: Final[dict[str, tuple[RommeOptionValue, ...]]] = {
    "first_meld_min": (30, 40, 0),
    "joker_swap": (False, True),
    "hand_romme_double": (True, False),
    "discard_draw": ("always", "after_out"),
    "match_end": ("rounds", "points", "open"),
    "rounds": (None, *range(1, 31)),
    "target_score": (None, 100, 200, 300, 500, 1000),
}
_DEFAULTS: Final[dict[str, RommeOptionValue]] = {
    "first_meld_min": 30,
    "joker_swap": False,
    "hand_romme_double": True,
    "discard_draw": "always",
    "match_end": "rounds",
}
_MATCH_OPTIONS: Final = ("match_end", "rounds", "target_score")
_LIMITS: Final[dict[str, tuple[str, int]]] = {"rounds": ("rounds", 5), "target_score": ("points", 500)}
"""For each limit the way of ending that it belongs to, and its default there."""

OPTIONS_SCHEMA: Final[dict[str, Any]] = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "first_meld_min": {
            "type": "integer",
            "enum": [30, 40, 0],
            "default": 30,
            "description": "Points that the first laying of a seat in a round must reach; 0: any meld will do.",
        },
        "joker_swap": {
            "type": "boolean",
            "default": False,
            "description": "A joker on the table may be taken for the card it stands for.",
        },
        "hand_romme_double": {
            "type": "boolean",
            "default": True,
            "description": "Going out in one turn doubles what the others count.",
        },
        "discard_draw": {
            "type": "string",
            "enum": ["always", "after_out"],
            "default": "always",
            "description": "Who may take the top of the pile: everybody, or only seats that have laid.",
        },
        "match_end": {
            "type": "string",
            "enum": ["rounds", "points", "open"],
            "default": "rounds",
            "description": "After a number of rounds, at a number of points, or when the host ends it. "
            "Fixed with the first deal.",
        },
        "rounds": {
            "type": ["integer", "null"],
            "minimum": 1,
            "maximum": 30,
            "description": "Only if the match ends by rounds: how many, 5 if not given; otherwise null.",
        },
        "target_score": {
            "type": ["integer", "null"],
            "enum": [100, 200, 300, 500, 1000, None],
            "description": "Only if the match ends by points: how many, 500 if not given; otherwise null.",
        },
    },
}


def parse_options(raw: Mapping[str, object], seats: int | None) -> RommeOptions | OptionProblem:
    """Judge the options of a new table and fill in the defaults (R-71 to R-73).

    The number of seats is no option of this game and goes with every combination (R-72); one that
    cannot be played is refused under the name `seats`.
    """
    problem = _problem_of_names_and_values(raw)
    if problem:
        return problem
    if seats is not None and not SEATS_MIN <= seats <= SEATS_MAX:
        return OptionProblem("option_value", "R-5", "seats")
    values = {**_DEFAULTS, **raw}
    return _problem_of_limits(with_limits(values)) or options_of(with_limits(values))


def seat_count(options: RommeOptions, seats: int | None) -> int:  # noqa: ARG001
    """Return the number of seats asked for, `DEFAULT_SEATS` if nothing was said."""
    return DEFAULT_SEATS if seats is None else seats


def changed_options(
    options: RommeOptions, raw: Mapping[str, object], *, first_round_dealt: bool
) -> RommeOptions | OptionProblem:
    """Return the options after the host's change, judged in the order of R-91 (R-74, R-75)."""
    problem = _problem_of_names_and_values(raw)
    if problem:
        return problem
    present = asdict(options)
    for name in _MATCH_OPTIONS if first_round_dealt else ():
        if name in raw and raw[name] != present[name]:
            return OptionProblem("option_locked", "R-75", name)
    values = {**present, **raw}
    if values["match_end"] != present["match_end"]:
        values = with_limits({name: value for name, value in values.items() if name in raw or name not in _LIMITS})
    return _problem_of_limits(values) or options_of(values)


def options_of(values: Mapping[str, object]) -> RommeOptions:
    """Return values that were judged as the struct of options."""
    return convert(dict(values), RommeOptions)


def with_limits(values: Mapping[str, object]) -> dict[str, object]:
    """Return values with a default for each limit that is not named (R-73)."""
    return {name: _default(name, values["match_end"]) for name in _LIMITS} | dict(values)


def _default(name: str, match_end: object) -> RommeOptionValue:
    """Return an option's default; that of a limit is null unless its way of ending is chosen (R-77)."""
    if name not in _LIMITS:
        return _DEFAULTS[name]
    belongs_to, limit = _LIMITS[name]
    return limit if match_end == belongs_to else None


def _problem_of_names_and_values(raw: Mapping[str, object]) -> OptionProblem | None:
    for name in raw:
        if name not in _VALUES:
            return OptionProblem("option_unknown", "R-73", name)
    for name, allowed in _VALUES.items():
        if name in raw and not _is_one_of(raw[name], allowed):
            return OptionProblem("option_value", "R-73", name)
    return None


def _is_one_of(value: object, allowed: tuple[RommeOptionValue, ...]) -> bool:
    """Whether a value is allowed, `True` being another value than 1."""
    return any(type(value) is type(other) and value == other for other in allowed)


def _problem_of_limits(values: Mapping[str, object]) -> OptionProblem | None:
    for name, (belongs_to, _) in _LIMITS.items():
        if (values[name] is not None) != (values["match_end"] == belongs_to):
            return OptionProblem("option_conflict", "R-73", name)
    return None


def is_changed(name: str, options: RommeOptions) -> bool:
    """Whether an option differs from its default (R-77)."""
    return bool(getattr(options, name) != _default(name, options.match_end))


@lru_cache(maxsize=256)
def marks(options: RommeOptions) -> tuple[RommeOptionMark, ...]:
    """Return all options in the order of R-71, each with whether it was changed (R-77)."""
    return tuple(RommeOptionMark(name, getattr(options, name), is_changed(name, options)) for name in _VALUES)
