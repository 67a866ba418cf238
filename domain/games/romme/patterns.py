"""Every meld by its faces, and sets of faces as bits: what searches in a hand compare and count with."""

from functools import lru_cache
from itertools import combinations
from typing import Final

from domain.cards import RANKS, SUITS, Card
from domain.games.romme.deck import ACE_HIGH, ACE_LOW, DECK, FACE, FACE_VALUE, POSITION, position_value
from domain.games.romme.melds import LARGEST_RUN, LARGEST_SET, SMALLEST, face_at
from domain.games.romme.model import RommeMeldKind
from domain.games.romme.moves import RommeEnd
from domain.structs import Value

_RANKS: Final = len(RANKS)
BIT: Final[dict[str, int]] = {
    rank + suit: 1 << (number * _RANKS + POSITION[rank] % _RANKS) for number, suit in enumerate(SUITS) for rank in RANKS
}
"""A bit for each face: suit by suit, king and ace below the two."""
CARD_BIT: Final[dict[Card, int]] = {card: BIT[FACE[card]] if card in FACE else 0 for card in DECK}
"""The bit of each card's face; a joker has none."""
OF_RANK: Final[tuple[int, ...]] = tuple(sum(BIT[rank + suit] for suit in SUITS) for rank in RANKS)
"""The faces of each rank."""
OF_SUIT: Final[tuple[int, ...]] = tuple(sum(BIT[rank + suit] for rank in RANKS) for suit in SUITS)
"""The faces of each suit."""
_CLUBS: Final = OF_SUIT[0]
_KINGS: Final = OF_RANK[RANKS.index("K")]


class Pattern(Value, frozen=True):
    """A meld by its faces, in the order in which they lie."""

    kind: RommeMeldKind
    faces: tuple[str, ...]
    bits: int
    points: int
    end: RommeEnd | None
    """What a move has to say of its ace (R-48)."""


def _set(rank: str, suits: tuple[str, ...]) -> Pattern:
    faces = tuple(rank + suit for suit in suits)
    return Pattern("set", faces, sum(map(BIT.__getitem__, faces)), len(faces) * FACE_VALUE[rank], None)


def _run(suit: str, low: int, count: int) -> Pattern:
    positions = range(low, low + count)
    faces = tuple(face_at(position, suit) for position in positions)
    end: RommeEnd | None = "low" if count == LARGEST_RUN and low == ACE_LOW else None
    return Pattern("run", faces, sum(map(BIT.__getitem__, faces)), sum(map(position_value, positions)), end)


SETS: Final[tuple[tuple[Pattern, ...], ...]] = tuple(
    tuple(_set(rank, suits) for count in range(SMALLEST, LARGEST_SET + 1) for suits in combinations(SUITS, count))
    for rank in RANKS
)
"""All sets of each rank, the small ones first."""
SET_OF: Final[dict[int, Pattern]] = {pattern.bits: pattern for patterns in SETS for pattern in patterns}
RUNS: Final[tuple[tuple[tuple[Pattern, ...], ...], ...]] = tuple(
    tuple(
        tuple(_run(suit, low, count) for count in range(SMALLEST, min(LARGEST_RUN, ACE_HIGH + 1 - low) + 1))
        for low in range(ACE_LOW, ACE_HIGH + 2 - SMALLEST)
    )
    for suit in SUITS
)
"""All runs of each suit by their lowest position, the short ones first."""


def run_at(suit: int, low: int, count: int) -> Pattern:
    """Return the run of so many cards from a position on; the suit is given by its number."""
    return RUNS[suit][low - ACE_LOW][count - SMALLEST]


# what faces are worth

_VALUE_BITS: Final[tuple[int, ...]] = tuple(
    sum(bit for face, bit in BIT.items() if FACE_VALUE[face[0]] >> power & 1) for power in range(4)
)
"""For each power of two the faces whose value has it."""


def worth(faces: int) -> int:
    """Return the value of one copy of each of these faces (R-4)."""
    ones, twos, fours, eights = _VALUE_BITS
    return (
        (faces & ones).bit_count()
        + 2 * (faces & twos).bit_count()
        + 4 * (faces & fours).bit_count()
        + 8 * (faces & eights).bit_count()
    )


# what can be made of faces

_JOKERS_OF_SET_MAX: Final = LARGEST_SET // 2


def patterns_in(faces: int, jokers: int) -> list[Pattern]:
    """Return every meld of faces held and jokers, each face a joker's that is not held: sets, then runs."""
    found: list[Pattern] = []
    if of_sets := ranks_of_sets(faces, jokers):
        for rank, of_rank in enumerate(OF_RANK):
            if of_sets & of_rank:
                found += _sets_in(rank, faces & of_rank, min(jokers, _JOKERS_OF_SET_MAX))
    if may_hold_run(faces, jokers):
        for suit, of_suit in enumerate(OF_SUIT):
            held = faces & of_suit
            if held & (held - 1):
                found += _runs_in(suit, held, jokers)
    return found


def ranks_of_sets(faces: int, jokers: int) -> int:
    """Return the ranks of which faces held and jokers make a set, each by its face of the first suit.

    A set has two real cards at least (R-26): with jokers any two suits will do, without them three.
    """
    clubs, spades = faces & _CLUBS, faces >> _RANKS & _CLUBS
    hearts, diamonds = faces >> 2 * _RANKS & _CLUBS, faces >> 3 * _RANKS
    twice_black, twice_red = clubs & spades, hearts & diamonds
    black, red = clubs | spades, hearts | diamonds
    if jokers:
        return twice_black | twice_red | black & red
    return twice_black & red | black & twice_red


def may_hold_run(faces: int, jokers: int) -> bool:
    """Return whether to look for runs: one without jokers has three bits in a row, or queen and king."""
    return bool(jokers or faces & faces >> 1 & faces >> 2 or faces & faces >> _RANKS - 1 & _KINGS)


@lru_cache(maxsize=512)
def _sets_in(rank: int, held: int, jokers: int) -> tuple[Pattern, ...]:
    return tuple(
        pattern
        for pattern in SETS[rank]
        if (missing := (pattern.bits & ~held).bit_count()) <= jokers and 2 * missing <= len(pattern.faces)
    )


@lru_cache(maxsize=1024)
def _runs_in(suit: int, held: int, jokers: int) -> tuple[Pattern, ...]:
    found: list[Pattern] = []
    for patterns in RUNS[suit]:
        for pattern in patterns:
            missing = (pattern.bits & ~held).bit_count()
            if missing > jokers:
                break
            if 2 * missing <= len(pattern.faces):
                found.append(pattern)
    return tuple(found)
