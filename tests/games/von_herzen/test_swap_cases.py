"""The worked cases of deal and swap phase, VC-1 to VC-21."""

from msgspec import to_builtins

from domain.decider import view_of
from domain.games.von_herzen.facts import VonHerzenCardsOffered
from domain.games.von_herzen.model import VonHerzenState
from domain.games.von_herzen.moves import (
    VonHerzenAccept,
    VonHerzenAgree,
    VonHerzenCounter,
    VonHerzenDecline,
    VonHerzenLeave,
    VonHerzenOffer,
    VonHerzenPassOffer,
    VonHerzenTake,
    VonHerzenWithdraw,
)
from tests.games.von_herzen.play import GAME
from tests.games.von_herzen.positions import after, dealt, facts_of, giving, refused


def offered(players: int, count: int) -> VonHerzenState:
    """The first giver, right of dealer 0, has offered his first cards."""
    state = dealt(players)
    giver = state.turn
    return after(state, (giver, VonHerzenOffer(state.hands[giver][:count])))


def countered() -> VonHerzenState:
    """Case VC-11: four players, P3 has offered 5 cards, P2 has countered with 2."""
    state = offered(4, 5)
    return after(state, (2, VonHerzenCounter(state.hands[2][:2])))


def test_vc_1_five_players_get_six_cards_and_two_are_left() -> None:
    state = dealt(5)
    assert [len(hand) for hand in state.hands] == [6] * 5
    assert len(state.stock) == 2


def test_vc_2_six_players_get_five_cards_and_two_are_left() -> None:
    state = dealt(6)
    assert [len(hand) for hand in state.hands] == [5] * 6
    assert len(state.stock) == 2


def test_vc_3_the_first_giver_sits_right_of_the_dealer_and_gives_to_his_right() -> None:
    state = dealt(4, dealer=0)
    assert (state.phase, GAME.decider.to_act(state)) == ("swap_offer", (3,))
    assert (giving(state).giver, giving(state).receiver) == (3, 2)


def test_vc_4_only_the_giver_may_offer() -> None:
    state = dealt(4, dealer=0)
    assert refused(state, 2, VonHerzenOffer(state.hands[2][:1])) == ("not_your_turn", "V-11")


def test_vc_5_no_more_cards_than_the_hand_has_can_be_offered() -> None:
    state = dealt(5)
    seven = (*state.hands[4], state.hands[0][0])
    assert refused(state, 4, VonHerzenOffer(seven)) == ("wrong_card_count", "V-12")


def test_vc_6_an_offer_has_at_least_one_card() -> None:
    assert refused(dealt(4), 3, VonHerzenOffer(())) == ("wrong_card_count", "V-12")


def test_vc_7_the_whole_hand_may_be_offered() -> None:
    state = dealt(4)
    state = after(state, (3, VonHerzenOffer(state.hands[3])))
    assert len(giving(state).offered) == 8
    assert state.turn == 2


def test_vc_8_accepting_takes_as_many_cards_as_are_offered() -> None:
    state = offered(4, 5)
    assert refused(state, 2, VonHerzenAccept(state.hands[2][:4])) == ("wrong_card_count", "V-15")


def test_vc_9_a_counter_proposal_is_for_fewer_cards() -> None:
    state = offered(4, 5)
    assert refused(state, 2, VonHerzenCounter(state.hands[2][:5])) == ("wrong_card_count", "V-16")


def test_vc_10_an_offer_of_one_card_cannot_be_countered() -> None:
    state = offered(4, 1)
    for count in range(9):
        assert refused(state, 2, VonHerzenCounter(state.hands[2][:count])) == ("wrong_card_count", "V-16")
    kinds = [to_builtins(entry)["type"] for entry in GAME.views.legal(state, 2)]
    assert kinds == ["accept", "decline"]


def test_vc_11_after_a_counter_proposal_the_others_are_asked_counter_clockwise() -> None:
    state = countered()
    assert (state.phase, state.turn) == ("swap_take", 1)
    state = after(state, (1, VonHerzenLeave()))
    assert (state.phase, state.turn) == ("swap_take", 0)


def taken() -> tuple[VonHerzenState, VonHerzenState]:
    """Case VC-12: P1 has left, P0 takes with 5 cards. The state before and after."""
    before = after(countered(), (1, VonHerzenLeave()))
    return before, after(before, (0, VonHerzenTake(before.hands[0][3:])))


def test_vc_12_a_take_swaps_with_the_giver_and_the_receiver_keeps_his_cards() -> None:
    before, state = taken()
    given, laid = set(giving(before).offered), set(before.hands[0][3:])
    assert set(state.hands[3]) == set(before.hands[3]) - given | laid
    assert set(state.hands[0]) == set(before.hands[0]) - laid | given
    assert state.hands[2] == before.hands[2]
    assert state.hands[1] == before.hands[1]


def test_vc_13_the_giver_cannot_refuse_a_taker() -> None:
    before, state = taken()
    assert refused(before, 3, VonHerzenWithdraw()) == ("not_your_turn", "V-19")
    assert refused(state, 3, VonHerzenWithdraw()) == ("not_your_turn", "V-19")


def test_vc_14_a_take_does_not_change_the_order_of_givers() -> None:
    _, state = taken()
    assert (state.phase, giving(state).giver, giving(state).receiver) == ("swap_offer", 2, 1)


def everybody_left() -> VonHerzenState:
    """Case VC-15 before the giver's answer."""
    return after(countered(), (1, VonHerzenLeave()), (0, VonHerzenLeave()))


def test_vc_15_the_giver_agrees_with_as_many_of_the_offered_cards_as_were_proposed() -> None:
    before = everybody_left()
    assert (before.phase, before.turn) == ("swap_agree", 3)
    five, two = giving(before).offered, giving(before).countered
    state = after(before, (3, VonHerzenAgree((five[4], five[1]))))
    assert set(state.hands[3]) == set(before.hands[3]) - {five[1], five[4]} | set(two)
    assert set(state.hands[2]) == set(before.hands[2]) - set(two) | {five[1], five[4]}


def test_vc_16_the_giver_agrees_with_offered_cards_only() -> None:
    state = everybody_left()
    kept = next(card for card in state.hands[3] if card not in giving(state).offered)
    move = VonHerzenAgree((giving(state).offered[0], kept))
    assert refused(state, 3, move) == ("card_not_offered", "V-21")


def test_vc_17_after_a_withdrawal_nothing_is_swapped() -> None:
    before = everybody_left()
    state = after(before, (3, VonHerzenWithdraw()))
    assert state.hands == before.hands
    assert (state.phase, giving(state).giver) == ("swap_offer", 2)


def test_vc_18_nobody_can_take_after_a_plain_decline() -> None:
    state = after(offered(4, 3), (2, VonHerzenDecline()))
    assert refused(state, 1, VonHerzenTake(state.hands[1][:3])) == ("not_your_turn", "V-22")
    assert refused(state, 2, VonHerzenTake(state.hands[2][:3])) == ("wrong_step", "V-22")


def test_vc_19_with_two_players_the_giver_answers_a_counter_proposal_at_once() -> None:
    state = offered(2, 4)
    state = after(state, (0, VonHerzenCounter(state.hands[0][:3])))
    assert (state.phase, state.turn) == ("swap_agree", 1)
    assert [to_builtins(entry)["type"] for entry in GAME.views.legal(state, 1)] == ["agree", "withdraw"]


def test_vc_20_the_receiver_learns_only_how_many_cards_are_offered() -> None:
    hands = ["7C 8C 9C TC JC QC KC AC", "7S 8S 9S TS JS QS AS 7H", "7D 8D TD JD QD KD AD 9H", "8H KS 9D TH JH QH KH AH"]
    state = dealt(4, hands=hands)
    (fact,) = facts_of(state, 3, VonHerzenOffer(("8H", "KS", "9D")))
    assert fact == VonHerzenCardsOffered(3, 2, ("KS", "8H", "9D"))
    assert to_builtins(GAME.views.public_form(fact)) == {
        "type": "cards_offered_public",
        "giver": 3,
        "receiver": 2,
        "count": 3,
    }
    assert [GAME.views.private_form(fact, seat) is None for seat in range(4)] == [True, True, True, False]
    view = view_of(GAME, GAME.decider.evolve(state, fact), 2)
    text = str(to_builtins(view))
    assert not any(card in text for card in ("8H", "KS", "9D"))
    assert to_builtins(view)["board"]["swap"] == {"giver": 3, "receiver": 2, "offered": 3, "countered": 0}


def test_vc_21_two_swap_rounds_give_everybody_two_turns_as_giver() -> None:
    state = dealt(3, swap_rounds=2)
    givers = []
    while state.phase == "swap_offer":
        givers.append(state.turn)
        state = after(state, (state.turn, VonHerzenPassOffer()))
    assert givers == [2, 1, 0, 2, 1, 0]
