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
from domain.table.views import People, SeatPublic, TablePublic, You, people_of, public_view, seat_part
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


class TableHeader(Struct, frozen=True, gc=False):
    """What stays of a projection while people, names, host, status and options do."""

    made_from: tuple[Any, ...]
    """To see whether it has to be rebuilt."""
    table: str
    game: str
    created: int
    visibility: str
    status: Status
    players: tuple[str | None, ...]
    """The account in each seat, None for bots and open seats."""
    summary: bytes
    """JSON object for lists of tables."""
    names_tag: str
    """Changes with the public names in the view, which change without a version."""


class Projection(Struct, frozen=True, gc=False):
    """Everything that Redis keeps of one table at one version."""

    header: TableHeader
    people: People
    version: int
    public: bytes
    """JSON object of the public part."""
    seat_parts: tuple[You, ...]
    """Each seat's part, and below its JSON object."""
    seats: tuple[bytes, ...]
    private_versions: tuple[int, ...]
    """Version of each seat's private stream that its part was made from; empty for games without."""
    bots_to_act: bool
    lists: str
    """What the lists of tables, players and waiting bots say of the table, as one word."""


def project(
    state: TableState,
    names: Mapping[str, str],
    *,
    private_streams: Sequence[tuple[int, Any]] = (),
    before: Projection | None = None,
) -> Projection:
    """Return the projection of a state.

    `names` maps accounts to public names, `private_streams` holds for each seat the version and the fold of its
    private stream (empty for games without). Parts that equal those of `before`, the projection of an earlier version,
    are taken from it.
    """
    people = people_of(state, names, None if before is None else before.people)
    public = public_view(state, names, people)
    seat_parts = tuple(
        [
            seat_part(state, seat, private_state=private_streams[seat][1] if private_streams else None)
            for seat in range(state.setup.seats)
        ]
    )
    bots_to_act = False
    for seat in public.to_act:
        bots_to_act = bots_to_act or state.seats[seat].kind == "bot"
    made_from = (state.status, state.host, state.seats, public.options, names)
    if before is not None and before.header.made_from == made_from:
        header = before.header
        lists = before.lists if before.bots_to_act == bots_to_act else _lists(header, bots_to_act)
    else:
        header = _header(state, public, names, made_from)
        lists = _lists(header, bots_to_act)
    return Projection(
        header,
        people,
        state.version,
        _encode(public),
        seat_parts,
        _seat_bytes(seat_parts, before),
        tuple([version for version, _ in private_streams]),
        bots_to_act,
        lists,
    )


def _header(
    state: TableState, public: TablePublic, names: Mapping[str, str], made_from: tuple[Any, ...]
) -> TableHeader:
    setup = state.setup
    return TableHeader(
        made_from,
        setup.table,
        public.game,
        setup.created,
        setup.visibility,
        state.status,
        tuple([seat.player for seat in state.seats]),
        _encode(summary_of(public)),
        names_tag(names),
    )


def names_tag(names: Mapping[str, str]) -> str:
    """Return what changes with the public names of a table's people."""
    return f"{crc32(_encode(sorted(names.items()))):08x}"


def _lists(header: TableHeader, bots_to_act: bool) -> str:
    players = crc32("|".join(player or "" for player in header.players).encode())
    return f"{header.status}:{int(bots_to_act)}:{players:08x}"


def _seat_bytes(seat_parts: tuple[You, ...], before: Projection | None) -> tuple[bytes, ...]:
    if before is None:
        return tuple([_encode(you) for you in seat_parts])
    return tuple(
        [
            known if you == old else _encode(you)
            for you, old, known in zip(seat_parts, before.seat_parts, before.seats, strict=True)
        ]
    )


def summary_of(public: TablePublic) -> TableSummary:
    """Return what lists say of a table."""
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
