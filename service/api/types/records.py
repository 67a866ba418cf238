"""The types of the API for records and audits."""

from typing import Any, Final

from msgspec import Struct

from domain.record import Record
from domain.verify.report import Check


class Audit(Struct, frozen=True):
    """What verifying a match gives."""

    ok: bool
    checks: tuple[Check, ...]


RECORD: Final[Any] = Record
"""The record of a match; its form is that of `domain.record`."""
