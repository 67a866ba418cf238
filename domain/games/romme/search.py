"""The search for the best split of a hand: bounded, over the faces left and the jokers left.

The hand is two sets of faces as bits, those it holds at all and those it holds twice. Beginning with
its lowest face the search either leaves that face or uses it in one of the candidate melds whose lowest
real card it is; what remains is solved once and remembered. After `LOOKS_MAX` candidates it stops
looking further and keeps the best it has found.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final, Literal, NamedTuple, TypeAlias

from domain.cards import SUITS
from domain.games.romme.deck import ACE_HIGH, ACE_LOW, FACE_VALUE, VALUE
from domain.games.romme.melds import LARGEST_RUN, LARGEST_SET, SMALLEST, face_at
from domain.games.romme.patterns import BIT, OF_RANK, OF_SUIT, SET_OF, Pattern, ranks_of_sets, run_at, worth

LOOKS_MAX: Final = 12_000
"""Candidates that one search looks at, all positions together, before it keeps the best found so far."""

Aim: TypeAlias = Literal["points", "cards"]
"""What is wanted most of: meld points (R-30), or hand value taken out of the hand (R-4)."""

_JOKER_VALUE: Final = VALUE["JK#1"]
JOKER_POINTS_MAX: Final = FACE_VALUE["A"]
"""The most that a joker counts in a meld."""
_ROWS: Final[tuple[tuple[tuple[int, int], ...], ...]] = tuple(
    tuple((position, BIT[face_at(position, suit)]) for position in range(ACE_LOW, ACE_HIGH + 1)) for suit in SUITS
)
"""The positions of each suit with the bits of their faces, the ace at both ends."""


class Candidate(NamedTuple):
    """A way to use some real cards and jokers as one meld."""

    faces: int
    """Those that real cards show; jokers show the others of the pattern."""
    jokers: int
    points: int
    """Meld points."""
    cards_value: int
    """Value of all its cards in a hand."""
    pattern: Pattern


# candidate melds


def candidates(once: int, twice: int, jokers: int) -> list[Candidate]:
    """Return the melds worth trying with faces held at all, those held twice, and jokers."""
    found: list[Candidate] = []
    in_sets = 0
    if of_sets := ranks_of_sets(once, jokers):
        for of_rank in OF_RANK:
            if of_sets & of_rank:
                held = once & of_rank
                in_sets |= held
                found += _sets(held, of_rank, min(jokers, LARGEST_SET // 2))
    for suit, of_suit in enumerate(OF_SUIT):
        held = once & of_suit
        if held & (held - 1):
            spare = held if twice & of_suit else held & in_sets
            found += _runs(suit, held, spare if jokers else 0, jokers)
    return found


@lru_cache(maxsize=512)
def _sets(held: int, of_rank: int, jokers: int) -> tuple[Candidate, ...]:
    found: list[Candidate] = []
    for count in range(2, held.bit_count() + 1):
        for real in combinations(_bits(held), count):
            faces = sum(real)
            free = _bits(of_rank & ~faces)
            numbers = range(max(0, SMALLEST - count), min(jokers, count, LARGEST_SET - count) + 1)
            found += [_candidate(faces, SET_OF[faces + sum(free[:number])]) for number in numbers]
    return tuple(found)


def _bits(faces: int) -> list[int]:
    return [bit for bit in BIT.values() if faces & bit]


@lru_cache(maxsize=1024)
def _runs(suit: int, held: int, spare: int, jokers: int) -> tuple[Candidate, ...]:
    """Return runs from each real card to each higher one, with gaps and further places filled by jokers.

    A joker lies where the hand has the real card only if another meld could use that card (`spare`): a
    set, or with a twin in the suit a second run.
    """
    found: list[Candidate] = []
    row = [(position, bit) for position, bit in _ROWS[suit] if held & bit]
    for first, (low, lowest) in enumerate(row):
        faces, optional = lowest, list[int]()
        for high, highest in row[first + 1 :]:
            faces |= highest
            gaps = high - low + 1 - faces.bit_count()
            if gaps > jokers or high - low >= LARGEST_RUN:
                break
            for omitted in range(min(len(optional), jokers - gaps) + 1):
                for left_out in combinations(optional, omitted):
                    found += _runs_around(suit, low, high, faces - sum(left_out), jokers)
            if highest & spare:
                optional.append(highest)
    return tuple(found)


def _runs_around(suit: int, low: int, high: int, faces: int, jokers: int) -> Iterator[Candidate]:
    """Yield the runs that have these real cards, by how many jokers lie beyond them."""
    span, real = high - low + 1, faces.bit_count()
    for further in range(jokers - (span - real) + 1):
        count = span + further
        if count > LARGEST_RUN or 2 * real < count:
            return
        if count >= SMALLEST:
            last = min(ACE_HIGH, high + further)
            yield _candidate(faces, run_at(suit, last - count + 1, count))


def _candidate(faces: int, pattern: Pattern) -> Candidate:
    jokers = len(pattern.faces) - faces.bit_count()
    return Candidate(faces, jokers, pattern.points, worth(faces) + jokers * _JOKER_VALUE, pattern)


# the search


class Search:
    """One aim's search; what it has solved serves every hand that is part of the same one."""

    def __init__(self, found: Sequence[Candidate], aim: Aim) -> None:
        self._joker_worth = JOKER_POINTS_MAX if aim == "points" else _JOKER_VALUE
        self._by_lowest: dict[int, list[tuple[int, int, int, Candidate]]] = {}
        self._solved: dict[tuple[int, int, int], tuple[int, Candidate | None]] = {}
        self.looks = 0
        """Candidates looked at so far."""
        for candidate in found:
            gain = candidate.points if aim == "points" else candidate.cards_value
            entry = (gain, candidate.faces, candidate.jokers, candidate)
            self._by_lowest.setdefault(candidate.faces & -candidate.faces, []).append(entry)
        for entries in self._by_lowest.values():
            entries.sort(key=lambda entry: (-entry[0], entry[2]))
        self._lowest = sum(self._by_lowest)
        """Faces that are the lowest of a candidate: the search passes over all others."""

    def best(self, once: int, twice: int, jokers: int) -> int:
        """Return the most that can be gained from the faces held, those held twice, and jokers."""
        lowest = once & self._lowest
        if not lowest:
            return 0
        lowest &= -lowest
        once &= -lowest
        key = (once, twice & once, jokers)
        known = self._solved.get(key)
        if known is not None:
            return known[0]
        if self.looks > LOOKS_MAX:
            return 0
        best, choice = 0, None
        most = 0  # what all that is left could bring; counted once there is something to compare
        for gain, faces, needed, candidate in self._by_lowest[lowest]:
            self.looks += 1
            if faces & ~once or needed > jokers:
                continue
            value = gain + self.best((once & ~faces) | (twice & faces), twice & ~faces, jokers - needed)
            if value > best:
                best, choice = value, candidate
                most = most or copies_worth(once, twice) + jokers * self._joker_worth
                if best == most:
                    break
        if choice is None or best < most:
            value = self.best(once - lowest, twice, jokers)
            if value > best:
                best, choice = value, None
        self._solved[key] = (best, choice)
        return best

    def chosen(self, once: int, twice: int, jokers: int) -> Iterator[Candidate]:
        """Yield the melds of the best split that `best` found."""
        while lowest := once & self._lowest:
            lowest &= -lowest
            once &= -lowest
            _, candidate = self._solved.get((once, twice & once, jokers), (0, None))
            if candidate is None:
                once -= lowest
                continue
            yield candidate
            faces = candidate.faces
            once, twice = (once & ~faces) | (twice & faces), twice & ~faces
            jokers -= candidate.jokers


def copies_worth(faces: int, twice: int) -> int:
    """Return what all copies of faces could bring."""
    return worth(faces) + (worth(faces & twice) if twice else 0)
