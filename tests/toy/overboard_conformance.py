"""What the conformance suite needs to know of Overboard."""

from collections.abc import Iterable

from domain.cards import Card
from tests.conformance.zones import EVERYBODY, Zone
from tests.toy.overboard.fold import PACK
from tests.toy.overboard.model import (
    OverboardHandSwapped,
    OverboardMove,
    OverboardRoundScored,
    OverboardState,
    OverboardStay,
    OverboardSwap,
    OverboardSwapAll,
)

OPTIONS: list[tuple[dict[str, object], int | None]] = [
    ({}, None),
    ({"lives": 1, "goal": 15}, 5),
    ({"lives": 3, "goal": 20}, 6),
    ({"lives": 1, "goal": 25}, 6),
]

SHORT: tuple[dict[str, object], int | None] = ({"lives": 1, "goal": 25}, None)

FACTS_THAT_REVEAL = (OverboardHandSwapped, OverboardRoundScored)

HISTORY = ("last_hands",)

PLACES_FOLLOW_TOTALS = False
"""Everybody but the winner ends without lives; who goes out later has the better place."""

PLAYTHROUGHS: dict[str, tuple[dict[str, object], int | None]] = {
    "five": ({}, None),
    "six_with_a_low_goal": ({"goal": 20}, 6),
}


def candidates(state: OverboardState, seat: int) -> Iterable[OverboardMove]:
    """Every swap of cards of the pack, and some that do not exist."""
    yield from (OverboardSwapAll(), OverboardStay(), OverboardSwap("XX", PACK[0]), OverboardSwap(PACK[0], ""))
    for give in PACK:
        for take in PACK:
            yield OverboardSwap(give, take)


def zones(state: OverboardState) -> list[Zone]:
    """Hands, in which everybody knows what was taken openly; the raft; the rest."""

    def taken(hand: tuple[Card, ...], openly: bool) -> list[Card]:
        return [card for card in hand if (card in state.taken) == openly]

    known = [card for hand in state.hands for card in taken(hand, True)]
    kept = [Zone(taken(hand, False), (seat,)) for seat, hand in enumerate(state.hands)]
    return [*kept, Zone((*state.raft, *known), EVERYBODY), Zone(state.rest, ())]
