"""What the conformance suite needs to know of Highest Card."""

from collections.abc import Iterable

from domain.cards import pack
from tests.conformance.zones import EVERYBODY, Zone
from tests.toy.highest.model import HighestCardsShown, HighestChoose, HighestState

SHORT: tuple[dict[str, object], int | None] = ({}, 3)

OPTIONS: list[tuple[dict[str, object], int | None]] = [
    ({}, 3),
    ({}, None),
    ({"rounds": 1, "hand_size": 6}, 2),
    ({"rounds": 5, "hand_size": 1}, 4),
]

FACTS_THAT_REVEAL = (HighestCardsShown,)

PLAYTHROUGHS: dict[str, tuple[dict[str, object], int | None]] = {
    "three": ({}, 3),
    "two_long_hands": ({"hand_size": 6}, 2),
}


def candidates(state: HighestState, seat: int) -> Iterable[HighestChoose]:
    """Every card, whoever has it, and one that does not exist."""
    return [HighestChoose(card) for card in (*pack(), "1X", "QS ")]


def zones(state: HighestState) -> list[Zone]:
    """Hands, stock and what was shown; a chosen card is still in its hand."""
    hands = [Zone(hand, (seat,)) for seat, hand in enumerate(state.hands)]
    return [*hands, Zone(state.stock, ()), Zone(state.shown, EVERYBODY)]


def shown(move: HighestChoose) -> object:
    """Choices are face down: all look the same."""
    return "choose"
