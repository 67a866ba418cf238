"""Leaves and nodes of the transparency log. Every method is one statement that may be repeated without harm.

All methods raise StoreUnavailableError if the database is unavailable for longer than the timeout.
"""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from msgspec import Struct

from domain.merkle import Node
from service.store.database import Database
from service.store.events import FeedEnd
from service.store.queries import statements

_SQL: Final = statements("transparency")


class Leaf(Struct, frozen=True):
    """A leaf and where it comes from; only `leaf` and its place are for everybody."""

    position: int
    stream: UUID
    version: int
    leaf: bytes


class TransparencyStore:
    """The tables of the transparency log."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def append(self, ends: Sequence[FeedEnd]) -> int:
        """Append leaves for events that end matches, in this order; return how many are new."""
        columns = ([end.bucket for end in ends], [end.stream for end in ends], [end.version for end in ends])
        ((added,),) = await self._database.fetch(_SQL["append"], columns)
        return int(added)

    async def size(self) -> int:
        """Return the number of leaves."""
        ((size,),) = await self._database.fetch(_SQL["size"])
        return int(size)

    async def leaf_of(self, stream: UUID) -> Leaf | None:
        """Return the leaf of a table's match, None if it has none (yet)."""
        rows = await self._database.fetch(_SQL["leaf_of"], (stream,))
        return Leaf(*rows[0]) if rows else None

    async def leaves(self, first: int, limit: int) -> list[Leaf]:
        """Return leaves from a position on."""
        return [Leaf(*row) for row in await self._database.fetch(_SQL["leaves"], (first, limit))]

    async def nodes(self, nodes: Sequence[Node]) -> dict[Node, bytes]:
        """Return the hashes of those complete subtrees that there are."""
        if not nodes:
            return {}
        columns = ([node.level for node in nodes], [node.number for node in nodes])
        return {
            Node(level, number): bytes(hash_)
            for level, number, hash_ in await self._database.fetch(_SQL["nodes"], columns)
        }

    async def hashes_of(self, leaves: Sequence[Leaf], buckets: Sequence[int]) -> dict[tuple[UUID, int], bytes]:
        """Return the chain hashes of the events that leaves were made from; `buckets` are those of their streams."""
        columns = (list(buckets), [leaf.stream for leaf in leaves], [leaf.version for leaf in leaves])
        return {
            (stream, version): bytes(hash_)
            for stream, version, hash_ in await self._database.fetch(_SQL["hashes"], columns)
        }

    async def with_leaf(self, streams: Sequence[UUID]) -> set[UUID]:
        """Return those of these tables whose matches have a leaf."""
        return {stream for (stream,) in await self._database.fetch(_SQL["with_leaf"], (list(streams),))}
