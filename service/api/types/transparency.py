"""The types of the transparency log in the API."""

from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta, Struct

from domain.transparency import Consistency
from service.api.types.common import Hash, Id

LeafCount = Annotated[int, Meta(ge=0, le=2**53 - 1, description="Number of leaves of the transparency log.")]
TreeSize = Annotated[int, Meta(ge=1, le=2**53 - 1, description="Number of leaves of a tree.")]
LeafIndex = Annotated[int, Meta(ge=0, le=2**53 - 1, description="Index of a leaf, from 0.")]
Proof = Annotated[tuple[Hash, ...], Meta(max_length=64, description="Hashes, from the leaves up.")]
VerifierKey = Annotated[str, Meta(description="C2SP verifier key of heads and checkpoints: name, key id and key.")]


class InclusionQuery(Struct, frozen=True):
    """Which match, and in which tree."""

    table: Annotated[Id, Meta(description="The table's id.")]
    size: Annotated[TreeSize | None, Meta(description="Number of leaves of the tree; all if not given.")] = None


class ConsistencyQuery(Struct, frozen=True):
    """The sizes of two trees."""

    old: Annotated[TreeSize, Meta(description="Number of leaves of the earlier tree.")] = msgspec.field(name="from")
    new: Annotated[TreeSize | None, Meta(description="Number of leaves of the later tree; all if not given.")] = (
        msgspec.field(default=None, name="to")
    )


class EntriesQuery(Struct, frozen=True):
    """Position in the transparency log."""

    first: Annotated[LeafIndex, Meta(description="The first leaf of the page.")] = msgspec.field(default=0, name="from")
    limit: Annotated[int, Meta(ge=1, le=1000, description="Maximum number of leaves on the page.")] = 100


class LogInclusion(Struct, frozen=True):
    """The proof that a match is in the transparency log."""

    leaf: Annotated[str, Meta(pattern="^[0-9a-f]{128}$", max_length=128, description="The leaf, 64 bytes in hex.")]
    index: LeafIndex
    size: TreeSize
    proof: Proof
    checkpoint: Annotated[str, Meta(description="The signed checkpoint of the tree of `size` leaves.")]
    key: VerifierKey


class LogEntry(Struct, frozen=True):
    """A leaf."""

    index: LeafIndex
    leaf: Annotated[str, Meta(pattern="^[0-9a-f]{128}$", max_length=128, description="The leaf, 64 bytes in hex.")]


class LogEntries(Struct, frozen=True):
    """A page of leaves. `size` is the number of leaves in the log; `next_from` continues, null at the end."""

    size: LeafCount
    key: VerifierKey
    items: tuple[LogEntry, ...]
    next_from: LeafIndex | None


CONSISTENCY: Final[Any] = Consistency
"""The proof that the log has only grown; its form is that of `domain.transparency`."""
