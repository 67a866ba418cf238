"""Leaves and nodes of the transparency log. Every method is one statement that may be repeated without harm.

All methods raise StoreUnavailableError if the database is away for longer than the patience.
"""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from msgspec import Struct

from domain.merkle import Node
from service.store.connections import UNAVAILABLE_TIMEOUT_SECONDS, Pool
from service.store.events import FeedEnd

_APPEND: Final = "select append_leaves(%s::smallint[], %s::uuid[], %s::integer[])"
_SIZE: Final = "select coalesce(max(position) + 1, 0) from transparency_leaves"
_LEAF_OF: Final = "select position, stream, version, leaf from transparency_leaves where stream = %s"
_LEAVES: Final = """
select position, stream, version, leaf from transparency_leaves where position >= %s order by position limit %s"""
_NODES: Final = """
select n.level, n.number, n.hash from unnest(%s::smallint[], %s::bigint[]) as asked (level, number)
join transparency_nodes n on n.level = asked.level and n.number = asked.number"""
_HEADS: Final = """
select e.stream, e.version, e.hash from unnest(%s::smallint[], %s::uuid[], %s::integer[])
  as asked (bucket, stream, version)
join events e on e.bucket = asked.bucket and e.stream = asked.stream and e.version = asked.version"""
_KNOWN: Final = "select stream from transparency_leaves where stream = any (%s::uuid[])"


class Leaf(Struct, frozen=True):
    """A leaf and where it comes from; only `leaf` and its place are for everybody."""

    position: int
    stream: UUID
    version: int
    leaf: bytes


class TransparencyStore:
    """The tables of the transparency log. One per process; `open` before use, `close` at the end."""

    def __init__(self, database_url: str, *, timeout_seconds: float = UNAVAILABLE_TIMEOUT_SECONDS) -> None:
        self._pool = Pool(database_url, size=2, timeout_seconds=timeout_seconds)

    async def open(self) -> None:
        """Connect. StoreUnavailableError or StoreSetupError if that cannot be."""
        await self._pool.open()

    async def close(self) -> None:
        """Finish what is under way and disconnect."""
        await self._pool.close()

    async def append(self, ends: Sequence[FeedEnd]) -> int:
        """Append leaves for events that end matches, in this order; return how many are new."""
        columns = ([end.bucket for end in ends], [end.stream for end in ends], [end.version for end in ends])
        ((added,),) = await self._pool.fetch(_APPEND, columns)
        return int(added)

    async def size(self) -> int:
        """Return the number of leaves."""
        ((size,),) = await self._pool.fetch(_SIZE)
        return int(size)

    async def leaf_of(self, stream: UUID) -> Leaf | None:
        """Return the leaf of a table's match, None if it has none (yet)."""
        rows = await self._pool.fetch(_LEAF_OF, (stream,))
        return Leaf(*rows[0]) if rows else None

    async def leaves(self, first: int, limit: int) -> list[Leaf]:
        """Return leaves from a position on."""
        return [Leaf(*row) for row in await self._pool.fetch(_LEAVES, (first, limit))]

    async def nodes(self, nodes: Sequence[Node]) -> dict[Node, bytes]:
        """Return the hashes of those complete subtrees that there are."""
        if not nodes:
            return {}
        columns = ([node.level for node in nodes], [node.number for node in nodes])
        return {Node(level, number): bytes(hash_) for level, number, hash_ in await self._pool.fetch(_NODES, columns)}

    async def hashes_of(self, leaves: Sequence[Leaf], buckets: Sequence[int]) -> dict[tuple[UUID, int], bytes]:
        """Return the chain hashes of the events that leaves were made from; `buckets` are those of their streams."""
        columns = (list(buckets), [leaf.stream for leaf in leaves], [leaf.version for leaf in leaves])
        return {(stream, version): bytes(hash_) for stream, version, hash_ in await self._pool.fetch(_HEADS, columns)}

    async def known(self, streams: Sequence[UUID]) -> set[UUID]:
        """Return those of these tables whose matches have a leaf."""
        return {stream for (stream,) in await self._pool.fetch(_KNOWN, (list(streams),))}
