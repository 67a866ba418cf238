"""The transparency log: every match that is over is in it, and it can be shown that it only ever grew.

The worker appends a leaf for every match that is over, in the order in which it meets them in the feed.
Proofs and checkpoints are made from stored hashes of complete subtrees, a few dozen for any size.

The record of a match proves its inclusion in the tree that ends with its own leaf. That tree never
changes, and the signature of its checkpoint is a function of it, so the record's bytes never change.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final
from uuid import UUID

from msgspec import Struct

from domain.merkle import Node, Span, consistency_spans, hash_of, inclusion_spans, leaf_hash, new_nodes, nodes_of
from domain.record import Inclusion
from domain.transparency import Consistency, checkpoint_text, leaf_of
from projections.log_marks import LogMarks, SignedTree
from projections.redis_connection import RedisUnavailableError
from service.errors import ConflictError
from service.records.signer import Signer
from service.store.buckets import bucket_of
from service.store.feed import Feed
from service.store.log import FeedEnd, Log
from service.store.transparency import Leaf, TransparencyStore

PROJECTION: Final = "transparency"
"""Name under which the worker keeps its place in the feed."""
_PAGE: Final = 500
_FEED_PAGE: Final = 2000


class Entries(Struct, frozen=True):
    """Leaves of the log from a place on."""

    size: int
    leaves: tuple[Leaf, ...]


class Fault(Struct, frozen=True):
    """What is wrong with the stored log; `table` and `version` as far as they are known."""

    table: UUID | None
    version: int | None
    reason: str


class Transparency:
    """Reads, proofs and growth of the log."""

    def __init__(self, store: TransparencyStore, log: Log, signer: Signer, marks: LogMarks) -> None:
        self._store = store
        self._log = log
        self._signer = signer
        self._marks = marks
        self.signed: SignedTree | None = None
        """The largest tree over which this process has signed a checkpoint."""

    # growing

    async def follow(self, poll_seconds: float) -> None:
        """Append a leaf for every match that ends, until cancelled. Any number of workers may do so."""
        async for events in Feed(self._log, PROJECTION, self._log.feed_ends, poll_seconds=poll_seconds).batches():
            await self.take(events)

    async def take(self, events: Sequence[FeedEnd]) -> int:
        """Append leaves for those events that end a match; those that have one already are passed over."""
        self._log.require_writable()
        ends = [event for event in events if event.ends]
        return await self._store.append(ends) if ends else 0

    # reading

    async def checkpoint(self) -> str:
        """Return the signed checkpoint of the log as it is now."""
        return await self._checkpoint_of(await self._store.size())

    async def of_record(self, stream: UUID) -> Inclusion | None:
        """Return the inclusion that the record of a match carries, None while it has no leaf."""
        leaf = await self._store.leaf_of(stream)
        return None if leaf is None else await self._inclusion(leaf, leaf.position + 1)

    async def inclusion(self, stream: UUID, size: int | None) -> tuple[Leaf, Inclusion]:
        """Return a match's leaf and the proof that it is in the tree of `size` leaves, of all if None."""
        leaf, present = await self._store.leaf_of(stream), await self._store.size()
        if leaf is None:
            raise ConflictError("The match is not in the log yet; try again in a moment.", code="not_in_log")
        if size is not None and not leaf.position < size <= present:
            raise ConflictError("The log has no tree of this size that contains the match.", code="no_such_tree")
        return leaf, await self._inclusion(leaf, present if size is None else size)

    async def consistency(self, old: int, new: int | None) -> Consistency:
        """Return the proof that the tree of `new` leaves (of all if None) begins with that of `old`."""
        present = await self._store.size()
        new = present if new is None else new
        if not 1 <= old <= new <= present:
            raise ConflictError("The log has no trees of these sizes, in this order.", code="no_such_tree")
        return Consistency(old, new, tuple(one.hex() for one in await self._hashes(consistency_spans(old, new))))

    async def entries(self, first: int, limit: int) -> Entries:
        """Return leaves from a place on, and how many there are."""
        size = await self._store.size()
        return Entries(size, tuple(await self._store.leaves(first, limit)))

    async def _inclusion(self, leaf: Leaf, size: int) -> Inclusion:
        proof = await self._hashes(inclusion_spans(leaf.position, size))
        return Inclusion(leaf.position, size, tuple(one.hex() for one in proof), await self._checkpoint_of(size))

    async def _checkpoint_of(self, size: int) -> str:
        (root,) = await self._hashes((Span(0, size),))
        await self._note_signed(SignedTree(size, root.hex()))
        return self._signer.sign(checkpoint_text(self._signer.origin, size, root))

    async def _note_signed(self, tree: SignedTree) -> None:
        """Keep what is signed in Redis, which does not go back with the log; without it, until it answers again."""
        if tree.size > (0 if self.signed is None else self.signed.size):
            self.signed = tree
            with suppress(RedisUnavailableError):
                await self._marks.sign(tree)

    async def size(self) -> int:
        """Return the number of leaves."""
        return await self._store.size()

    async def has(self, tree: SignedTree) -> bool:
        """Whether the log still begins with this tree."""
        if await self._store.size() < tree.size:
            return False
        (root,) = await self._hashes((Span(0, tree.size),))
        return root.hex() == tree.root

    async def _hashes(self, spans: Sequence[Span]) -> list[bytes]:
        stored = await self._store.nodes([node for span in spans for node in nodes_of(span)])
        return [hash_of(span, stored.__getitem__) for span in spans]

    # checking

    async def check(self) -> Fault | None:
        """Rebuild the transparency log from the events; None if it is what is stored and misses no match."""
        reached = await self._log.checkpoint(PROJECTION)
        kept: dict[int, bytes] = {}  # by level the subtree that was completed last

        def left_of(node: Node) -> bytes:
            return kept[node.level]

        first = 0
        while leaves := await self._store.leaves(first, _PAGE):
            hashes = await self._store.hashes_of(leaves, [bucket_of(leaf.stream) for leaf in leaves])
            made: dict[Node, bytes] = {}
            for position, leaf in enumerate(leaves, first):
                expected = hashes.get((leaf.stream, leaf.version))
                if leaf.position != position:
                    return Fault(leaf.stream, leaf.version, f"leaf {position} is missing")
                if expected is None or leaf_of(leaf.stream.bytes, leaf.version, expected) != leaf.leaf:
                    return Fault(leaf.stream, leaf.version, f"leaf {position} is not that of the event")
                completed = dict(new_nodes(position, leaf_hash(leaf.leaf), left_of))
                kept.update((node.level, hash_) for node, hash_ in completed.items())
                made |= completed
            if await self._store.nodes(list(made)) != made:
                return Fault(None, None, f"a hash over leaves {first} to {first + len(leaves) - 1} is wrong")
            first += len(leaves)
        return await self._missing(reached)

    async def _missing(self, reached: Mapping[int, int]) -> Fault | None:
        """Look for a match that is over, up to a place in the feed, and has no leaf."""
        place: dict[int, int] = {}
        while events := await self._log.feed_ends(place, _FEED_PAGE):
            ends = [event for event in events if event.ends and event.position <= reached.get(event.bucket, 0)]
            known = await self._store.with_leaf([end.stream for end in ends]) if ends else set()
            for end in ends:
                if end.stream not in known:
                    return Fault(end.stream, end.version, "the match has no leaf")
            place |= {event.bucket: event.position for event in events}
        return None
