"""The worked cases of drawing, laying off and discarding, VC-38 to VC-54."""

import msgspec
import pytest

from domain.games.von_herzen.moves import (
    VonHerzenDiscard,
    VonHerzenDrawPile,
    VonHerzenEndTurn,
    VonHerzenLay,
    VonHerzenLayOff,
)
from tests.games.von_herzen.play import GAME
from tests.games.von_herzen.positions import after, cards, laid, melding, refused


def test_vc_38_an_empty_pile_cannot_be_drawn_from() -> None:
    state = melding(["7S", "8S", "9S"], turn=1, phase="draw", stock="TC JC QC")
    assert refused(state, 1, VonHerzenDrawPile("9H")) == ("pile_empty", "V-30")


def test_vc_39_with_a_card_to_draw_nothing_is_laid_before() -> None:
    state = melding(["7S", "8H 9D TH 7C", "9S", "TS"], turn=1, phase="draw", pile="9H", turn_number=4)
    assert refused(state, 1, VonHerzenLay(cards("8H 9D TH"))) == ("wrong_step", "V-29")
    state = after(state, (1, VonHerzenDrawPile("9H")), (1, VonHerzenLay(cards("8H 9D TH"))))
    assert laid(state) == ["8H 9D TH"]


def test_vc_40_with_nothing_to_draw_the_turn_begins_with_laying() -> None:
    # given: the seat before ends its turn, stock and pile are empty
    state = melding(["7S 8S", "8H 9D TH 7C", "9S", "TS"], turn=0, turn_number=3)
    state = after(state, (0, VonHerzenEndTurn()))
    assert (state.phase, state.turn) == ("lay", 1)
    # when, then
    assert laid(after(state, (1, VonHerzenLay(cards("8H 9D TH"))))) == ["8H 9D TH"]


def test_vc_41_a_card_below_the_top_of_the_pile_may_be_taken_only_where_any_may() -> None:
    hands = ["7S", "8S", "TS"]
    state = melding(hands, turn=1, phase="draw", pile="KS 9H")
    assert refused(state, 1, VonHerzenDrawPile("KS")) == ("not_top_of_pile", "V-32")
    state = after(melding(hands, turn=1, phase="draw", pile="KS 9H", pile_pick="any"), (1, VonHerzenDrawPile("KS")))
    assert (state.pile, state.hands[1]) == (("9H",), ("8S", "KS"))


def test_vc_42_a_card_taken_from_the_pile_may_be_discarded_again() -> None:
    state = melding(["7S", "8S", "TS"], turn=1, phase="draw", pile="9H")
    state = after(state, (1, VonHerzenDrawPile("9H")))
    assert state.taken[1] == ("9H",)
    state = after(state, (1, VonHerzenDiscard("9H")))
    assert (state.pile, state.taken[1], state.turn) == (("9H",), (), 2)


def test_vc_43_who_has_not_come_out_cannot_lay_off() -> None:
    state = melding(["7S", "8S", "JD QS KC AS", "9S"], turn=2, melds=[(1, "8H 9D TH")])
    assert refused(state, 2, VonHerzenLayOff("JD", 0, "up")) == ("not_out", "V-43")


def test_vc_44_coming_out_allows_laying_off_in_the_same_turn() -> None:
    state = melding(["7S", "8S", "JD QS KC AS 7C", "9S"], turn=2, melds=[(1, "8H 9D TH")])
    state = after(state, (2, VonHerzenLay(cards("QS KC AS"))), (2, VonHerzenLayOff("JD", 0, "up")))
    assert (laid(state), state.melds[0].owner) == (["8H 9D TH JD", "QS KC AS"], 1)


def test_vc_45_a_joker_cannot_be_added_to_the_run_of_another() -> None:
    state = melding(["7S", "8S", "JS 7C", "9S"], turn=2, melds=[(1, "8H 9D TH"), (2, "QS KC AS")])
    assert refused(state, 2, VonHerzenLayOff("JS", 0, "up")) == ("joker_on_foreign_run", "V-44")


def test_vc_46_a_joker_may_be_added_to_the_own_run_unless_the_option_forbids_it() -> None:
    hands, melds = ["7S", "JS 7C", "9S", "TS"], [(1, "8H 9D TH")]
    state = after(melding(hands, turn=1, melds=melds), (1, VonHerzenLayOff("JS", 0, "up")))
    assert (laid(state), state.melds[0].joker) == (["8H 9D TH JS"], "JS")
    state = melding(hands, turn=1, melds=melds, own_joker_layoff=False)
    assert refused(state, 1, VonHerzenLayOff("JS", 0, "up")) == ("joker_layoff_off", "V-46")


def test_vc_47_a_run_takes_no_second_joker() -> None:
    state = melding(["7S", "7C 8C", "9S", "KS"], turn=1, melds=[(1, "8H 9D TS JH")])
    assert refused(state, 1, VonHerzenLayOff("7C", 0, "down")) == ("two_jokers", "V-37")


def test_vc_48_a_joker_on_the_table_is_never_exchanged() -> None:
    state = melding(["7S", "TH 8C", "9S", "KS"], turn=1, melds=[(1, "8H 9D TS JH")])
    assert refused(state, 1, VonHerzenLayOff("TH", 0, "up")) == ("card_does_not_fit", "V-45")
    assert refused(state, 1, VonHerzenLayOff("TH", 0, "down")) == ("card_does_not_fit", "V-45")
    for kind in ("swap_joker", "replace", "exchange"):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({"type": kind, "run": 0, "card": "TH", "joker": "TS"}, GAME.types.move)


def test_vc_49_laying_off_on_the_run_of_another_works_at_both_ends_and_round_the_corner() -> None:
    state = melding(["7S", "8S", "7C JS 8H", "9S"], turn=2, melds=[(0, "QS KC AS"), (2, "9H TD JH")])
    state = after(state, (2, VonHerzenLayOff("7C", 0, "up")), (2, VonHerzenLayOff("JS", 0, "down")))
    assert laid(state)[0] == "JS QS KC AS 7C"


@pytest.mark.parametrize(
    ("end", "run"), [("up", "8S 9S TC JS QS KC AS 7C"), ("down", "7C 8S 9S TC JS QS KC AS")], ids=["up", "down"]
)
def test_vc_50_a_run_of_seven_becomes_a_flute_at_either_end(end: str, run: str) -> None:
    state = melding(["7S", "8H", "7C 9H", "TH"], turn=2, melds=[(2, "8S 9S TC JS QS KC AS")])
    move = msgspec.convert({"type": "lay_off", "card": "7C", "run": 0, "end": end}, GAME.types.move)
    assert laid(after(state, (2, move))) == [run]


def test_vc_51_a_flute_takes_no_card() -> None:
    flute = "7C 8S 9S TC JS QS KC AS"
    state = melding(["7D", "8H", "7S 8C AC 9H", "TH"], turn=2, melds=[(2, flute)])
    for card in state.hands[2]:
        assert refused(state, 2, VonHerzenLayOff(card, 0, "up")) == ("run_closed", "V-49")
        assert refused(state, 2, VonHerzenLayOff(card, 0, "down")) == ("run_closed", "V-49")


def test_vc_52_runs_that_meet_stay_two_runs() -> None:
    state = melding(["7D", "TH 7C", "8S", "9S"], turn=1, melds=[(1, "7H 8H 9H"), (1, "JD QD KD")])
    state = after(state, (1, VonHerzenLayOff("TH", 0, "up")))
    assert laid(state) == ["7H 8H 9H TH", "JD QD KD"]
    for kind in ("join", "merge"):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert({"type": kind, "runs": [0, 1]}, GAME.types.move)


def test_vc_53_after_the_discard_the_turn_is_over() -> None:
    state = melding(["7D", "8H 9H TH 7C", "8S", "9S"], turn=1, turn_number=4)
    state = after(state, (1, VonHerzenDiscard("7C")))
    assert refused(state, 1, VonHerzenLay(cards("8H 9H TH"))) == ("not_your_turn", "V-53")


def test_vc_54_the_turn_may_end_without_a_discard() -> None:
    state = melding(["7D", "8H 9H TH 7C QS", "8S", "9S"], turn=1, turn_number=4)
    state = after(state, (1, VonHerzenEndTurn()))
    assert (state.turn, len(state.hands[1]), state.pile) == (2, 5, ())
