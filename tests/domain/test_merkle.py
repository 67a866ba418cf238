"""Merkle trees: against a naive recursion, against published vectors, and proofs that are no proofs."""

import hashlib
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.merkle import (
    EMPTY_ROOT,
    Node,
    Span,
    consistency_spans,
    extends,
    hash_of,
    includes,
    inclusion_spans,
    leaf_hash,
    new_nodes,
    node_hash,
    nodes_of,
)

PUBLISHED_LEAVES = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
PUBLISHED_ROOTS = {
    0: "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    4: "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    5: "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    6: "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    7: "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}
"""The vectors that implementations of certificate transparency share."""
PUBLISHED_PATHS = {
    (0, 8): (
        "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ),
    (5, 8): (
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
    (2, 3): ("fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",),
}
PUBLISHED_CONSISTENCY = {
    (1, 1): (),
    (1, 8): PUBLISHED_PATHS[0, 8],
    (6, 8): (
        "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
        "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ),
    (2, 5): (
        "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
        "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
    ),
}
SIZES = st.integers(1, 300)


def leaves(size: int) -> tuple[bytes, ...]:
    return tuple(b"leaf %d" % number for number in range(size))


@cache
def naive(first: int, last: int) -> bytes:
    """The definition of RFC 6962, section 2.1, over the leaves of these tests."""
    if last - first == 0:
        return hashlib.sha256(b"").digest()
    if last - first == 1:
        return hashlib.sha256(b"\0" + leaves(last)[first]).digest()
    k = 1
    while 2 * k < last - first:
        k *= 2
    return hashlib.sha256(b"\1" + naive(first, first + k) + naive(first + k, last)).digest()


def naive_path(index: int, first: int, last: int) -> list[bytes]:
    """The definition of RFC 6962, section 2.1.1."""
    if last - first == 1:
        return []
    k = 1
    while 2 * k < last - first:
        k *= 2
    if index < first + k:
        return [*naive_path(index, first, first + k), naive(first + k, last)]
    return [*naive_path(index, first + k, last), naive(first, first + k)]


def naive_subproof(old: int, first: int, last: int, *, whole: bool) -> list[bytes]:
    """The definition of RFC 6962, section 2.1.2."""
    if old == last - first:
        return [] if whole else [naive(first, last)]
    k = 1
    while 2 * k < last - first:
        k *= 2
    if old <= k:
        return [*naive_subproof(old, first, first + k, whole=whole), naive(first + k, last)]
    return [*naive_subproof(old - k, first + k, last, whole=False), naive(first, first + k)]


def complete(node: Node) -> bytes:
    return naive(node.number << node.level, (node.number + 1) << node.level)


def proof_of(spans: tuple[Span, ...]) -> list[bytes]:
    return [hash_of(span, complete) for span in spans]


def test_an_empty_tree_has_the_hash_of_nothing() -> None:
    assert hash_of(Span(0, 0), complete) == EMPTY_ROOT
    assert nodes_of(Span(0, 0)) == ()


@given(SIZES)
def test_the_hash_of_a_tree_is_that_of_the_definition(size: int) -> None:
    assert hash_of(Span(0, size), complete) == naive(0, size)
    assert len(nodes_of(Span(0, size))) == size.bit_count()


@given(SIZES, st.data())
def test_inclusion_proofs_are_those_of_the_definition_and_hold(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    proof = proof_of(inclusion_spans(index, size))
    assert proof == naive_path(index, 0, size)
    assert includes(naive(0, size), size, index, leaf_hash(leaves(size)[index]), proof)


@given(SIZES, st.data())
def test_consistency_proofs_are_those_of_the_definition_and_hold(new: int, data: st.DataObject) -> None:
    old = data.draw(st.integers(1, new))
    proof = proof_of(consistency_spans(old, new))
    assert proof == naive_subproof(old, 0, new, whole=True)
    assert extends(old, naive(0, old), new, naive(0, new), proof)


@given(st.integers(1, 64), st.data())
def test_a_proof_holds_for_nothing_else(size: int, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, size - 1))
    leaf, root = leaf_hash(leaves(size)[index]), naive(0, size)
    proof = proof_of(inclusion_spans(index, size))
    other_size, other_index = data.draw(st.integers(0, 70)), data.draw(st.integers(-1, 70))
    if other_index != index:
        assert not includes(root, size, other_index, leaf, proof)
    if other_size != size:
        assert not includes(naive(0, other_size), other_size, index, leaf, proof)
    assert not includes(root, size, index, leaf_hash(b"another"), proof)
    assert not includes(root, size, index, leaf, [*proof, root])
    if proof:
        place = data.draw(st.integers(0, len(proof) - 1))
        assert not includes(root, size, index, leaf, proof[:place] + proof[place + 1 :])
        assert not includes(root, size, index, leaf, [*proof[:place], leaf_hash(b"x"), *proof[place + 1 :]])


@given(st.integers(1, 64), st.data())
def test_a_consistency_proof_holds_for_nothing_else(new: int, data: st.DataObject) -> None:
    old = data.draw(st.integers(1, new))
    proof = proof_of(consistency_spans(old, new))
    assert not extends(old, leaf_hash(b"x"), new, naive(0, new), proof)
    assert not extends(old, naive(0, old), new, leaf_hash(b"x"), proof)
    assert not extends(old, naive(0, old), new, naive(0, new), [*proof, naive(0, new)])
    assert not extends(0, EMPTY_ROOT, new, naive(0, new), proof)
    other = data.draw(st.integers(0, 70))
    if other != old:
        assert not extends(other, naive(0, old), new, naive(0, new), proof)
    if proof:
        place = data.draw(st.integers(0, len(proof) - 1))
        assert not extends(old, naive(0, old), new, naive(0, new), proof[:place] + proof[place + 1 :])
        assert not extends(
            old, naive(0, old), new, naive(0, new), [*proof[:place], leaf_hash(b"x"), *proof[place + 1 :]]
        )


@given(st.integers(0, 300))
def test_a_leaf_completes_the_subtrees_that_end_with_it(index: int) -> None:
    made = dict(new_nodes(index, leaf_hash(leaves(index + 1)[index]), complete))
    assert made == {node: complete(node) for node in made}
    ends = {Node(level, index >> level) for level in range(10) if (index + 1) % (1 << level) == 0}
    assert set(made) == ends


@pytest.mark.parametrize(("index", "size"), [(0, 0), (-1, 3), (3, 3)])
def test_there_is_no_inclusion_of_what_is_not_there(index: int, size: int) -> None:
    with pytest.raises(ValueError, match="has no leaf"):
        inclusion_spans(index, size)


@pytest.mark.parametrize(("old", "new"), [(0, 0), (0, 3), (4, 3)])
def test_there_is_no_consistency_with_a_smaller_or_an_empty_tree(old: int, new: int) -> None:
    with pytest.raises(ValueError, match="there is no proof"):
        consistency_spans(old, new)


# published vectors


def published(node: Node) -> bytes:
    if node.level == 0:
        return leaf_hash(PUBLISHED_LEAVES[node.number])
    below = node.level - 1
    return node_hash(published(Node(below, 2 * node.number)), published(Node(below, 2 * node.number + 1)))


def test_published_roots() -> None:
    for size, root in PUBLISHED_ROOTS.items():
        assert hash_of(Span(0, size), published).hex() == root


def test_published_inclusion_proofs() -> None:
    for (index, size), path in PUBLISHED_PATHS.items():
        proof = [hash_of(span, published) for span in inclusion_spans(index, size)]
        assert tuple(one.hex() for one in proof) == path
        root = bytes.fromhex(PUBLISHED_ROOTS[size])
        assert includes(root, size, index, leaf_hash(PUBLISHED_LEAVES[index]), proof)


def test_published_consistency_proofs() -> None:
    for (old, new), path in PUBLISHED_CONSISTENCY.items():
        proof = [hash_of(span, published) for span in consistency_spans(old, new)]
        assert tuple(one.hex() for one in proof) == path
        roots = (bytes.fromhex(PUBLISHED_ROOTS[size]) for size in (old, new))
        assert extends(old, next(roots), new, next(roots), proof)
