"""What cards are worth at a table, and what a round is worth."""

from operator import add
from typing import Final

from domain.cards import CANONICAL, RANKS, SUITS, Card
from domain.decider import Seat
from domain.games.hearts.model import HeartsOptions

BONUS_CARD: Final[Card] = "JD"
BONUS: Final = -10
"""Value of the jack of diamonds with `omnibus`, in both variants (H-32)."""

MOON_CARDS: Final = frozenset([*(rank + "H" for rank in RANKS), "QS"])
"""Whoever takes all of these shoots the moon (H-36)."""

MOON_VALUE: Final = {"standard": 26, "spot": 129}  # H-38

_HEARTS: Final = {
    "standard": {rank + "H": 1 for rank in RANKS},
    "spot": {rank + "H": number for number, rank in enumerate(RANKS, start=2)},
}
_QUEEN: Final = {"standard": {"QS": 13}, "spot": {"QS": 25}}
_BLACK_MARIA: Final[dict[bool, dict[Card, int]]] = {False: {}, True: {"KS": 10, "AS": 7}}

_PENALTIES: Final[dict[str, dict[bool, dict[Card, int]]]] = {
    variant: {
        black_maria: _HEARTS[variant] | _QUEEN[variant] | _BLACK_MARIA[black_maria]  # H-31
        for black_maria in (False, True)
    }
    for variant in ("standard", "spot")
}

_POINTS: Final = {
    variant: {black_maria: dict.fromkeys(CANONICAL, 0) | values for black_maria, values in tables.items()}
    for variant, tables in _PENALTIES.items()
}
"""The same for every card, 0 for those that are no penalty cards."""

STRENGTH: Final = {rank: place for place, rank in enumerate(RANKS)}
"""Order of the ranks, the same in every suit: 0 for the two to 12 for the ace (H-3)."""

HIGHER: Final[dict[Card, frozenset[Card]]] = {
    rank + suit: frozenset(other + suit for other in RANKS[place + 1 :])
    for place, rank in enumerate(RANKS)
    for suit in SUITS
}
"""The cards of the same suit that beat a card."""


def penalties(options: HeartsOptions) -> dict[Card, int]:
    """Return the values of the table's penalty cards; no other card is in it (H-31)."""
    return _PENALTIES[options.variant][options.black_maria]


def points_of(options: HeartsOptions, cards: tuple[Card, ...]) -> int:
    """Return the sum of the penalty values of cards (H-31)."""
    values = _POINTS[options.variant][options.black_maria]
    points = 0
    for card in cards:
        points += values[card]
    return points


def bonus_of(options: HeartsOptions, cards: tuple[Card, ...]) -> int:
    """Return what the jack of diamonds is worth if it counts and is among the cards, else 0 (H-32)."""
    return BONUS if options.omnibus and BONUS_CARD in cards else 0


def results(options: HeartsOptions, raw: tuple[int, ...], bonus: tuple[int, ...], moon: Seat | None) -> tuple[int, ...]:
    """Return the result of the round by seat, from what was taken and who shot the moon."""
    if moon is None:
        return tuple(map(add, raw, bonus))  # H-39
    value = MOON_VALUE[options.variant]
    if options.moon_rule == "add_to_others":  # H-40
        shooter, other = 0, value
    else:  # H-41
        shooter, other = -value, 0
    return tuple((shooter if seat == moon else other) + extra for seat, extra in enumerate(bonus))  # H-42
