"""The 110 cards: two packs and six jokers, what they show and what they are worth."""

from typing import Final

from domain.cards import CANONICAL, RANKS, Card, pack
from domain.decider import Seat

DECK: Final = pack(packs=2, jokers=6)
"""All cards in canonical order, the order before shuffling."""
PLACE: Final[dict[Card, int]] = {card: place for place, card in enumerate(DECK)}
"""Place of each card in canonical order."""
FACE: Final[dict[Card, str]] = {card: card[:2] for card in DECK if card[:2] in CANONICAL}
"""The face of each real card; jokers have none."""

HAND_SIZE: Final = 13
"""Cards dealt to each seat; the starter gets one more."""
ACE_LOW: Final = 1
ACE_HIGH: Final = 14
POSITION: Final[dict[str, int]] = {rank: place for place, rank in enumerate(RANKS, start=2)}
"""Position of each rank in a run, the ace high (R-21)."""

_ACE_VALUE: Final = 11
_JOKER_VALUE: Final = 20


def position_value(position: int) -> int:
    """Return the points of a face at a position of a run, 1 to 14 (R-30)."""
    return _ACE_VALUE if position == ACE_HIGH else min(position, 10)


FACE_VALUE: Final[dict[str, int]] = {rank: position_value(position) for rank, position in POSITION.items()}
"""Points of each rank in a set, and in a hand (R-4, R-30)."""
VALUE: Final[dict[Card, int]] = {card: FACE_VALUE[card[0]] if card in FACE else _JOKER_VALUE for card in DECK}
"""Hand value of each card."""


def in_deck_order(cards: tuple[Card, ...]) -> tuple[Card, ...]:
    """Return cards in canonical order: suit, rank, pack, jokers last."""
    return tuple(sorted(cards, key=PLACE.__getitem__))


def hand_value(cards: tuple[Card, ...]) -> int:
    """Return what a hand counts at the end of a round (R-61, R-62)."""
    return sum(map(VALUE.__getitem__, cards))


def dealt_hands(order: tuple[Card, ...], starter: Seat, seats: int) -> tuple[tuple[Card, ...], ...]:
    """Return the hands of a deal in the order of dealing (R-9)."""
    last = HAND_SIZE * seats
    hands = [order[(seat - starter) % seats : last : seats] for seat in range(seats)]
    hands[starter] += (order[last],)
    return tuple(hands)


def first_stock(order: tuple[Card, ...], seats: int) -> tuple[Card, ...]:
    """Return the stock after the deal, the top card first (R-10)."""
    return order[HAND_SIZE * seats + 1 :]
