"""Merkle trees of RFC 6962 (RFC 9162, section 2.1): hashes, proofs and their verification.

A proof is made from complete subtrees alone. A complete subtree never changes while the tree grows, so
whoever stores their hashes makes every proof, and the hash of every earlier tree, from O(log n) of them.
"""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

EMPTY_ROOT: Final = hashlib.sha256(b"").digest()
"""The hash of a tree without leaves."""


class Node(NamedTuple):
    """A complete subtree: the 2**level leaves that begin with leaf number * 2**level."""

    level: int
    number: int


class Span(NamedTuple):
    """Leaves first..last-1: a part of a tree (`first` is a multiple of a power of two not below their count)."""

    first: int
    last: int


def leaf_hash(entry: bytes) -> bytes:
    """Return the hash of a leaf."""
    return hashlib.sha256(b"\0" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node."""
    return hashlib.sha256(b"\1" + left + right).digest()


# making proofs


def nodes_of(span: Span) -> tuple[Node, ...]:
    """Return the complete subtrees that a span is made of, from left to right, each larger than the next."""
    nodes: list[Node] = []
    first, rest = span.first, span.last - span.first
    while rest:
        level = rest.bit_length() - 1
        nodes.append(Node(level, first >> level))
        first += 1 << level
        rest -= 1 << level
    return tuple(nodes)


def hash_of(span: Span, hashes: Callable[[Node], bytes]) -> bytes:
    """Return the hash of a span from those of complete subtrees."""
    nodes = nodes_of(span)
    if not nodes:
        return EMPTY_ROOT
    result = hashes(nodes[-1])
    for node in reversed(nodes[:-1]):
        result = node_hash(hashes(node), result)
    return result


def inclusion_spans(index: int, size: int) -> tuple[Span, ...]:
    """Return the parts of a tree of `size` leaves whose hashes prove that leaf `index` is in it, from the leaf up.

    ValueError if there is no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} leaves has no leaf {index}")
    spans: list[Span] = []
    first, last = 0, size
    while last - first > 1:
        middle = first + _split(last - first)
        if index < middle:
            spans.append(Span(middle, last))
            last = middle
        else:
            spans.append(Span(first, middle))
            first = middle
    return tuple(reversed(spans))


def consistency_spans(old: int, new: int) -> tuple[Span, ...]:
    """Return the parts whose hashes prove that the first `old` leaves of `new` are the tree of that size.

    ValueError unless 1 <= old <= new.
    """
    if not 1 <= old <= new:
        raise ValueError(f"there is no proof from {old} to {new} leaves")
    if old == new:
        return ()
    spans: list[Span] = []
    first, last = 0, new
    while last != old:
        middle = first + _split(last - first)
        if old <= middle:
            spans.append(Span(middle, last))
            last = middle
        else:
            spans.append(Span(first, middle))
            first = middle
    if first:  # else the verifier knows it: it is the hash of the old tree
        spans.append(Span(first, last))
    return tuple(reversed(spans))


def new_nodes(index: int, leaf: bytes, hashes: Callable[[Node], bytes]) -> Iterator[tuple[Node, bytes]]:
    """Yield every complete subtree that leaf `index` (its hash is `leaf`) completes, the leaf itself first."""
    node, value = Node(0, index), leaf
    yield node, value
    while node.number % 2:
        value = node_hash(hashes(Node(node.level, node.number - 1)), value)
        node = Node(node.level + 1, node.number // 2)
        yield node, value


def _split(count: int) -> int:
    """The largest power of two below `count`, which is at least 2."""
    return 1 << ((count - 1).bit_length() - 1)


# verifying proofs


def includes(root: bytes, size: int, index: int, leaf: bytes, proof: Sequence[bytes]) -> bool:
    """Whether the proof shows a leaf of this hash at `index` of the tree (RFC 9162, section 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    place, last, result = index, size - 1, leaf
    for other in proof:
        if last == 0:
            return False
        if place % 2 or place == last:
            result = node_hash(other, result)
            while not place % 2 and place:
                place, last = place >> 1, last >> 1
        else:
            result = node_hash(result, other)
        place, last = place >> 1, last >> 1
    return last == 0 and result == root


def extends(old: int, old_root: bytes, new: int, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Whether the proof shows that the new tree begins with the old one (RFC 9162, section 2.1.4.2)."""
    if not 1 <= old <= new:
        return False
    if old == new:
        return not proof and old_root == new_root
    path = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    if not path:
        return False
    place, last = old - 1, new - 1
    while place % 2:
        place, last = place >> 1, last >> 1
    old_result = new_result = path[0]
    for other in path[1:]:
        if last == 0:
            return False
        if place % 2 or place == last:
            old_result, new_result = node_hash(other, old_result), node_hash(other, new_result)
            while not place % 2 and place:
                place, last = place >> 1, last >> 1
        else:
            new_result = node_hash(new_result, other)
        place, last = place >> 1, last >> 1
    return last == 0 and old_result == old_root and new_result == new_root
