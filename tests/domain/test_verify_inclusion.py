"""Records in a transparency log: inclusion that holds, and a corpus of inclusions that do not."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from domain.registry import CURRENT
from domain.table.model import Adjudicated
from domain.transparency import Consistency, checkpoint_text, leaf_of, parse_checkpoint
from domain.verify import Report, verify
from service.records.signer import Signer
from service.verify.notes import is_signed
from tests.domain.matches import SIGNER, TABLE, PlayedMatch
from tests.domain.small_log import SmallLog

MATCH = PlayedMatch(CURRENT["hearts"], {"target_score": 20}, None, 5)
LEAF = leaf_of(TABLE.bytes, len(MATCH.sealed), MATCH.hashes[-1])
PLACE = 4
LEAVES = [bytes([number]) * 64 for number in range(11)]
LEAVES[PLACE] = LEAF
LOG = SmallLog(LEAVES, SIGNER)
FORKED = SmallLog([*LEAVES[:3], b"x" * 64, *LEAVES[4:]], SIGNER)
"""The same service shows another history to somebody else."""
STRANGER = SmallLog(LEAVES, Signer(b"7" * 32, "records.test"))
ELSEWHERE = SmallLog(LEAVES, Signer(bytes(32), "another.test"))
RECORD = MATCH.record(LOG.inclusion(PLACE, PLACE + 1))


def checked(document: Any, checkpoint: str | None = None, consistency: Consistency | None = None) -> tuple[str, Report]:
    """The status of the check, which has to be there, and the report."""
    raw = document if isinstance(document, bytes) else json.dumps(document).encode()
    report = verify(raw, check_note=is_signed, checkpoint=checkpoint, consistency=consistency)
    (check,) = [check for check in report.checks if check.name == "inclusion"]
    return check.status, report


def test_a_leaf_is_two_hashes_over_the_table_and_tells_nothing_else() -> None:
    assert len(LEAF) == 64
    assert leaf_of(TABLE.bytes, 7, bytes(32))[:32] == LEAF[:32]
    assert leaf_of(TABLE.bytes, 7, bytes(32))[32:] != LEAF[32:]
    assert leaf_of(bytes(16), len(MATCH.sealed), MATCH.hashes[-1])[:32] != LEAF[:32]


@pytest.mark.parametrize("size", range(PLACE + 1, len(LEAVES) + 1))
def test_a_record_proves_its_place_in_the_tree_of_its_checkpoint(size: int) -> None:
    status, report = checked(MATCH.record(LOG.inclusion(PLACE, size)))
    assert (status, report.ok) == ("pass", True)


@pytest.mark.parametrize("size", range(PLACE + 1, len(LEAVES) + 1))
def test_a_record_is_held_against_a_checkpoint_from_elsewhere(size: int) -> None:
    proof = LOG.consistency(PLACE + 1, size)
    status, report = checked(RECORD, LOG.checkpoint(size), proof if size > PLACE + 1 else None)
    assert (status, report.ok) == ("pass", True)


def test_a_record_without_inclusion_is_checked_only_if_that_is_asked_for() -> None:
    plain = MATCH.record()
    assert verify(plain, check_note=is_signed).ok
    status, report = checked(plain, LOG.checkpoint(11))
    assert (status, report.ok) == ("unchecked", False)


def test_without_a_library_for_signatures_inclusion_is_unchecked() -> None:
    report = verify(RECORD)
    assert [check.name for check in report.checks if check.status == "unchecked"] == ["head", "inclusion"]


def test_an_adjudication_after_the_end_leaves_the_leaf_as_it_is() -> None:
    match = PlayedMatch(CURRENT["hearts"], {"target_score": 20}, None, 5)
    match.adjudicate(Adjudicated("d", 7, "a", "void", True, 3, "00" * 32))
    assert len(match.hashes) == len(MATCH.hashes) + 1
    status, report = checked(match.record(LOG.inclusion(PLACE, PLACE + 1)), LOG.checkpoint(PLACE + 1))
    assert (status, report.ok) == ("pass", True)


def edited(**changes: Any) -> Any:
    document = json.loads(RECORD)
    document["inclusion"] |= changes
    return document


def with_proof(change: Callable[[list[str]], Any]) -> Any:
    document = json.loads(RECORD)
    change(document["inclusion"]["proof"])
    return document


def with_head(**changes: Any) -> Any:
    document = json.loads(RECORD)
    document["head"] |= changes
    return document


def of_another_hash() -> Any:
    """The end of the chain changed, and head and checkpoint made anew: only the leaf still tells."""
    document = json.loads(RECORD)
    document["inclusion"] = msgspec.to_builtins(FORKED.inclusion(3, PLACE + 1))
    return document


OTHER_ROOT = SIGNER.sign(checkpoint_text(SIGNER.origin, PLACE + 1, bytes(32)))
TAMPERED: dict[str, Callable[[], Any]] = {
    "another index": lambda: edited(index=3),
    "an index outside": lambda: edited(index=5),
    "a negative index": lambda: edited(index=-1),
    "a huge index": lambda: edited(index=2**62),
    "another size": lambda: edited(size=6),
    "a huge size": lambda: edited(size=2**62),
    "a checkpoint of another size": lambda: edited(checkpoint=LOG.checkpoint(6)),
    "another tree of that size": lambda: edited(checkpoint=FORKED.checkpoint(PLACE + 1)),
    "another root, signed": lambda: edited(checkpoint=OTHER_ROOT),
    "another root, not signed": lambda: edited(
        checkpoint=LOG.checkpoint(PLACE + 1).replace(checkpoint_text("", 0, LOG.root(5))[3:20], "A" * 17)
    ),
    "signed by somebody else": lambda: edited(checkpoint=STRANGER.checkpoint(PLACE + 1)),
    "a checkpoint of another log": lambda: edited(checkpoint=ELSEWHERE.checkpoint(PLACE + 1)),
    "no checkpoint": lambda: edited(checkpoint=""),
    "a head for a checkpoint": lambda: edited(checkpoint=json.loads(RECORD)["head"]["note"]),
    "a size with a zero before": lambda: edited(checkpoint=LOG.checkpoint(PLACE + 1).replace("\n5\n", "\n05\n")),
    "a checkpoint without signature": lambda: edited(checkpoint=LOG.checkpoint(PLACE + 1).partition("\n\n")[0]),
    "a hash of the proof dropped": lambda: with_proof(lambda proof: proof.pop()),
    "a hash of the proof twice": lambda: with_proof(lambda proof: proof.append(proof[-1])),
    "a hash of the proof changed": lambda: with_proof(lambda proof: proof.__setitem__(0, "00" * 32)),
    "a proof that is no hex": lambda: with_proof(lambda proof: proof.__setitem__(0, "zz")),
    "a proof in upper case": lambda: with_proof(lambda proof: proof.__setitem__(0, proof[0].upper())),
    "a proof of short hashes": lambda: with_proof(lambda proof: proof.__setitem__(0, "00")),
    "no proof": lambda: edited(proof=[]),
    "a very long proof": lambda: edited(proof=["00" * 32] * 10_000),
    "the place of another match": of_another_hash,
    "another head": lambda: with_head(version=len(MATCH.sealed) - 1, hash=MATCH.hashes[-2].hex()),
    "another version of the head": lambda: with_head(version=len(MATCH.sealed) - 1),
    "a head of no version": lambda: with_head(version=-1),
    "a head of a huge version": lambda: with_head(version=2**40),
    "a head that is no hash": lambda: with_head(hash="zz"),
}


@pytest.mark.parametrize("name", list(TAMPERED))
def test_a_tampered_inclusion_is_refused(name: str) -> None:
    status, report = checked(TAMPERED[name]())
    assert (status, report.ok) == ("fail", False), report.checks[-1]


@pytest.mark.parametrize("field", ["index", "size", "proof", "checkpoint"])
def test_every_field_of_the_inclusion_is_needed(field: str) -> None:
    document = json.loads(RECORD)
    del document["inclusion"][field]
    assert not verify(json.dumps(document).encode(), check_note=is_signed).ok


def extended(**changes: Any) -> Consistency:
    return msgspec.structs.replace(LOG.consistency(PLACE + 1, 11), **changes)


GIVEN: dict[str, tuple[str, Consistency | None, str]] = {
    "two histories of one size": (FORKED.checkpoint(PLACE + 1), None, "fail"),
    "two histories of different sizes": (FORKED.checkpoint(11), LOG.consistency(PLACE + 1, 11), "fail"),
    "another history with its own proof": (FORKED.checkpoint(11), FORKED.consistency(PLACE + 1, 11), "fail"),
    "signed by somebody else": (STRANGER.checkpoint(PLACE + 1), None, "fail"),
    "of another log": (ELSEWHERE.checkpoint(PLACE + 1), None, "fail"),
    "no checkpoint at all": ("hello\n", None, "fail"),
    "a larger tree without a proof": (LOG.checkpoint(11), None, "unchecked"),
    "a larger tree with a proof to another one": (LOG.checkpoint(11), LOG.consistency(PLACE + 1, 10), "unchecked"),
    "a proof that is too short": (LOG.checkpoint(11), extended(proof=extended().proof[:-1]), "fail"),
    "a proof that is too long": (LOG.checkpoint(11), extended(proof=(*extended().proof, "00" * 32)), "fail"),
    "an empty proof": (LOG.checkpoint(11), extended(proof=()), "fail"),
    "a proof that is no hex": (LOG.checkpoint(11), extended(proof=("zz",)), "fail"),
    "a tree from before the match": (LOG.checkpoint(PLACE), None, "unchecked"),
    "an empty tree": (LOG.checkpoint(0), None, "unchecked"),
}


@pytest.mark.parametrize("name", list(GIVEN))
def test_a_checkpoint_that_does_not_fit_is_told(name: str) -> None:
    checkpoint, consistency, expected = GIVEN[name]
    status, report = checked(RECORD, checkpoint, consistency)
    assert (status, report.ok) == (expected, False), report.checks[-1]


def test_a_checkpoint_reads_as_it_was_written() -> None:
    parsed = parse_checkpoint(LOG.checkpoint(11))
    assert (parsed.origin, parsed.size, parsed.root) == ("records.test", 11, LOG.root(11))
    assert LOG.checkpoint(11).split("\n")[:2] == ["records.test", "11"]
    assert is_signed(LOG.checkpoint(11), SIGNER.verifier_key)


# at the command line


def run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "service.verify", str(folder / "match.json"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_checks_inclusion_against_files(tmp_path: Path) -> None:
    (tmp_path / "match.json").write_bytes(RECORD)
    checkpoint, proof = tmp_path / "checkpoint", tmp_path / "consistency.json"
    checkpoint.write_text(LOG.checkpoint(11))
    proof.write_bytes(msgspec.json.encode(LOG.consistency(PLACE + 1, 11)))
    lacking = run(tmp_path, "--checkpoint", str(checkpoint))
    assert lacking.returncode == 1
    assert "unchecked inclusion: a proof of consistency from 5 to 11 is needed" in lacking.stdout
    passed = run(tmp_path, "--checkpoint", str(checkpoint), "--consistency", str(proof))
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert "pass      inclusion: " in passed.stdout
    checkpoint.write_text(FORKED.checkpoint(11))
    forked = run(tmp_path, "--checkpoint", str(checkpoint), "--consistency", str(proof))
    assert forked.returncode == 1
    assert "fail      inclusion: the given tree does not begin with that of the record" in forked.stdout


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        (("--checkpoint", "nothing"), None),
        (("--checkpoint", "given"), b"\xff"),
        (("--checkpoint", "given"), b"x" * 70_000),
        (("--checkpoint", "given", "--consistency", "given"), b"no json"),
        (("--consistency", "given"), b"{}"),
    ],
)
def test_files_that_cannot_be_used_are_told_in_one_line(
    tmp_path: Path, arguments: tuple[str, ...], written: bytes | None
) -> None:
    (tmp_path / "match.json").write_bytes(RECORD)
    if written is not None:
        (tmp_path / "given").write_bytes(written)
    done = run(tmp_path, *(str(tmp_path / word) if word[0] != "-" else word for word in arguments))
    assert done.returncode == 2
    assert "blattwerk verify: " in done.stderr
    assert "Traceback" not in done.stderr
