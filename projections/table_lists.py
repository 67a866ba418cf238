"""Lists of tables in Redis: the lobby, the tables of a player, the tables that wait for a bot or for the worker.

bw:<identity>:<g>:tables:<game or *>:<status>     sorted set of public tables, by name `<created>:<table>`
bw:<identity>:<g>:player:<account>                set of tables in which the account holds a seat
bw:<identity>:<g>:bots                            sorted set of tables that wait for a bot, by time in milliseconds
bw:<identity>:<g>:wake                            the same, but taken off by the worker that serves the table, and
                                                  with the first person at it: `<table> <account>`
bw:<identity>:<g>:ended                           sorted set of tables that have ended, by when they were created
bw:<identity>:<g>:owed                            sorted set of tables that the worker has to write again, by time
"""

import time
from typing import Final
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.registry import CURRENT
from domain.table.model import OPEN_STATUSES, SeatKind, Status
from projections.generations import Generations
from projections.redis_connection import Command, RedisConnection, decoding, script
from projections.table_view import Projection

_STATUSES: Final = ("lobby", "running", "between_rounds", "finished", "closed")
_ENDED: Final = tuple(status for status in _STATUSES if status not in OPEN_STATUSES)
_WAITING_MAX: Final = 100
_TAKEN_MAX: Final = 1000
ENDED_MAX: Final = 200
"""So many tables that have ended are kept, those that were created last."""
_PAID: Final = script("""
-- KEYS: the sorted set. ARGV: member, score. A member that was added again meanwhile stays.
if redis.call('ZSCORE', KEYS[1], ARGV[1]) == ARGV[2] then redis.call('ZREM', KEYS[1], ARGV[1]) end
return 1
""")


class _Seat(Struct, frozen=True):
    kind: SeatKind


class _Summary(Struct, frozen=True):
    """What is looked at of a table's summary."""

    status: Status
    seats: tuple[_Seat, ...]


_summary: Final = msgspec.json.Decoder(_Summary).decode


class TableLists:
    """Reads the lists. All methods raise RedisUnavailableError if Redis does not answer."""

    def __init__(self, connection: RedisConnection, generations: Generations) -> None:
        self._connection = connection
        self._generations = generations

    @decoding
    async def tables(
        self, game: str, status: str, after: str | None, limit: int
    ) -> list[tuple[str, bytes | None]] | None:
        """Return up to `limit` public tables, newest first, as (place, summary); None if incomplete.

        `game` is `*` for all games, `after` the place of the last table of the page before. The summary is None
        where the table's view is missing: then the worker is asked to write it.
        """
        start = f"({after}" if after else "+"
        arguments = (start, "-", "LIMIT", 0, limit)
        found = await self._generations.read_complete("ZREVRANGEBYLEX", f"tables:{game}:{status}", *arguments)
        if found is None:
            return None
        places = [place.decode() for place in found]
        if not places:
            return []
        tables = [place.partition(":")[2] for place in places]
        keys = [self._generations.key(f"{{{table}}}") for table in tables]
        summaries = await self._connection.round_trip(*[("HGET", key, "summary") for key in keys])
        missing = [table for table, summary in zip(tables, summaries, strict=True) if summary is None]
        if missing:
            prefix = self._generations.key("")
            await self._connection.round_trip(*[owed_command(prefix, table) for table in missing])
        return list(zip(places, summaries, strict=True))

    @decoding
    async def tables_of(self, account: str) -> list[str] | None:
        """Return the tables in which the account holds a seat, in no order; None if incomplete.

        Those that have ended are there for as long as anything else is kept of them.
        """
        found = await self._generations.read_complete("SMEMBERS", f"player:{account}")
        return None if found is None else [_table(table) for table in found]

    @decoding
    async def open_tables_of(self, account: str) -> dict[str, bool] | None:
        """Return the tables in which the account holds a seat, those left out that are over; None if incomplete.

        Each with whether it is known to have bots.
        """
        tables = await self.tables_of(account)
        if not tables:
            return None if tables is None else {}
        keys = [self._generations.key(f"{{{table}}}") for table in tables]
        summaries = await self._connection.round_trip(*[("HGET", key, "summary") for key in keys])
        found: dict[str, bool] = {}
        for table, raw in zip(tables, summaries, strict=True):
            summary = None if raw is None else _summary(raw)
            if summary is None or summary.status in OPEN_STATUSES:
                found[table] = summary is not None and any(seat.kind == "bot" for seat in summary.seats)
        return found

    @decoding
    async def next_for_bots(self, wait_seconds: float) -> list[tuple[str, str]]:
        """Take all tables with a bot to act off the queue, each after the first person at it ("" if there is none).

        Waits for one so many seconds, 0 for not at all; none if none came in time.
        """
        key = self._generations.key("wake")
        if wait_seconds:
            members = await self._connection.pop_first(key, wait_seconds, _TAKEN_MAX)
        else:
            (popped,) = await self._connection.round_trip(("ZPOPMIN", key, _TAKEN_MAX))
            members = [member for member, _ in popped]
        waiting = (member.partition(b" ") for member in members)
        return [(account.decode(), _table(table)) for table, _, account in waiting]

    @decoding
    async def waiting_for_bots(self, older_than_seconds: float, after: int = 0) -> list[str]:
        """Return tables that have waited for a bot for longer than this, up to 100 after so many: they were lost."""
        before = int((time.time() - older_than_seconds) * 1000)
        key = self._generations.key("bots")
        page = ("LIMIT", after, _WAITING_MAX)
        (tables,) = await self._connection.round_trip(("ZRANGEBYSCORE", key, 0, before, *page))
        return [_table(table) for table in tables]

    # for the worker

    @decoding
    async def owed(self) -> list[tuple[str, str]]:
        """Return tables that have to be written again, the first hundred, each with what `paid` wants to know."""
        key = self._generations.key("owed")
        (found,) = await self._connection.round_trip(("ZRANGE", key, 0, _WAITING_MAX - 1, "WITHSCORES"))
        return [(_table(table), score.decode()) for table, score in zip(found[::2], found[1::2], strict=True)]

    async def paid(self, table: str, score: str) -> None:
        """Take a table off that was written again, unless it became owed anew."""
        await self._connection.round_trip((_PAID, 1, self._generations.key("owed"), table, score))

    @decoding
    async def forget_ended(self, generation: int | None = None) -> int:
        """Forget tables that have ended beyond those that are kept; return how many."""
        ended, prefix = self._generations.key("ended", generation), self._generations.key("", generation)
        (found,) = await self._connection.round_trip(("ZRANGE", ended, 0, -ENDED_MAX - 1, "WITHSCORES"))
        for table, created in zip(found[::2], found[1::2], strict=True):
            await self._forget(prefix, table.decode(), int(created))
        return len(found) // 2

    async def _forget(self, prefix: str, table: str, created: int) -> None:
        key = f"{prefix}{{{table}}}"
        (members,) = await self._connection.round_trip(("SMEMBERS", listing_key(key)))
        players = [member.decode() for member in members]
        place = f"{created:015d}:{table}"
        await self._connection.round_trip(
            *[("ZREM", f"{prefix}tables:{game}:{status}", place) for game in ("*", *CURRENT) for status in _ENDED],
            *[("SREM", f"{prefix}player:{player}", table) for player in players],
            ("ZREM", prefix + "bots", table),
        )
        # Last what leads to the table: where this is interrupted it is done again.
        await self._connection.round_trip(("UNLINK", key, listing_key(key)))
        await self._connection.round_trip(("ZREM", prefix + "ended", table))


def _table(member: bytes) -> str:
    """Return the id of a table that is a member of a list. ValueError if it is none."""
    return str(UUID(member.decode()))


def listing_key(table_key: str) -> str:
    """Return the key of the accounts in whose lists a table may stand, from that of the table."""
    return f"{table_key}:listed"


def list_commands(prefix: str, new: Projection, old: Projection | None, left: list[str]) -> list[Command]:
    """Return what brings the lists from one projection of a table (None: unknown) to another.

    `left` are the accounts that have left. The commands name keys of several nodes: what says that they were carried
    out, and `wake_commands`, are sent once they are acknowledged.
    """
    here, gone = new.header, None if old is None else old.header
    commands: list[Command] = []
    if gone is None or gone.status != here.status:
        if here.visibility == "public":
            place = f"{here.created:015d}:{here.table}"
            for game in (here.game, "*"):
                was = _STATUSES if gone is None else (gone.status,)
                commands += [
                    ("ZREM", f"{prefix}tables:{game}:{status}", place) for status in was if status != here.status
                ]
                commands.append(("ZADD", f"{prefix}tables:{game}:{here.status}", 0, place))
        if here.status not in OPEN_STATUSES:
            commands.append(("ZADD", prefix + "ended", here.created, here.table))
    commands += [("SREM", f"{prefix}player:{player}", here.table) for player in left]
    before = () if gone is None else gone.players
    joined = [player for player in here.players if player is not None and player not in before]
    commands += [("SADD", f"{prefix}player:{player}", here.table) for player in joined]
    if new.bots_to_act:
        commands.append(("ZADD", prefix + "bots", int(time.time() * 1000), here.table))
    elif old is None or old.bots_to_act:
        commands.append(("ZREM", prefix + "bots", here.table))
    return commands


def wake_commands(prefix: str, new: Projection, old: Projection | None) -> list[Command]:
    """Return what wakes a worker if a bot has to act, unless one was woken, and goes on until no bot has to act."""
    if not new.bots_to_act or (old is not None and old.bots_to_act):
        return []
    person = next((player for player in new.header.players if player is not None), "")
    return [("ZADD", prefix + "wake", int(time.time() * 1000), f"{new.header.table} {person}")]


def owed_command(prefix: str, table: str) -> Command:
    """Return what makes the worker write a table again."""
    return ("ZADD", prefix + "owed", int(time.time() * 1000), table)
