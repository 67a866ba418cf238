"""Joker swaps, draws, discards and going out: worked cases W-80 to W-104."""

import pytest
from msgspec.structs import replace

from domain.decider import Rejection
from domain.games.romme.facts import RommeCardDiscarded, RommeCardDrawn, RommePileDrawn, RommeRoundEnded
from domain.games.romme.moves import (
    RommeDiscard,
    RommeDrawPile,
    RommeDrawStock,
    RommePrepare,
    RommeSwapJoker,
)
from domain.games.romme.private_stream import decide as decide_private
from domain.games.romme.private_stream import new as nothing_private
from tests.games.romme.positions import accepted, after, chosen_cards, code, lay, lay_off, position, rejected

LOOSE = "3C#2 KD#2"
SWAPS = [
    ("W-80", "5H 6H JK#1=7H", "7H#2", "ok"),
    ("W-81", "5H 6H JK#1=7H", "4H#1", "swap_wrong_card"),
    ("W-82", "5H 6H JK#1=7H", "8H#1", "swap_wrong_card"),
    ("W-83", "7C 7S JK#1=7H", "7D#1", "swap_wrong_card"),
    ("W-84", "7C 7S JK#1=7H", "7H#1", "ok"),
    ("W-85", "QS JK#1=KS AS", "AS#2", "swap_wrong_card"),
    ("W-86", "QS JK#1=KS AS", "KS#2", "ok"),
]


@pytest.mark.parametrize(("case", "meld", "card", "result"), SWAPS, ids=[row[0] for row in SWAPS])
def test_a_joker_is_had_only_for_the_face_it_shows(case: str, meld: str, card: str, result: str) -> None:
    state = position(f"{card} {LOOSE}", melds=[meld], out=True, joker_swap=True)
    move = RommeSwapJoker("m1", "JK#1", card)
    assert code(state, move) == result, case
    if result != "ok":
        assert rejected(state, move).rule == "R-49"


def test_w_87_swapping_needs_the_house_rule_and_to_be_out() -> None:
    move = RommeSwapJoker("m1", "JK#1", "7H#2")
    off = position(f"7H#2 {LOOSE}", melds=["5H 6H JK#1=7H"], out=True)
    assert rejected(off, move) == Rejection("swap_disabled", "R-49")
    not_out = position(f"7H#2 {LOOSE}", melds=["5H 6H JK#1=7H"], joker_swap=True)
    assert rejected(not_out, move) == Rejection("not_out", "R-49")


def test_w_88_the_joker_comes_to_the_right_of_the_hand_and_costs_twenty() -> None:
    state = position(f"7H#2 {LOOSE}", melds=["5H 6H JK#1=7H"], out=True, joker_swap=True, others=["4C"], seats=2)
    state = after(state, RommeSwapJoker("m1", "JK#1", "7H#2"))
    assert [slot.card for slot in state.melds[0].slots] == ["5H#1", "6H#1", "7H#2"]
    assert state.hands[0][-1] == "JK#1"
    state = after(state, RommeDiscard("KD#2"), RommeDrawStock())
    drawn = state.drawn
    assert drawn is not None
    state = replace(state, hands=(state.hands[0], (drawn,)), entered=(state.entered[0], (1,)))
    facts, _ = accepted(state, RommeDiscard(drawn))
    ended = facts[1]
    assert isinstance(ended, RommeRoundEnded)
    assert ended.hands[0] == ("3C#2", "JK#1")
    assert ended.values == (23, 0)


def test_w_89_the_ban_on_the_just_taken_card_lasts_though_it_was_laid_meanwhile() -> None:
    state = position("JK#2 7H 4C", melds=["4H 5H 6H"], out=True, joker_swap=True, taken="JK#2")
    state = after(state, lay_off("JK#2=7H"), RommeSwapJoker("m1", "JK#2", "7H#1"))
    assert rejected(state, RommeDiscard("JK#2")) == Rejection("discard_just_taken", "R-24")
    assert code(state, RommeDiscard("4C#1")) == "ok"


def test_w_90_a_swap_may_not_leave_the_just_taken_card_alone() -> None:
    state = position("JK#2 7H", melds=["4H 5H 6H"], out=True, joker_swap=True, taken="JK#2")
    state = after(state, lay_off("JK#2=7H"))
    assert rejected(state, RommeSwapJoker("m1", "JK#2", "7H#1")) == Rejection("must_keep_discard", "R-53")
    facts, _ = accepted(state, RommeDiscard("7H#1"))
    assert isinstance(facts[1], RommeRoundEnded)
    assert facts[1].winners == (0,)


# drawing and discarding


def test_w_91_the_card_taken_from_the_pile_is_not_discarded() -> None:
    state = after(position(LOOSE, phase="draw", pile="QS"), RommeDrawPile())
    assert state.taken == "QS#1"
    assert rejected(state, RommeDiscard("QS#1")) == Rejection("discard_just_taken", "R-24")


def test_w_92_its_twin_may_be_discarded() -> None:
    state = after(position(f"QS#2 {LOOSE}", phase="draw", pile="QS#1"), RommeDrawPile())
    assert code(state, RommeDiscard("QS#2")) == "ok"


def test_w_93_in_the_next_turn_the_ban_is_over() -> None:
    state = after(position(LOOSE, phase="draw", pile="QS", seats=2), RommeDrawPile(), RommeDiscard("KD#2"))
    state = after(state, RommeDrawStock())
    state = after(state, RommeDiscard(state.hands[1][0]), RommeDrawStock())
    assert (state.turn, state.taken) == (0, None)
    assert code(state, RommeDiscard("QS#1")) == "ok"


def test_w_94_a_card_from_the_stock_may_be_discarded_at_once() -> None:
    state = position(f"{LOOSE} QS", drawn="QS")
    assert code(state, RommeDiscard("QS#1")) == "ok"


def test_w_95_the_starter_only_discards() -> None:
    state = position("7H 7S 7C QH KH AH 5D 2C 3S 4H 6D 8C 9S TH", phase="opening")
    only_a_discard = Rejection("wrong_phase", "R-11")
    assert rejected(state, RommeDrawStock()) == only_a_discard
    assert rejected(state, lay("7H 7S 7C", "QH KH AH")) == only_a_discard
    assert decide_private(state, 0, nothing_private(), RommePrepare(chosen_cards("7H 7S 7C"))) == only_a_discard
    facts, state = accepted(state, RommeDiscard("5D#1"))
    assert facts == (RommeCardDiscarded(0, "5D#1"),)
    assert (len(state.hands[0]), state.turn, state.phase, state.idle_turns) == (13, 1, "draw", 0)


def test_w_96_nothing_is_discarded_or_laid_before_the_draw() -> None:
    state = position(f"7H 7S 7C QH KH AH {LOOSE}", phase="draw")
    assert rejected(state, RommeDiscard("7H#1")) == Rejection("wrong_phase", "R-13")
    assert rejected(state, lay("7H 7S 7C", "QH KH AH")) == Rejection("wrong_phase", "R-13")


def test_w_97_there_is_no_second_draw() -> None:
    state = after(position(LOOSE, phase="draw"), RommeDrawStock())
    assert rejected(state, RommeDrawPile()) == Rejection("wrong_phase", "R-13")
    assert rejected(state, RommeDrawStock()) == Rejection("wrong_phase", "R-13")


def test_w_98_others_have_to_wait() -> None:
    state = position(LOOSE, phase="draw")
    assert rejected(state, RommeDrawStock(), seat=1) == Rejection("not_your_turn", "R-13")


def test_w_99_a_joker_may_be_discarded_and_the_next_seat_may_take_it() -> None:
    state = after(position(f"JK#4 {LOOSE}"), RommeDiscard("JK#4"))
    facts, state = accepted(state, RommeDrawPile())
    assert facts == (RommePileDrawn(1, "JK#4"),)
    assert state.hands[1][-1] == "JK#4"


def test_w_100_a_house_rule_keeps_the_pile_for_seats_that_are_out() -> None:
    state = position(LOOSE, phase="draw", discard_draw="after_out")
    assert rejected(state, RommeDrawPile()) == Rejection("discard_draw_not_out", "R-15")
    assert code(position(LOOSE, phase="draw", out=True, discard_draw="after_out"), RommeDrawPile()) == "ok"


def test_w_101_after_36_idle_turns_of_three_seats_the_stock_must_be_drawn_from() -> None:
    state = position("2C 4D 6H 8S TC QD AH 3S 5C 7D 9H JS KC", phase="draw", pile="9C")
    while state.idle_turns < 36:
        assert code(state, RommeDrawPile()) == "ok", state.idle_turns
        state = after(state, RommeDrawPile())
        state = after(state, RommeDiscard(state.hands[state.turn][0]))
    assert rejected(state, RommeDrawPile()) == Rejection("must_draw_stock", "R-19")
    facts, state = accepted(state, RommeDrawStock())
    assert isinstance(facts[0], RommeCardDrawn)
    assert after(state, RommeDiscard(state.hands[state.turn][0])).idle_turns == 0


def test_laying_ends_the_idle_turns_as_drawing_from_the_stock_does() -> None:
    state = replace(position(f"QH KH AH {LOOSE}", taken="KD#2"), idle_turns=7)
    assert after(state, RommeDiscard("3C#2")).idle_turns == 8
    assert after(state, lay("QH KH AH"), RommeDiscard("3C#2")).idle_turns == 0


def test_w_102_the_last_card_is_never_laid_off() -> None:
    state = position("8H 9H", melds=["5H 6H 7H"], out=True, drawn="9H")
    assert rejected(state, lay_off("8H 9H")) == Rejection("must_keep_discard", "R-53")


def test_w_103_the_last_card_is_discarded() -> None:
    state = after(position("8H 9H", melds=["5H 6H 7H"], out=True, drawn="9H"), lay_off("8H"))
    facts, state = accepted(state, RommeDiscard("9H#1"))
    assert isinstance(facts[1], RommeRoundEnded)
    assert (facts[1].winners, state.phase, facts[1].hand_romme) == ((0,), "over", False)


def test_w_104_the_just_taken_card_cannot_be_the_last() -> None:
    state = position("8H 9H", melds=["5H 6H 7H"], out=True, taken="9H")
    assert rejected(state, lay_off("8H")) == Rejection("must_keep_discard", "R-53")
    assert rejected(state, lay_off("9H")) == Rejection("meld_invalid", "R-46")
    assert code(state, RommeDiscard("8H#1")) == "ok"
