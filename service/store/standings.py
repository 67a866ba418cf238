"""Standings in PostgreSQL: a projection that follows the feed, each event once.

All methods raise StoreUnavailableError if the database is away for longer than the patience. Each is one
statement that may be repeated; `apply` says false the second time.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.standings import Tally
from service.store.connections import UNAVAILABLE_TIMEOUT_SECONDS, Pool

PROJECTION: Final = "standings"
"""Name of the checkpoints; `apply_standings` writes them."""
_COLUMNS: Final = "game, player, place_1, place_2, place_3, place_4, place_5, place_6, left_early"
_GENERATION: Final = "select max(generation) from standings_generations where ready"
_APPLY: Final = "select apply_standings(%s, %s::smallint[], %s::bigint[], %s::bigint[], %s::jsonb)"
_PAGE: Final = f"""
select {_COLUMNS} from standings
where generation = ({_GENERATION}) and game = %s and matches > 0
  and (-place_1, average, player) > (%s::integer, %s::integer, %s::uuid)
order by -place_1, average, player limit %s"""  # noqa: S608 - columns of our own
_PLAYER: Final = f"""
select {_COLUMNS} from standings
where generation = ({_GENERATION}) and player = %s and matches > 0 order by game"""  # noqa: S608
_CHANGED: Final = f"""
select change, {_COLUMNS} from standings where generation = %s and change > %s order by change limit %s"""  # noqa: S608
_BEGIN: Final = """
insert into standings_generations (generation) select max(generation) + 1 from standings_generations
returning generation"""
_SWITCH: Final = "update standings_generations set ready = true where generation = %s"
_DROP: Final = """
with gone as (delete from standings_generations where generation < %(kept)s returning generation),
     places as (delete from checkpoints where projection = 'standings' and generation < %(kept)s)
delete from standings where generation < %(kept)s"""


class Standing(Struct, frozen=True):
    """What one player reached in one game."""

    game: str
    player: str
    tally: Tally


class Place(Struct, frozen=True):
    """Where a page of a list begins: behind this player with these figures."""

    wins: int
    average: int
    """Average place in thousandths."""
    player: str


_FIRST: Final = Place(2**31 - 1, 0, str(UUID(int=0)))
"""Before everybody."""


class StandingsStore:
    """The tables of standings. One per process; `open` before use, `close` at the end."""

    def __init__(self, database_url: str, *, timeout_seconds: float = UNAVAILABLE_TIMEOUT_SECONDS) -> None:
        self._pool = Pool(database_url, size=2, timeout_seconds=timeout_seconds)

    async def open(self) -> None:
        """Connect. StoreUnavailableError or StoreSetupError if that cannot be."""
        await self._pool.open()

    async def close(self) -> None:
        """Finish what is under way and disconnect."""
        await self._pool.close()

    # reading

    async def generation(self) -> int:
        """Return the generation that is read and kept up to date."""
        ((generation,),) = await self._pool.fetch(_GENERATION)
        return int(generation)

    async def page(self, game: str, after: Place | None, limit: int) -> list[Standing]:
        """Return players of a game behind a place: most wins first, then the better average place."""
        begin = _FIRST if after is None else after
        parameters = (game, -begin.wins, begin.average, UUID(begin.player), limit)
        return [_standing(*row) for row in await self._pool.fetch(_PAGE, parameters)]

    async def of_player(self, player: UUID) -> list[Standing]:
        """Return a player's standings in all games in which there are any."""
        return [_standing(*row) for row in await self._pool.fetch(_PLAYER, (player,))]

    async def changed(self, generation: int, after: int, limit: int) -> list[tuple[int, Standing]]:
        """Return standings that changed behind a number of change, with theirs; empty ones too."""
        rows = await self._pool.fetch(_CHANGED, (generation, after, limit))
        return [(change, _standing(*row)) for change, *row in rows]

    # writing

    async def apply(
        self, generation: int, before: Mapping[int, int], after: Mapping[int, int], changes: Sequence[Standing]
    ) -> bool:
        """Add changes and move the checkpoint of those buckets from `before` to `after`, both or neither.

        At most one change for each player and game. False, and nothing is done, if the checkpoint is not
        at `before` or the generation is gone.
        """
        content = msgspec.json.encode([_row(change) for change in changes]).decode()
        parameters = (
            generation,
            list(after),
            [before.get(bucket, 0) for bucket in after],
            list(after.values()),
            content,
        )
        ((applied,),) = await self._pool.fetch(_APPLY, parameters)
        return bool(applied)

    async def begin(self) -> int:
        """Begin an empty generation that is not read yet, and return its number."""
        ((generation,),) = await self._pool.fetch(_BEGIN)
        return int(generation)

    async def switch(self, generation: int) -> None:
        """Read and keep this generation from now on, and drop those before it."""
        await self._pool.fetch(_SWITCH, (generation,))
        await self._pool.fetch(_DROP, {"kept": generation})


def _standing(game: str, player: UUID, *counts: int) -> Standing:
    return Standing(game, str(player), Tally(tuple(counts[:-1]), counts[-1]))


def _row(change: Standing) -> dict[str, Any]:
    places = {f"place_{place}": count for place, count in enumerate(change.tally.places, 1)}
    return {"game": change.game, "player": change.player, **places, "left_early": change.tally.left}
