"""Passing: worked cases 13.2 and H-14 to H-19."""

import pytest

from domain.cards import in_canonical_order
from domain.decider import Rejection
from domain.games.hearts import HEARTS_1
from domain.games.hearts.deal import PACK
from domain.games.hearts.model import (
    HeartsCardsExchanged,
    HeartsCardsReceived,
    HeartsMove,
    HeartsPass,
    HeartsPassCommitted,
    HeartsPassMade,
    HeartsPlay,
    HeartsState,
)
from tests.games.hearts.positions import accepted, dealt, deck_giving, options, rejected

RECEIVERS: dict[str, tuple[int, int, tuple[int, ...] | None]] = {
    "HC-P-1": (4, 1, (1, 2, 3, 0)),
    "HC-P-2": (4, 2, (3, 0, 1, 2)),
    "HC-P-3": (4, 3, (2, 3, 0, 1)),
    "HC-P-4": (4, 4, None),
    "HC-P-5": (4, 5, (1, 2, 3, 0)),
    "HC-P-6": (3, 2, (2, 0, 1)),
    "HC-P-7": (3, 3, None),
    "HC-P-8": (3, 7, (1, 2, 0)),
    "HC-P-9": (5, 3, (2, 3, 4, 0, 1)),
    "HC-P-10": (5, 4, (3, 4, 0, 1, 2)),
    "HC-P-11": (5, 10, None),
}

HAND = ("2C", "5C", "9C", "4D", "TD", "KD", "3H", "8H", "QH", "2S", "7S", "QS", "AS")


def first_round(round_number: int = 1) -> HeartsState:
    """Four players; seat 0 holds the hand of the worked cases."""
    return dealt(deck_giving(HAND, 0, 4), options(), round_number=round_number)


def cards(text: str) -> HeartsPass:
    return HeartsPass(tuple(text.split()))


@pytest.mark.parametrize("case", RECEIVERS)
def test_cards_go_to_the_seat_of_the_round(case: str) -> None:
    players, number, receivers = RECEIVERS[case]
    state = dealt(PACK[players], options(players=players), round_number=number)
    if receivers is None:
        assert (state.phase, state.offset, HEARTS_1.decider.to_act(state)) == ("playing", 0, (state.leader,))
        return
    given = {seat: state.hands[seat][:3] for seat in range(players)}
    assert [HEARTS_1.views.private_part(state, seat).passed_to for seat in given] == list(receivers)
    for seat in given:
        facts, state = accepted(state, seat, HeartsPass(given[seat]))
    assert facts[1] == HeartsCardsExchanged(receivers[0], state.leader, tuple(given.values()))
    for giver, receiver in enumerate(receivers):
        assert HEARTS_1.views.private_form(facts[1], receiver) == HeartsCardsReceived(giver, given[giver])
        assert set(given[giver]) <= set(state.hands[receiver])
        assert HEARTS_1.views.private_part(state, receiver).received == given[giver]
    assert {len(hand) for hand in state.hands} == {len(PACK[players]) // players}
    assert "2C" in state.hands[state.leader]


ACCEPTED: dict[str, str] = {"HC-P-12": "QH QS AS", "HC-P-13": "2C QS 3H"}


@pytest.mark.parametrize("case", ACCEPTED)
def test_any_three_cards_may_be_passed_and_others_learn_only_that_they_were(case: str) -> None:
    state = first_round()
    facts, after = accepted(state, 0, cards(ACCEPTED[case]))
    assert facts == (HeartsPassCommitted(0, in_canonical_order(ACCEPTED[case].split())),)
    assert HEARTS_1.views.public_form(facts[0]) == HeartsPassMade(0)
    for seat in (1, 2, 3):
        assert HEARTS_1.views.private_form(facts[0], seat) is None
        assert HEARTS_1.views.private_part(after, seat) == HEARTS_1.views.private_part(state, seat)
    assert HEARTS_1.views.board(after).committed == (0,)
    assert after.hands == state.hands  # H-19
    assert HEARTS_1.decider.to_act(after) == (1, 2, 3)


def test_whoever_holds_the_two_of_clubs_after_the_passing_leads_it() -> None:
    state = first_round()
    for seat in range(4):
        facts, state = accepted(state, seat, cards("2C QS 3H") if seat == 0 else HeartsPass(state.hands[seat][:3]))
    assert isinstance(facts[1], HeartsCardsExchanged)
    assert facts[1].leader == 1
    assert HEARTS_1.decider.to_act(state) == (1,)


REJECTED: dict[str, tuple[HeartsMove, int, Rejection]] = {
    "HC-P-14": (cards("QS AS"), 1, Rejection("wrong_pass_count", "H-14", have=2, need=3)),
    "HC-P-15": (cards("QS QS AS"), 1, Rejection("duplicate_card", "H-14")),
    "HC-P-16": (cards("QS AS KS"), 1, Rejection("card_not_in_hand", "H-18")),
    "HC-P-18": (HeartsPlay("2C"), 1, Rejection("wrong_phase", "H-56")),
    "HC-P-19": (cards("QH QS AS"), 4, Rejection("wrong_phase", "H-15")),
}


@pytest.mark.parametrize("case", REJECTED)
def test_a_wrong_pass_is_refused(case: str) -> None:
    move, number, rejection = REJECTED[case]
    assert rejected(first_round(number), 0, move) == rejection


def test_hc_p_17_a_second_pass_is_refused() -> None:
    _, state = accepted(first_round(), 0, cards("QH QS AS"))
    assert rejected(state, 0, cards("QH QS AS")) == Rejection("already_passed", "H-17")
    assert rejected(state, 0, cards("2C 5C 9C")) == Rejection("already_passed", "H-17")


def test_the_order_of_choosing_is_not_recorded() -> None:
    state = first_round()
    assert accepted(state, 0, cards("AS QH QS")) == accepted(state, 0, cards("QS AS QH"))


def test_seats_commit_in_any_order_with_the_same_result() -> None:
    ends = set()
    for order in ((0, 1, 2, 3), (3, 1, 0, 2)):
        state = first_round()
        for seat in order:
            _, state = accepted(state, seat, HeartsPass(state.hands[seat][-3:]))
        ends.add(state)
    assert len(ends) == 1


def test_received_cards_are_not_on_offer_before_all_have_committed() -> None:
    _, state = accepted(first_round(), 0, cards("QH QS AS"))
    assert rejected(state, 1, cards("QH QS AS")).code == "card_not_in_hand"
