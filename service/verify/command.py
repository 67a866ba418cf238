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

from domain.record import MOST_BYTES
from domain.verify import Report, verify
from domain.verify.record import CheckNote
from domain.verify.report import CHECKS

_GZIP: Final = b"\x1f\x8b"


def main(arguments: Sequence[str] | None = None) -> int:
    """Verify one record; 0 if every check passed, 1 if not, 2 if there is nothing to verify."""
    parser = argparse.ArgumentParser(prog="blattwerk verify", description="Verify the record of a match.")
    parser.add_argument("file", type=Path, help="a record, as it comes or as gzip; - for standard input")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    given = parser.parse_args(arguments)
    try:
        document = read(given.file)
    except (OSError, ValueError, EOFError, zlib.error) as error:
        print(f"blattwerk verify: {given.file}: {error}", file=sys.stderr)
        return 2
    report = verify(document, check_note=note_checker())
    print(json.dumps(msgspec.to_builtins(report), indent=2) if given.json else as_text(report))
    return 0 if report.ok else 1


def read(path: Path) -> bytes:
    """Return the bytes of a record, never more than a record may have. OSError, ValueError."""
    with sys.stdin.buffer if str(path) == "-" else path.open("rb") as file:
        raw = file.read(MOST_BYTES + 1)
    if raw[:2] != _GZIP:
        return raw
    unpacker = zlib.decompressobj(wbits=31)
    unpacked = unpacker.decompress(raw, MOST_BYTES + 1)
    if not unpacker.eof and len(unpacked) <= MOST_BYTES:
        raise gzip.BadGzipFile("the compressed data end early")
    return unpacked


def note_checker() -> CheckNote | None:
    """Return the check of signatures, None where no library for them is installed."""
    try:
        from service.verify.notes import is_signed
    except ImportError:
        return None
    return is_signed


def as_text(report: Report) -> str:
    """Return the report for people: one line for each check, then the verdict."""
    lines = []
    for check in report.checks:
        where = "" if check.version is None else f" at version {check.version}"
        why = f": {check.reason}" if check.reason else f": {CHECKS[check.name]}"
        rule = f" ({check.rule})" if check.rule else ""
        lines.append(f"{check.status:9} {check.name}{where}{why}{rule}")
    verdict = "The record verifies." if report.ok else "The record does NOT verify."
    return "\n".join([*lines, verdict])
