"""Lists of tables in Redis: the lobby, the tables of a player, the tables that wait for a bot.

bw:<g>:tables:<game or *>:<status>     sorted set of public tables, by name `<created>:<table>`
bw:<g>:player:<account>                set of tables in which the account holds a seat
bw:<g>:bots                            sorted set of tables that wait for a bot, by time in milliseconds
bw:<g>:wake                            the same, but taken off by the worker that serves the table
"""

import time
from typing import Final

import msgspec
from msgspec import Struct

from domain.table.model import OPEN_STATUSES, Status
from projections.generations import Generations
from projections.redis_connection import Command, RedisConnection
from projections.table_view import Projection

_STATUSES: Final = ("lobby", "running", "between_rounds", "finished", "closed")
_WAITING_MAX: Final = 100


class _Status(Struct, frozen=True):
    """What is looked at of a table's summary."""

    status: Status


_status: Final = msgspec.json.Decoder(_Status).decode


class TableLists:
    """Reads the lists. All methods raise RedisUnavailableError if Redis does not answer."""

    def __init__(self, connection: RedisConnection, generations: Generations) -> None:
        self._connection = connection
        self._generations = generations

    async def tables(self, game: str, status: str, after: str | None, limit: int) -> list[tuple[str, bytes]] | None:
        """Return up to `limit` public tables, newest first, as (place, summary); None if incomplete.

        `game` is `*` for all games, `after` the place of the last table of the page before.
        """
        start = f"({after}" if after else "+"
        arguments = (start, "-", "LIMIT", 0, limit)
        found = await self._generations.read_complete("ZREVRANGEBYLEX", f"tables:{game}:{status}", *arguments)
        if found is None:
            return None
        places = [place.decode() for place in found]
        if not places:
            return []
        keys = [self._generations.key(f"{{{place.partition(':')[2]}}}") for place in places]
        summaries = await self._connection.round_trip(*[("HGET", key, "summary") for key in keys])
        if None in summaries:
            return None  # a view expired or was evicted: the log answers
        return list(zip(places, summaries, strict=True))

    async def tables_of(self, account: str) -> list[str] | None:
        """Return the tables in which the account holds a seat, in no order; None if incomplete."""
        found = await self._generations.read_complete("SMEMBERS", f"player:{account}")
        return None if found is None else [table.decode() for table in found]

    async def open_tables_of(self, account: str) -> list[str] | None:
        """Return the tables in which the account holds a seat, those left out that are over; None if incomplete."""
        tables = await self.tables_of(account)
        if not tables:
            return tables
        keys = [self._generations.key(f"{{{table}}}") for table in tables]
        summaries = await self._connection.round_trip(*[("HGET", key, "summary") for key in keys])
        return [table for table, summary in zip(tables, summaries, strict=True) if summary is None or _is_open(summary)]

    async def next_for_bots(self, wait_seconds: float) -> str | None:
        """Wait for a table with a bot to act and take it off the queue; None if none came in time."""
        table = await self._connection.pop_first(self._generations.key("wake"), wait_seconds)
        return None if table is None else table.decode()

    async def waiting_for_bots(self, older_than_seconds: float) -> list[str]:
        """Return tables that have waited for a bot for longer than this, up to 100: somebody lost them."""
        before = int((time.time() - older_than_seconds) * 1000)
        key = self._generations.key("bots")
        (tables,) = await self._connection.round_trip(("ZRANGEBYSCORE", key, 0, before, "LIMIT", 0, _WAITING_MAX))
        return [table.decode() for table in tables]


def _is_open(summary: bytes) -> bool:
    return _status(summary).status in OPEN_STATUSES


def list_commands(prefix: str, new: Projection, old: Projection | None) -> list[Command]:
    """Return what brings the lists from one projection of a table (None: unknown) to another.

    They name keys of several nodes: what says that they were carried out is sent once they are acknowledged.
    """
    here, gone = new.header, None if old is None else old.header
    commands: list[Command] = []
    if here.visibility == "public" and (gone is None or gone.status != here.status):
        place = f"{here.created:015d}:{here.table}"
        for game in (here.game, "*"):
            left = _STATUSES if gone is None else (gone.status,)
            commands += [("ZREM", f"{prefix}tables:{game}:{status}", place) for status in left if status != here.status]
            commands.append(("ZADD", f"{prefix}tables:{game}:{here.status}", 0, place))
    before = () if gone is None else gone.players
    if before != here.players:
        left_by, joined_by = _people(before, here.players), _people(here.players, before)
        commands += [("SREM", f"{prefix}player:{player}", here.table) for player in left_by]
        commands += [("SADD", f"{prefix}player:{player}", here.table) for player in joined_by]
    if new.bots_to_act:
        now = int(time.time() * 1000)
        commands.append(("ZADD", prefix + "bots", now, here.table))
        if old is None or not old.bots_to_act:  # else a worker was woken, and goes on until no bot has to act
            commands.append(("ZADD", prefix + "wake", now, here.table))
    elif old is None or old.bots_to_act:
        commands.append(("ZREM", prefix + "bots", here.table))
    return commands


def _people(seats: tuple[str | None, ...], without: tuple[str | None, ...]) -> list[str]:
    return [player for player in seats if player is not None and player not in without]
