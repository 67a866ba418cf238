"""The tables at which an account sits, in the order in which it wants to see them; made from their views."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from domain.decider import Seat
from domain.table.model import OPEN_STATUSES, Status
from domain.table.views import TablePublic
from projections.generations import Generations
from projections.redis_connection import RedisConnection, decoding
from projections.table_lists import TableLists, owed_command
from projections.table_view import TableSummary, summary_of

_LATEST: Final = 10**15
"""A time in milliseconds after all others: subtracted from, what is newer comes first."""


class _Seat(Struct, frozen=True):
    player: str | None


class _Public(Struct, frozen=True):
    """What is looked at of the public part of a view."""

    table: str
    status: Status
    version: int
    visibility: str
    created: int
    host: Seat | None
    seats: tuple[_Seat, ...]
    to_act: tuple[Seat, ...]

    def waits_for(self, seat: Seat) -> bool:
        """Whether the match does not go on until this seat has moved, or as host has started the next round."""
        return seat in self.to_act or (self.status == "between_rounds" and self.host == seat)


class _Own(Struct, frozen=True):
    """What a table is for one account, beside its summary."""

    seat: Seat
    version: int
    visibility: str
    waiting: bool


class OwnTable(Struct, frozen=True):
    """A table for one of those who sit there."""

    place: str
    """Its place in the list, which is in the order of these texts."""
    own: _Own
    summary: bytes

    def content(self) -> bytes:
        """Return the JSON object: the summary of the table, and what it is for this account."""
        return b"%b,%b" % (self.summary[:-1], _encode(self.own)[1:])


class _Ended(Struct, frozen=True):
    """A match that is over, as it is kept: the names of its people may change."""

    visibility: str
    summary: TableSummary


_public: Final = msgspec.json.Decoder(_Public).decode
_ended: Final = msgspec.json.Decoder(_Ended).decode
_encode: Final = msgspec.json.Encoder().encode
ENDED: Final = "3:"
"""How the places of tables that are over begin; they come last."""


class OwnTables:
    """Reads the tables of accounts. RedisUnavailableError if Redis does not answer."""

    def __init__(self, connection: RedisConnection, generations: Generations, lists: TableLists) -> None:
        self._connection = connection
        self._generations = generations
        self._lists = lists

    @decoding
    async def of(self, account: str) -> list[OwnTable] | None:
        """Return the tables at which an account sits, in no order; None if incomplete.

        Those are left out whose view is missing: the worker is asked to write it.
        """
        tables = await self._lists.tables_of(account)
        if not tables:
            return None if tables is None else []
        keys = [self._generations.key(f"{{{table}}}").encode() for table in tables]  # of text the library thinks longer
        views = await self._connection.round_trip(*[("HMGET", key, b"public", b"summary") for key in keys])
        missing = [table for table, view in zip(tables, views, strict=True) if None in view]
        if missing:
            prefix = self._generations.key("")
            await self._connection.round_trip(*[owed_command(prefix, table) for table in missing])
        own = [own_table(account, public, summary) for public, summary in views if None not in (public, summary)]
        return [table for table in own if table is not None]


def own_table(account: str, public: bytes, summary: bytes) -> OwnTable | None:
    """Return a table for one of its people, from the public part of the view and the summary; None for others.

    First comes what waits for the account, then what runs, then tables before their match, last what is over; in each
    of these the newest table first.
    """
    view = _public(public)
    players = [seat.player for seat in view.seats]
    if account not in players:
        return None
    seat = players.index(account)
    waiting = view.waits_for(seat)
    if view.status not in OPEN_STATUSES:
        group = 3
    elif view.status == "lobby":
        group = 2
    else:
        group = 0 if waiting else 1
    own = _Own(seat, view.version, view.visibility, waiting)
    return OwnTable(_place(group, view.created, view.table), own, summary)


def _place(group: int, created: int, table: str) -> str:
    return f"{group}:{_LATEST - created:015d}:{table}"


def ended_after(place: str) -> tuple[int, UUID]:
    """Return when the table at a place was created, and its id, for those that are over and follow it."""
    if not place.startswith(ENDED):
        return _LATEST, UUID(int=0)
    _, age, table = place.split(":")
    return _LATEST - int(age), UUID(table)


def ended_entry(public: TablePublic) -> bytes:
    """Return what is kept of a match that is over, to be listed by `ended_table`; its names are those of `public`."""
    return _encode(_Ended(public.visibility, summary_of(public)))


def ended_players(entry: str) -> list[str]:
    """Return the people in an entry, whose names `ended_table` needs."""
    return [seat.player for seat in _ended(entry).summary.seats if seat.player is not None]


def ended_table(entry: str, seat: Seat, version: int, names: Mapping[str, str]) -> OwnTable:
    """Return a match that is over for the player who sat there at its end; `names` are those of its people."""
    ended = _ended(entry)
    summary = ended.summary
    seats = tuple([replace(one, name=names.get(one.player or "")) for one in summary.seats])
    own = _Own(seat, version, ended.visibility, waiting=False)
    place = _place(3, summary.created, summary.table)
    return OwnTable(place, own, _encode(replace(summary, seats=seats)))
