"""Disputes as bytes: envelopes with a chain of their own, and evidence in sealed parts.

The salts of the parts follow from the table's secret, as those of its events do: once the match is over
and the secret is revealed, everybody can open every seal.
"""

import hashlib
import hmac
from typing import Final

import msgspec
from msgspec import Struct

from domain import fairness
from domain.codec import DamagedEventError
from domain.decider import Seat
from domain.disputes.model import DisputeFact

FORMAT: Final = 1


class DisputeEnvelope(Struct, frozen=True):
    """One accepted command on a dispute."""

    format: int
    version: int
    time: int
    """Milliseconds since 1970 UTC."""
    type: str
    facts: tuple[DisputeFact, ...]
    seals: tuple[str, ...]
    """Hash commitments in hex to the sealed evidence, one for each seat and the server's last; else none."""


_encode: Final = msgspec.json.Encoder().encode
_decode: Final = msgspec.json.Decoder(DisputeEnvelope).decode


def encode(
    facts: tuple[DisputeFact, ...], *, version: int, time: int, type_: str, seals: tuple[str, ...] = ()
) -> bytes:
    """Return the canonical bytes of an event."""
    return _encode(DisputeEnvelope(FORMAT, version, time, type_, facts, seals))


def decode(envelope: bytes) -> DisputeEnvelope:
    """Return the event of stored bytes. DamagedEventError if they are none, or not the canonical ones."""
    try:
        decoded = _decode(envelope)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise DamagedEventError(str(error)) from error
    if decoded.format != FORMAT or _encode(decoded) != envelope:
        raise DamagedEventError("the bytes are not the canonical ones of an event of a dispute")
    return decoded


def salts_of(secret: bytes, dispute: bytes) -> fairness.Salts:
    """Return the salts of a dispute's sealed parts from the secret of its table."""
    return fairness.Salts(hmac.digest(secret, b"blattwerk/dispute\0" + dispute, "sha256"))


def salt_of(salts: fairness.Salts, viewer: Seat | None) -> bytes:
    """Return the salt of a seat's evidence, None for the server's; all of it is sealed by the first event."""
    return salts.salt(1, fairness.SERVER_VIEWER if viewer is None else viewer)


def seals_of(salts: fairness.Salts, parts: tuple[bytes, ...]) -> tuple[str, ...]:
    """Return the seals of the evidence's parts, one for each seat in order and the server's last."""
    viewers = (*range(len(parts) - 1), None)
    return tuple(fairness.seal(salt_of(salts, viewer), part).hex() for viewer, part in zip(viewers, parts, strict=True))


def text_hash(salt: bytes, text: str) -> str:
    """Return the hash by which an event names a text that is kept apart with its salt (32 bytes), in hex."""
    return hashlib.sha256(b"blattwerk/text\0" + salt + text.encode()).hexdigest()
