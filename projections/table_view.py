"""A table's projection: the fold's state as the exact bytes that clients read.

A view is one public part and a small part for each seat; `splice` joins them without decoding.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from zlib import crc32

import msgspec
from msgspec import Struct

from domain.decider import Seat
from domain.table.model import SeatKind, Status, TableState
from domain.table.views import SeatPublic, TablePublic, You, public_view, seat_part
from domain.table.views import splice as splice

_encode: Final = msgspec.json.Encoder().encode


class LobbySeat(Struct, frozen=True, gc=False):
    """A seat in a list of tables."""

    kind: SeatKind
    player: str | None
    name: str | None


class TableSummary(Struct, frozen=True, gc=False):
    """A table in a list of tables."""

    table: str
    game: str
    rules_version: int
    status: Status
    created: int
    """Milliseconds since 1970 UTC."""
    host: Seat | None
    seats: tuple[LobbySeat, ...]
    open_seats: int
    options: Any


class Projection(Struct, frozen=True, gc=False):
    """Everything that Redis keeps of one table at one version."""

    table: str
    version: int
    visibility: str
    players: tuple[str | None, ...]
    """The account in each seat, None for bots and open seats."""
    public: bytes
    """JSON object of the public part."""
    yours: tuple[You, ...]
    """Each seat's part, and below its JSON object."""
    seats: tuple[bytes, ...]
    notes: tuple[int, ...]
    """Version of each seat's private stream that its part was made from; 0 if it has none."""
    summary: bytes
    """JSON object for lists of tables."""
    game: str
    status: Status
    created: int
    bots_to_act: bool
    names_tag: str
    """Changes with the public names in the view, which change without a version."""
    heading: tuple[Any, ...]
    """What the summary was made from, to see whether it has to be made again."""


def project(
    state: TableState,
    names: Mapping[str, str],
    *,
    join_code: str | None = None,
    notes: Sequence[tuple[int, Any]] = (),
    before: Projection | None = None,
) -> Projection:
    """Return the projection of a state.

    `names` maps accounts to public names, `join_code` is given for private tables, `notes` holds for
    each seat the version and the fold of its private stream (empty for games without). Parts that
    equal those of `before`, the projection of an earlier version, are taken from it.
    """
    setup = state.setup
    public = public_view(state, names)
    yours = tuple(
        seat_part(state, seat, notes=notes[seat][1] if notes else None, join_code=join_code)
        for seat in range(setup.seats)
    )
    heading = (state.status, state.host, state.seats, public.options, names)
    same = before is not None and before.heading == heading
    return Projection(
        table=setup.table,
        version=state.version,
        visibility=setup.visibility,
        players=before.players if same and before is not None else tuple(seat.player for seat in state.seats),
        public=_encode(public),
        yours=yours,
        seats=_seat_bytes(yours, before),
        notes=tuple(version for version, _ in notes) if notes else (0,) * setup.seats,
        summary=before.summary if same and before is not None else _encode(_summary(public)),
        game=public.game,
        status=state.status,
        created=setup.created,
        bots_to_act=any(public.seats[seat].kind == "bot" for seat in public.to_act),
        names_tag=before.names_tag if same and before is not None else _names_tag(names),
        heading=heading,
    )


def _names_tag(names: Mapping[str, str]) -> str:
    return f"{crc32(_encode(sorted(names.items()))):08x}"


def _seat_bytes(yours: tuple[You, ...], before: Projection | None) -> tuple[bytes, ...]:
    if before is None:
        return tuple(map(_encode, yours))
    return tuple(
        known if you == old else _encode(you) for you, old, known in zip(yours, before.yours, before.seats, strict=True)
    )


def _summary(public: TablePublic) -> TableSummary:
    return TableSummary(
        public.table,
        public.game,
        public.rules_version,
        public.status,
        public.created,
        public.host,
        tuple(_lobby_seat(seat) for seat in public.seats),
        sum(seat.kind == "open" for seat in public.seats),
        public.options,
    )


def _lobby_seat(seat: SeatPublic) -> LobbySeat:
    return LobbySeat(seat.kind, seat.player, seat.name)
