"""Legal cards: worked cases 13.3 and H-20 to H-28."""

import pytest

from domain.decider import Rejection
from domain.games.hearts import HEARTS_1
from domain.games.hearts.model import HeartsCardPlayed, HeartsLegalPlay, HeartsPlay
from tests.games.hearts.positions import accepted, chance, options, playing, rejected

ALL = "all"
"""The whole hand is legal."""

Case = tuple[str, int, int, bool, str, str, str, str, str | None]

CASES: dict[str, Case] = {
    # id: options, players, trick, broken, trick so far, hand, legal, example, rule that refuses it
    "HC-L-1": ("-", 4, 1, False, "", "2C 9C AC 4D 7D QD 3H KH 5S 8S JS KS AS", "2C", "AC", "H-20"),
    "HC-L-2": ("-", 4, 1, False, "2C", "5C KC 4D 6D 9D AD 2H 9H 3S 6S TS QS AS", "5C KC", "QS", "H-22"),
    "HC-L-3": ("-", 4, 1, False, "2C TC", "AC 3D 8D KD 2H 6H 9H AH 4S 7S JS QS KS", "AC", "KD", "H-22"),
    "HC-L-4": (
        "-", 4, 1, False, "2C TC", "3D 8D JD KD 2H 6H 9H AH 4S 7S JS QS KS", "3D 8D JD KD 4S 7S JS KS", "6H", "H-23",
    ),
    "HC-L-5": (
        "SPOT", 4, 1, False, "2C TC", "3D 8D JD KD 2H 6H 9H AH 4S 7S JS QS KS", "3D 8D JD KD 4S 7S JS KS",
        "QS", "H-23",
    ),
    "HC-L-6": (
        "BM", 4, 1, False, "2C TC", "3D 8D JD KD 2H 6H 9H AH 4S 7S JS QS KS", "3D 8D JD KD 4S 7S JS", "KS", "H-25",
    ),
    "HC-L-7": (
        "OM", 4, 1, False, "2C TC", "3D 8D JD KD 2H 6H 9H AH 4S 7S JS QS KS", "3D 8D JD KD 4S 7S JS KS", "JD", None,
    ),
    "HC-L-8": ("-", 4, 1, False, "2C 7C", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH", ALL, "AH", None),
    "HC-L-9": ("-", 4, 1, False, "2C", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH QS", ALL, "QS", None),
    "HC-L-10": ("-", 4, 1, False, "2C", "3D 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH QS", "3D", "2H", "H-23"),
    "HC-L-11": ("-", 4, 1, False, "2C", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH KS", "KS", "KH", "H-23"),
    "HC-L-12": ("BM", 4, 1, False, "2C", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH KS", ALL, "KH", None),
    "HC-L-13": ("BM", 4, 1, False, "2C 4C 5C", "2H 3H 4H 5H 6H 7H 8H 9H TH JH QS KS AS", ALL, "AS", None),
    "HC-L-14": ("-", 5, 1, False, "2C 9C", "3H 4H 5H 8H TH JH QH KH AH QS", ALL, "QS", None),
    "HC-L-15": (
        "-", 3, 1, False, "2C", "4D 5D 2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH 9S QS", "4D 5D 9S", "2H", "H-23",
    ),
    "HC-L-16": ("-", 4, 5, False, "", "6C 4D KD 9H TH JH 3S QS AS", "6C 4D KD 3S QS AS", "9H", "H-27"),
    "HC-L-17": ("-", 4, 10, False, "", "2H 9H KH AH", ALL, "KH", None),
    "HC-L-18": ("-", 4, 9, False, "", "3H 5H TH JH QS", "QS", "5H", "H-28"),
    "HC-L-19": ("BM", 4, 9, False, "", "4H 7H 9H KS AS", "KS AS", "4H", "H-28"),
    "HC-L-20": ("-", 4, 8, False, "", "3C 8H 9H JH 5D 6D", "3C 5D 6D", "8H", "H-27"),
    "HC-L-21": ("-", 4, 8, True, "", "3C 8H 9H JH 5D 6D", ALL, "8H", None),
    "HC-L-22": ("-", 4, 4, False, "TD 2D", "5C 8C 9H AH 2S 6S JS QS KS AS", ALL, "QS", None),
    "HC-L-23": ("-", 4, 8, True, "4H", "7C 8C 6H TD QS 2S", "6H", "QS", "H-22"),
    "HC-L-24": ("-", 4, 2, False, "5S KS", "3C 9C JC 4D 5D 8D KD 2H 7H 8H TH QS", "QS", "3C", "H-22"),
    "HC-L-25": ("-", 4, 2, True, "", "QC 3D 7D 8D TD 8H 4S 5S 6S 9S TS KS", ALL, "8H", None),
    "HC-L-26": (
        "-", 4, 2, False, "", "QC 7D 8D TD AH 4S 5S 6S 9S TS KS AS", "QC 7D 8D TD 4S 5S 6S 9S TS KS AS", "AH", "H-27",
    ),
    "HC-L-27": ("-", 4, 13, True, "", "AH", ALL, "AH", None),
    "HC-L-28": ("-", 5, 6, False, "3D 9D KD", "4C JC 7H 8H QS", ALL, "7H", None),
}  # fmt: skip

CODES = {
    "H-20": "must_lead_two_of_clubs",
    "H-22": "must_follow_suit",
    "H-23": "no_penalty_on_first_trick",
    "H-25": "no_penalty_on_first_trick",
    "H-27": "hearts_not_broken",
    "H-28": "hearts_not_broken",
}

QUEEN_FELL = {"HC-L-20", "HC-L-26"}
BREAKING = {"HC-L-8", "HC-L-12", "HC-L-17", "HC-L-28"}


@pytest.mark.parametrize("case", CASES)
def test_the_legal_cards_are_exactly_those_accepted(case: str) -> None:
    short, players, number, broken, trick, hand, legal, example, rule = CASES[case]
    table = options(short, players=players)
    taken = "QS" if case in QUEEN_FELL else ""
    state = playing(table, seat=2, hand=hand, trick=trick, number=number, broken=broken, taken=taken)
    expected = set((hand if legal == ALL else legal).split())

    (entry,) = HEARTS_1.views.legal(state, 2)
    assert isinstance(entry, HeartsLegalPlay)
    assert set(entry.cards) == expected
    assert len(entry.cards) == len(expected)
    assert HEARTS_1.views.legal(state, 1) == ()
    for card in hand.split():
        verdict = HEARTS_1.decider.decide(state, 2, HeartsPlay(card), chance())
        assert isinstance(verdict, Rejection) == (card not in expected), card

    if rule is not None:
        assert rejected(state, 2, HeartsPlay(example)) == Rejection(CODES[rule], rule)
    else:
        facts, after = accepted(state, 2, HeartsPlay(example))
        assert facts[0] == HeartsCardPlayed(2, example)
        if case in BREAKING:
            assert not state.broken
            assert after.broken


def test_only_hearts_break_hearts() -> None:
    state = playing(options("BM"), seat=0, hand="3C 4C QS KS AS", trick="TD", number=9, broken=False)
    for card in ("QS", "KS", "AS"):
        _, after = accepted(state, 0, HeartsPlay(card))
        assert not after.broken


def test_a_round_begins_with_unbroken_hearts() -> None:
    state = playing(options(), seat=1, hand="2C", trick="5H 6H 7H", number=13, broken=True)
    _, after = accepted(state, 1, HeartsPlay("2C"))
    assert after.round == state.round + 1
    assert not after.broken
