"""Cards as text: notation, order and packs.

A card is its rank followed by its suit (`QS`, `TH`); where two packs are in play the number of the
pack follows after `#` (`QS#2`), and jokers are `JK#1` to `JK#6`. Cards travel as plain `str`.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, Final, TypeAlias

from msgspec import Meta

Face: TypeAlias = Annotated[
    str,
    Meta(
        title="Face",
        description="Rank and suit: ranks 2 to 9, T (ten), J, Q, K, A; suits C (clubs), S (spades), H (hearts), "
        "D (diamonds).",
        examples=["8H", "TS"],
        extra_json_schema={"pattern": "^[2-9TJQKA][CSHD]$", "maxLength": 2},
    ),
]
Card: TypeAlias = Annotated[
    str,
    Meta(
        title="Card",
        description="A card: rank (2 to 9, T for ten, J, Q, K, A), then suit (C clubs, S spades, H hearts, "
        "D diamonds). Where two packs are in play the number of the pack follows after `#` (`QS#2`), and jokers are "
        "`JK#1` to `JK#6`.",
        examples=["QS", "TH#2", "JK#3"],
        extra_json_schema={"pattern": "^([2-9TJQKA][CSHD](#[12])?|JK#[1-6])$", "maxLength": 4},
    ),
]

CardText: TypeAlias = Annotated[str, Meta(max_length=8, description="A card, rank then suit.", examples=["QS"])]
"""A card as a move names it: bounded, and still to be judged."""

SUITS: Final = "CSHD"
"""Suits in canonical order: clubs, spades, hearts, diamonds."""
RANKS: Final = "23456789TJQKA"
"""Ranks in natural order, two low, ace high."""


def pack(ranks: str = RANKS, *, packs: int = 1, jokers: int = 0) -> tuple[Card, ...]:
    """Return the pack in canonical order: the order before shuffling (bw1, step 5).

    Suits C S H D; in each the natural order of `ranks`; each face pack by pack; jokers last.
    With one pack and no jokers the cards are faces (`QS`), otherwise ids (`QS#1`, `JK#6`).
    """
    faces = [rank + suit for suit in SUITS for rank in RANKS if rank in ranks]
    if packs == 1 and not jokers:
        return tuple(faces)
    ids = [f"{face}#{number}" for face in faces for number in range(1, packs + 1)]
    return tuple(ids + [f"JK#{number}" for number in range(1, jokers + 1)])


CANONICAL: Final[dict[Card, int]] = {card: place for place, card in enumerate(pack())}
"""Place of each of the 52 faces in canonical order."""


def in_canonical_order(cards: Iterable[Card]) -> tuple[Card, ...]:
    """Return faces sorted by suit (C S H D), then natural rank.

    Sets of cards are always sent like this, so that their order tells nothing about how they were
    dealt or chosen.
    """
    return tuple(sorted(cards, key=CANONICAL.__getitem__))


def without(hand: Sequence[Card], card: Card) -> tuple[Card, ...]:
    """Return `hand` without `card`, the rest in order. ValueError if the card is not in it."""
    rest = list(hand)
    rest.remove(card)
    return tuple(rest)


def hands_without(hands: Sequence[tuple[Card, ...]], seat: int, card: Card) -> tuple[tuple[Card, ...], ...]:
    """Return the hands of all seats without a card of one seat. ValueError if it does not hold the card."""
    changed, rest = [*hands], [*hands[seat]]
    rest.remove(card)
    changed[seat] = tuple(rest)
    return tuple(changed)
