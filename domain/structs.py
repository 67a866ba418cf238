"""What the structs of all games have in common, so that each says only what is its own.

All are frozen and hold no cycles, so the garbage collector does not track them. Type checkers want
`frozen=True` on each subclass too.

A tag is the `type` by which a member of a union is told apart, in snake_case. It follows from the class name,
so that a name is written once:

    class RaftRaceMoveBase(Move, frozen=True, tag=tag_after("RaftRace")): ...

    class RaftRaceSwapAll(RaftRaceMoveBase, frozen=True): ...  # has the tag `swap_all`

A tag of a fact or move is stored for ever: whoever renames such a class gives it its old tag (`tag="swap_all"`).
"""

import re
from collections.abc import Callable
from typing import Final, Self

from msgspec import Struct

_WORD_START: Final = re.compile("(?<!^)(?=[A-Z])")


def tag_after(game: str) -> Callable[[str], str]:
    """Return the function from a class name to its tag: without the game's name and `Legal`, in snake_case."""

    def tag(name: str) -> str:
        return _WORD_START.sub("_", name.removeprefix(game).removeprefix("Legal")).lower()

    return tag


class Value(Struct, frozen=True, gc=False):
    """A part of a state, a board or an answer."""


class Tagged(Value, frozen=True, tag_field="type"):
    """A member of a union, told apart by its `type`."""


class Fact(Tagged, frozen=True):
    """Something that happened: a complete fact, or a public or private form of one."""


class Move(Tagged, frozen=True, forbid_unknown_fields=True):
    """What a seat asks for."""

    def canonical(self) -> Self:
        """Return the one form of this move and of all that mean the same, by which a repeated move is recognised.

        A move whose cards may be named in any order gives its cards in a fixed one.
        """
        return self


class Legal(Tagged, frozen=True):
    """A kind of move that a seat may make now."""
