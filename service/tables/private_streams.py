"""What seats note for themselves, in memory: the folds of a table's private streams."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from uuid import UUID

from domain import fairness
from domain.decider import PrivateStreamRules, Seat
from domain.private_stream import PrivateStreamCodec, private_stream_id
from service.store.buckets import bucket_of
from service.store.log import Guard, Log, StoredEvent, StreamEnd

if TYPE_CHECKING:
    from service.tables.live_table import LiveTable


class PrivateStream:
    """The fold of one seat's private stream as far as this process knows it."""

    __slots__ = ("hash", "stream", "value", "version")

    def __init__(self, stream: UUID, value: Any, hash_: bytes) -> None:
        self.stream = stream
        self.value = value
        self.version = 0
        self.hash = hash_


class PrivateStreams:
    """All private streams of a table whose game keeps notes."""

    __slots__ = ("_bucket", "_game", "codec", "loaded", "seats")

    def __init__(
        self,
        table: UUID,
        game: PrivateStreamRules[Any, Any, Any, Any],
        codec: PrivateStreamCodec,
        rules_id: str,
        seats: int,
    ) -> None:
        self._game = game
        self._bucket = bucket_of(table)
        self.loaded = False
        """Whether the streams have been read."""
        self.codec = codec
        self.seats = [
            PrivateStream(stream, game.new(), fairness.genesis(stream.bytes, rules_id))
            for stream in (UUID(bytes=private_stream_id(table.bytes, seat)) for seat in range(seats))
        ]

    @property
    def bucket(self) -> int:
        """Private streams lie in the bucket of their table."""
        return self._bucket

    def in_full(self, game_state: Any, seat: Seat, move: Any) -> Any:
        """Return a move with what the seat has noted for it, or the rejection that its notes give."""
        return self._game.resolve(game_state, seat, self.seats[seat].value, move)

    def guard(self, seat: Seat) -> Guard:
        """Return what an event has to name that was decided on a seat's notes as they are known here."""
        own = self.seats[seat]
        return Guard(own.stream, own.version)

    @property
    def versions(self) -> tuple[int, ...]:
        """How many events of each seat's stream are folded."""
        return tuple([seat.version for seat in self.seats])

    async def load(self, log: Log) -> None:
        """Fold all streams, once."""
        if not self.loaded:
            await self.catch_up(log, range(len(self.seats)))
            self.loaded = True

    async def catch_up(self, log: Log, seats: Sequence[Seat]) -> bool:
        """Fold what other processes noted meanwhile; return whether there was anything."""
        streams = [self.seats[seat] for seat in seats]
        ends = await log.read_ends([StreamEnd(notes.stream, notes.version, self._bucket) for notes in streams])
        found = False
        for notes, rows in zip(streams, ends, strict=True):
            for row in rows:
                found |= self._follow(notes, row)
        return found

    def advance(self, seat: Seat, facts: tuple[Any, ...], hash_: bytes) -> None:
        """Fold one private event."""
        notes = self.seats[seat]
        for fact in facts:
            notes.value = self._game.evolve(notes.value, fact)
        notes.version += 1
        notes.hash = hash_

    def _follow(self, notes: PrivateStream, row: StoredEvent) -> bool:
        if row.version <= notes.version:
            return False
        self.advance(self.seats.index(notes), self.codec.decode(row.envelope.encode()), row.hash)
        return True


def private_streams_of(table: "LiveTable") -> PrivateStreams | None:
    """Return the notes of a table, None if its game keeps none."""
    game = table.codec.game
    if game.private_stream is None:
        return None
    if table.notes is None:
        table.notes = PrivateStreams(
            table.stream, game.private_stream, PrivateStreamCodec(game), game.rules_id, table.state.setup.seats
        )
    return table.notes
