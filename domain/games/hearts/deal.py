"""The pack, how it is dealt and where three cards are passed."""

from collections.abc import Sequence
from typing import Final

from domain.cards import Card, in_canonical_order, pack
from domain.decider import Seat

FIRST_CARD: Final[Card] = "2C"
"""It leads the first trick and is in every pack."""

PASS_COUNT: Final = 3
"""Cards that each seat passes (H-14)."""

REMOVED: Final[dict[int, tuple[Card, ...]]] = {3: ("2D",), 4: (), 5: ("2S", "2D")}
"""Cards left out of the pack, by number of players (H-10)."""

PACK: Final[dict[int, tuple[Card, ...]]] = {
    players: tuple(card for card in pack() if card not in removed) for players, removed in REMOVED.items()
}
"""The cards in play, by number of players, in canonical order."""

_OFFSETS: Final[dict[int, tuple[int, ...]]] = {3: (1, 2, 0), 4: (1, 3, 2, 0), 5: (1, 4, 2, 3, 0)}


def passing_offset(players: int, round_number: int) -> int:
    """Return how many seats clockwise three cards go in a round (from 1); 0 in a hold round (H-14, H-15)."""
    return _OFFSETS[players][(round_number - 1) % players]


def dealt_hands(order: Sequence[Card], seats: int) -> tuple[tuple[Card, ...], ...]:
    """Return the hands of all seats: card k goes to seat k modulo `seats` (H-12)."""
    return tuple([dealt_hand(order, seat, seats) for seat in range(seats)])


def dealt_hand(order: Sequence[Card], seat: Seat, seats: int) -> tuple[Card, ...]:
    """Return the hand of one seat, in canonical order."""
    return in_canonical_order(order[seat::seats])
