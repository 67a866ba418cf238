"""The list of games. A new game is its folder and one line here."""

from importlib import import_module
from typing import Final, cast

from domain.decider import AnyGame

_KEYS: Final[tuple[str, ...]] = (
    # one line for each game: the name of its folder under domain/games
    "hearts",
    "herzeln",
    "romme",
    "von_herzen",
)


def _versions(key: str) -> tuple[AnyGame, ...]:
    """Return every rules version of a game, oldest first, as its package exports them in `GAMES`."""
    return cast(tuple[AnyGame, ...], import_module(f"domain.games.{key}").GAMES)


GAMES: Final[dict[str, AnyGame]] = {game.rules_id: game for key in _KEYS for game in _versions(key)}
"""Every rules version that can be played or replayed, by rules id (`hearts/1`)."""

CURRENT: Final[dict[str, AnyGame]] = {game.key: game for game in GAMES.values()}
"""The newest rules version of each game, by key: what new tables get."""
