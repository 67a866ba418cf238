"""Which matches that are over would have gone another way under another version of their rules. Writes nothing."""

from collections.abc import Callable
from typing import Final
from uuid import UUID

from msgspec import Struct

from domain.decider import AnyGame
from domain.refold import Divergence, PlayedUnder, Refolding
from service.store.log import Log
from service.tables.access import is_over
from service.tables.live_table import events_of
from service.tables.pages import fold_pages, pages

_PAGE: Final = 200


class Changed(Struct, frozen=True):
    """A match that would change."""

    table: str
    rules: str
    """The rules id it was played by."""
    divergence: Divergence


class Refolded(Struct, frozen=True):
    """What a walk found."""

    rules: str
    """The rules id that the matches were decided again by."""
    matches: int
    """How many were: all of the game that are over and were played by another version."""
    changed: tuple[Changed, ...]


async def refold_all(
    log: Log, game: AnyGame, progress: Callable[[int], None], found: Callable[[Changed], None]
) -> Refolded:
    """Decide every match of the game again, newest table first.

    `progress` is told after every page of tables how many matches were decided again, `found` at once of
    each that would change. DamagedStreamError if a table cannot be folded: that is for the audit.
    """
    before: tuple[int, UUID] | None = None
    matches = 0
    changed: list[Changed] = []
    while page := await log.created(before, _PAGE):
        for _, stream in page:
            compared, one = await _refold_table(log, game, stream)
            matches += compared
            if one is not None:
                found(one)
                changed.append(one)
        progress(matches)
        before = page[-1]
    return Refolded(game.rules_id, matches, tuple(changed))


async def _refold_table(log: Log, game: AnyGame, stream: UUID) -> tuple[bool, Changed | None]:
    """Return whether the table's match was compared, and how it would change."""
    first = await log.read(stream, 0, 1)
    rules = first[0].rules
    if rules == game.rules_id or rules.rpartition("/")[0] != game.key:
        return False, None
    table = await fold_pages(log, stream, await log.last_version(stream))
    own = table.codec.game
    if not is_over(table) or own.views.round_number(table.state.game_state) == 0:
        return False, None
    played = PlayedUnder(stream.bytes, table.id, rules, table.secret, own.decider.outcome(table.state.game_state))
    refolding = Refolding(game, played)
    async for rows in pages(log, stream, table.state.version):
        refolding.take(events_of(table, rows))
        if refolding.done:
            break
    divergence = refolding.divergence()
    return True, None if divergence is None else Changed(table.id, rules, divergence)
