"""Coming out, preparing and laying off: worked cases W-45 to W-79."""

import pytest

from domain.decider import Rejection
from domain.games.romme import private_stream
from domain.games.romme.facts import (
    RommeCardDiscarded,
    RommeCardsLaidOff,
    RommeMeldPrepared,
    RommeMeldsLaid,
    RommeMeldsTakenBack,
    RommeRoundEnded,
)
from domain.games.romme.moves import (
    RommeDiscard,
    RommeDrawStock,
    RommeLay,
    RommeLayOff,
    RommeSwapJoker,
    RommeTakeBack,
)
from tests.games.romme.positions import (
    accepted,
    after,
    code,
    lay,
    lay_off,
    position,
    prepare,
    private_facts,
    privately,
    rejected,
)

LOOSE = "3C#2 KD#2"
FIRST_LAYS = [
    ("W-45", 30, ["9D TD JD"], (29, 30)),
    ("W-46", 30, ["7H 7S 7C", "2H 3H JK#1=4H"], 30),
    ("W-47", 40, ["QH KH JK#1=AH"], (31, 40)),
    ("W-48", 40, ["QH KH JK#1=AH", "4C 4S 4D"], 43),
    ("W-49", 40, ["TC TS TH", "AS 2S 3S"], (36, 40)),
    ("W-50", 0, ["AS 2S 3S"], 6),
]


@pytest.mark.parametrize(("case", "minimum", "melds", "result"), FIRST_LAYS, ids=[row[0] for row in FIRST_LAYS])
def test_the_first_lay_must_reach_the_minimum(
    case: str, minimum: int, melds: list[str], result: int | tuple[int, int]
) -> None:
    hand = " ".join(word.split("=")[0] for meld in melds for word in meld.split())
    state = position(f"{hand} {LOOSE}", first_meld_min=minimum)
    if isinstance(result, tuple):
        have, need = result
        assert rejected(state, lay(*melds)) == Rejection("first_meld_too_low", "R-33", have=have, need=need), case
        return
    (fact,), state = accepted(state, lay(*melds))
    assert isinstance(fact, RommeMeldsLaid)
    assert (fact.points, fact.came_out, state.first_lay[0]) == (result, True, result)
    assert state.is_out(0)
    assert [meld.id for meld in state.melds] == [f"m{number}" for number in range(1, len(melds) + 1)]


def test_w_51_without_a_minimum_one_still_has_to_lay_first() -> None:
    state = position(f"8H {LOOSE}", melds=["5H 6H 7H"], first_meld_min=0)
    assert rejected(state, lay_off("8H")) == Rejection("not_out", "R-44")


def test_w_52_after_a_lay_that_was_too_low_another_may_be_tried_in_the_same_turn() -> None:
    state = position(f"7H 7S 7C AS 2S 3S 9D TD JD {LOOSE}")
    refused = rejected(state, lay("7H 7S 7C", "AS 2S 3S"))
    assert (refused.code, refused.have) == ("first_meld_too_low", 27)
    (fact,), _ = accepted(state, lay("7H 7S 7C", "9D TD JD"))
    assert isinstance(fact, RommeMeldsLaid)
    assert fact.points == 50


def test_w_53_melds_of_two_commands_do_not_add_up() -> None:
    state = position(f"7H 7S 7C 9D TD JD {LOOSE}")
    refused = rejected(state, lay("7H 7S 7C"))
    assert (refused.code, refused.have, refused.need) == ("first_meld_too_low", 21, 30)
    (fact,), _ = accepted(state, lay("7H 7S 7C", "9D TD JD"))
    assert isinstance(fact, RommeMeldsLaid)
    assert fact.points == 50


def test_w_54_once_out_a_seat_lays_off_and_lays_in_the_same_turn() -> None:
    state = position(f"QH KH AH 8H 2C 2S 2H {LOOSE}", melds=["5H 6H 7H"])
    state = after(state, lay("QH KH AH"), lay_off("8H"), lay("2C 2S 2H"))
    assert [meld.points for meld in state.melds] == [18, 31, 6]
    assert state.melds[0].slots[-1].card == "8H#1"


THIRTEEN = ["7H 7S 7C", "9D TD JD", "QS KS AS", "4H 5H 6H JK#1=7H"]
FOURTEEN_CARDS = "7H 7S 7C 9D TD JD QS KS AS 4H 5H 6H JK#1 2C#1"


def test_w_55_the_just_taken_card_cannot_be_the_one_that_is_kept() -> None:
    state = position(FOURTEEN_CARDS, taken="2C")
    assert rejected(state, lay(*THIRTEEN)) == Rejection("must_keep_discard", "R-53")


def test_w_56_a_card_from_the_stock_can_be_kept_and_makes_a_hand_romme() -> None:
    state = position(FOURTEEN_CARDS, drawn="2C")
    state = after(state, lay(*THIRTEEN))
    facts, state = accepted(state, RommeDiscard("2C#1"))
    ended = facts[1]
    assert isinstance(ended, RommeRoundEnded)
    assert (ended.reason, ended.winners, ended.hand_romme) == ("out", (0,), True)


def test_w_57_what_is_prepared_blocks_the_discard_until_it_is_taken_back() -> None:
    state = position("7H 7S 7C 4D 2C 3S 5H 6D 8C 9S TH JD QC KS")
    facts, own = private_facts(state, private_stream.new(), prepare("7H 7S 7C"))
    (fact,) = facts
    assert isinstance(fact, RommeMeldPrepared)
    assert (fact.draft, fact.points, fact.sum, fact.missing) == ("p1", 21, 21, 9)
    discard = RommeDiscard("4D#1")
    assert private_stream.resolve(state, 0, own, discard) == Rejection("drafts_open", "R-42")
    facts, own = private_facts(state, own, RommeTakeBack())
    assert facts == (RommeMeldsTakenBack(("p1",)),)
    assert private_stream.resolve(state, 0, own, discard) == discard
    made, state = accepted(state, discard)
    assert made == (RommeCardDiscarded(0, "4D#1"),), "others see nothing but the discard"
    assert not state.is_out(0)
    assert len(state.hands[0]) == 13


def test_w_58_laying_without_a_list_lays_everything_prepared() -> None:
    state = position(f"7H 7S 7C 2H 3H JK#1 {LOOSE}")
    own = privately(state, private_stream.new(), prepare("7H 7S 7C"), prepare("2H 3H JK#1=4H"))
    assert [draft.draft for draft in private_stream.open_drafts(state, 0, own)] == ["p1", "p2"]
    move = private_stream.resolve(state, 0, own, RommeLay())
    assert not isinstance(move, Rejection)
    (fact,), state = accepted(state, move)
    assert isinstance(fact, RommeMeldsLaid)
    assert (len(fact.melds), fact.points, fact.came_out) == (2, 30, True)
    assert private_stream.open_drafts(state, 0, own) == ()


def test_w_59_a_reserved_card_cannot_be_prepared_again_but_its_twin_can() -> None:
    state = position(f"7H#1 7H#2 7S 7C 8H 9H {LOOSE}")
    own = privately(state, private_stream.new(), prepare("7H#1 7S 7C"))
    refused = private_stream.decide(state, 0, own, prepare("7H#1 8H 9H"))
    assert refused == Rejection("card_reserved", "R-39")
    own = privately(state, own, prepare("7H#2 8H 9H"))
    assert [draft.draft for draft in private_stream.open_drafts(state, 0, own)] == ["p1", "p2"]


def test_w_60_only_valid_melds_can_be_prepared() -> None:
    state = position(f"7H 8S 9C {LOOSE}")
    assert private_stream.decide(state, 0, private_stream.new(), prepare("7H 8S 9C")) == Rejection(
        "meld_invalid", "R-21"
    )


LAY_OFFS = [
    ("W-61", "5H 6H JK#1=7H", "7H#2", "meld_invalid"),
    ("W-62", "5H 6H JK#1=7H", "8H", "ok"),
    ("W-63", "5H 6H JK#1=7H", "4H", "ok"),
    ("W-64", "5H 6H JK#1=7H", "9H", "meld_invalid"),
    ("W-65", "5H 6H JK#1=7H", "8H 9H", "ok"),
    ("W-66", "5H 6H JK#1=7H", "JK#2=8H", "ok"),
    ("W-67", "5H 6H JK#1=7H JK#2=8H", "JK#3=9H", "too_many_jokers"),
    ("W-68", "5H 6H JK#1=7H JK#2=8H", "JK#3=9H TH", "ok"),
    ("W-69", "JK#1=4H 5H 6H", "4H", "meld_invalid"),
    ("W-70", "JK#1=4H 5H 6H", "3H 7H", "ok"),
    ("W-71", "QS KS AS", "2S", "meld_invalid"),
    ("W-72", "AS 2S 3S", "KS", "meld_invalid"),
    ("W-73", "2S 3S 4S", "AS", "ok"),
    ("W-74", "JS QS KS", "AS", "ok"),
    ("W-75", "7C 7S JK#1=7H", "7D", "ok"),
    ("W-76", "7C 7S JK#1=7H", "7H", "meld_invalid"),
    ("W-77", "7C 7S JK#1=7H", "JK#2=7D", "ok"),
    ("W-78", "7C 7S 7H 7D", "JK#1=7C", "meld_invalid"),
    ("W-79", "7C 7S 7H", "7H#2", "meld_invalid"),
]
RULES_OF_FAULTS = {
    "W-61": "R-22",
    "W-64": "R-46",
    "W-67": "R-26",
    "W-69": "R-22",
    "W-71": "R-46",
    "W-72": "R-46",
    "W-76": "R-20",
    "W-78": "R-20",
    "W-79": "R-23",
}


@pytest.mark.parametrize(("case", "meld", "added", "result"), LAY_OFFS, ids=[row[0] for row in LAY_OFFS])
def test_cards_are_laid_off_where_they_fit(case: str, meld: str, added: str, result: str) -> None:
    hand = " ".join(word.split("=")[0] for word in added.split())
    state = position(f"{hand} {LOOSE}", melds=[meld], out=True)
    assert code(state, lay_off(added)) == result
    if result != "ok":
        assert rejected(state, lay_off(added)).rule == RULES_OF_FAULTS[case]
        return
    (fact,), changed = accepted(state, lay_off(added))
    assert isinstance(fact, RommeCardsLaidOff)
    assert fact.slots == changed.melds[0].slots
    assert set(state.melds[0].slots) < set(fact.slots), "what lies there stays as it is"
    assert changed.melds[0].points == state.melds[0].points
    assert changed.hands[0] == state.hands[0][-2:]


def test_the_ace_of_thirteen_cards_goes_where_the_move_says() -> None:
    run = "2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS"
    state = position(f"AS {LOOSE}", melds=[run], out=True)
    assert after(state, lay_off("AS")).melds[0].slots[-1].card == "AS#1"
    low = lay_off("AS")
    assert after(state, RommeLayOff(low.meld, low.cards, "low")).melds[0].slots[0].card == "AS#1"
    declared = position(f"JK#1 {LOOSE}", melds=[run], out=True)
    assert after(declared, RommeLayOff("m1", lay_off("JK#1=AS").cards, "low")).melds[0].slots[0].face == "AS"


def test_an_ace_that_lies_keeps_its_end() -> None:
    state = position(f"KS {LOOSE}", melds=["AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS"], out=True)
    (meld,) = after(state, RommeLayOff("m1", lay_off("KS").cards, "high")).melds
    assert [meld.slots[0].face, meld.slots[-1].face] == ["AS", "KS"]


def test_drafts_end_with_a_lay_that_names_its_melds_and_their_names_are_not_used_again() -> None:
    state = position(f"7H 7S 7C QH KH AH 2C 2S 2D {LOOSE}")
    own = privately(state, private_stream.new(), prepare("7H 7S 7C"), prepare("2C 2S 2D"))
    move = private_stream.resolve(state, 0, own, lay("7H 7S 7C", "QH KH AH"))
    assert move == lay("7H 7S 7C", "QH KH AH"), "a list may name reserved cards"
    assert not isinstance(move, Rejection)
    state = after(state, move)
    assert private_stream.open_drafts(state, 0, own) == ()
    assert private_stream.resolve(state, 0, own, RommeDiscard("3C#2")) == RommeDiscard("3C#2")
    facts, own = private_facts(state, own, prepare("2C 2S 2D"))
    assert isinstance(facts[0], RommeMeldPrepared)
    assert (facts[0].draft, facts[0].sum, facts[0].missing) == ("p3", 6, 0)


def test_a_lay_that_fails_leaves_the_drafts_as_they_are() -> None:
    state = position(f"7H 7S 7C 2C 2S 2D {LOOSE}")
    own = privately(state, private_stream.new(), prepare("7H 7S 7C"), prepare("2C 2S 2D"))
    refused = private_stream.resolve(state, 0, own, RommeLay())
    assert refused == Rejection("first_meld_too_low", "R-33", have=27, need=30)
    assert len(private_stream.open_drafts(state, 0, own)) == 2


def test_drafts_never_outlive_their_turn() -> None:
    state = position(f"7H 7S 7C {LOOSE}", seats=2)
    own = privately(state, private_stream.new(), prepare("7H 7S 7C"))
    later = after(state, RommeDiscard("3C#2"), RommeDrawStock())
    later = after(later, RommeDiscard(later.hands[1][0]), RommeDrawStock())
    assert later.turn == 0
    assert private_stream.open_drafts(later, 0, own) == ()
    facts, _ = private_facts(later, own, prepare("7H 7S 7C"))
    assert isinstance(facts[0], RommeMeldPrepared)
    assert facts[0].draft == "p1"


def test_reserved_cards_are_neither_laid_off_nor_swapped() -> None:
    melds = ["5H 6H JK#1=7H", "2C 3C 4C"]
    state = position(f"7H 8H 9H {LOOSE}", melds=melds, out=True, joker_swap=True)
    own = privately(state, private_stream.new(), prepare("7H 8H 9H"))
    reserved = Rejection("card_reserved", "R-39")
    assert private_stream.resolve(state, 0, own, lay_off("8H")) == reserved
    assert private_stream.resolve(state, 0, own, RommeSwapJoker("m1", "JK#1", "7H#1")) == reserved
    assert code(state, lay_off("8H")) == "ok", "the table's own rules know nothing of drafts"
