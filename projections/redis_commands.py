"""What is sent to Redis for a projection, and what its answers mean."""

import time
from typing import Any, Final, Literal, TypeAlias

from msgspec import Struct

from projections.table_view import Projection, TableHeader

VIEW_TTL_SECONDS: Final = 7 * 24 * 3600

Written: TypeAlias = Literal["ok", "old", "notes", "gap"]
"""What became of a write; see `RedisStore.write`."""


class RedisUnavailableError(Exception):
    """Redis does not answer. Nothing is lost: everything it holds follows from the log."""


class TableSeen(Struct, frozen=True):
    """A table's view as Redis holds it for one account."""

    version: int
    visibility: str
    seat: int | None
    notes: int
    names: str
    """Changes with the public names in the view."""
    public: bytes | None
    """None if the caller already has this version."""
    part: bytes | None


class WriteRequest(Struct, frozen=True):
    """A projection to write; `before` is the one this process wrote last, None if unknown."""

    projection: Projection
    before: Projection | None
    rewrite: bool = False
    """Same version again with new names or notes."""


def apply_command(prefix: str, request: WriteRequest) -> tuple[Any, ...]:
    """Key and arguments of the compare-and-set of one projection."""
    new = request.projection
    # A rewrite may follow one that another process made of the same version: nothing is taken as known.
    old = None if request.rewrite else request.before
    fields: list[Any] = []
    if old is None:
        fields += ["public", new.public, *_header_fields(new.header, ()), "lists", new.lists]
        for seat, part in enumerate(new.seats):
            fields += (_SEATS[seat], part)
    else:
        if old.public != new.public:
            fields += ("public", new.public)
        for seat, part in enumerate(new.seats):
            if old.seats[seat] is not part and old.seats[seat] != part:
                fields += (_SEATS[seat], part)
        if old.header is not new.header:
            fields += _header_fields(new.header, old.header.players)
        if old.lists != new.lists:
            fields += ("lists", new.lists)
    since = new.version if request.rewrite else 0 if old is None else old.version
    key = f"{prefix}{{{new.header.table}}}"
    notes = new.notes if old is None else old.notes
    return (key, since, new.version, VIEW_TTL_SECONDS, len(new.notes), *new.notes, *notes, *fields)


_SEATS: Final = tuple(f"seat:{seat}" for seat in range(6))


def _header_fields(header: TableHeader, before: tuple[str | None, ...]) -> list[Any]:
    """The fields of a header; `before` are the players whom Redis may know."""
    fields: list[Any] = ["summary", header.summary, "visibility", header.visibility, "names", header.names_tag]
    for player in before:
        if player is not None and player not in header.players:
            fields += [f"player:{player}", ""]
    for seat, player in enumerate(header.players):
        if player is not None:
            fields += [f"player:{player}", seat]
    return fields


_STATUSES: Final = ("lobby", "running", "between_rounds", "finished", "closed")


def list_commands(prefix: str, request: WriteRequest) -> list[tuple[Any, ...]]:
    """What one projection changes in the lists of tables, players and waiting bots."""
    new, old = request.projection, request.before
    here, gone = new.header, None if old is None else old.header
    if old is not None and here is gone and old.lists == new.lists and not new.bots_to_act:
        return []
    commands: list[tuple[Any, ...]] = []
    if here.visibility == "public" and (gone is None or gone.status != here.status):
        place = f"{here.created:015d}:{here.table}"
        for game in (here.game, "*"):
            left = _STATUSES if gone is None else (gone.status,)
            commands += [("ZREM", f"{prefix}tables:{game}:{status}", place) for status in left if status != here.status]
            commands.append(("ZADD", f"{prefix}tables:{game}:{here.status}", 0, place))
    before = () if gone is None else gone.players
    if before != here.players:
        commands += [
            ("SREM", f"{prefix}player:{player}", here.table) for player in before if player not in (None, *here.players)
        ]
        commands += [
            ("SADD", f"{prefix}player:{player}", here.table) for player in here.players if player not in (None, *before)
        ]
    if new.bots_to_act:
        now = int(time.time() * 1000)
        commands += [("ZADD", prefix + "bots", now, here.table), ("ZADD", prefix + "wake", now, here.table)]
    elif old is None or old.bots_to_act:
        commands.append(("ZREM", prefix + "bots", here.table))
    if commands:
        commands.append(("HSET", f"{prefix}{{{here.table}}}", "listed", new.lists))
    return commands


def written(result: Any) -> Written | Exception:
    """Return what became of a write."""
    if isinstance(result, Exception):
        return RedisUnavailableError(str(result))
    answer: Written = result.decode()
    return answer


def seen(result: Any) -> TableSeen | Exception | None:
    """Return what a read found, None if Redis does not have the table."""
    if isinstance(result, Exception):
        return RedisUnavailableError(str(result))
    if result is None:
        return None
    version, visibility, seat, notes, names = result[:5]
    public, part = (result[5], result[6] if len(result) > 6 else None) if len(result) > 5 else (None, None)
    holder = None if seat < 0 else seat
    return TableSeen(int(version), visibility.decode(), holder, int(notes), names.decode(), public, part)
