"""Events as the log takes and gives them. Their content is opaque here."""

from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple
from uuid import UUID

from msgspec import Struct

from service.store.buckets import bucket_of

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)


class Guard(Struct, frozen=True):
    """Another stream of the same bucket that an event depends on: it must not have gone on."""

    stream: UUID
    version: int
    """The last one that was known when the event was decided, 0 for none."""


class NewEvent(Struct, frozen=True):
    """An event to be appended after the version `expected`."""

    stream: UUID
    expected: int
    """The version the stream has now, 0 for its first event."""
    command: UUID
    """The same for every try of the same command."""
    type: str
    envelope: bytes
    """Exact canonical bytes, UTF-8 without NUL."""
    sealed: bytes
    """JSON array of the sealed parts."""
    actor: int | None
    decision: int | None
    digest: bytes
    """Hash of what was asked; empty if nobody will ask for it again."""
    rules: str
    time: int
    """Wall clock of receipt, milliseconds since 1970 UTC."""
    previous_hash: bytes
    hash: bytes
    bucket: int | None = None
    """None for the stream's own; a private stream lies in the bucket of its table."""
    guard: Guard | None = None


class Appended(Struct, frozen=True):
    """What became of an event."""

    accepted: bool
    """Whether this very event is in the log now, appended by this or by an earlier try. If not, nothing was
    written: another event has taken the version, or the stream of the guard has gone on."""
    version: int
    position: int | None
    """Its place in the bucket; None for an event that was not written."""


class StoredEvent(Struct, frozen=True):
    """A row of the log."""

    bucket: int
    position: int
    stream: UUID
    version: int
    type: str
    envelope: str
    sealed: str
    actor: int | None
    decision: int | None
    digest: bytes
    command: UUID
    rules: str
    received_at: datetime
    previous_hash: bytes
    hash: bytes

    @property
    def time(self) -> int:
        """When it was received, milliseconds since 1970 UTC, exactly as it was appended."""
        return (self.received_at - _EPOCH) // _MILLISECOND


class StreamEnd(NamedTuple):
    """The events of a stream that follow a version."""

    stream: UUID
    after: int
    bucket: int


class FeedHead(Struct, frozen=True):
    """That an event exists, for readers that need no more."""

    bucket: int
    position: int
    stream: UUID
    version: int
    """0 for an event that cannot be read: nothing else is known of it."""
    time: int
    """When it was received, milliseconds since 1970 UTC."""


class FeedEnd(Struct, frozen=True):
    """A `FeedHead` for readers that look for the ends of matches and for what comes after them."""

    bucket: int
    position: int
    stream: UUID
    version: int
    type: str
    ends: bool
    """Whether it reveals the table's secret: the match is over with it."""
    rules: str = ""
    """The rules id that it is recorded under."""


def bucket_for(event: NewEvent) -> int:
    """Return the bucket an event goes to."""
    return bucket_of(event.stream) if event.bucket is None else event.bucket
