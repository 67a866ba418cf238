"""Reading around rows that PostgreSQL cannot read: what else was asked for is read all the same."""

from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from service.store.errors import StoreDamagedError

AskedT = TypeVar("AskedT")
RowT = TypeVar("RowT")


async def read_around(
    read: Callable[[Sequence[AskedT]], Awaitable[list[RowT]]], asked: Sequence[AskedT]
) -> tuple[list[RowT], list[AskedT]]:
    """Return what `read` gives for as much of `asked` as can be read, in its order, and what cannot be.

    One statement where nothing is damaged; otherwise halves, until what is damaged is alone.
    """
    try:
        return await read(asked), []
    except StoreDamagedError:
        if len(asked) == 1:
            return [], list(asked)
    middle = len(asked) // 2
    first, damaged = await read_around(read, asked[:middle])
    second, others = await read_around(read, asked[middle:])
    return first + second, damaged + others
