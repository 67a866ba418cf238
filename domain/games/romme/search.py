"""The search for the best split of a hand: bounded, over the faces left and the jokers left.

The hand is two sets of faces as bits, those it holds at all and those it holds twice. Beginning with
its lowest face the search either leaves that face or uses it in one of the candidate melds whose lowest
real card it is; what remains is solved once and remembered. After `NODES_MAX` positions it stops
looking further and keeps the best it has found.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, Literal, NamedTuple, TypeAlias

from domain.cards import RANKS, SUITS
from domain.games.romme.deck import ACE_HIGH, ACE_LOW, FACE_VALUE, POSITION, VALUE, position_value
from domain.games.romme.melds import LARGEST_RUN, LARGEST_SET, SMALLEST, face_at

NODES_MAX: Final = 3_000
"""Positions that one search looks at before it keeps the best found so far."""

Aim: TypeAlias = Literal["points", "cards"]
"""What is wanted most of: meld points (R-30), or hand value taken out of the hand (R-4)."""

_JOKER_VALUE: Final = VALUE["JK#1"]
_JOKER_POINTS_MAX: Final = FACE_VALUE["A"]
_RANKS: Final = len(RANKS)
BIT: Final[dict[str, int]] = {
    rank + suit: 1 << (number * _RANKS + POSITION[rank] % _RANKS) for number, suit in enumerate(SUITS) for rank in RANKS
}
"""A bit for each face: suit by suit, the ace below the two."""


class Candidate(NamedTuple):
    """A way to use some real cards and jokers as one meld."""

    faces: int
    jokers: int
    points: int
    cards_value: int
    shown: tuple[tuple[str, bool], ...]
    """The face of each slot and whether a joker shows it."""


# candidate melds


def candidates(held: Mapping[str, int], jokers: int) -> Iterator[Candidate]:
    """Yield the melds worth trying with these faces and jokers."""
    for rank in RANKS:
        yield from _sets(rank, [suit for suit in SUITS if rank + suit in held], jokers)
    for suit in SUITS:
        positions = [POSITION[rank] for rank in RANKS if rank + suit in held]
        twins = any(held.get(rank + suit, 0) > 1 for rank in RANKS)
        spare = {POSITION[rank] for rank in RANKS if twins or sum(rank + other in held for other in SUITS) > 1}
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

    A joker lies where the hand has the real card only if a set could use that card.
    """
    for low, high in combinations(positions, 2):
        inside = [position for position in positions if low < position < high]
        gaps = high - low - 1 - len(inside)
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
    value = sum(FACE_VALUE[face[0]] for face in real) + jokers * _JOKER_VALUE
    return Candidate(sum(BIT[face] for face in real), jokers, points, value, tuple(shown))


# the search


class Search:
    """One aim's search; what it has solved serves every hand that is part of the same one."""

    def __init__(self, candidates: Sequence[Candidate], aim: Aim) -> None:
        self._joker_worth = _JOKER_POINTS_MAX if aim == "points" else _JOKER_VALUE
        self._by_lowest: dict[int, list[tuple[int, Candidate]]] = {}
        self._solved: dict[tuple[int, int, int], tuple[int, Candidate | None]] = {}
        self._nodes = 0
        for candidate in candidates:
            gain = candidate.points if aim == "points" else candidate.cards_value
            self._by_lowest.setdefault(candidate.faces & -candidate.faces, []).append((gain, candidate))
        for found in self._by_lowest.values():
            found.sort(key=lambda pair: (-pair[0], pair[1].jokers))

    def best(self, once: int, twice: int, jokers: int) -> int:
        """Return the most that can be gained from the faces held, those held twice, and jokers."""
        return self._solve(once, twice, jokers)

    def _solve(self, once: int, twice: int, jokers: int) -> int:
        while once and (once & -once) not in self._by_lowest:
            once &= once - 1
        if not once:
            return 0
        key = (once, twice & once, jokers)
        known = self._solved.get(key)
        if known is not None:
            return known[0]
        self._nodes += 1
        if self._nodes > NODES_MAX:
            return 0
        lowest = once & -once
        best, choice = 0, None
        for gain, candidate in self._by_lowest[lowest]:
            faces = candidate.faces
            if faces & ~once or candidate.jokers > jokers:
                continue
            value = gain + self._solve((once & ~faces) | (twice & faces), twice & ~faces, jokers - candidate.jokers)
            if value > best:
                best, choice = value, candidate
        value = self._solve(once & ~lowest, twice, jokers)
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
