"""What seats keep to themselves, in memory: the folds of a table's private streams."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any
from uuid import UUID

from domain import fairness
from domain.decider import AnyGame, AnyPrivateStream, Seat
from domain.private_stream import PrivateStreamCodec, private_stream_id
from domain.registry import GAMES
from service.store.log import Guard, StoredEvent


class PrivateStream:
    """The fold of one seat's private stream as far as this process knows it."""

    __slots__ = ("hash", "private_state", "stream", "version")

    def __init__(self, stream: UUID, private_state: Any, hash_: bytes) -> None:
        self.stream = stream
        self.private_state = private_state
        self.version = 0
        self.hash = hash_


class PrivateStreams:
    """All private streams of a table whose game has them; they lie in the bucket of their table."""

    __slots__ = ("_game", "codec", "seats")

    def __init__(self, table: UUID, game: AnyPrivateStream, rules_id: str, seats: int) -> None:
        self._game = game
        self.codec = _codec_for(rules_id)
        self.seats = [
            PrivateStream(stream, game.new(), fairness.genesis(stream.bytes, rules_id))
            for stream in (UUID(bytes=private_stream_id(table.bytes, seat)) for seat in range(seats))
        ]

    @property
    def versions(self) -> tuple[int, ...]:
        """How many events of each seat's stream are folded."""
        return tuple([seat.version for seat in self.seats])

    def consulted(self, game_state: Any, seat: Seat) -> bool:
        """Whether what the seat keeps to itself may have a say in its next move."""
        return self._game.consulted(game_state, seat)

    def resolve(self, game_state: Any, seat: Seat, move: Any) -> Any:
        """Return a move with what the seat prepared for it, or the rejection that follows from that."""
        return self._game.resolve(game_state, seat, self.seats[seat].private_state, move)

    def guard(self, seat: Seat) -> Guard:
        """Return what an event has to name that was decided on a seat's private state as it is known here."""
        own = self.seats[seat]
        return Guard(own.stream, own.version)

    def decide(self, game_state: Any, seat: Seat, move: Any) -> Any:
        """Judge a private move of a seat: private facts, or a rejection."""
        return self._game.decide(game_state, seat, self.seats[seat].private_state, move)

    def advance(self, seat: Seat, facts: tuple[Any, ...], hash_: bytes) -> None:
        """Fold one private event."""
        own = self.seats[seat]
        for fact in facts:
            own.private_state = self._game.evolve(own.private_state, fact)
        own.version += 1
        own.hash = hash_

    def follow(self, seat: Seat, rows: Sequence[StoredEvent]) -> bool:
        """Fold rows of a seat's stream, of which some may be folded already; return whether any was new."""
        found = False
        for row in rows:
            if row.version > self.seats[seat].version:
                self.advance(seat, self.codec.decode(row.envelope.encode()), row.hash)
                found = True
        return found


def private_streams_of(table: UUID, game: AnyGame, seats: int) -> PrivateStreams | None:
    """Return the private streams of a new table, nothing folded yet; None if its game has none."""
    return None if game.private_stream is None else PrivateStreams(table, game.private_stream, game.rules_id, seats)


@lru_cache(maxsize=64)
def _codec_for(rules_id: str) -> PrivateStreamCodec:
    return PrivateStreamCodec(GAMES[rules_id])
