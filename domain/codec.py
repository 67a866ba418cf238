"""Events as bytes: the storage format, its canonical form, its seals, and the lifting of old shapes.

An event is an envelope (public, chained by hash) and its sealed parts, one for each seat and one for
the server (bw1, steps 6 and 7). Canonical bytes are compact JSON in the field order of the structs
below, ASCII keys, no floats, integers below 2**53. Tags and field names never change meaning; a
new field has a default; what cannot be said that way raises the format by a lift in the game's `Types.lifts`.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar

import msgspec
from msgspec import Raw, Struct, field

from domain import fairness
from domain.decider import AnyGame, Seat
from domain.table.model import Facts, TableFact

PublicT = TypeVar("PublicT", bound=Struct)
FactT = TypeVar("FactT", bound=Struct)
MoveT = TypeVar("MoveT", bound=Struct)


class PublicPart(Struct, Generic[PublicT], frozen=True, gc=False, omit_defaults=True):
    """What everybody learns from an event."""

    table: tuple[TableFact, ...] = ()
    game: tuple[PublicT, ...] = ()


class Envelope(Struct, Generic[PublicT], frozen=True, gc=False):
    """The public and chained part of an event."""

    format: int
    version: int
    time: int
    """Wall clock of receipt, milliseconds since 1970 UTC."""
    type: str
    """The command: `create`, `sit`, `start`, ... or the type of the move."""
    actor: Seat | None
    """The seat that acted, None before its player had one."""
    decision: int | None
    """The decision that a move answered."""
    public: PublicPart[PublicT]
    seals: tuple[str, ...]
    """Hash commitments in hex, one for each seat in order and the server's last."""


class ServerPart(Struct, Generic[MoveT, FactT], frozen=True, gc=False, omit_defaults=True):
    """What only the server knows until the match is over."""

    move: MoveT | None = None
    facts: tuple[tuple[int, FactT], ...] = ()
    """Complete facts that hide something, each with its place among the public game facts."""


class Event(Struct, frozen=True, gc=False):
    """A decoded event, complete."""

    version: int
    time: int
    type: str
    actor: Seat | None
    decision: int | None
    facts: Facts
    """What the fold needs: all facts in complete form."""
    public: tuple[Any, ...]
    """The game's facts as everybody learns them, in the same order."""
    private: tuple[tuple[Any, ...], ...]
    """For each seat the facts that it alone learns besides."""
    move: Any
    """The move in complete form, None for commands of the table."""
    seals: tuple[str, ...]


class FactsOf(Facts, Generic[FactT], frozen=True, gc=False):
    """Facts, with the type that those of the game are read as."""

    game: tuple[FactT, ...] = ()


class Happened(Struct, Generic[FactT], frozen=True, gc=False):
    """An event as far as the fold needs it: read from an envelope, whose other fields are skipped."""

    version: int
    time: int
    """Milliseconds since 1970 UTC."""
    actor: Seat | None
    facts: FactsOf[FactT] = field(name="public")


class _Untold(Struct, array_like=True, frozen=True, gc=False):
    """The part of a seat, skipped: what it is told, the server's part says in full."""


class _Hidden(Struct, Generic[FactT], frozen=True, gc=False):
    """The server's part, whose move is skipped."""

    facts: tuple[tuple[int, FactT], ...] = ()


class Sealed(Struct, frozen=True, gc=False):
    """An event ready to be stored: exact bytes as text."""

    event: Event
    envelope: bytes
    parts: tuple[bytes, ...]
    """The sealed parts in viewer order, the server's last."""

    @property
    def parts_text(self) -> bytes:
        """The parts as one JSON array that keeps their exact bytes."""
        return b"[" + b",".join(self.parts) + b"]"


class DamagedEventError(Exception):
    """Stored bytes are not an event of this game: the message says where they fail."""


EMPTY_PART: Final = b"[]"
_encode: Final = msgspec.json.Encoder().encode
_raw_parts: Final = msgspec.json.Decoder(list[Raw])


class Codec:
    """Encodes and decodes the events of one rules version."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self.format = max(game.types.lifts, default=0) + 1
        """The shape of envelopes and parts that are written."""
        self._current_text = f'{{"format":{self.format},'
        self._current = self._current_text.encode()
        self._envelope: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Envelope[game.types.public_form])  # type: ignore[name-defined]
        self._happened: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Happened[game.types.public_form])  # type: ignore[name-defined]
        self._private: msgspec.json.Decoder[Any] = msgspec.json.Decoder(tuple[game.types.private_form, ...])  # type: ignore[name-defined]
        self._server: msgspec.json.Decoder[Any] = msgspec.json.Decoder(ServerPart[game.types.move, game.types.fact])  # type: ignore[name-defined]
        fewest, most = game.seats
        self._hidden: dict[int, msgspec.json.Decoder[Any]] = {
            seats: msgspec.json.Decoder(tuple[(*[_Untold] * seats, _Hidden[game.types.fact])])  # type: ignore[misc,name-defined]
            for seats in range(fewest, most + 1)
        }

    def seal(
        self,
        facts: Facts,
        *,
        seats: int,
        salts: fairness.Salts,
        version: int,
        time: int,
        type_: str,
        actor: Seat | None = None,
        decision: int | None = None,
        move: Any = None,
    ) -> Sealed:
        """Return the event that records `facts`, with its parts sealed under the table's salts."""
        game = self.game
        public = tuple([game.views.public_form(fact) for fact in facts.game])
        hidden = tuple(
            [
                (place, fact)
                for place, (fact, shown) in enumerate(zip(facts.game, public, strict=True))
                if fact is not shown
            ]
        )
        private: tuple[tuple[Any, ...], ...] = ((),) * seats
        if hidden:  # a fact that hides nothing has no private form either
            private = tuple(
                [
                    tuple([told for _, fact in hidden if (told := game.views.private_form(fact, seat)) is not None])
                    for seat in range(seats)
                ]
            )
        parts = _part_bytes(private, ServerPart(move, hidden))
        seals = salts.seals(version, parts)
        envelope = _encode(
            Envelope(self.format, version, time, type_, actor, decision, PublicPart(facts.table, public), seals)
        )
        event = Event(version, time, type_, actor, decision, facts, public, private, move, seals)
        return Sealed(event, envelope, parts)

    def encode(self, event: Event) -> tuple[bytes, tuple[bytes, ...]]:
        """Return the canonical bytes of an event: its envelope and its parts, the server's last."""
        hidden = tuple(
            (place, fact)
            for place, (fact, shown) in enumerate(zip(event.facts.game, event.public, strict=True))
            if fact != shown
        )
        public = PublicPart(event.facts.table, event.public)
        return _encode(
            Envelope(
                self.format, event.version, event.time, event.type, event.actor, event.decision, public, event.seals
            )
        ), _part_bytes(event.private, ServerPart(event.move, hidden))

    def is_canonical(self, event: Event, envelope: bytes, parts: tuple[bytes, ...]) -> bool:
        """Whether the bytes that an event was decoded from are the only ones that say it, in their format."""
        canonical = self.encode(event)
        if envelope.startswith(self._current):
            return canonical == (envelope, parts)
        parts_text = b"[" + b",".join(parts) + b"]"
        compact = (_encode(msgspec.json.decode(envelope)), _encode(msgspec.json.decode(parts_text)))
        outer, lifted = self._lift(envelope, parts_text)
        return compact == (envelope, parts_text) and canonical == (outer, split_parts(lifted))

    def says_version(self, envelope: str, version: int) -> bool:
        """Whether an envelope begins with a known format and this version."""
        return any(
            envelope.startswith(f'{{"format":{format_},"version":{version},')
            for format_ in (self.format, *self.game.types.lifts)
        )

    def decode(self, envelope: bytes, parts_text: bytes) -> Event:
        """Return the event of stored bytes. DamagedEventError if they are none."""
        try:
            return self._decode(envelope, parts_text)
        except (msgspec.MsgspecError, ValueError, RecursionError, LookupError) as error:
            raise DamagedEventError(str(error)) from error

    def _decode(self, envelope: bytes, parts_text: bytes) -> Event:
        if not envelope.startswith(self._current):
            envelope, parts_text = self._lift(envelope, parts_text)
        outer: Envelope[Any] = self._envelope.decode(envelope)
        parts, server = self._parts(parts_text, len(outer.seals) - 1)
        told: list[tuple[Any, ...]] = [() if part == EMPTY_PART else self._private.decode(part) for part in parts]
        return Event(
            outer.version,
            outer.time,
            outer.type,
            outer.actor,
            outer.decision,
            Facts(outer.public.table, _complete(outer.public.game, server.facts)),
            outer.public.game,
            tuple(told),
            server.move,
            outer.seals,
        )

    def happened(self, envelope: str, parts_text: str, seats: int) -> Happened[Any]:
        """Return what the fold needs of an event at a table with `seats` seats.

        DamagedEventError as of `decode`, but for what is skipped: that only has to be JSON.
        """
        if not envelope.startswith(self._current_text):
            event = self.decode(envelope.encode(), parts_text.encode())
            return Happened(event.version, event.time, event.actor, FactsOf(event.facts.table, event.facts.game))
        try:
            happened: Happened[Any] = self._happened.decode(envelope)
            hidden: _Hidden[Any] = self._hidden[seats].decode(parts_text)[-1]
            if not hidden.facts:
                return happened
            facts = FactsOf(happened.facts.table, _complete(happened.facts.game, hidden.facts))
        except (msgspec.MsgspecError, ValueError, RecursionError, LookupError) as error:
            raise DamagedEventError(str(error)) from error
        return Happened(happened.version, happened.time, happened.actor, facts)

    def _lift(self, envelope: bytes, parts_text: bytes) -> tuple[bytes, bytes]:
        """Lift an old shape to the current one, format by format."""
        lifts = self.game.types.lifts
        outer: dict[str, Any] = msgspec.json.decode(envelope, type=dict[str, Any])
        parts: list[Any] = msgspec.json.decode(parts_text, type=list[Any])
        while (shape := outer.get("format", 0)) != self.format:
            if not isinstance(shape, int) or shape not in lifts:
                raise ValueError(f"unknown event format {shape!r}")
            try:
                outer, parts = lifts[shape](outer, parts)
            except (TypeError, AttributeError) as error:
                raise ValueError(f"no event of format {shape}") from error
        return _encode(outer), _encode(parts)

    def _parts(self, parts_text: bytes, seats: int) -> tuple[Sequence[bytes], ServerPart[Any, Any]]:
        """Return the parts of the seats as bytes, and the server's."""
        nobody = b"[" + b"[]," * seats
        if parts_text.startswith(nobody) and parts_text.endswith(b"]"):
            # Most events tell no seat anything that the others do not learn.
            return (EMPTY_PART,) * seats, self._server.decode(memoryview(parts_text)[len(nobody) : -1])
        *told, last = _raw_parts.decode(parts_text)
        return [bytes(part) for part in told], self._server.decode(last)


def _complete(public: tuple[Any, ...], hidden: tuple[tuple[int, Any], ...]) -> tuple[Any, ...]:
    """Return all facts of the game in complete form."""
    if not hidden:
        return public
    complete = list(public)
    for place, fact in hidden:
        complete[place] = fact
    return tuple(complete)


def _part_bytes(private: tuple[tuple[Any, ...], ...], server: ServerPart[Any, Any]) -> tuple[bytes, ...]:
    return (*[_encode(told) if told else EMPTY_PART for told in private], _encode(server))


def split_parts(parts_text: bytes) -> tuple[bytes, ...]:
    """Return the exact bytes of each sealed part, in viewer order, the server's last."""
    return tuple(bytes(part) for part in _raw_parts.decode(parts_text))


@lru_cache(maxsize=64)
def codec_for(game_id: str) -> Codec:
    """Return the codec of a rules id such as `hearts/1`. KeyError if it is not registered."""
    from domain.registry import GAMES

    return Codec(GAMES[game_id])
