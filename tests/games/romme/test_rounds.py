"""Scoring, the match and the stock: worked cases W-105 to W-120."""

from typing import Any

import pytest
from msgspec.structs import replace

from domain.decider import Outcome
from domain.games.romme import ROMME_1
from domain.games.romme.deck import DECK, dealt_hands, first_stock, hand_value, in_deck_order
from domain.games.romme.facts import (
    RommeCardDiscarded,
    RommeFact,
    RommeMatchEnded,
    RommePackDealt,
    RommeRoundEnded,
    RommeRoundStarted,
    RommeStockEmptied,
    RommeStockShuffled,
)
from domain.games.romme.model import RommeState
from domain.games.romme.moves import RommeDiscard, RommeDrawStock
from domain.games.romme.rules import start
from domain.games.romme.scoring import ranking
from tests.games.romme.positions import CHANCE, accepted, after, before, cards, folded, lay, lay_off, position

LOSERS_HAND = "2C TD KS AH JK#1"


def ended(facts: tuple[RommeFact, ...]) -> RommeRoundEnded:
    (fact,) = [fact for fact in facts if isinstance(fact, RommeRoundEnded)]
    return fact


def test_w_105_a_loser_counts_the_cards_left() -> None:
    assert hand_value(cards(LOSERS_HAND)) == 2 + 10 + 10 + 11 + 20
    facts, _ = accepted(position("4D", out=True, others=[LOSERS_HAND], seats=2), RommeDiscard("4D#1"))
    assert ended(facts).points == (0, 53)


@pytest.mark.parametrize(("double", "points"), [(True, 106), (False, 53)])
def test_w_106_a_hand_romme_doubles_where_the_house_rule_says_so(double: bool, points: int) -> None:
    state = position(f"{THIRTEEN_CARDS} 4D", drawn="4D", others=[LOSERS_HAND], seats=2, hand_romme_double=double)
    facts, _ = accepted(after(state, lay(*THIRTEEN)), RommeDiscard("4D#1"))
    assert (ended(facts).hand_romme, ended(facts).values, ended(facts).points) == (True, (0, 53), (0, points))


THIRTEEN = ["7H 7S 7C", "9D TD JD", "QS KS AS", "5C 6C 7C#2 8C"]
THIRTEEN_CARDS = " ".join(THIRTEEN)


@pytest.mark.parametrize(("case", "hand", "value"), [("W-107", "7H 7S 7C 4D", 25), ("W-108", "AS 2S 3S", 16)])
def test_complete_melds_and_low_aces_count_in_full(case: str, hand: str, value: int) -> None:
    facts, _ = accepted(position("4C", out=True, others=[hand], seats=2), RommeDiscard("4C#1"))
    assert ended(facts).points == (0, value), case


def test_w_109_lay_offs_do_not_spoil_a_hand_romme() -> None:
    hand = "7H 7S 7C 9D TD JD JS QS KS AS 6C 7C#2 2C 4D"
    state = position(hand, melds=["3C 4C 5C", "2D 2H 2S"], drawn="4D", seats=2)
    state = after(state, lay("7H 7S 7C", "9D TD JD", "JS QS KS AS"), lay_off("6C 7C#2"), lay_off("2C", "m2"))
    facts, _ = accepted(state, RommeDiscard("4D#1"))
    assert ended(facts).hand_romme


def test_w_110_who_was_out_before_makes_no_hand_romme() -> None:
    state = position("7H 7S 7C 8H 4D", melds=["5H 6H 7H#2"], out=True, drawn="4D", others=["2C"], seats=2)
    state = after(state, lay("7H 7S 7C"), lay_off("8H"))
    facts, _ = accepted(state, RommeDiscard("4D#1"))
    assert (ended(facts).hand_romme, ended(facts).points) == (False, (0, 2))


def seat_1_wins(**given: Any) -> tuple[tuple[RommeFact, ...], RommeState]:
    """Totals 40, 12, 25; seat 1 makes a hand Rommé against hands of 53 and 18."""
    state = position("4D", others=["8H TH"], totals=(12, 25, 40), drawn="4D", **given)
    state = replace(
        state,
        turn=1,
        totals=(40, 12, 25),
        hands=(cards(LOSERS_HAND), cards("4D"), cards("8H TH")),
        entered=((1,) * 5, (1,), (1,) * 2),
        first_lay=(None, 30, None),
    )
    return accepted(state, RommeDiscard("4D#1"))


def test_w_111_doubled_points_are_added_to_the_totals() -> None:
    facts, state = seat_1_wins()
    assert ended(facts).hand_romme
    assert state.totals == (146, 12, 61)


def test_w_112_a_match_by_points_ends_with_the_limit() -> None:
    facts, state = seat_1_wins(match_end="points", target_score=100)
    assert facts[-1] == RommeMatchEnded((146, 12, 61), (3, 1, 2))
    assert ROMME_1.decider.outcome(state) == Outcome((146, 12, 61), (3, 1, 2))
    assert not ROMME_1.decider.to_act(state)
    facts, state = seat_1_wins(match_end="points", target_score=200)
    assert ROMME_1.decider.outcome(state) is None, "146 is below 200"


def test_w_113_equal_totals_share_a_place() -> None:
    assert ranking((30, 30, 45)) == (1, 1, 3)


def test_w_114_the_next_seat_starts_the_next_round() -> None:
    state = replace(before(seats=4), round=1, starter=2, phase="over")
    starters = []
    for _ in range(3):
        facts = start(state, CHANCE)
        assert isinstance(facts[0], RommeRoundStarted)
        starters.append(facts[0].starter)
        state = replace(folded(state, facts), phase="over")
    assert starters == [3, 0, 1]


# the stock


@pytest.mark.parametrize(("seats", "size"), [(2, 83), (3, 70), (4, 57), (5, 44), (6, 31)])
def test_w_115_the_stock_after_the_deal(seats: int, size: int) -> None:
    assert size == 109 - 13 * seats
    state = folded(before(seats=seats), start(before(seats=seats), CHANCE))
    assert state.stock_size == size
    assert sorted(map(len, state.hands)) == [13] * (seats - 1) + [14]
    assert state.pile == ()


def test_the_cards_go_round_from_the_starter() -> None:
    hands = dealt_hands(DECK, 2, 3)
    assert (hands[2][0], hands[0][0], hands[1][0], hands[2][1]) == DECK[:4]
    assert hands[2][-1] == DECK[39]
    assert first_stock(DECK, 3)[0] == DECK[40]


def last_card_of_the_stock(empties: int, hands: list[str], **given: Any) -> RommeState:
    """Four seats; seat 0 draws the last stock card in this turn; `empties` were counted before."""
    state = position(hands[0], others=hands[1:], phase="draw", seats=4, stock=1, **given)
    return replace(state, empties=empties)


def test_w_116_the_pile_but_its_top_card_becomes_the_new_stock() -> None:
    state = position("2C 3D 4H 5S 6D 7C 8H 9S TC JD QH KS AC", phase="draw", seats=4, stock=1)
    pile = state.pile
    facts, state = accepted(after(state, RommeDrawStock()), RommeDiscard("6D#1"))
    discarded, emptied, shuffled = facts
    assert discarded == RommeCardDiscarded(0, "6D#1")
    assert emptied == RommeStockEmptied(1)
    assert isinstance(shuffled, RommeStockShuffled)
    assert shuffled.order == CHANCE.shuffle(1, 1, in_deck_order(pile))
    assert (state.stock_size, state.pile, state.empties) == (57, ("6D#1",), 1)
    assert (state.turn, state.phase) == (1, "draw")


HANDS_OF_117 = ["2C TC", "TS KS TH", "2D TD", "JS QS KC KH 5C"]


def test_w_117_the_fourth_time_the_lowest_hands_win() -> None:
    state = after(last_card_of_the_stock(3, HANDS_OF_117), RommeDrawStock())
    drawn = state.drawn
    assert drawn is not None
    facts, state = accepted(state, RommeDiscard(drawn))
    assert facts[:2] == (RommeCardDiscarded(0, drawn), RommeStockEmptied(4))
    fact = ended(facts)
    assert (fact.reason, fact.values, fact.winners) == ("exhausted", (12, 30, 12, 45), (0, 2))
    assert (fact.points, fact.hand_romme) == ((0, 30, 0, 45), False)
    assert state.phase == "over"


def test_w_118_points_decide_not_the_number_of_cards() -> None:
    state = after(last_card_of_the_stock(3, ["JK#1", "2C 3D 4H", "KS KH", "QS QH"]), RommeDrawStock())
    assert state.drawn is not None
    facts, _ = accepted(state, RommeDiscard(state.drawn))
    assert (ended(facts).winners, ended(facts).points) == ((1,), (20, 0, 20, 20))


def test_w_119_the_turn_that_empties_the_stock_may_win() -> None:
    state = after(
        last_card_of_the_stock(3, ["8H", "2C", "3C", "4C"], out=True, melds=["5H 6H 7H"]),
        RommeDrawStock(),
        lay_off("8H"),
    )
    assert state.drawn is not None
    facts, state = accepted(state, RommeDiscard(state.drawn))
    assert [type(fact) for fact in facts] == [RommeCardDiscarded, RommeRoundEnded]
    assert (ended(facts).reason, ended(facts).winners, state.empties) == ("out", (0,), 3)


def test_w_120_a_round_has_four_times_the_stock_to_draw() -> None:
    state = folded(before(seats=4), start(before(seats=4), CHANCE))
    draws = 0
    facts: tuple[RommeFact, ...] = ()
    while state.phase != "over":
        if state.phase == "draw":
            assert state.stock_size > 0, "R-60"
            state = after(state, RommeDrawStock())
            draws += 1
        facts, state = accepted(state, RommeDiscard(state.hands[state.turn][-1]))
    assert draws == 4 * 57 == 228
    assert (ended(facts).reason, state.empties) == ("exhausted", 4)


def test_a_deal_follows_from_chance_alone() -> None:
    facts = start(before(seats=5), CHANCE)
    started, dealt = facts
    assert isinstance(started, RommeRoundStarted)
    assert isinstance(dealt, RommePackDealt)
    assert started.starter == dealt.starter == CHANCE.draw("starter", 5)
    assert dealt.order == CHANCE.shuffle(1, 0, DECK)
    assert start(before(seats=5), CHANCE) == facts


def test_a_match_by_rounds_ends_after_its_last_round() -> None:
    state = position("4D", out=True, others=["2C"], seats=2, rounds=1)
    facts, state = accepted(state, RommeDiscard("4D#1"))
    assert facts[-1] == RommeMatchEnded((0, 2), (1, 2))
    with pytest.raises(ValueError, match="has ended"):
        start(state, CHANCE)
