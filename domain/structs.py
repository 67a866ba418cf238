"""What the structs of all games have in common, so that each says only what is its own.

All are frozen and hold no cycles, so the garbage collector does not track them. Type checkers want
`frozen=True` on each subclass too. A tag is the `type` by which a member of a union is told apart, in
snake_case; that of a fact or move is stored and never changes.
"""

from msgspec import Struct


class Value(Struct, frozen=True, gc=False):
    """A part of a state, a board or an answer."""


class Tagged(Value, frozen=True, tag_field="type"):
    """A member of a union, told apart by its `type`."""


class Fact(Tagged, frozen=True):
    """Something that happened: a complete fact, or a public or private form of one."""


class Move(Tagged, frozen=True, forbid_unknown_fields=True):
    """What a seat asks for."""


class Legal(Tagged, frozen=True):
    """A kind of move that a seat may make now."""
