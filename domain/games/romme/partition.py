"""What can be made of a hand: its best split into melds, the best lay, and every single meld."""

from collections.abc import Container, Iterator, Sequence
from itertools import combinations
from typing import Final

from msgspec import Struct

from domain.cards import RANKS, SUITS, Card
from domain.games.romme.deck import ACE_HIGH, ACE_LOW, FACE, hand_value, in_deck_order
from domain.games.romme.melds import LARGEST_RUN, LARGEST_SET, SMALLEST, Shape, check_meld, face_at, reading
from domain.games.romme.model import RommeReading
from domain.games.romme.moves import RommeChosenCard
from domain.games.romme.search import BIT, Aim, Candidate, Search, candidates

_AIMS: Final[tuple[Aim, ...]] = ("cards", "points")
_JOKER: Final = "JK"


class Split(Struct, frozen=True, gc=False):
    """Melds made of a hand, and the cards left over."""

    melds: tuple[RommeReading, ...]
    points: int
    left: tuple[Card, ...]


class HandSearch:
    """The best splits of one hand."""

    def __init__(self, hand: Sequence[Card], taken: Card | None = None) -> None:
        """`taken` is the just-taken card, which melds use first because it may not be discarded."""
        self._hand = sorted(hand, key=lambda card: card != taken)
        self._taken = taken
        held: dict[str, int] = {}
        for card in hand:
            if card in FACE:
                held[FACE[card]] = held.get(FACE[card], 0) + 1
        self._jokers = len(hand) - sum(held.values())
        self._once = sum(BIT[face] for face in held)
        self._twice = sum(BIT[face] for face, copies in held.items() if copies > 1)
        self._candidates = list(candidates(held, self._jokers))
        self._searches: dict[Aim, Search] = {}

    def split(self, aim: Aim) -> Split:
        """Return the best split, which may use every card."""
        return self._split(aim, None)

    def gain(self, aim: Aim) -> int:
        """Return what the best split gains."""
        return self._search(aim).best(self._once, self._twice, self._jokers)

    def lay(self, need: int) -> Split | None:
        """Return the best split that may be laid at once, None if none was found.

        It reaches `need` points (R-33) and leaves a card that may be discarded (R-53). Most hand
        value goes first, most points only if that does not reach them.
        """
        for aim in _AIMS:
            split = self._loose_split(aim)
            if split.melds and split.points >= need:
                return split
        return None

    def _loose_split(self, aim: Aim) -> Split:
        """Return the best split that leaves a card other than the just-taken one."""
        split = self._split(aim, None)
        if any(card != self._taken for card in split.left):
            return split
        kept = {FACE.get(card, _JOKER): card for card in self._hand if card != self._taken}
        splits = [self._split(aim, card) for card in kept.values()]
        return max(splits, key=lambda split: _gain(split, aim), default=Split((), 0, ()))

    def _split(self, aim: Aim, kept: Card | None) -> Split:
        """Return the best split of the hand without the card that is to be kept."""
        once, twice, jokers = self._once, self._twice, self._jokers
        if kept in FACE:
            bit = BIT[FACE[kept]]
            once, twice = (once & ~bit) | (twice & bit), twice & ~bit
        elif kept is not None:
            jokers -= 1
        search = self._search(aim)
        search.best(once, twice, jokers)
        return self._assigned(list(search.chosen(once, twice, jokers)), kept)

    def _assigned(self, melds: Sequence[Candidate], kept: Card | None) -> Split:
        """Return melds made of faces as melds made of the cards of the hand."""
        free: dict[str, list[Card]] = {}
        for card in self._hand:
            if card != kept:
                free.setdefault(FACE.get(card, _JOKER), []).append(card)
        found: list[RommeReading] = []
        for meld in melds:
            cards = [
                RommeChosenCard(free[_JOKER].pop(0), face) if joker else RommeChosenCard(free[face].pop(0))
                for face, joker in meld.shown
            ]
            shape = check_meld(cards, "low" if meld.shown[0][0][0] == "A" else None)
            assert isinstance(shape, Shape), f"{cards} are no meld"
            found.append(reading(shape))
        left = [card for cards in free.values() for card in cards]
        return Split(
            tuple(found),
            sum(meld.points for meld in found),
            in_deck_order((*left, kept) if kept is not None else tuple(left)),
        )

    def _search(self, aim: Aim) -> Search:
        if aim not in self._searches:
            self._searches[aim] = Search(self._candidates, aim)
        return self._searches[aim]


def _gain(split: Split, aim: Aim) -> int:
    """Return what a split of the same hand is worth in comparison with others."""
    return split.points if aim == "points" else -hand_value(split.left)


# single melds


def possible_melds(hand: Sequence[Card]) -> tuple[RommeReading, ...]:
    """Return every meld of the hand by its faces, each with as few jokers as it needs, most points first."""
    held: dict[str, Card] = {}
    for card in reversed(hand):
        held[FACE.get(card, card)] = card
    jokers = [card for card in hand if card not in FACE]
    found: list[RommeReading] = []
    for faces in (*_faces_of_sets(held, len(jokers)), *_faces_of_runs(held, len(jokers))):
        free = iter(jokers)
        cards = [RommeChosenCard(held[face]) if face in held else RommeChosenCard(next(free), face) for face in faces]
        shape = check_meld(cards, "low" if faces[0][0] == "A" else None)
        assert isinstance(shape, Shape), f"{cards} are no meld"
        found.append(reading(shape))
    return tuple(sorted(found, key=lambda meld: -meld.points))


def _faces_of_sets(held: Container[str], jokers: int) -> Iterator[list[str]]:
    for rank in RANKS:
        if sum(rank + suit in held for suit in SUITS) < 2:
            continue
        for count in range(SMALLEST, LARGEST_SET + 1):
            for suits in combinations(SUITS, count):
                faces = [rank + suit for suit in suits]
                missing = sum(face not in held for face in faces)
                if missing <= jokers and 2 * missing <= count:
                    yield faces


def _faces_of_runs(held: Container[str], jokers: int) -> Iterator[list[str]]:
    for suit in SUITS:
        row = [face_at(position, suit) for position in range(ACE_LOW, ACE_HIGH + 1)]
        for start in range(len(row) - SMALLEST + 1):
            missing = 0
            for stop in range(start, min(len(row), start + LARGEST_RUN)):
                missing += row[stop] not in held
                if missing > jokers:
                    break
                if stop - start + 1 >= SMALLEST and 2 * missing <= stop - start + 1:
                    yield row[start : stop + 1]
