"""The search for the best split of a hand: bounded, over the faces left and the jokers left.

The hand is two sets of faces as bits, those it holds at all and those it holds twice. Beginning with
its lowest face the search either leaves that face or uses it in one of the candidate melds whose lowest
real card it is; what remains is solved once and remembered. After `LOOKS_MAX` candidates it stops
looking further and keeps the best it has found.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, Literal, NamedTuple, TypeAlias

from domain.cards import RANKS, SUITS
from domain.games.romme.deck import ACE_HIGH, ACE_LOW, FACE_VALUE, POSITION, VALUE, position_value
from domain.games.romme.melds import LARGEST_RUN, LARGEST_SET, SMALLEST, face_at

LOOKS_MAX: Final = 12_000
"""Candidates that one search looks at, all positions together, before it keeps the best found so far."""

Aim: TypeAlias = Literal["points", "cards"]
"""What is wanted most of: meld points (R-30), or hand value taken out of the hand (R-4)."""

_JOKER_VALUE: Final = VALUE["JK#1"]
_JOKER_POINTS_MAX: Final = FACE_VALUE["A"]
_RANKS: Final = len(RANKS)
BIT: Final[dict[str, int]] = {
    rank + suit: 1 << (number * _RANKS + POSITION[rank] % _RANKS) for number, suit in enumerate(SUITS) for rank in RANKS
}
"""A bit for each face: suit by suit, the ace below the two."""
_WORTH: Final[dict[int, int]] = {bit: FACE_VALUE[face[0]] for face, bit in BIT.items()}


class Candidate(NamedTuple):
    """A way to use some real cards and jokers as one meld."""

    faces: int
    jokers: int
    points: int
    """Meld points."""
    worth: int
    """Value of the real cards in a hand."""
    cards_value: int
    """Value of all its cards in a hand."""
    shown: tuple[tuple[str, bool], ...]
    """The face of each slot and whether a joker shows it."""


# candidate melds


def candidates(held: Mapping[str, int], jokers: int) -> Iterator[Candidate]:
    """Yield the melds worth trying with these faces and jokers."""
    suits_of = {rank: [suit for suit in SUITS if rank + suit in held] for rank in RANKS}
    for rank, suits in suits_of.items():
        yield from _sets(rank, suits, jokers)
    for suit in SUITS:
        ranks = [rank for rank in RANKS if rank + suit in held]
        twins = any(held[rank + suit] > 1 for rank in ranks)
        spare = {POSITION[rank] for rank in ranks if twins or len(suits_of[rank]) > 1}
        positions = [POSITION[rank] for rank in ranks]
        if ACE_HIGH in positions:
            positions.insert(0, ACE_LOW)
        yield from _runs(suit, positions, spare, jokers)


def _sets(rank: str, suits: Sequence[str], jokers: int) -> Iterator[Candidate]:
    for count in range(2, len(suits) + 1):
        for real in combinations(suits, count):
            free = [suit for suit in SUITS if suit not in real]
            for added in range(max(0, SMALLEST - count), min(jokers, count, LARGEST_SET - count) + 1):
                shown = [(rank + suit, False) for suit in real] + [(rank + suit, True) for suit in free[:added]]
                yield _candidate(shown, len(shown) * FACE_VALUE[rank])


def _runs(suit: str, positions: Sequence[int], spare: set[int], jokers: int) -> Iterator[Candidate]:
    """Yield runs from each real card to each higher one, with gaps and further places filled by jokers.

    A joker lies where the hand has the real card only if another meld could use that card: a set, or
    with a twin in the suit a second run.
    """
    for first, low in enumerate(positions):
        for last in range(first + 1, len(positions)):
            inside, high = positions[first + 1 : last], positions[last]
            gaps = high - low - 1 - len(inside)
            if gaps > jokers:
                break
            optional = [position for position in inside if position in spare]
            for omitted in range(min(len(optional), jokers - gaps) + 1):
                for left_out in combinations(optional, omitted):
                    real = [low, *(position for position in inside if position not in left_out), high]
                    yield from _run_candidates(suit, real, jokers)


def _run_candidates(suit: str, real: Sequence[int], jokers: int) -> Iterator[Candidate]:
    low, high = real[0], real[-1]
    span = high - low + 1
    for further in range(jokers - (span - len(real)) + 1):
        count = span + further
        if count > LARGEST_RUN or 2 * len(real) < count:
            return
        if count >= SMALLEST:
            last = min(ACE_HIGH, high + further)
            window = range(last - count + 1, last + 1)
            shown = [(face_at(position, suit), position not in real) for position in window]
            yield _candidate(shown, sum(map(position_value, window)))


def _candidate(shown: Sequence[tuple[str, bool]], points: int) -> Candidate:
    real = [face for face, joker in shown if not joker]
    jokers = len(shown) - len(real)
    worth = sum(FACE_VALUE[face[0]] for face in real)
    return Candidate(
        sum(BIT[face] for face in real), jokers, points, worth, worth + jokers * _JOKER_VALUE, tuple(shown)
    )


# the search


class Search:
    """One aim's search; what it has solved serves every hand that is part of the same one."""

    def __init__(self, found: Sequence[Candidate], aim: Aim) -> None:
        self._joker_worth = _JOKER_POINTS_MAX if aim == "points" else _JOKER_VALUE
        self._by_lowest: dict[int, list[tuple[int, Candidate]]] = {}
        self._solved: dict[tuple[int, int, int], tuple[int, Candidate | None]] = {}
        self.looks = 0
        """Candidates looked at so far."""
        for candidate in found:
            gain = candidate.points if aim == "points" else candidate.cards_value
            self._by_lowest.setdefault(candidate.faces & -candidate.faces, []).append((gain, candidate))
        for pairs in self._by_lowest.values():
            pairs.sort(key=lambda pair: (-pair[0], pair[1].jokers))

    def best(self, once: int, twice: int, jokers: int) -> int:
        """Return the most that can be gained from the faces held, those held twice, and jokers."""
        return self._solve(once, twice, jokers, _worth(once) + _worth(twice))

    def _solve(self, once: int, twice: int, jokers: int, worth: int) -> int:
        """Return the most that can be gained; `worth` is what all real cards together could bring."""
        lowest = once & -once
        while once and lowest not in self._by_lowest:
            once, worth = once & ~lowest, worth - _copies_worth(lowest, twice)
            lowest = once & -once
        if not once:
            return 0
        key = (once, twice & once, jokers)
        known = self._solved.get(key)
        if known is not None:
            return known[0]
        if self.looks > LOOKS_MAX:
            return 0
        most = worth + jokers * self._joker_worth
        best, choice = 0, None
        for gain, candidate in self._by_lowest[lowest]:
            self.looks += 1
            faces = candidate.faces
            if faces & ~once or candidate.jokers > jokers:
                continue
            value = gain + self._solve(
                (once & ~faces) | (twice & faces), twice & ~faces, jokers - candidate.jokers, worth - candidate.worth
            )
            if value > best:
                best, choice = value, candidate
                if best == most:
                    break
        if best < most:
            value = self._solve(once & ~lowest, twice, jokers, worth - _copies_worth(lowest, twice))
            if value > best:
                best, choice = value, None
        self._solved[key] = (best, choice)
        return best

    def chosen(self, once: int, twice: int, jokers: int) -> Iterator[Candidate]:
        """Yield the melds of the best split that `best` found."""
        while once:
            lowest = once & -once
            _, candidate = self._solved.get((once, twice & once, jokers), (0, None))
            if candidate is None:
                once &= ~lowest
                continue
            yield candidate
            faces = candidate.faces
            once, twice = (once & ~faces) | (twice & faces), twice & ~faces
            jokers -= candidate.jokers


def _worth(faces: int) -> int:
    """Return what one copy of each of these faces could bring."""
    return sum(value for bit, value in _WORTH.items() if faces & bit)


def _copies_worth(face: int, twice: int) -> int:
    """Return what all copies of one face could bring."""
    return _WORTH[face] * 2 if twice & face else _WORTH[face]
