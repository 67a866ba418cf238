"""Private streams as bytes: what a seat records for itself (drafts, order of the hand).

A private stream belongs to one table and seat. Its events have a chain of their own, no seals, and no
part in the table's versions.
"""

import hashlib
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import Struct

from domain.codec import DamagedEventError
from domain.decider import AnyGame, Seat

FORMAT: Final = 1

FactT = TypeVar("FactT", bound=Struct)


class PrivateEnvelope(Struct, Generic[FactT], frozen=True, gc=False):
    """One accepted private command."""

    format: int
    version: int
    time: int
    """Milliseconds since 1970 UTC."""
    type: str
    facts: tuple[FactT, ...]


def private_stream_id(table: bytes, seat: Seat) -> bytes:
    """Return the id (16 bytes) of a seat's private stream at a table, fixed for ever."""
    # The word is that of the first streams, which it still names.
    return hashlib.sha256(b"blattwerk/notes\0" + table + bytes([seat])).digest()[:16]


class PrivateStreamCodec:
    """Encodes and decodes the private events of one rules version."""

    def __init__(self, game: AnyGame) -> None:
        if game.private_stream is None:
            raise ValueError(f"{game.key} has no private streams")
        self._decode: Any = msgspec.json.Decoder(PrivateEnvelope[game.private_stream.fact_type]).decode  # type: ignore[name-defined]

    def encode(self, facts: tuple[Any, ...], *, version: int, time: int, type_: str) -> bytes:
        """Return the canonical bytes of a private event."""
        return msgspec.json.encode(PrivateEnvelope(FORMAT, version, time, type_, facts))

    def decode(self, envelope: bytes) -> tuple[Any, ...]:
        """Return the facts of stored bytes. DamagedEventError if they are none."""
        try:
            decoded: PrivateEnvelope[Any] = self._decode(envelope)
        except (msgspec.MsgspecError, ValueError, RecursionError) as error:
            raise DamagedEventError(str(error)) from error
        return decoded.facts
