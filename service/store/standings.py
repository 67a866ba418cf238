"""Standings in PostgreSQL: a projection that follows the feed, each event once.

All methods raise StoreUnavailableError if the database is unavailable for longer than the timeout. Each is one
statement that may be repeated; `apply` says false the second time.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.standings import Tally
from service.store.database import Database
from service.store.queries import statements

PROJECTION: Final = "standings"
"""Name of the checkpoints; `count_standings` writes them."""
_SQL: Final = statements("standings")


class Standing(Struct, frozen=True):
    """What one player reached in one game."""

    game: str
    player: str
    tally: Tally


class Place(Struct, frozen=True):
    """Where a page of a list begins: after this player with these figures."""

    wins: int
    average: int
    """Average place in thousandths."""
    player: str


class OwedMatch(Struct, frozen=True):
    """An event that changes what its match counts, which nobody has counted who knows its rules."""

    bucket: int
    stream: UUID
    version: int
    rules: str


_FIRST: Final = Place(2**31 - 1, 0, str(UUID(int=0)))
"""Before everybody."""


class StandingsStore:
    """The tables of standings."""

    def __init__(self, database: Database) -> None:
        self._database = database

    # reading

    async def generation(self) -> int:
        """Return the generation that is read and kept up to date."""
        ((generation,),) = await self._database.fetch(_SQL["generation"])
        return int(generation)

    async def page(self, game: str, after: Place | None, limit: int) -> list[Standing]:
        """Return players of a game after a place: most wins first, then the better average place."""
        begin = _FIRST if after is None else after
        parameters = (game, -begin.wins, begin.average, UUID(begin.player), limit)
        return [_standing(*row) for row in await self._database.fetch(_SQL["page"], parameters)]

    async def of_player(self, player: UUID) -> list[Standing]:
        """Return a player's standings in all games in which there are any."""
        return [_standing(*row) for row in await self._database.fetch(_SQL["of_player"], (player,))]

    async def changed(self, generation: int, after: int, limit: int) -> list[tuple[int, Standing]]:
        """Return standings that changed after a number of change, with theirs; empty ones too."""
        rows = await self._database.fetch(_SQL["changed"], (generation, after, limit))
        return [(change, _standing(*row)) for change, *row in rows]

    # writing

    async def apply(
        self,
        generation: int,
        before: Mapping[int, int],
        after: Mapping[int, int],
        changes: Sequence[Standing],
        owed: Sequence[OwedMatch] = (),
    ) -> bool:
        """Add changes and move the checkpoint of those buckets from `before` to `after`, all or nothing.

        At most one change for each player and game; `owed` is left to a program that knows its rules. False, and
        nothing is done, if the checkpoint is not at `before` or the generation is gone.
        """
        parameters = {
            "generation": generation,
            "buckets": list(after),
            "before": [before.get(bucket, 0) for bucket in after],
            "after": list(after.values()),
            "changes": _content(changes),
            "owed_buckets": [match.bucket for match in owed],
            "owed_streams": [match.stream for match in owed],
            "owed_versions": [match.version for match in owed],
            "owed_rules": [match.rules for match in owed],
        }
        ((applied,),) = await self._database.fetch(_SQL["apply"], parameters)
        return bool(applied)

    async def owed(self, generation: int, rules: Collection[str], limit: int) -> list[OwedMatch]:
        """Return events by these rules that are not counted yet."""
        rows = await self._database.fetch(_SQL["owed"], (generation, list(rules), limit))
        return [OwedMatch(*row) for row in rows]

    async def pay(self, generation: int, match: OwedMatch, changes: Sequence[Standing]) -> bool:
        """Add what an owed event changes; False, and nothing is done, if somebody has done so."""
        parameters = (generation, match.bucket, match.stream, match.version, _content(changes))
        ((paid,),) = await self._database.fetch(_SQL["pay"], parameters)
        return bool(paid)

    async def begin(self) -> int:
        """Begin an empty generation that is not read yet, and return its number."""
        ((generation,),) = await self._database.fetch(_SQL["begin"])
        return int(generation)

    async def switch(self, generation: int) -> None:
        """Read and keep this generation from now on, and drop those before it."""
        await self._database.fetch(_SQL["switch"], (generation,))
        await self._database.fetch(_SQL["drop_before"], {"kept": generation})


def _standing(game: str, player: UUID, *counts: int) -> Standing:
    return Standing(game, str(player), Tally(tuple(counts[:-1]), counts[-1]))


def _content(changes: Sequence[Standing]) -> str:
    return msgspec.json.encode([_row(change) for change in changes]).decode()


def _row(change: Standing) -> dict[str, Any]:
    places = {f"place_{place}": count for place, count in enumerate(change.tally.places, 1)}
    return {"game": change.game, "player": change.player, **places, "left_early": change.tally.left}
