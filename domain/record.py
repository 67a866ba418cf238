"""The record of a match: one self-contained document, verifiable by somebody who trusts nobody.

JSON with the fields below in this order. Envelopes and parts are given as text, since their exact
bytes are what was hashed and sealed. The same match always gives the same bytes.
"""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.decider import Seat

FORMAT: Final = "blattwerk-record/1"
MEDIA_TYPE: Final = "application/vnd.blattwerk.record+json;v=1"
RECORD_BYTES_MAX: Final = 64 * 2**20
"""Largest record that is read, in bytes."""
RECORD_EVENTS_MAX: Final = 100_000

DOCUMENT_END: Final = b"]}\n"
"""What the document has behind its events."""
_encode: Final = msgspec.json.Encoder().encode


class RecordSeat(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Who held a seat at the end."""

    seat: Seat
    kind: str
    player: str | None


class RecordResult(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Totals and places at the end."""

    totals: tuple[int, ...]
    places: tuple[int, ...]


class RecordHead(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The signed end of the chain."""

    version: int
    hash: str
    time: int
    note: str


class RecordEvent(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """One event: its envelope and its parts as exact text, and its place in the chain."""

    envelope: str
    parts: tuple[str, ...]
    hash: str


class Inclusion(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """That the head is a leaf of the transparency log (RFC 6962, section 2.1.1)."""

    index: int
    size: int
    proof: tuple[str, ...]
    """Hashes in hex, from the leaf up."""
    checkpoint: str
    """The signed checkpoint of a tree of `size` leaves."""


class RecordHeader(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Everything but the events."""

    format: str
    table: str
    rules: str
    """Game and rules version, such as `hearts/1`."""
    status: str
    """`finished`, or `closed` if the match was given up."""
    options: Any
    seats: tuple[RecordSeat, ...]
    secret: str
    """S of bw1 in hex."""
    client_seeds: tuple[str | None, ...]
    result: RecordResult | None
    head: RecordHead
    key: str
    """The C2SP verifier key of the head's signature."""
    newest: RecordHead | None = None
    """The signed end of the table's chain where arbiters decided disputes after the end; `head` stays the one
    of the finished match."""
    inclusion: Inclusion | None = None


class Record(RecordHeader, frozen=True, gc=False, kw_only=True, forbid_unknown_fields=True):
    """The whole document."""

    events: tuple[RecordEvent, ...]


def chunks(header: RecordHeader, events: Iterable[RecordEvent]) -> Iterator[bytes]:
    """Return the document piece by piece, one event at a time."""
    yield document_start(header)
    for number, event in enumerate(events):
        yield document_events((event,), first=number == 0)
    yield DOCUMENT_END


def document_start(header: RecordHeader) -> bytes:
    """Return what the document has before its events."""
    return _encode(header)[:-1] + b',"events":['


def document_events(events: Iterable[RecordEvent], *, first: bool) -> bytes:
    """Return what the document has of some events; `first` if none precede them."""
    return (b"" if first else b",") + b",".join(map(_encode, events))


def head_text(origin: str, table: str, version: int, hash_base64: str, time: int) -> str:
    """Return the text of a head's signed note: origin, table, version, hash in base64, time in ms."""
    return f"{origin}/head\n{table}\n{version}\n{hash_base64}\n{time}\n"
