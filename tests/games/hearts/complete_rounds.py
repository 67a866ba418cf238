"""The two complete rounds of section 14, as data."""

from dataclasses import dataclass

from domain.cards import Card


@dataclass(frozen=True)
class CompleteRound:
    """A round from the deck to its results; tricks are leader, cards in the order played, winner."""

    players: int
    number: int
    offset: int
    deck: str
    passes: tuple[str, ...]
    hands: tuple[str, ...]
    tricks: tuple[tuple[int, str, int], ...]
    breaking: tuple[int, int, Card]
    """The trick in which hearts are broken, the seat and the card that breaks them."""
    results: dict[str, tuple[int, ...]]
    """By abbreviated options."""


FOUR_PLAYERS = CompleteRound(
    players=4,
    number=1,
    offset=1,
    deck="""
        7S 7H JC JD AC 6D KC TD 2C KD 5C QS 2S 9S 9H JS QD
        4H KH 8H 4C 9C 3C 8D TS 5D AH 6S 7C 5H AD 4D 8S 9D
        TC JH 6C 4S 3S 2D KS 8C TH AS QH 3D 5S 6H 3H 7D QC
        2H
    """,
    passes=("AC QH KS", "4H 5H 7H", "TH KH AH", "JH QS AS"),
    hands=(
        "2C 4C 6C 7C QD 3H JH 2S 7S 8S TS QS AS",
        "8C 9C AC 3D 5D 6D 7D 9D KD QH 4S 9S KS",
        "3C 5C TC JC QC KC AD 4H 5H 7H 9H 3S 5S",
        "2D 4D 8D TD JD 2H 6H 8H TH KH AH 6S JS",
    ),
    tricks=(
        (0, "2C AC JC 2D", 1),
        (1, "6D AD JD QD", 2),
        (2, "KC TD 4C 8C", 2),
        (2, "5S JS QS 9S", 0),
        (0, "7C 9C QC 6H", 2),
        (2, "5H 2H JH QH", 1),
        (1, "KD 7H 8D TS", 1),
        (1, "3D TC 4D 2S", 3),
        (3, "TH 3H 5D 4H", 3),
        (3, "AH 6C KS 9H", 3),
        (3, "KH 7S 7D 5C", 3),
        (3, "8H 8S 4S 3C", 3),
        (3, "6S AS 9D 3S", 0),
    ),
    breaking=(5, 3, "6H"),
    results={
        "-": (13, 5, 1, 7),
        "OM": (13, 5, -9, 7),
        "BM": (20, 5, 1, 17),
        "BM OM": (20, 5, -9, 17),
        "SPOT": (25, 37, 6, 61),
        "SPOT OM": (25, 37, -4, 61),
        "SPOT BM": (32, 37, 6, 71),
        "SPOT BM OM": (32, 37, -4, 71),
    },
)

FIVE_PLAYERS = CompleteRound(
    players=5,
    number=3,
    offset=2,
    deck="""
        KS KD 3H 2C JD QC 8H 7C 7H 3D 4S 6S 7D 8C 7S 5S KH
        4C 5D 9D TS 5H 2H JC 8D TC JH 6H AS QH TH 4D QD AH
        QS 6C 4H AD 6D JS TD 9C KC AC 8S 5C 3S 9S 3C 9H
    """,
    passes=("QC TH KS", "8H JH KH", "AD 3H 6H", "7H AH AS", "9H QH QS"),
    hands=(
        "5C 6C TC TD 7H AH 4S 5S TS AS",
        "9C 4D KD 4H 5H 9H QH 3S 6S QS",
        "4C 7C QC KC 7D QD 2H TH 9S KS",
        "2C 3C 8C JC AC 5D 6D 8H JH KH",
        "3D 8D 9D JD AD 3H 6H 7S 8S JS",
    ),
    tricks=(
        (3, "2C 3D 6C 9C KC", 2),
        (2, "KS AC 7S 5S QS", 2),
        (2, "9S 3C JS TS 6S", 4),
        (4, "8S 4S 3S TH 8H", 4),
        (4, "6H 7H QH 2H JH", 1),
        (1, "KD 7D 6D JD TD", 1),
        (1, "4D QD 5D 9D 5C", 2),
        (2, "QC JC AD TC 4H", 2),
        (2, "7C 8C 3H AS 9H", 3),
        (3, "KH 8D AH 5H 4C", 0),
    ),
    breaking=(4, 2, "TH"),
    results={
        "-": (3, 5, 14, 2, 2),
        "OM": (3, -5, 14, 2, 2),
        "BM": (3, 5, 24, 9, 2),
        "BM OM": (3, -5, 24, 9, 2),
        "SPOT": (32, 38, 29, 12, 18),
        "SPOT OM": (32, 28, 29, 12, 18),
        "SPOT BM": (32, 38, 39, 19, 18),
        "SPOT BM OM": (32, 28, 39, 19, 18),
    },
)

COMPLETE_ROUNDS = {"14.1": FOUR_PLAYERS, "14.2": FIVE_PLAYERS}
