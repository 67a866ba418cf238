"""What is sent to Redis for a projection, and what its answers mean."""

import time
from typing import Any, Final, Literal, TypeAlias
from zlib import crc32

from msgspec import Struct

from projections.table_view import Projection

VIEW_TTL_SECONDS: Final = 7 * 24 * 3600

Written: TypeAlias = Literal["ok", "old", "notes"]


class ViewsAwayError(Exception):
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
    if old is None or old.public != new.public:
        fields += ["public", new.public]
    for seat, part in enumerate(new.seats):
        if old is None or old.seats[seat] != part:
            fields += [f"seat:{seat}", part]
    if old is None or old.summary != new.summary:
        fields += ["summary", new.summary, "visibility", new.visibility, "names", new.names_tag]
        for player in old.players if old is not None else ():
            if player is not None and player not in new.players:
                fields += [f"player:{player}", ""]
        for seat, player in enumerate(new.players):
            if player is not None:
                fields += [f"player:{player}", seat]
    if old is None or lists_of(old) != lists_of(new):
        fields += ["lists", lists_of(new)]
    since = new.version if request.rewrite else 0 if old is None else old.version
    return (f"{prefix}{{{new.table}}}", since, new.version, VIEW_TTL_SECONDS, len(new.seats), *new.notes, *fields)


_STATUSES: Final = ("lobby", "running", "between_rounds", "finished", "closed")


def list_commands(prefix: str, request: WriteRequest) -> list[tuple[Any, ...]]:
    """What one projection changes in the lists of tables, players and waiting bots."""
    new, old = request.projection, request.before
    commands: list[tuple[Any, ...]] = []
    if new.visibility == "public" and (old is None or old.status != new.status):
        place = f"{new.created:015d}:{new.table}"
        for game in (new.game, "*"):
            left = _STATUSES if old is None else (old.status,)
            commands += [("ZREM", f"{prefix}tables:{game}:{status}", place) for status in left if status != new.status]
            commands.append(("ZADD", f"{prefix}tables:{game}:{new.status}", 0, place))
    before = old.players if old is not None else ()
    if before != new.players:
        commands += [
            ("SREM", f"{prefix}player:{gone}", new.table) for gone in before if gone not in (None, *new.players)
        ]
        commands += [
            ("SADD", f"{prefix}player:{here}", new.table) for here in new.players if here not in (None, *before)
        ]
    if new.bots_to_act:
        now = int(time.time() * 1000)
        commands += [("ZADD", prefix + "bots", now, new.table), ("ZADD", prefix + "wake", now, new.table)]
    elif old is None or old.bots_to_act:
        commands.append(("ZREM", prefix + "bots", new.table))
    if commands:
        commands.append(("HSET", f"{prefix}{{{new.table}}}", "listed", lists_of(new)))
    return commands


def lists_of(projection: Projection) -> str:
    """Return what the lists say of a table, as one word.

    The table's hash has it twice: written with the view, and after the lists. They differ where the
    connection was lost in between.
    """
    players = crc32("|".join(player or "" for player in projection.players).encode())
    return f"{projection.status}:{int(projection.bots_to_act)}:{players:08x}"


def written(result: Any) -> Written | Exception:
    """Return what became of a write."""
    if isinstance(result, Exception):
        return ViewsAwayError(str(result))
    answer: Written = result.decode()
    return answer


def seen(result: Any) -> TableSeen | Exception | None:
    """Return what a read found, None if Redis does not have the table."""
    if isinstance(result, Exception):
        return ViewsAwayError(str(result))
    if result is None:
        return None
    version, visibility, seat, notes, names = result[:5]
    public, part = (result[5], result[6] if len(result) > 6 else None) if len(result) > 5 else (None, None)
    holder = None if seat < 0 else seat
    return TableSeen(int(version), visibility.decode(), holder, int(notes), names.decode(), public, part)
