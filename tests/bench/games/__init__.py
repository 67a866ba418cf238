"""What is measured differently for a game; a game without a module here is measured with its defaults.

A module is named like the game and may define

- `OPTIONS`: options of the tables that are measured (default: none, so the game's defaults);
- `LONGEST`: options of its longest match;
- `rows() -> list[Row]`: measurements of the game's own functions.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from domain.decider import AnyGame
from tests.bench.report import Row

SEATS: Final = 4
"""Seats of the tables that are measured, where the game is played by so many."""


def seats_of(game: AnyGame) -> int:
    """Return the number of the game's seats that comes nearest to `SEATS`."""
    return min(max(SEATS, game.seats[0]), game.seats[1])


def options_of(key: str) -> Mapping[str, object]:
    """Return the options of tables that are measured."""
    return dict(_declared(key, "OPTIONS", {}))


def longest_of(key: str) -> Mapping[str, object] | None:
    """Return the options of the game's longest match, None if its module does not say."""
    longest: Mapping[str, object] | None = _declared(key, "LONGEST", None)
    return longest


def rows_of(key: str) -> list[Row]:
    """Measure what the game's module measures besides."""
    measure: Callable[[], list[Row]] | None = _declared(key, "rows", None)
    return [] if measure is None else measure()


def _declared(key: str, name: str, default: Any) -> Any:
    place = f"{__name__}.{key}"
    return default if find_spec(place) is None else getattr(import_module(place), name, default)
