"""The check of a record's place in the transparency log.

The record proves its leaf in the tree of its own checkpoint. Whoever has a checkpoint from elsewhere (a
witness, a friend, an earlier day) gives it besides; if it is of a larger tree, also the proof that this
tree begins with the one of the record.
"""

import binascii
from collections.abc import Callable
from typing import Final

from domain.merkle import extends, includes, leaf_hash
from domain.record import RECORD_EVENTS_MAX, Inclusion, RecordHeader
from domain.transparency import Checkpoint, Consistency, leaf_of, parse_checkpoint
from domain.verify.report import Check

NAME: Final = "inclusion"
CheckNote = Callable[[str, str], bool]
"""Whether a signed note is signed by a C2SP verifier key: (note, key) -> bool. ValueError if malformed."""


def check_inclusion(
    record: RecordHeader,
    check_note: CheckNote | None,
    checkpoint: str | None,
    consistency: Consistency | None,
) -> Check:
    """Return what the check `inclusion` gives: whether the record's head is a leaf of the log."""
    inclusion = record.inclusion
    if inclusion is None:
        return _unchecked("the record carries no proof; take it again once the match is in the log")
    own = _signed_by(record, inclusion.checkpoint, check_note)
    if not isinstance(own, Checkpoint):
        return _failed(f"the record's checkpoint {own}")
    problem = _not_included(record, inclusion, own)
    if problem:
        return _failed(problem)
    if checkpoint is not None:
        given = _signed_by(record, checkpoint, check_note)
        if not isinstance(given, Checkpoint):
            return _failed(f"the given checkpoint {given}")
        difference = _compared(own, given, consistency)
        if difference:
            return difference
    return _unchecked("no library for signatures is installed") if check_note is None else Check(NAME, "pass")


def _signed_by(record: RecordHeader, note: str, check_note: CheckNote | None) -> Checkpoint | str:
    """Return what a checkpoint says, or what is wrong with it. Without `check_note` nobody looks at its signature."""
    try:
        checkpoint = parse_checkpoint(note)
        signed = check_note is None or check_note(note, record.key)
    except (ValueError, binascii.Error):
        return "is none"
    if checkpoint.origin != record.key.partition("+")[0]:
        return "is of another log"
    return checkpoint if signed else "is not signed by the key of the record"


def _not_included(record: RecordHeader, inclusion: Inclusion, own: Checkpoint) -> str | None:
    proof, ends = _hashes(inclusion.proof), _hashes((record.head.hash,))
    if ends is None or not 0 < record.head.version <= RECORD_EVENTS_MAX:
        return "the record has no head"
    if proof is None:
        return "the proof is not made of hashes"
    if own.size != inclusion.size:
        return "the record's checkpoint is of a tree of another size"
    table = bytes.fromhex(record.table.replace("-", ""))
    leaf = leaf_of(table, record.head.version, ends[0])
    if not includes(own.root, own.size, inclusion.index, leaf_hash(leaf), proof):
        return "the proof does not lead from the head of the match to the checkpoint"
    return None


def _compared(own: Checkpoint, given: Checkpoint, consistency: Consistency | None) -> Check | None:
    """Hold the record's tree against one that somebody else was shown; None if they belong together."""
    if given.size < own.size:
        return _unchecked(f"the given checkpoint is of {given.size} leaves, from before this match; take a newer one")
    if given.size == own.size:
        same = given.root == own.root
        return None if same else _failed("two checkpoints of one size differ: the log showed two histories")
    if consistency is None:
        return _unchecked(f"a proof of consistency from {own.size} to {given.size} is needed")
    if (consistency.old, consistency.new) != (own.size, given.size):
        return _unchecked(f"the proof of consistency is not one from {own.size} to {given.size}")
    proof = _hashes(consistency.proof)
    if proof is None or not extends(own.size, own.root, given.size, given.root, proof):
        return _failed("the given tree does not begin with that of the record")
    return None


def _failed(reason: str) -> Check:
    return Check(NAME, "fail", reason=reason)


def _unchecked(reason: str) -> Check:
    return Check(NAME, "unchecked", reason=reason)


def _hashes(texts: tuple[str, ...]) -> list[bytes] | None:
    """Return hashes that were written in hex, None if one is not."""
    try:
        raw = [bytes.fromhex(text) for text in texts]
    except ValueError:
        return None
    return raw if [one.hex() for one in raw] == list(texts) and all(len(one) == 32 for one in raw) else None
