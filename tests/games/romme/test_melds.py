"""Melds: worked cases W-1 to W-44, rules reported, and the checker against a brute-force enumerator."""

from collections.abc import Sequence
from itertools import combinations
from random import Random

import pytest

from domain.cards import CANONICAL, Card
from domain.decider import Rejection
from domain.games.romme.deck import DECK, FACE
from domain.games.romme.melds import RommeShape, check_meld, extended, extensions, places_left, readings, takes_joker
from domain.games.romme.moves import RommeChosenCard, RommeEnd
from tests.games.romme.positions import cards, chosen_cards, laid

ENDS: tuple[RommeEnd, ...] = ("low", "high")
HEARTS_RUN = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"

SHAPES = [
    ("W-1", "7H 7S 7C", "set", 21),
    ("W-4", "7C#1 7S#2 7H#1 7D#2", "set", 28),
    ("W-6", "9D#1 TD#1 JD#2", "run", 29),
    ("W-8", "AS 2S 3S", "run", 6),
    ("W-9", "QS KS AS", "run", 31),
    ("W-11", "AC#1 AS#1 AD#2", "set", 33),
    ("W-12", "QH KH JK#1=AH", "run", 31),
    ("W-13", "QH KH JK#1=JH", "run", 30),
    ("W-16", "2H 3H JK#1=AH", "run", 6),
    ("W-17", "2H 3H JK#1=4H", "run", 9),
    ("W-18", "QD JK#1=KD AD", "run", 31),
    ("W-19", "AH JK#1=2H 3H", "run", 6),
    ("W-21", "5H JK#1=6H JK#2=7H 8H", "run", 26),
    ("W-22", "JK#1=6H JK#2=7H 8H 9H", "run", 30),
    ("W-23", "8H 9H JK#1=TH JK#2=JH", "run", 37),
    ("W-25", "7C 7S JK#1=7H", "set", 21),
    ("W-27", "7C 7S JK#1=7H JK#2=7D", "set", 28),
    ("W-32", HEARTS_RUN, "run", 95),
    ("W-34", "3D 4D JK#1=5D 6D", "run", 18),
]
FAULTS = [
    ("W-2", "7H#1 7H#2 7S", "meld_invalid", "R-23"),
    ("W-3", "7H#1 7S#1 7C#1 7H#2", "meld_invalid", "R-23"),
    ("W-5", "7C 7S 7H 7D JK#1=7C", "meld_invalid", "R-20"),
    ("W-7", "9D TD JH", "meld_invalid", "R-21"),
    ("W-10", "KS AS 2S", "meld_invalid", "R-21"),
    ("W-14", "QH KH JK#1", "joker_face_missing", "R-28"),
    ("W-15", "QH KH JK#1=TH", "meld_invalid", "R-21"),
    ("W-20", "KC JK#1=AC 2C", "meld_invalid", "R-21"),
    ("W-24", "5H JK#1=6H JK#2=7H", "too_many_jokers", "R-26"),
    ("W-26", "7C 7S JK#1=7S", "meld_invalid", "R-20"),
    ("W-28", "7C JK#1=7S JK#2=7H", "too_many_jokers", "R-26"),
    ("W-29", "JK#1=7C JK#2=7S JK#3=7H", "too_many_jokers", "R-26"),
    ("W-30", "4S 5S", "meld_too_small", "R-21"),
    ("W-31", "9C#1 9C#2 TC", "meld_invalid", "R-23"),
    ("W-33", f"AH#1 {HEARTS_RUN[:-2]}AH#2", "meld_invalid", "R-22"),
    ("W-35", "5C 6C 7S JK#1=8C", "meld_invalid", "R-21"),
]
MORE_FAULTS = [
    ("", "meld_too_small", "R-20"),
    ("7C 7S", "meld_too_small", "R-20"),
    ("JK#1 7C", "joker_face_missing", "R-28"),
    ("7C=7C 7S 7H", "ok", ""),
    ("7C=8C 7S 7H", "meld_invalid", "R-28"),
    ("7C 7S JK#1=77", "meld_invalid", "R-28"),
    ("7C 7S JK#1=JK", "meld_invalid", "R-28"),
    ("5H 6H 7H JK#1=6H", "meld_invalid", "R-22"),
    ("JK#1=AH AH#1 2H", "meld_invalid", "R-22"),
]
READINGS = [
    ("W-37", "QH KH JK#1", [("JH QH KH", 30), ("QH KH AH", 31)]),
    ("W-38", "7C 7S JK#1", [("7C 7S 7H", 21), ("7C 7S 7D", 21)]),
    ("W-39", "7H 8H JK#1 JK#2", [("5H 6H 7H 8H", 26), ("6H 7H 8H 9H", 30), ("7H 8H 9H TH", 34)]),
    ("W-40", "AS 3S JK#1", [("AS 2S 3S", 6)]),
    ("W-41", "KS AS JK#1", [("QS KS AS", 31)]),
    ("W-42", "7C 7S 7H JK#1", [("7C 7S 7H 7D", 28)]),
    ("W-43", "5S TS JK#1 JK#2", []),
    (
        "W-44",
        "AC 5C 6C 7C 8C 9C TC JK#1 JK#2 JK#3",
        [("AC 2C 3C 4C 5C 6C 7C 8C 9C TC", 55), ("5C 6C 7C 8C 9C TC JC QC KC AC", 86)],
    ),
]


@pytest.mark.parametrize(("case", "slots", "kind", "points"), SHAPES, ids=[row[0] for row in SHAPES])
def test_valid_slots_form_a_set_or_a_run(case: str, slots: str, kind: str, points: int) -> None:
    shape = check_meld(chosen_cards(slots))
    assert isinstance(shape, RommeShape), case
    assert (shape.kind, shape.points) == (kind, points)
    reversed_shape = check_meld(chosen_cards(slots)[::-1])
    assert reversed_shape == shape, "the order of the input makes no difference"


@pytest.mark.parametrize(("case", "slots", "code", "rule"), FAULTS, ids=[row[0] for row in FAULTS])
def test_faults_of_slots_are_found_in_order(case: str, slots: str, code: str, rule: str) -> None:
    assert check_meld(chosen_cards(slots)) == Rejection(code, rule), case


@pytest.mark.parametrize(("slots", "code", "rule"), MORE_FAULTS, ids=[row[0] or "nothing" for row in MORE_FAULTS])
def test_declared_faces_are_judged_too(slots: str, code: str, rule: str) -> None:
    result = check_meld(chosen_cards(slots))
    assert isinstance(result, RommeShape) if code == "ok" else result == Rejection(code, rule)


def test_w_36_thirteen_cards_with_the_ace_low_count_less() -> None:
    shape = check_meld(chosen_cards(HEARTS_RUN), "low")
    assert isinstance(shape, RommeShape)
    assert (shape.points, shape.slots[0].face, shape.slots[-1].face) == (85, "AH", "KH")
    high = check_meld(chosen_cards(HEARTS_RUN), "high")
    assert isinstance(high, RommeShape)
    assert (high.points, high.slots[-1].face) == (95, "AH")


@pytest.mark.parametrize(("case", "selection", "expected"), READINGS, ids=[row[0] for row in READINGS])
def test_bare_cards_have_these_readings(case: str, selection: str, expected: list[tuple[str, int]]) -> None:
    found = []
    for reading in readings(cards(selection)):
        shape = check_meld(reading.meld.cards, reading.meld.end)
        assert isinstance(shape, RommeShape), case
        found.append((" ".join(slot.face for slot in shape.slots), reading.points))
    assert found == expected, case


# against brute force

Key = tuple[str, frozenset[tuple[Card, str]], int]


def positions_of(faces: Sequence[str], ace: int) -> list[int]:
    """Positions 1 to 14 of faces; a second way of writing R-21, from the text of the rule."""
    order = {rank: place for place, rank in enumerate("23456789TJQK", start=2)} | {"A": ace}
    return sorted(order[face[0]] for face in faces)


def meaning(selection: Sequence[Card], faces: Sequence[str]) -> list[tuple[str, int]]:
    """What these faces mean, straight from R-20 to R-23, R-26 and R-30; several for 13 cards with an ace."""
    jokers = sum(card not in FACE for card in selection)
    values = {rank: min(place, 10) for place, rank in enumerate("23456789TJQK", start=2)} | {"A": 11}
    if len(faces) < 3 or jokers > len(faces) - jokers or len(set(faces)) < len(faces):
        return []
    if len({face[0] for face in faces}) == 1:
        return [("set", values[faces[0][0]] * len(faces))] if len(faces) <= 4 else []
    if len({face[1] for face in faces}) > 1 or len(faces) > 13:
        return []
    found = []
    for ace in (1, 14):
        places = positions_of(faces, ace)
        if places == list(range(places[0], places[0] + len(faces))):
            found.append(("run", sum(11 if place == 14 else min(place, 10) for place in places)))
    return list(dict.fromkeys(found))


def brute_force(selection: Sequence[Card]) -> set[Key]:
    """Every meaning under every assignment of faces to jokers; jokers are told apart by nothing."""
    real = [card for card in selection if card in FACE]
    jokers = [card for card in selection if card not in FACE]
    # all faces of a meld share their rank or their suit
    plausible = [face for face in CANONICAL if not real or face[0] == real[0][0] or face[1] == real[0][1]]
    found: set[Key] = set()
    for assigned in combinations(plausible, len(jokers)):  # equal faces never make a meld
        faces = [FACE[card] for card in real] + list(assigned)
        shown = frozenset(zip([*real, *("JK" for _ in jokers)], faces, strict=True))
        found |= {(kind, shown, points) for kind, points in meaning(selection, faces)}
    return found


def as_keys(selection: Sequence[Card]) -> set[Key]:
    found: set[Key] = set()
    for reading in readings(selection):
        shape = check_meld(reading.meld.cards, reading.meld.end)
        assert isinstance(shape, RommeShape)
        assert (shape.kind, shape.points) == (reading.kind, reading.points)
        shown = frozenset((slot.card if slot.card in FACE else "JK", slot.face) for slot in shape.slots)
        found.add((shape.kind, shown, shape.points))
    return found


def selections(count: int, seed: int) -> list[tuple[Card, ...]]:
    """Random cards that are melds or close to it, with up to three jokers."""
    rng = Random(seed)
    found = []
    for _ in range(count):
        jokers, row = rng.choice((0, 0, 1, 1, 2, 3)), "A23456789TJQKA"
        if rng.random() < 0.3:
            faces = [rng.choice(row) + suit for suit in "CSHD"]
            faces = [faces[0][0] + face[1] for face in faces]
        else:
            suit, low = rng.choice("CSHD"), rng.randint(0, 11)
            faces = list(dict.fromkeys(rank + suit for rank in row[low : low + rng.randint(2, 14)]))
        kept = rng.sample(faces, max(1, len(faces) - rng.choice((0, 0, 1, jokers, jokers))))
        real = [f"{face}#{rng.randint(1, 2)}" for face in kept]
        if rng.random() < 0.15:
            real.append(rng.choice([card for card in DECK if card in FACE and card not in real]))
        found.append((*real, *(f"JK#{number}" for number in rng.sample(range(1, 7), jokers))))
    return found


@pytest.mark.parametrize("seed", range(4))
def test_readings_are_all_that_brute_force_finds(seed: int) -> None:
    melds = 0
    for selection in selections(700, seed):
        expected = brute_force(selection)
        melds += bool(expected)
        assert as_keys(selection) == expected, f"seed {seed}: {selection}"
    assert melds > 250, f"seed {seed}: only {melds} of the selections are melds"


@pytest.mark.parametrize("seed", range(4))
def test_declared_cards_are_judged_as_by_brute_force(seed: int) -> None:
    rng = Random(seed)
    for selection in selections(1500, seed + 100):
        faces = [FACE.get(card) or rng.choice(tuple(CANONICAL)) for card in selection]
        near = [face for face in CANONICAL if face[1] == faces[0][1]]
        faces = [
            FACE.get(card) or (rng.choice(near) if rng.random() < 0.8 else face)
            for card, face in zip(selection, faces, strict=True)
        ]
        declared = tuple(
            RommeChosenCard(card, None if card in FACE else face) for card, face in zip(selection, faces, strict=True)
        )
        found = set()
        for end in ENDS:
            shape = check_meld(declared, end)
            if isinstance(shape, RommeShape):
                found.add((shape.kind, shape.points))
        assert found == set(meaning(selection, faces)), f"seed {seed}: {declared}"


# places on the table

TABLE_MELDS = [
    "7C 7S 7H",
    "7C 7S 7H 7D",
    "7C 7S JK#1=7H",
    "7C 7S JK#1=7H JK#2=7D",
    "5H 6H JK#1=7H",
    "JK#1=4H 5H 6H",
    "AS 2S 3S",
    "QS KS AS",
    "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS",
    "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS",
    "3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS",
    "AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS",
    "5H JK#1=6H JK#2=7H 8H",
]


@pytest.mark.parametrize("text", TABLE_MELDS)
def test_single_places_are_exactly_what_can_be_laid_off(text: str) -> None:
    (meld,) = laid(text)
    expected: set[tuple[Card, tuple[str, ...]]] = set()
    for card in DECK:
        for face in (FACE[card],) if card in FACE else tuple(CANONICAL):
            for end in ENDS:
                if any(slot.card == card for slot in meld.slots):
                    continue
                shape = extended(meld, (RommeChosenCard(card, None if card in FACE else face),), end)
                if isinstance(shape, RommeShape):
                    expected.add((card, tuple(slot.face for slot in shape.slots)))
    found: set[tuple[Card, tuple[str, ...]]] = set()
    for face, place in places_left(meld):
        for card in DECK:
            if any(slot.card == card for slot in meld.slots):
                continue
            if FACE.get(card) == face or (card not in FACE and takes_joker(meld)):
                shape = extended(meld, (RommeChosenCard(card, None if card in FACE else face),), place)
                assert isinstance(shape, RommeShape)
                found.add((card, tuple(slot.face for slot in shape.slots)))
    assert found == expected


@pytest.mark.parametrize("text", TABLE_MELDS)
@pytest.mark.parametrize("selection", ["JK#5", "JK#5 JK#6", "8H#2 JK#5", "AS#2", "KS#2 AS#2", "7D#2 JK#5", "8H 9H"])
def test_extensions_are_all_that_brute_force_finds(text: str, selection: str) -> None:
    (meld,) = laid(text)
    added = cards(selection)
    expected = set()
    jokers = [card for card in added if card not in FACE]
    for assigned in combinations(CANONICAL, len(jokers)):
        free = iter(assigned)
        declared = tuple(RommeChosenCard(card, None if card in FACE else next(free)) for card in added)
        for end in ENDS:
            shape = extended(meld, declared, end)
            if isinstance(shape, RommeShape):
                expected.add((tuple(slot.face for slot in shape.slots), shape.points))
    found = set()
    for reading in extensions(meld, added):
        shape = extended(meld, reading.meld.cards, reading.meld.end)
        assert isinstance(shape, RommeShape)
        assert shape.points == reading.points
        found.add((tuple(slot.face for slot in shape.slots), shape.points))
    assert found == expected
