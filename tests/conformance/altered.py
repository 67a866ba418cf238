"""Games with a part exchanged: faults to plant, and other versions of rules."""

from dataclasses import fields, replace
from typing import Any, Final

from domain.decider import AnyGame

_GROUPS: Final = ("decider", "views", "players", "options", "types")


def altered(game: AnyGame, **parts: Any) -> AnyGame:
    """Return the game with other parts: fields of `Game`, or of the first of its groups that has one of that name.

    `evolve` stands for a function that applies facts of every kind.
    """
    if "evolve" in parts:
        parts["changes"] = dict.fromkeys(game.decider.changes, parts.pop("evolve"))
    own = {field.name for field in fields(game)}
    groups = {name: getattr(game, name) for name in _GROUPS}
    changes: dict[str, Any] = {name: part for name, part in parts.items() if name in own}
    for name, part in parts.items():
        if name not in own:
            group = next(group for group in _GROUPS if name in {field.name for field in fields(groups[group])})
            groups[group] = replace(groups[group], **{name: part})
    return replace(game, **(groups | changes))
