"""Matches that are over, by player. Every method is one statement that may be repeated without harm.

All methods raise StoreUnavailableError if the database is unavailable for longer than the timeout.
"""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from msgspec import Struct

from service.store.buckets import bucket_of
from service.store.database import Database
from service.store.queries import statements

_SQL: Final = statements("ended_matches")


class EndedMatch(Struct, frozen=True):
    """A match that is over, for one of those who sat there at its end."""

    seat: int
    entry: str
    """What a list says of it, as JSON, without names of people."""
    version: int
    """The newest version of its table: an arbiter may have decided something since."""


class EndedMatchStore:
    """The tables of matches that are over."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def reached(self) -> int:
        """Return the position of the first leaf whose match is not here yet."""
        ((position,),) = await self._database.fetch(_SQL["reached"])
        return int(position)

    async def unread(self, after: int, limit: int) -> list[int]:
        """Return positions of matches that no program could read, in order, after one of them (-1: from the start)."""
        return [position for (position,) in await self._database.fetch(_SQL["unread"], (after, limit))]

    async def write(
        self, position: int, stream: UUID, created: int, entry: str | None, seats: Mapping[int, str]
    ) -> None:
        """Keep what lists say of a match and the players by seat; `entry` is None if it could not be read."""
        parameters = {
            "position": position,
            "bucket": bucket_of(stream),
            "stream": stream,
            "created": created,
            "entry": entry,
            "seats": list(seats),
            "players": list(seats.values()),
        }
        await self._database.fetch(_SQL["write"], parameters)

    async def of_player(self, player: str, after: tuple[int, UUID], limit: int) -> list[EndedMatch]:
        """Return matches of a player, newest table first, that follow one (when it was created, its id)."""
        created, stream = after
        parameters = {"player": player, "created": created, "stream": stream, "limit": limit}
        return [EndedMatch(*row) for row in await self._database.fetch(_SQL["of_player"], parameters)]
