"""A transparency log in memory, made from its definition, and what a service that keeps one hands out."""

from collections.abc import Sequence

from domain.merkle import Node, Span, consistency_spans, hash_of, inclusion_spans, leaf_hash, node_hash
from domain.record import Inclusion
from domain.transparency import Consistency, checkpoint_text
from service.records.signer import Signer


class SmallLog:
    """All leaves of a log."""

    def __init__(self, leaves: Sequence[bytes], signer: Signer) -> None:
        self._leaves = tuple(leaves)
        self._signer = signer

    def root(self, size: int) -> bytes:
        return hash_of(Span(0, size), self._complete)

    def checkpoint(self, size: int) -> str:
        return self._signer.sign(checkpoint_text(self._signer.origin, size, self.root(size)))

    def inclusion(self, index: int, size: int) -> Inclusion:
        proof = tuple(hash_of(span, self._complete).hex() for span in inclusion_spans(index, size))
        return Inclusion(index, size, proof, self.checkpoint(size))

    def consistency(self, old: int, new: int) -> Consistency:
        proof = tuple(hash_of(span, self._complete).hex() for span in consistency_spans(old, new))
        return Consistency(old, new, proof)

    def _complete(self, node: Node) -> bytes:
        if node.level == 0:
            return leaf_hash(self._leaves[node.number])
        below = node.level - 1
        return node_hash(self._complete(Node(below, 2 * node.number)), self._complete(Node(below, 2 * node.number + 1)))
