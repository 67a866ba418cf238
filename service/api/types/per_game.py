"""Types that are declared once for each game in the registry.

So the contract says exactly what is sent; a test decodes real responses with them.
"""

from typing import Any, Union

from msgspec import defstruct

from domain.decider import AnyGame
from domain.registry import CURRENT


def class_name(game: AnyGame, suffix: str) -> str:
    """The name of a type of one game."""
    return "".join(word.capitalize() for word in game.key.split("_")) + suffix


def union(types: tuple[Any, ...]) -> Any:
    return Union[types] if types else Any  # noqa: UP007 - built from a list


def many(type_: Any) -> Any:
    """The type of a JSON array of `type_`, which is known at run time only."""
    return tuple[type_, ...]


def members(union: Any) -> list[Any]:
    members = getattr(union, "__args__", None)
    return [union] if members is None else list(members)


def per_game(suffix: str, doc: str, fields: Any, *, closed: bool = False) -> Any:
    """A union over the games, told apart by `game`."""
    return union(
        tuple(
            defstruct(
                class_name(game, suffix),
                fields(game),
                frozen=True,
                forbid_unknown_fields=closed,
                tag_field="game",
                tag=key,
                namespace={"__doc__": doc},
            )
            for key, game in CURRENT.items()
        )
    )
