"""The document of a record: its form, before anything that it says is looked at."""

import re
from collections.abc import Sequence
from typing import Any, Final, cast

import msgspec

from domain.record import FORMAT, RECORD_BYTES_MAX, RECORD_EVENTS_MAX, Record
from domain.registry import GAMES
from domain.verify.report import Findings

_names: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_STRING: Final = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_UUID: Final = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def decoded(document: bytes, findings: Findings) -> Record | None:
    """Return the record of a document, None if it is none; the check `format` says why."""
    if len(document) > RECORD_BYTES_MAX:
        findings.failed("format", f"the document is larger than {RECORD_BYTES_MAX} bytes")
        return None
    try:
        record = msgspec.json.decode(document, type=Record)
        repeated = _repeats_a_name(document, record)
    except (msgspec.MsgspecError, ValueError, RecursionError, OverflowError) as error:
        findings.failed("format", f"not a record: {str(error)[:200]}")
        return None
    problem = "a name occurs twice in one object" if repeated else _format_problem(record)
    if problem:
        findings.failed("format", problem)
        return None
    findings.passed("format")
    return record


def _repeats_a_name(document: bytes, record: Record) -> bool:
    """Whether an object of the document has a name twice: readers differ on which of the two values counts.

    What was read has each name once, so the document then has more pairs. Fields with a default may be left out.
    """
    left_out = len(Record.__struct_fields__) - len(_names.decode(document))
    return _pairs(document) + left_out != _pairs(msgspec.json.encode(record))


def _pairs(document: bytes) -> int:
    """The number of names with a value: of colons outside of strings."""
    return _STRING.sub(b"", document).count(b":")


def _format_problem(record: Record) -> str | None:
    if record.format != FORMAT:
        return "the format is not known here"
    if record.rules not in GAMES:
        return "the rules version is not known here"
    if not record.events or len(record.events) > RECORD_EVENTS_MAX:
        return f"a record has 1 to {RECORD_EVENTS_MAX} events"
    if not _UUID.fullmatch(record.table):
        return "the table's id is no UUID"
    if any(unhex(event.hash, 32) is None for event in record.events):
        return "a hash is not 32 bytes in hex"
    return None


def unhex(text: str, length: int) -> bytes | None:
    """Return the bytes of a hex text, None unless it is `length` bytes written in the usual way."""
    try:
        raw = bytes.fromhex(text)
    except ValueError:
        return None
    return raw if len(raw) == length and raw.hex() == text else None


def same(derived: Any, said: Any) -> bool:
    """Whether two plain values are equal and of the same types: to Python 4 is 4.0, and 1 is true."""
    pairs: list[tuple[Any, Any]] = [(derived, said)]
    while pairs:
        one, other = pairs.pop()
        if type(one) is not type(other) or one != other:
            return False
        if isinstance(one, dict):
            pairs += [(value, other[name]) for name, value in cast("dict[str, Any]", one).items()]
        elif isinstance(one, list):
            pairs += zip(cast("Sequence[Any]", one), other, strict=True)
    return True
