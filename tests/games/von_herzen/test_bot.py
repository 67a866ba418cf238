"""The computer player: legal in every position, sensible in those where everybody can tell (V-79)."""

from random import Random

import msgspec
import pytest

from domain.decider import Rejection, view_of
from domain.games.von_herzen.model import VonHerzenState
from domain.games.von_herzen.moves import (
    VonHerzenAccept,
    VonHerzenAgree,
    VonHerzenCounter,
    VonHerzenDecline,
    VonHerzenDiscard,
    VonHerzenDrawPile,
    VonHerzenDrawStock,
    VonHerzenEndTurn,
    VonHerzenLay,
    VonHerzenLayOff,
    VonHerzenLeave,
    VonHerzenMove,
    VonHerzenOffer,
)
from domain.games.von_herzen.plans import Planner
from domain.games.von_herzen.runs import PACK, refusal_of_run, runs_in
from tests.games.von_herzen.conformance import OPTIONS
from tests.games.von_herzen.play import GAME, careless, chance_of, options_of, sensible, started, steps
from tests.games.von_herzen.positions import after, cards, dealt, melding


def choice(state: VonHerzenState, seed: int = 1) -> VonHerzenMove:
    """The bot's move for the seat that is to act."""
    return GAME.players.bot(view_of(GAME, state, state.turn), seed)


# swap phase

RUN_AND_REST = [
    "8S 9S QS KS AS 7S TC TS",
    "7H 8H 9D TH JD QH 8C JS",
    "7C 9C JC QC AC 7D 8D KC",
    "9H JH KH AH TD QD KD AD",
]


def test_an_offer_keeps_the_run_and_gives_away_what_is_left_over() -> None:
    # given: dealer 2, so that P1 with six red cards in a row gives first
    state = dealt(4, dealer=2, hands=RUN_AND_REST)
    # when
    move = choice(state)
    # then
    assert isinstance(move, VonHerzenOffer)
    assert set(move.cards) == {"JS", "8C"}


def test_an_offer_of_more_than_can_be_spared_is_countered() -> None:
    state = dealt(4, dealer=3, hands=RUN_AND_REST)
    state = after(state, (2, VonHerzenOffer(state.hands[2][:5])))
    move = choice(state)
    assert isinstance(move, VonHerzenCounter)
    assert set(move.cards) == {"JS", "8C"}


def test_an_offer_of_as_many_as_can_be_spared_is_accepted() -> None:
    state = dealt(4, dealer=3, hands=RUN_AND_REST)
    state = after(state, (2, VonHerzenOffer(state.hands[2][:2])))
    move = choice(state)
    assert isinstance(move, VonHerzenAccept)
    assert set(move.cards) == {"JS", "8C"}


FLUTE = ["7S 8S 9S TS JS QS KS AS", "7H 8H 9H TH JH QH KH AH", "7C 8C 9C TC JC QC KC AC", "7D 8D 9D TD JD QD KD AD"]


def test_a_hand_that_is_one_run_is_not_swapped() -> None:
    state = dealt(4, hands=FLUTE)
    assert GAME.players.timeout_move(state, 3) == choice(state)
    state = after(state, (3, VonHerzenOffer(cards("7D 8D"))))
    assert choice(state) == VonHerzenDecline()
    state = after(state, (2, VonHerzenCounter(cards("7C"))))
    assert choice(state) == VonHerzenLeave()


def test_agreeing_gives_the_offered_card_that_is_missed_least() -> None:
    # given: P1 has offered three cards, one of them out of its run; P0 wants to swap one only
    state = dealt(4, dealer=2, hands=RUN_AND_REST)
    state = after(state, (1, VonHerzenOffer(cards("7H JS 8C"))), (0, VonHerzenCounter(cards("TC"))))
    state = after(state, (3, VonHerzenLeave()), (2, VonHerzenLeave()))
    move = choice(state)
    assert isinstance(move, VonHerzenAgree)
    assert set(move.cards) < {"JS", "8C"}


# meld phase


def test_the_card_that_completes_a_run_is_taken_from_the_pile() -> None:
    state = melding(["7S", "8H 9D KC 7C", "9S"], turn=1, phase="draw", pile="TH", stock="AS AD")
    assert choice(state) == VonHerzenDrawPile("TH")


def test_a_card_of_no_use_stays_on_the_pile() -> None:
    state = melding(["7S", "8H 9D KH 7H", "9S"], turn=1, phase="draw", pile="JC", stock="AS AD")
    assert choice(state) == VonHerzenDrawStock()


def test_the_longest_run_is_laid_and_then_the_rest_is_added() -> None:
    state = melding(["7S 8S", "8H 9D TH JD QS 7C", "9S"], turn=1, turn_number=4)
    move = choice(state)
    assert isinstance(move, VonHerzenLay)
    assert len(move.cards) == 5
    assert refusal_of_run(move.cards) is None


def test_cards_of_one_rank_and_colour_go_into_different_runs() -> None:
    # given: 8 9 T J Q K and once more 8 9 T in red
    state = melding(["7S 7C", "8H 9H TH JH QH KH 8D 9D TD 9C", "9S"], turn=1, turn_number=4)
    while isinstance(move := choice(state), VonHerzenLay | VonHerzenLayOff):
        state = after(state, (1, move))
    assert sorted(len(run.cards) for run in state.melds) == [3, 6]


def test_a_card_for_the_own_run_is_added_to_it() -> None:
    state = melding(["7S 8S", "JD 7C", "9S"], turn=1, turn_number=4, melds=[(1, "8H 9D TH")])
    assert choice(state) == VonHerzenLayOff("JD", 0, "up")


def test_other_players_runs_are_not_fed_without_need() -> None:
    # given: two players; P1 could add QC to P0's run
    melds = [(0, "9C TC JC"), (1, "8H 9D TH")]
    state = melding(["7S 8S KH AD QH", "QC 7C 7D AH KD AS"], turn=1, turn_number=4, melds=melds)
    move = choice(state)
    assert not isinstance(move, VonHerzenLayOff)


def test_other_players_runs_are_fed_to_go_out() -> None:
    melds = [(0, "9C TC JC"), (1, "8H 9D TH")]
    state = melding(["7S 8S KH AD QH", "QC 7D"], turn=1, turn_number=5, melds=melds, own_joker_layoff=False)
    state = after(state, (1, VonHerzenLayOff("7D", 1, "down")))
    assert choice(state) == VonHerzenLayOff("QC", 0, "up")


def test_a_discard_that_fits_the_next_players_run_is_avoided() -> None:
    melds = [(2, "9C TC JC")]
    state = melding(["7S 8S 9D", "QC AH", "KD 7D 9H"], turn=1, turn_number=4, melds=melds)
    assert choice(state) == VonHerzenDiscard("AH")


def test_the_last_card_is_discarded_to_go_out() -> None:
    state = melding(["7S 8S 9D", "QC", "KD 7D 9H"], turn=1, turn_number=4, melds=[(2, "9C TC JC")])
    assert choice(state) == VonHerzenDiscard("QC")


def test_a_closing_turn_ends_when_nothing_can_be_laid() -> None:
    state = melding(["7S 8S", "", "KD 7D 9H"], turn=2, phase="closing", out=1, melds=[(1, "9C TC JC")])
    assert choice(state) == VonHerzenEndTurn()


# everywhere


@pytest.mark.parametrize("number", range(len(OPTIONS)))
def test_the_bot_answers_every_position_that_careless_players_reach(number: int) -> None:
    raw, seats = OPTIONS[number]
    options = GAME.options.parse(raw, seats)
    assert isinstance(options, GAME.options.type)
    for before, seat, _, _, _ in steps(options, number + 300, {}, careless):
        view = view_of(GAME, before, seat)
        move = GAME.players.bot(view, number)
        words = f"option set {number}, seed {number + 300}: {move}"
        assert not isinstance(GAME.decider.decide(before, seat, move, chance_of(0)), Rejection), words
        assert GAME.players.bot(view, number) == move, words
        assert msgspec.json.decode(msgspec.json.encode(move), type=GAME.types.move) == move


@pytest.mark.parametrize("size", [12, 18, 24])
def test_large_hands_are_answered_too(size: int) -> None:
    rng = Random(size)
    for _ in range(10):
        order = rng.sample(PACK, len(PACK))
        hands = [" ".join(order[:size]), " ".join(order[size : size + 4])]
        for phase in ("draw", "lay"):
            state = melding(hands, turn=0, phase="lay", turn_number=9, pile=" ".join(order[size + 4 : size + 6]))
            state = msgspec.structs.replace(state, phase=phase, stock=tuple(order[size + 6 :]))
            assert not isinstance(GAME.decider.decide(state, 0, choice(state), chance_of(0)), Rejection), (size, order)


def test_a_plan_gains_at_least_what_laying_the_longest_run_gains() -> None:
    planner = Planner((), 0.0)
    for seed in range(200):
        hand = Random(seed).sample(PACK, 9)
        melds = runs_in(hand)
        gain = planner.gain(hand)
        pure = max((2 * len(run) - 1 for run in melds), default=0)
        assert gain >= pure, f"seed {seed}"
        assert (planner.next_run(hand) is None) == (not melds), f"seed {seed}"


@pytest.mark.parametrize("players", [2, 3, 4, 5, 6])
def test_the_bot_scores_more_than_careless_players(players: int) -> None:
    options = options_of(players, complete_rounds=1)
    bot_points = other_points = 0
    for seed in range(8):
        state, _ = started(options, seed)
        for *_, after_move in steps(options, seed, {seed % players: sensible}, careless):
            state = after_move
        bot_points += state.totals[seed % players]
        other_points += sum(state.totals) - state.totals[seed % players]
    assert bot_points * (players - 1) > other_points + 8 * players * (players - 1), f"players {players}, seeds 0 to 7"
