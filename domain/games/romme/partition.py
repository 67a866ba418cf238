"""What can be made of a hand: its best split into melds, the best lay, and every single meld."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from typing import Final

from domain.cards import Card
from domain.games.romme.deck import DECK, FACE, in_deck_order
from domain.games.romme.model import RommeReading
from domain.games.romme.moves import RommeChosenCard, RommeChosenMeld
from domain.games.romme.patterns import BIT, CARD_BIT, Pattern, patterns_in
from domain.games.romme.search import JOKER_POINTS_MAX, Aim, Candidate, Search, candidates, copies_worth
from domain.structs import Value

_AIMS: Final[tuple[Aim, ...]] = ("cards", "points")
_JOKER: Final = "JK"
_CHOSEN: Final = {card: RommeChosenCard(card) for card in DECK if card in FACE}
"""Each real card as melds declare it."""


class Split(Value, frozen=True):
    """Melds made of a hand, and the cards left over."""

    melds: tuple[RommeReading, ...]
    points: int
    left: tuple[Card, ...]


class HandSearch:
    """The best splits of one hand."""

    def __init__(self, hand: Sequence[Card], taken: Card | None = None) -> None:
        """`taken` is the just-taken card, which melds use first because it may not be discarded."""
        self._hand = with_first(hand, taken)
        self._taken = taken
        once = twice = jokers = 0
        for card in hand:
            bit = CARD_BIT[card]
            if bit:
                twice |= once & bit
                once |= bit
            else:
                jokers += 1
        self._once, self._twice, self._jokers = once, twice, jokers
        self._candidates = candidates(once, twice, jokers)
        self._searches: dict[Aim, Search] = {}

    def split(self, aim: Aim) -> Split:
        """Return the best split, which may use every card."""
        return self._assigned(self._melds(aim, None), None)

    def gain(self, aim: Aim) -> int:
        """Return what the best split gains."""
        return self._search(aim).best(self._once, self._twice, self._jokers)

    def lay(self, need: int) -> Split | None:
        """Return the best split that may be laid at once, None if none was found.

        It reaches `need` points (R-33) and leaves a card that may be discarded (R-53). Most hand
        value goes first, most points only if that does not reach them.
        """
        if not self._candidates or (need and self._reach() < need):
            return None
        for aim in _AIMS:
            melds, kept = self._loose_melds(aim)
            if melds and sum([meld.points for meld in melds]) >= need:
                return self._assigned(melds, kept)
        return None

    def _reach(self) -> int:
        """Return points that no lay exceeds: those of all cards that are in some candidate."""
        faces = reduce(int.__or__, [candidate.faces for candidate in self._candidates])
        return copies_worth(faces, self._twice) + self._jokers * JOKER_POINTS_MAX

    def _loose_melds(self, aim: Aim) -> tuple[list[Candidate], Card | None]:
        """Return the best melds that leave a card other than the just-taken one, and the card kept for it."""
        melds = self._melds(aim, None)
        left = len(self._hand) - sum([meld.faces.bit_count() + meld.jokers for meld in melds])
        if left > 1 or any(card != self._taken for card in self._assigned(melds, None).left):
            return melds, None
        kept = {FACE.get(card, _JOKER): card for card in self._hand if card != self._taken}
        if not kept:
            return [], None
        found = [(self._melds(aim, card), card) for card in kept.values()]
        return max(found, key=lambda pair: _gain(pair[0], aim))

    def _melds(self, aim: Aim, kept: Card | None) -> list[Candidate]:
        """Return the melds of the best split of the hand without the card that is to be kept."""
        once, twice, jokers = self._once, self._twice, self._jokers
        if kept in FACE:
            bit = BIT[FACE[kept]]
            once, twice = (once & ~bit) | (twice & bit), twice & ~bit
        elif kept is not None:
            jokers -= 1
        search = self._search(aim)
        search.best(once, twice, jokers)
        return list(search.chosen(once, twice, jokers))

    def _assigned(self, melds: Iterable[Candidate], kept: Card | None) -> Split:
        """Return melds made of faces as melds made of the cards of the hand."""
        free: dict[str, list[Card]] = {}
        for card in self._hand:
            if card != kept:
                free.setdefault(FACE.get(card, _JOKER), []).append(card)
        found = tuple(
            _reading(
                meld.pattern,
                [
                    _CHOSEN[free[face].pop(0)] if meld.faces & BIT[face] else RommeChosenCard(free[_JOKER].pop(0), face)
                    for face in meld.pattern.faces
                ],
            )
            for meld in melds
        )
        left = [card for cards in free.values() for card in cards]
        return Split(
            found,
            sum(meld.points for meld in found),
            in_deck_order((*left, kept) if kept is not None else tuple(left)),
        )

    def _search(self, aim: Aim) -> Search:
        if aim not in self._searches:
            self._searches[aim] = Search(self._candidates, aim)
        return self._searches[aim]


def _gain(melds: Iterable[Candidate], aim: Aim) -> int:
    return sum(meld.points if aim == "points" else meld.cards_value for meld in melds)


def _reading(pattern: Pattern, cards: Iterable[RommeChosenCard]) -> RommeReading:
    """Return a meld by its faces as a meld of cards, declared in the same order."""
    return RommeReading(pattern.kind, pattern.points, RommeChosenMeld(tuple(cards), pattern.end))


def with_first(hand: Sequence[Card], first: Card | None) -> tuple[Card, ...]:
    """Return a hand with one of its cards put first, if it has that card."""
    if first is None or first not in hand:
        return tuple(hand)
    return (first, *[card for card in hand if card != first])


# single melds


@lru_cache(maxsize=128)
def possible_melds(hand: tuple[Card, ...]) -> tuple[RommeReading, ...]:
    """Return every meld of the hand by its faces, each with as few jokers as it needs, most points first."""
    bits = [CARD_BIT[card] for card in hand]
    patterns = patterns_in(reduce(int.__or__, bits, 0), bits.count(0))
    if not patterns:
        return ()
    patterns.sort(key=lambda pattern: -pattern.points)
    held: dict[str, RommeChosenCard] = {}
    jokers: list[Card] = []
    for card in hand:
        if card in FACE:
            held.setdefault(FACE[card], _CHOSEN[card])
        else:
            jokers.append(card)
    return tuple([_reading(pattern, _cards_of(pattern, held, jokers)) for pattern in patterns])


def _cards_of(pattern: Pattern, held: Mapping[str, RommeChosenCard], jokers: Iterable[Card]) -> list[RommeChosenCard]:
    free = iter(jokers)
    return [held.get(face) or RommeChosenCard(next(free), face) for face in pattern.faces]
