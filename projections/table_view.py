"""A table's projection: the fold's state as the exact bytes that clients read.

A view is one public part and a small part for each seat; `splice` joins them without decoding.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from msgspec import Struct

from domain.decider import Seat
from domain.table.model import SeatKind, Status, TableState
from domain.table.views import public_view, seat_part

_encode: Final = msgspec.json.Encoder().encode


class LobbySeat(Struct, frozen=True):
    """A seat in a list of tables."""

    kind: SeatKind
    player: str | None
    name: str | None


class TableSummary(Struct, frozen=True):
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


class Projection(Struct, frozen=True):
    """Everything that Redis keeps of one table at one version."""

    table: str
    version: int
    visibility: str
    players: tuple[str | None, ...]
    """The account in each seat, None for bots and open seats."""
    public: bytes
    """JSON object of the public part."""
    seats: tuple[bytes, ...]
    """JSON object of each seat's part."""
    notes: tuple[int, ...]
    """Version of each seat's private stream that its part was made from; 0 if it has none."""
    summary: bytes
    """JSON object for lists of tables."""
    game: str
    status: Status
    created: int
    bots_to_act: bool


def project(
    state: TableState,
    names: Mapping[str, str],
    *,
    join_code: str | None = None,
    notes: Sequence[tuple[int, Any]] = (),
) -> Projection:
    """Return the projection of a state.

    `names` maps accounts to public names, `join_code` is given for private tables, `notes` holds for
    each seat the version and the fold of its private stream (empty for games without).
    """
    public = public_view(state, names)
    setup = state.setup
    seats = range(setup.seats)
    return Projection(
        table=setup.table,
        version=state.version,
        visibility=setup.visibility,
        players=tuple(occupant.player for occupant in state.seats),
        public=_encode(public),
        seats=tuple(
            _encode(seat_part(state, seat, notes=notes[seat][1] if notes else None, join_code=join_code))
            for seat in seats
        ),
        notes=tuple(notes[seat][0] if notes else 0 for seat in seats),
        summary=_encode(
            TableSummary(
                public.table,
                public.game,
                public.rules_version,
                public.status,
                public.created,
                public.host,
                tuple(LobbySeat(seat.kind, seat.player, seat.name) for seat in public.seats),
                sum(seat.kind == "open" for seat in public.seats),
                public.options,
            )
        ),
        game=public.game,
        status=state.status,
        created=setup.created,
        bots_to_act=any(state.seats[seat].kind == "bot" for seat in public.to_act),
    )


def splice(public: bytes, part: bytes | None) -> bytes:
    """Return the whole view: the public part with `you` as its last field, null for a spectator."""
    return b'%b,"you":%b}' % (public[:-1], part or b"null")
