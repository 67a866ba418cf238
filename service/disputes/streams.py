"""Streams of disputes: reading them from the log, and the events that go to them."""

from typing import Final
from uuid import UUID, uuid4

from msgspec import Struct

from domain import fairness
from domain.codec import DamagedEventError
from domain.decider import ImpossibleFactError
from domain.disputes import codec, fold
from domain.disputes.model import RULES_ID, DisputeFact, DisputeState
from service.errors import DamagedStreamError
from service.store.disputes import DisputeRow
from service.store.log import Log, NewEvent, StoredEvent
from service.tables.recorder import now

TYPES: Final = {
    "dispute_opened": "dispute",
    "review_begun": "review",
    "secrets_seen": "look",
    "dispute_withdrawn": "withdraw",
    "dispute_resolved": "resolve",
    "dispute_appealed": "appeal",
}
"""The type of the event that records a fact."""


class Dispute(Struct, frozen=True):
    """A dispute as the log has it."""

    id: UUID
    bucket: int
    table: UUID
    state: DisputeState
    hash: bytes
    time: int
    """When its last event was received."""
    first: StoredEvent
    """The event that opened it and has the evidence."""


async def load(log: Log, row: DisputeRow) -> Dispute:
    """Return a dispute of the list, folded from the log."""
    return folded(row.dispute, row.bucket, await log.read(row.dispute, bucket=row.bucket))


def folded(dispute: UUID, bucket: int, rows: list[StoredEvent]) -> Dispute:
    """Return the dispute that a whole stream folds to. DamagedStreamError if it does not."""
    state: DisputeState | None = None
    at = 0
    for number, row in enumerate(rows, 1):
        try:
            event = codec.decode(row.envelope.encode())
            if (event.version, row.version) != (number, number):
                raise DamagedEventError("the version is missing")
            state = (
                fold.begin(str(dispute), event.facts, event.time)
                if state is None
                else fold.apply(state, event.facts, event.time)
            )
            at = event.time
        except (DamagedEventError, ImpossibleFactError) as error:
            raise DamagedStreamError(str(dispute), f"dispute {dispute}, version {number}: {error}") from error
    if state is None:
        raise DamagedStreamError(str(dispute), f"dispute {dispute} has no events")
    return Dispute(dispute, bucket, UUID(state.opened.table), state, rows[-1].hash, at, rows[0])


def opening_event(
    dispute: UUID, bucket: int, fact: DisputeFact, parts: tuple[bytes, ...], seals: tuple[str, ...], at: int
) -> NewEvent:
    """Return the first event of a dispute with its sealed evidence."""
    envelope = codec.encode((fact,), version=1, time=at, type_=_type_of(fact), seals=seals)
    previous = fairness.genesis(dispute.bytes, RULES_ID)
    return _event(dispute, bucket, 0, _type_of(fact), envelope, b"[" + b",".join(parts) + b"]", at, previous)


def next_event(dispute: Dispute, fact: DisputeFact) -> NewEvent:
    """Return the event that records one more fact of a dispute."""
    at, version = max(now(), dispute.time), dispute.state.version
    envelope = codec.encode((fact,), version=version + 1, time=at, type_=_type_of(fact))
    return _event(dispute.id, dispute.bucket, version, _type_of(fact), envelope, b"[]", at, dispute.hash)


def _type_of(fact: DisputeFact) -> str:
    return TYPES[str(fact.__struct_config__.tag)]


def _event(
    stream: UUID, bucket: int, expected: int, type_: str, envelope: bytes, sealed: bytes, at: int, previous: bytes
) -> NewEvent:
    return NewEvent(
        stream=stream,
        expected=expected,
        command=uuid4(),
        type=type_,
        envelope=envelope,
        sealed=sealed,
        actor=None,
        decision=None,
        digest=b"",
        rules=RULES_ID,
        time=at,
        previous_hash=previous,
        hash=fairness.link(previous, envelope),
        bucket=bucket,
    )
