"""What a match counts in standings: for whom, and with which place.

A match counts once it is finished, and no longer when it is annulled. It counts for the people who hold
their seats at its end, with the places of the result, and for those who left their seat to a bot while
it ran, with the last place. Bots have no standings. A match that everybody left has no result and counts
for nobody. Whether a table was public or private makes no difference.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from domain.codec import Event
from domain.decider import AnyGame
from domain.table.fold import apply, begin
from domain.table.model import TableState

PLACES: Final = 6
"""No table has more seats."""


class Share(Struct, frozen=True):
    """One match for one player."""

    player: str
    place: int
    """From 1; seats that tie share a place."""
    left: bool
    """Whether the player left the seat to a bot."""


class Tally(Struct, frozen=True):
    """Matches added up, or by how much they change."""

    places: tuple[int, ...]
    """How often each place was taken, the first one first; there are `PLACES`."""
    left: int
    """How many of these matches were left to a bot."""

    @property
    def matches(self) -> int:
        """How many there are."""
        return sum(self.places)

    @property
    def average_thousandths(self) -> int:
        """The average place in thousandths, rounded down; 0 without matches."""
        return 1000 * sum(place * count for place, count in enumerate(self.places, 1)) // max(self.matches, 1)


def changes(game: AnyGame, table: str, events: Iterable[Event]) -> dict[str, Tally]:
    """Return by how much the last of a table's events (all from the first on) changes standings, by player."""
    state: TableState | None = None
    before: tuple[Share, ...] = ()
    left: list[str] = []
    for event in events:
        if state is None:
            state = begin(game, table, event.facts, event.time)
            continue
        before = _shares(state, left)
        if event.type == "leave" and state.status != "lobby" and event.actor is not None:
            player = state.seats[event.actor].player
            left += [] if player is None else [player]
        state = apply(state, event.actor, event.facts)
    after = () if state is None else _shares(state, left)
    return {} if before == after else _added(before, after)


def _shares(state: TableState, left: list[str]) -> tuple[Share, ...]:
    """What the match counts as it stands."""
    outcome = state.setup.game.decider.outcome(state.game_state) if state.status == "finished" else None
    if outcome is None or state.annulled:
        return ()
    held = zip(state.seats, outcome.places, strict=True)
    stayed = [Share(seat.player, place, False) for seat, place in held if seat.player is not None]
    return (*stayed, *[Share(player, state.setup.seats, True) for player in left])


def _added(before: tuple[Share, ...], after: tuple[Share, ...]) -> dict[str, Tally]:
    """Return what changes if some shares go and others come."""
    places: dict[str, list[int]] = {}
    left: dict[str, int] = {}
    for shares, sign in ((before, -1), (after, 1)):
        for share in shares:
            places.setdefault(share.player, [0] * PLACES)[share.place - 1] += sign
            left[share.player] = left.get(share.player, 0) + sign * share.left
    return {player: Tally(tuple(counts), left[player]) for player, counts in places.items()}
