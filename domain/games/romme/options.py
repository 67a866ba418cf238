"""Options of Rommé: strict types, ranges, defaults, what does not go together, and changes between rounds."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from msgspec import convert
from msgspec.structs import asdict

from domain.decider import OptionProblem
from domain.games.romme.model import RommeOptions, RommeOptionValue
from domain.options import default_of, filled_in, option_rules, problem_of_combination, problem_of_values

SEATS: Final = (2, 6)
OPTIONS: Final = option_rules(RommeOptions, rule="R-73", seats=SEATS, seats_rule="R-5")

_LIMITS: Final = ("rounds", "target_score")

MATCH_OPTIONS: Final = ("match_end", *_LIMITS)
"""Options that are locked once the first round is dealt (R-75)."""


def changed_options(
    options: RommeOptions, raw: Mapping[str, object], *, first_round_dealt: bool
) -> RommeOptions | OptionProblem:
    """Return the options after the host's change, judged in the order of R-91 (R-74, R-75)."""
    problem = problem_of_values(RommeOptions, raw, "R-73")
    if problem:
        return problem
    present = asdict(options)
    for name in MATCH_OPTIONS if first_round_dealt else ():
        if name in raw and raw[name] != present[name]:
            return OptionProblem("option_locked", "R-75", name)
    values = {**present, **raw}
    if values["match_end"] != present["match_end"]:  # limits that are not named take their defaults
        values = filled_in(
            RommeOptions, {name: value for name, value in values.items() if name in raw or name not in _LIMITS}
        )
    return problem_of_combination(RommeOptions, values, "R-73") or options_of(values)


def options_of(values: Mapping[str, object]) -> RommeOptions:
    """Return values that were judged as the struct of options."""
    return convert(dict(values), RommeOptions)


def is_changed(name: str, options: RommeOptions) -> bool:
    """Whether an option differs from its default; that of a limit depends on how the match ends (R-77)."""
    return bool(getattr(options, name) != default_of(RommeOptions, name, {"match_end": options.match_end}))


@lru_cache(maxsize=256)
def changed(options: RommeOptions) -> tuple[str, ...]:
    """Return the names of the options that differ from their defaults, in the order of R-71 (R-77)."""
    return tuple(name for name in RommeOptions.__struct_fields__ if is_changed(name, options))


def is_same(one: RommeOptionValue, other: RommeOptionValue) -> bool:
    """Whether two values are the same, `True` being another value than 1."""
    return type(one) is type(other) and one == other
