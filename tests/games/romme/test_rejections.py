"""Refused moves: the order of R-91, whatever else is wrong with a move."""

import pytest
from msgspec.structs import replace

from domain.decider import Rejection
from domain.games.romme import ROMME_1, private_stream
from domain.games.romme.model import RommeState
from domain.games.romme.moves import (
    RommeChosenCard,
    RommeChosenMeld,
    RommeDiscard,
    RommeDrawPile,
    RommeDrawStock,
    RommeLay,
    RommeLayOff,
    RommeMove,
    RommeSwapJoker,
    RommeTakeBack,
)
from tests.games.romme.positions import after, before, lay, lay_off, position, prepare, privately, rejected

TABLE = ["5H 6H JK#1=7H", "2C 2S 2D"]
SWAPPING = position("7H 8H 7H#2 JK#2 3C#2", melds=TABLE, out=True, joker_swap=True, taken="3C#2")
PLAIN = position("7H 8H 7H#2 JK#2 3C#2", melds=TABLE, out=True)
NOT_OUT = position("7H 7S 7C 8H JK#2 3C#2", melds=TABLE, joker_swap=True)
DRAWING = position("7H 8H", phase="draw", discard_draw="after_out")
IDLE = replace(position("7H 8H", phase="draw", discard_draw="after_out"), idle_turns=36)
OPENING = position("7H 8H", phase="opening")
WON = after(position("7H", out=True), RommeDiscard("7H#1"))
EXHAUSTED = replace(WON, score_sheet=(replace(WON.score_sheet[0], reason="exhausted"),))
MATCH_WON = after(position("7H", out=True, rounds=1), RommeDiscard("7H#1"))
BY_POINTS = after(
    position("7H", out=True, match_end="points", target_score=100, totals=(0, 99, 99)), RommeDiscard("7H#1")
)
SEAT_ONE_CARD = RommeLay((RommeChosenMeld((RommeChosenCard("XX"),)),))

ORDER: list[tuple[str, RommeState, int, RommeMove, str, str]] = [
    # each move also breaks what is checked later
    ("match over before seat", MATCH_WON, 9, RommeDrawStock(), "match_over", "R-66"),
    ("match over by points", BY_POINTS, 0, RommeDrawStock(), "match_over", "R-67"),
    ("seat before turn", SWAPPING, 3, SEAT_ONE_CARD, "not_seated", "R-5"),
    ("negative seat", SWAPPING, -1, SEAT_ONE_CARD, "not_seated", "R-5"),
    ("before the first deal", before(), 1, SEAT_ONE_CARD, "wrong_phase", "R-13"),
    ("after a won round", WON, 1, SEAT_ONE_CARD, "wrong_phase", "R-54"),
    ("after an exhausted round", EXHAUSTED, 0, RommeDiscard("XX"), "wrong_phase", "R-59"),
    ("turn before phase", OPENING, 1, RommeDrawStock(), "not_your_turn", "R-13"),
    ("opening", OPENING, 0, SEAT_ONE_CARD, "wrong_phase", "R-11"),
    ("phase before option", SWAPPING, 0, RommeDrawPile(), "wrong_phase", "R-13"),
    ("phase before card", DRAWING, 0, RommeDiscard("XX"), "wrong_phase", "R-13"),
    ("option before idle turns", IDLE, 0, RommeDrawPile(), "discard_draw_not_out", "R-15"),
    ("swap disabled before out", PLAIN, 0, RommeSwapJoker("m9", "XX", "XX"), "swap_disabled", "R-49"),
    ("out before meld, lay off", NOT_OUT, 0, RommeLayOff("m9", ()), "not_out", "R-44"),
    ("out before meld, swap", NOT_OUT, 0, RommeSwapJoker("m9", "XX", "XX"), "not_out", "R-49"),
    ("meld before nothing", SWAPPING, 0, RommeLayOff("m9", ()), "unknown_meld", "R-32"),
    ("meld before joker", SWAPPING, 0, RommeSwapJoker("m9", "XX", "XX"), "unknown_meld", "R-32"),
    ("joker before card", SWAPPING, 0, RommeSwapJoker("m2", "JK#1", "XX"), "no_joker", "R-49"),
    ("a real card is no joker", SWAPPING, 0, RommeSwapJoker("m1", "5H#1", "XX"), "no_joker", "R-49"),
    ("nothing to lay off", SWAPPING, 0, RommeLayOff("m1", ()), "nothing_to_lay", "R-41"),
    ("nothing to lay", SWAPPING, 0, RommeLay(()), "nothing_to_lay", "R-41"),
    ("nothing prepared", SWAPPING, 0, RommeLay(), "nothing_to_lay", "R-41"),
    ("name before twice", SWAPPING, 0, lay("XX XX", "7H 7H"), "invalid_card", "R-2"),
    ("a face is no card", SWAPPING, 0, RommeDiscard("7H"), "invalid_card", "R-2"),
    ("twice before hand", SWAPPING, 0, lay("KD KD", "9S"), "duplicate_card", "R-2"),
    ("twice in two melds", SWAPPING, 0, lay("7H 8H", "7H"), "duplicate_card", "R-2"),
    ("hand before face", SWAPPING, 0, lay("JK#2", "KD"), "card_not_in_hand", "R-2"),
    ("hand, lay off", SWAPPING, 0, lay_off("JK#2 KD"), "card_not_in_hand", "R-2"),
    ("hand, swap", SWAPPING, 0, RommeSwapJoker("m1", "JK#1", "KD#1"), "card_not_in_hand", "R-2"),
    ("hand, discard", SWAPPING, 0, RommeDiscard("KD#1"), "card_not_in_hand", "R-2"),
    ("face of a later meld before size", NOT_OUT, 0, lay("7H", "JK#2 8H"), "joker_face_missing", "R-28"),
    ("face, lay off", SWAPPING, 0, lay_off("JK#2"), "joker_face_missing", "R-28"),
    ("size of a later meld before jokers", NOT_OUT, 0, lay("7H 7S 8H", "7C"), "meld_too_small", "R-20"),
    ("an empty meld", NOT_OUT, 0, RommeLay((RommeChosenMeld(()),)), "meld_too_small", "R-20"),
    ("shape before points", NOT_OUT, 0, lay("7H 7S 8H"), "meld_invalid", "R-21"),
    ("a joker for a joker", SWAPPING, 0, RommeSwapJoker("m1", "JK#1", "JK#2"), "swap_wrong_card", "R-49"),
    ("points before the kept card", NOT_OUT, 0, lay("7H 7S 7C"), "first_meld_too_low", "R-33"),
    ("just taken", SWAPPING, 0, RommeDiscard("3C#2"), "discard_just_taken", "R-24"),
]


@pytest.mark.parametrize(
    ("state", "seat", "move", "code", "rule"), [row[1:] for row in ORDER], ids=[row[0] for row in ORDER]
)
def test_the_first_reason_is_given(state: RommeState, seat: int, move: RommeMove, code: str, rule: str) -> None:
    answer = rejected(state, move, seat=seat)
    assert (answer.code, answer.rule) == (code, rule)


def test_jokers_of_a_later_meld_come_before_the_shape_of_an_earlier_one() -> None:
    state = position("7H 8S 9C 5D JK#1 JK#2 KS")
    assert rejected(state, lay("7H 8S 9C", "5D JK#1=6D JK#2=7D")) == Rejection("too_many_jokers", "R-26")


def test_points_come_before_the_kept_card_and_the_kept_card_last() -> None:
    state = position("7H 7S 7C QH KH AH 2D", taken="2D")
    assert rejected(state, lay("7H 7S 7C")).code == "first_meld_too_low"
    assert rejected(state, lay("7H 7S 7C", "QH KH AH")) == Rejection("must_keep_discard", "R-53")


def test_drafts_are_judged_between_hand_and_shape() -> None:
    own = privately(NOT_OUT, private_stream.new(), prepare("7H 7S 7C"))
    assert private_stream.resolve(NOT_OUT, 0, own, RommeDiscard("KD#1")) == Rejection("card_not_in_hand", "R-2")
    assert private_stream.resolve(NOT_OUT, 0, own, RommeDiscard("8H#1")) == Rejection("drafts_open", "R-42")
    assert private_stream.decide(NOT_OUT, 0, own, prepare("7H JK#2")) == Rejection("card_reserved", "R-39")
    assert private_stream.decide(NOT_OUT, 0, own, prepare("8H JK#2")) == Rejection("joker_face_missing", "R-28")
    assert private_stream.decide(NOT_OUT, 0, own, RommeTakeBack("p2")) == Rejection("unknown_draft", "R-40")
    assert private_stream.decide(NOT_OUT, 1, own, RommeTakeBack()) == Rejection("not_your_turn", "R-13")
    assert private_stream.decide(DRAWING, 0, private_stream.new(), RommeTakeBack()) == Rejection("wrong_phase", "R-13")
    just_taken = position("7H 7S 7C 8H", taken="8H")
    own = privately(just_taken, private_stream.new(), prepare("7H 7S 7C"))
    assert private_stream.resolve(just_taken, 0, own, RommeDiscard("8H#1")) == Rejection("drafts_open", "R-42")


def test_every_refusal_is_explained() -> None:
    numbers = {rule.number for rule in ROMME_1.rules}
    assert numbers == {f"R-{number}" for number in range(1, 92)}
    assert {row[4] for row in ORDER} <= set(ROMME_1.rejections)
