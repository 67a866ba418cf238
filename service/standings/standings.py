"""Leaderboards and statistics: a projection of matches that are over, from Redis, or from PostgreSQL without it.

The worker follows the feed. What an event changes is added to the standings in PostgreSQL in the same
transaction that moves the checkpoint, so it counts once. Redis has a copy that follows those changes
(`projections.standings`) and may be lost at any time. Both are rebuilt by `projections rebuild`.
"""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Final, Literal, TypeAlias
from uuid import UUID

import structlog

from domain.codec import DamagedEventError, codec_for
from domain.decider import ImpossibleFactError
from domain.registry import CURRENT, GAMES
from domain.standings import Tally, changes
from projections.redis_connection import RedisUnavailableError
from projections.standings import Copied, Ranked, StandingsCopy, place_of
from service.cursors import open_cursor, seal_cursor
from service.errors import NotFoundError
from service.store.errors import StoreDamagedError
from service.store.log import FeedEnd, Log
from service.store.standings import PROJECTION, OwedMatch, Place, Standing, StandingsStore

Step: TypeAlias = Literal["more", "end", "overtaken"]
"""Where one step along the feed led; `overtaken`: another worker was faster, or the generation is gone."""
_BATCH: Final = 500
_COPIED_MAX: Final = 500
"""Standings that one round trip to Redis takes."""
_CHANGING: Final = "adjudicate"
"""The type of events that change what a match counts after its end."""
logger = structlog.get_logger("blattwerk.standings")


class Standings:
    """Reads and growth of standings."""

    def __init__(self, store: StandingsStore, log: Log, copy: StandingsCopy, *, key: bytes) -> None:
        self._store = store
        self._log = log
        self._copy = copy
        self._key = key

    # reading

    async def page(self, game: str, cursor: str | None, limit: int) -> tuple[list[Ranked], str | None]:
        """Return players of a game, best first, and the cursor of the next page. NotFoundError for no game of ours."""
        if game not in CURRENT:
            raise NotFoundError("There is no such game.")
        scope = f"standings:{game}"
        after = None if cursor is None else open_cursor(self._key, scope, cursor)
        found: list[Ranked] | None = None
        with suppress(RedisUnavailableError):
            found = await self._copy.page(game, after, limit + 1)
        if found is None:
            stored = await self._store.page(game, None if after is None else _place(after), limit + 1)
            found = [Ranked(one.player, one.tally) for one in stored]
        page = found[:limit]
        return page, seal_cursor(self._key, scope, _name(page[-1])) if len(found) > limit else None

    async def of_player(self, player: UUID) -> list[tuple[str, Tally]]:
        """Return a player's figures by game, those games alone that he has matches in."""
        with suppress(RedisUnavailableError):
            copied = await self._copy.of_player(str(player))
            if copied is not None:
                return [(game, one.tally) for game, one in copied]
        return [(one.game, one.tally) for one in await self._store.of_player(player) if one.game in CURRENT]

    # growing

    async def follow(self, poll_seconds: float) -> None:
        """Keep standings up to date until cancelled. Any number of workers may do so."""
        while True:
            generation = await self._store.generation()
            step = await self.step(generation)
            await self.pay(generation)
            with suppress(RedisUnavailableError):
                await self.copy(generation)
            if step == "end":
                await asyncio.sleep(poll_seconds)

    async def step(self, generation: int) -> Step:
        """Read one batch of the feed into a generation."""
        before = await self._log.checkpoint(PROJECTION, generation)
        events = await self._log.feed_ends(before, _BATCH)
        if not events:
            return "end"
        changed, owed = await self._changed(events)
        after = {event.bucket: event.position for event in events}
        if not await self._store.apply(generation, before, after, changed, owed):
            return "overtaken"
        return "more" if len(events) == _BATCH else "end"

    async def pay(self, generation: int) -> None:
        """Count what programs have left that did not know its rules."""
        for match in await self._store.owed(generation, GAMES, _BATCH):
            game, changed = await self._changes_of(match.stream, match.version, match.rules)
            await self._store.pay(generation, match, [Standing(game, *change) for change in changed.items()])

    async def copy(self, generation: int, redis_generation: int | None = None) -> None:
        """Bring the copy in Redis up to date, from its start if it is lost or of another generation."""
        copied = await self._copy.copied(redis_generation)
        if copied is not None and copied.generation != generation:
            copied = None
        while True:
            since = 0 if copied is None else copied.change
            rows = await self._store.changed(generation, since, _COPIED_MAX)
            if not rows and copied is not None and copied.complete:
                return
            complete = len(rows) < _COPIED_MAX
            reached = Copied(generation, rows[-1][0] if rows else since, complete)
            changed = [(one.game, Ranked(one.player, one.tally)) for _, one in rows]
            if not await self._copy.copy(copied, reached, changed, redis_generation) or complete:
                return  # another worker goes on with it, or all is there
            copied = reached

    async def rebuild(self, redis_generation: int) -> None:
        """Rebuild standings from the log, in a generation of their own that is then read, and copy them."""
        generation = await self._store.begin()
        while await self.step(generation) == "more":
            pass
        await self._store.switch(generation)
        await self.copy(generation, redis_generation)

    async def _changed(self, events: Sequence[FeedEnd]) -> tuple[list[Standing], list[OwedMatch]]:
        """Return what these events change, added up by game and player, and those whose rules are not known here."""
        sums: dict[tuple[str, str], Tally] = {}
        owed: list[OwedMatch] = []
        for event in events:
            if event.ends or event.type == _CHANGING:
                rules = event.rules
                if rules not in GAMES:
                    logger.warning(
                        "match is left to a program that has its rules", table=str(event.stream), rules=rules
                    )
                    owed.append(OwedMatch(event.bucket, event.stream, event.version, rules))
                    continue
                game, changed = await self._changes_of(event.stream, event.version, rules)
                for player, tally in changed.items():
                    sums[game, player] = _sum(sums.get((game, player)), tally)
        return [Standing(game, player, tally) for (game, player), tally in sums.items()], owed

    async def _changes_of(self, stream: UUID, version: int, rules: str) -> tuple[str, Mapping[str, Tally]]:
        """Return the game of a table, and what its event of a version changes; nothing if the table is damaged."""
        codec = codec_for(rules)
        try:
            rows = await self._log.read(stream, 0, version)
            events = [codec.decode(row.envelope.encode(), row.sealed.encode()) for row in rows]
            return codec.game.key, changes(codec.game, str(stream), events)
        except (StoreDamagedError, DamagedEventError, ImpossibleFactError, LookupError, ValueError) as error:
            logger.error("match does not count", table=str(stream), reason=str(error))
            return codec.game.key, {}


def _sum(one: Tally | None, other: Tally) -> Tally:
    if one is None:
        return other
    return Tally(tuple(a + b for a, b in zip(one.places, other.places, strict=True)), one.left + other.left)


def _name(one: Ranked) -> str:
    return place_of(one.tally.places[0], one.tally.average_thousandths, one.player)


def _place(name: str) -> Place:
    """Return a place in a list from its name, which `place_of` made."""
    wins, average, player = name.split(":")
    return Place(2**31 - 1 - int(wins), int(average), player)
