"""The order of cards in Herzeln: packs, ranks, the cycle of the layout and the order of a hand."""

from collections.abc import Iterable, Sequence
from typing import Final

from domain.cards import SUITS, Card, pack
from domain.games.herzeln.model import HerzelnEnd

HAND_SIZE: Final = 8  # Z-5

PACKS: Final[dict[int, tuple[Card, ...]]] = {3: pack("9TJQKA"), 4: pack("789TJQKA")}
"""The pack by number of players, in canonical order (Z-2)."""

_RANKS: Final[dict[int, str]] = {3: "9JQKTA", 4: "789JQKTA"}
"""Ranks in play by number of players, low to high (Z-3)."""

STRENGTH: Final[dict[str, int]] = {rank: place for place, rank in enumerate(_RANKS[4])}
"""Strength of each rank, the ace is highest, the ten comes next (Z-3)."""

HIGHER: Final[dict[Card, frozenset[Card]]] = {
    rank + suit: frozenset(other + suit for other in _RANKS[4][place + 1 :])
    for place, rank in enumerate(_RANKS[4])
    for suit in SUITS
}
"""The cards of the same suit that beat a card."""

NEXT_UP: Final[dict[int, dict[str, str]]] = {
    players: dict(zip(ranks, ranks[1:] + ranks[:1], strict=True)) for players, ranks in _RANKS.items()
}
"""The rank that follows upward, by number of players: a cycle (Z-35)."""

NEXT_DOWN: Final[dict[int, dict[str, str]]] = {
    players: {above: below for below, above in steps.items()} for players, steps in NEXT_UP.items()
}
"""The rank that follows downward, by number of players: a cycle (Z-35)."""

HAND_ORDER: Final[dict[Card, int]] = {
    rank + suit: place for place, (suit, rank) in enumerate((suit, rank) for suit in SUITS for rank in _RANKS[4])
}
"""The place of each card in a sorted hand: by suit (C S H D), then by rank from low to high (Z-3)."""


def in_hand_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Return cards in the order of a hand. Sets of cards are always sent like this (Z-60)."""
    return tuple(sorted(cards, key=HAND_ORDER.__getitem__))


def asked(line: Sequence[Card], players: int) -> tuple[str, str]:
    """Return the ranks that fit at the high and at the low end of a line with cards (Z-34)."""
    return NEXT_UP[players][line[-1][0]], NEXT_DOWN[players][line[0][0]]


def asked_at(end: HerzelnEnd, line: Sequence[Card], players: int) -> str:
    """Return the rank that fits at one end of a line with cards (Z-34)."""
    return NEXT_DOWN[players][line[0][0]] if end == "down" else NEXT_UP[players][line[-1][0]]
