"""The move made for an absent player (R-88)."""

import pytest

from domain.games.romme.moves import RommeDiscard, RommeDrawStock, RommeSwapJoker
from domain.games.romme.rules import timeout_move
from tests.games.romme.positions import after, lay_off, position

CASES = [
    ("the drawn card", "KD 2C 3C", None, "3C", "3C#1"),
    ("the drawn card, even a joker", "KD 2C JK#2", None, "JK#2", "JK#2"),
    ("else the dearest real card", "JK#1 2C 9D 8S", "8S", None, "9D#1"),
    ("the first in canonical order of equal ones", "KD TC QS JK#1 4H", "4H", None, "TC#1"),
    ("but not the just-taken one", "AD 2C 9D", "AD", None, "9D#1"),
    ("an ace before a king", "KD AH 2C", "2C", None, "AH#1"),
    ("the first joker if there is nothing else", "JK#4 JK#2 7S", "7S", None, "JK#2"),
]


@pytest.mark.parametrize(("case", "hand", "taken", "drawn", "discarded"), CASES, ids=[row[0] for row in CASES])
def test_an_absent_player_discards(case: str, hand: str, taken: str | None, drawn: str | None, discarded: str) -> None:
    state = position(hand, taken=taken, drawn=drawn)
    assert timeout_move(state, 0) == RommeDiscard(discarded), case


def test_an_absent_player_draws_from_the_stock_and_discards_that_card() -> None:
    state = position("KD 2C", phase="draw", pile="AH")
    assert timeout_move(state, 0) == RommeDrawStock()
    state = after(state, RommeDrawStock())
    assert state.drawn is not None
    assert timeout_move(state, 0) == RommeDiscard(state.drawn)


def test_an_absent_starter_discards_the_dearest_card() -> None:
    assert timeout_move(position("2C KD JK#1 AS", phase="opening"), 0) == RommeDiscard("AS#1")


def test_a_drawn_card_that_was_laid_and_came_back_is_discarded() -> None:
    state = position("7H 2C KD JK#1", melds=["4H 5H 6H"], out=True, joker_swap=True, drawn="JK#1")
    state = after(state, lay_off("JK#1=7H"))
    assert timeout_move(state, 0) == RommeDiscard("KD#1")
    state = after(state, RommeSwapJoker("m1", "JK#1", "7H#1"))
    assert timeout_move(state, 0) == RommeDiscard("JK#1")
