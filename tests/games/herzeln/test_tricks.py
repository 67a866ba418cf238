"""Taking tricks: who wins, what may be played and who leads (Z-10 to Z-18)."""

import pytest

from domain.games.herzeln import HERZELN_1
from domain.games.herzeln.model import (
    HerzelnFirstDealerDrawn,
    HerzelnLegalPlay,
    HerzelnPackDealt,
    HerzelnPlay,
    HerzelnTrick,
    HerzelnTrickTaken,
)
from domain.games.herzeln.order import PACKS, STRENGTH
from domain.games.herzeln.rules import legal, to_act
from tests.games.herzeln.tables import (
    accepted,
    after,
    at_tricks,
    cards,
    case,
    facts_of,
    of_kind,
    options,
    play_tricks,
    refused,
    worked_case,
)


@pytest.mark.parametrize(
    ("trick", "winner"),
    [
        case("ZC-1", "9S KS TS AH", 2),
        case("ZC-2", "TS AS KS QS", 1),
        case("ZC-3", "QD 7C 8S AH", 0),
        case("ZC-4", "JC 9C TC", 2),
        case("ZC-5", "KD QD TD 8D", 2),
        case("ZC-6", "9H KH QH", 1),
    ],
)
def test_the_highest_card_of_the_suit_led_takes_the_trick_and_its_seat_leads(trick: str, winner: int) -> None:
    other = "C" if trick[1] == "D" else "D"
    held = {seat: f"{card} {'9JQK'[seat]}{other}" for seat, card in enumerate(cards(trick))}
    state = at_tricks(2, held, players=len(held))

    state, facts = play_tricks(state, [trick])

    assert of_kind(facts, HerzelnTrickTaken) == [HerzelnTrickTaken(winner, 10)]
    assert to_act(state) == (winner,)


@pytest.mark.parametrize(
    ("led", "hand", "playable"),
    [
        case("ZC-7", "9C", "7C AH KS", "7C"),
        case("ZC-8", "9C", "AH KS", "KS AH"),
        case("ZC-9", "KS", "AS 7S", "7S AS"),
    ],
)
def test_a_seat_must_follow_suit_if_it_can_and_never_has_to_beat(led: str, hand: str, playable: str) -> None:
    state = at_tricks(3, {0: "7D", 1: hand, 2: "8D"}, trick=led)

    assert legal(state, 1) == (HerzelnLegalPlay(cards(playable)),)
    for card in cards(hand):
        if card in cards(playable):
            accepted(state, 1, HerzelnPlay(card))
        else:
            assert refused(state, 1, HerzelnPlay(card)) == ("must_follow_suit", "Z-12")


@pytest.mark.parametrize(
    ("contract", "seat", "trick", "hand", "card"),
    [
        case("ZC-10", 1, 0, "", "9H 7C AS", "9H"),
        case("ZC-11", 5, 1, "8C", "KH 7S AD", "KH"),
        case("ZC-12", 4, 0, "", "QS 7C AD", "QS"),
    ],
)
def test_scoring_cards_may_be_led_or_thrown_at_once(contract: int, seat: int, trick: str, hand: str, card: str) -> None:
    state = at_tricks(contract, {seat: hand}, trick=trick)

    assert card in after(state, accepted(state, seat, HerzelnPlay(card))).round.trick  # type: ignore[union-attr]


@worked_case("ZC-13")
def test_the_seat_at_the_dealers_left_leads_to_the_first_trick(case: str) -> None:
    state = HERZELN_1.decider.new(options(4), 4)

    state = after(state, [HerzelnFirstDealerDrawn(3), HerzelnPackDealt(1, 1, 3, PACKS[4])])

    assert to_act(state) == (0,)
    assert refused(state, 3, HerzelnPlay("7C")) == ("not_your_turn", "Z-11")


@worked_case("ZC-14")
def test_only_the_winner_of_a_trick_leads_to_the_next(case: str) -> None:
    done = HerzelnTrick(0, cards("7S 8S AS 9S"), 2, 10)
    state = at_tricks(2, {2: "7C", 3: "8C"}, leader=2, taken=(done,))

    assert refused(state, 3, HerzelnPlay("8C")) == ("not_your_turn", "Z-16")
    accepted(state, 2, HerzelnPlay("7C"))


@worked_case("ZC-15")
def test_three_players_never_see_a_seven_or_an_eight(case: str) -> None:
    facts = facts_of(options(3), seed=15)
    state = at_tricks(1, {0: "9C"}, players=3)

    assert {card[0] for deal in of_kind(facts, HerzelnPackDealt) for card in deal.pack} == set("9TJQKA")
    for rank in "78":
        assert refused(state, 0, HerzelnPlay(f"{rank}C")) == ("invalid_card", "Z-2")


def test_within_a_trick_the_turn_goes_round_clockwise() -> None:
    state = at_tricks(1, {0: "9C", 1: "8C", 2: "7C"}, trick="9S")

    assert to_act(state) == (1,)
    assert refused(state, 2, HerzelnPlay("7C")) == ("not_your_turn", "Z-7")
    assert refused(state, 0, HerzelnPlay("9C")) == ("not_your_turn", "Z-7")


def test_the_ten_ranks_between_ace_and_king() -> None:
    assert sorted(STRENGTH, key=STRENGTH.__getitem__, reverse=True) == list("ATKQJ987")
