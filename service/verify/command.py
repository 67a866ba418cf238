"""The command `verify`: one line for each check, exit status 0 only if all pass."""

import argparse
import gzip
import json
import sys
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import msgspec

from domain.record import RECORD_BYTES_MAX
from domain.transparency import Consistency
from domain.verify import Report, verify
from domain.verify.inclusion import CheckNote
from domain.verify.report import CHECKS

_SMALL_BYTES: Final = 64 * 1024
_GZIP: Final = b"\x1f\x8b"


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify one record; 0 if every check passed, 1 if not, 2 if there is nothing to verify."""
    parser = argparse.ArgumentParser(prog="blattwerk verify", description="Verify the record of a match.")
    parser.add_argument("file", type=Path, help="a record, plain or compressed with gzip; - for standard input")
    parser.add_argument("--key", help="the verifier key that must have signed the record, obtained independently")
    parser.add_argument(
        "--checkpoint", type=Path, help="a signed checkpoint of the transparency log, obtained independently"
    )
    parser.add_argument(
        "--consistency",
        type=Path,
        help="the response of /v1/log/consistency from the record's tree to the checkpoint's",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    given = parser.parse_args(arguments)
    if given.consistency is not None and given.checkpoint is None:
        parser.error("--consistency needs a --checkpoint")
    reading = given.file
    try:
        document = read(given.file)
        checkpoint = consistency = None
        if given.checkpoint is not None:
            reading = given.checkpoint
            checkpoint = _small(reading).decode()
        if given.consistency is not None:
            reading = given.consistency
            consistency = msgspec.json.decode(_small(reading), type=Consistency)
    except (OSError, ValueError, EOFError, RecursionError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) else None
        print(f"blattwerk verify: {reading}: {reason or error}", file=sys.stderr)
        return 2
    report = verify(document, check_note=note_checker(), key=given.key, checkpoint=checkpoint, consistency=consistency)
    print(json.dumps(msgspec.to_builtins(report), indent=2) if given.json else as_text(report))
    return 0 if report.ok else 1


def read(path: Path) -> bytes:
    """Return the bytes of a record, never more than a record may have. OSError, ValueError."""
    with sys.stdin.buffer if str(path) == "-" else path.open("rb") as file:
        raw = file.read(RECORD_BYTES_MAX + 1)
    if raw[:2] != _GZIP:
        return raw
    unpacker = zlib.decompressobj(wbits=31)
    unpacked = unpacker.decompress(raw, RECORD_BYTES_MAX + 1)
    if len(unpacked) <= RECORD_BYTES_MAX and (not unpacker.eof or unpacker.unused_data):
        raise gzip.BadGzipFile("the compressed data end early, or do not end the file")
    return unpacked


def _small(path: Path) -> bytes:
    """Return a file's bytes. OSError; ValueError if it is larger than a checkpoint or a proof."""
    with path.open("rb") as file:
        raw = file.read(_SMALL_BYTES + 1)
    if len(raw) > _SMALL_BYTES:
        raise ValueError("too large for a checkpoint or a proof")
    return raw


def note_checker() -> CheckNote | None:
    """Return the check of signatures, None where no library for them is installed."""
    try:
        from service.verify.notes import is_signed
    except ImportError:
        return None
    return is_signed


def as_text(report: Report) -> str:
    """Return the report for people: one line for each check, then the verdict.

    What a reason quotes from the record is shown so that it cannot pass for another line.
    """
    lines = []
    for check in report.checks:
        where = "" if check.version is None else f" at version {check.version}"
        why = f": {ascii(check.reason)[1:-1]}" if check.reason else f": {CHECKS[check.name]}"
        rule = f" ({check.rule})" if check.rule else ""
        lines.append(f"{check.status:9} {check.name}{where}{why}{rule}")
    verdict = "The record verifies." if report.ok else "The record does NOT verify."
    return "\n".join([*lines, verdict])
