"""Tags of structs from their class names, so that a name is written once.

    _tag = tag_after("Overboard")

    class OverboardMoveBase(Struct, frozen=True, gc=False, tag_field="type", tag=_tag, forbid_unknown_fields=True): ...

    class OverboardSwapAll(OverboardMoveBase, frozen=True): ...  # has the tag `swap_all`

A tag is stored for ever: whoever renames such a class gives it its old tag (`tag="swap_all"`).
"""

import re
from collections.abc import Callable

_START = re.compile("(?<!^)(?=[A-Z])")


def tag_after(game: str) -> Callable[[str], str]:
    """Return the function from a class name to its tag: without the game's name and `Legal`, in snake_case."""

    def tag(name: str) -> str:
        return _START.sub("_", name.removeprefix(game).removeprefix("Legal")).lower()

    return tag
