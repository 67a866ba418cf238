"""The best split of a hand against brute force, the best lay, every single meld, and bounds of the search."""

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from random import Random

import pytest

from domain.cards import Card
from domain.games.romme.deck import DECK, FACE, hand_value
from domain.games.romme.melds import readings
from domain.games.romme.moves import RommeChosenCard
from domain.games.romme.partition import HandSearch, possible_melds
from domain.games.romme.patterns import BIT
from domain.games.romme.search import LOOKS_MAX, Aim, Search, candidates
from tests.games.romme.positions import cards


def gains(hand: Sequence[Card], aim: Aim) -> dict[int, int]:
    """Every set of cards (as bits) that is a meld, and what it gains."""
    found = {}
    for count in range(3, len(hand) + 1):
        for places in combinations(range(len(hand)), count):
            selection = [hand[place] for place in places]
            melds = readings(selection)
            if melds:
                best = max(meld.points for meld in melds)
                found[sum(1 << place for place in places)] = best if aim == "points" else hand_value(tuple(selection))
    return found


def best_of(hand: Sequence[Card], aim: Aim) -> int:
    """The most that any split gains, over all splits."""
    found = gains(hand, aim)

    @cache
    def best(left: int) -> int:
        if not left:
            return 0
        lowest = left & -left
        others = [gain + best(left & ~meld) for meld, gain in found.items() if meld & lowest and not meld & ~left]
        return max(best(left & ~lowest), *others, 0)

    return best((1 << len(hand)) - 1)


def hand_near_melds(rng: Random) -> tuple[Card, ...]:
    ranks, suits = rng.sample("23456789TJQKA", rng.randint(3, 6)), rng.sample("CSHD", rng.randint(1, 3))
    near = [card for card in DECK if card in FACE and card[0] in ranks and card[1] in suits]
    jokers, size = rng.randint(0, 4), rng.randint(6, 9)
    return tuple(rng.sample(near, min(len(near), size - jokers))) + tuple(rng.sample(DECK[-6:], jokers))


@pytest.mark.parametrize("seed", range(4))
def test_the_search_finds_the_best_split(seed: int) -> None:
    rng = Random(seed)
    for _ in range(60):
        hand = hand_near_melds(rng)
        for aim in ("points", "cards"):
            expected = best_of(hand, aim)
            split = HandSearch(hand).split(aim)
            gained = split.points if aim == "points" else hand_value(hand) - hand_value(split.left)
            assert gained == expected, f"seed {seed}: {aim} of {hand}"
            used = [card.card for meld in split.melds for card in meld.meld.cards]
            assert sorted([*used, *split.left]) == sorted(hand), f"seed {seed}: {hand}"


def test_the_longest_run_is_not_always_the_best() -> None:
    split = HandSearch(cards("5H 6H 7H 8H 8C 8S")).split("cards")
    assert split.left == ()


def test_a_joker_stands_for_a_card_that_is_needed_elsewhere() -> None:
    split = HandSearch(cards("5C 6C 7C 7S 7H JK#1")).split("cards")
    assert split.left == ()


LAYS = [
    ("7H 7S 7C QH KH AH 2D", "2D", 30, "7C 7S 7H 2D"),
    ("7H 7S 7C QH KH AH 2D", None, 30, "2D"),
    ("7H 7S 7C 7D QH KH AH 2D", "2D", 30, "one card of a set"),
    ("7H 7S 7C 2D", None, 30, None),
    ("7H 7S 7C 2D", None, 0, "2D"),
    ("7H#1 7H#2 7S 7C", "7H#1", 0, "7H#2"),
    ("7H 7S 7C JK#1", "JK#1", 0, "a card of the set"),
    ("7H 7S 7C", None, 0, None),
    ("4D 5D 6D 9S 9C JK#1 QH", None, 40, "QH"),
]


@pytest.mark.parametrize(("hand", "taken", "need", "left"), LAYS)
def test_the_best_lay_reaches_the_points_and_keeps_a_discard(
    hand: str, taken: str | None, need: int, left: str | None
) -> None:
    just_taken = None if taken is None else taken if "#" in taken else f"{taken}#1"
    split = HandSearch(cards(hand), just_taken).lay(need)
    if left is None:
        assert split is None
        return
    assert split is not None
    assert split.points >= need
    assert any(card != just_taken for card in split.left)
    if "card" not in left:
        assert split.left == cards(left)


def test_every_meld_of_a_hand_is_listed_once_by_its_faces() -> None:
    melds = possible_melds(cards("QH KH 7C 7S 7H JK#1 2D"))
    listed = [" ".join(card.face or card.card[:2] for card in meld.meld.cards) for meld in melds]
    assert listed == ["QH KH AH", "JH QH KH", "7C 7S 7H 7D", "7C 7S 7H", "7C 7S 7D", "7C 7H 7D", "7S 7H 7D"]


@pytest.mark.parametrize("seed", range(3))
def test_every_meld_of_a_hand_is_one_that_brute_force_finds(seed: int) -> None:
    rng = Random(seed)
    for _ in range(60):
        hand = hand_near_melds(rng)
        real = [card for card in hand if card in FACE]
        jokers = [card for card in hand if card not in FACE]
        expected = set()
        for count in range(2, len(real) + 1):
            for selection in combinations(real, count):
                for added in range(len(jokers) + 1):
                    expected |= {faces(meld.meld.cards) for meld in readings([*selection, *jokers[:added]])}
        assert {faces(meld.meld.cards) for meld in possible_melds(hand)} == expected, f"seed {seed}: {hand}"


def faces(declared: Sequence[RommeChosenCard]) -> frozenset[str]:
    return frozenset(card.face or card.card[:2] for card in declared)


def test_the_search_is_bounded_and_keeps_what_it_has_found() -> None:
    hand = cards("3H 4H 5H 6H 7H 8H 9H TH JH QH 6H#2 JK#1 JK#2 JK#3")
    held = {FACE[card] for card in hand if card in FACE}
    once = sum(BIT[face] for face in held)
    found = candidates(once, BIT["6H"], 3)
    search = Search(found, "points")
    gained = search.best(once, BIT["6H"], 3)
    assert LOOKS_MAX < search.looks < LOOKS_MAX + len(found) * len(hand), "it gave up, and soon"
    melds = list(search.chosen(once, BIT["6H"], 3))
    assert sum(meld.points for meld in melds) == gained
    assert gained >= max(meld.points for meld in found), "at least the best single meld"
