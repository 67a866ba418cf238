"""The computer player: what it does in plain situations, and that it always does something legal."""

from random import Random

import pytest
from msgspec.structs import replace

from domain.decider import Rejection, SeatView, view_of
from domain.games.romme import ROMME_1
from domain.games.romme.bot import View, bot
from domain.games.romme.facts import RommeMeldsLaid
from domain.games.romme.model import RommeLegalLayOff, RommeState
from domain.games.romme.moves import RommeDiscard, RommeDrawPile, RommeDrawStock, RommeMove, RommeSwapJoker
from domain.games.romme.partition import HandSearch
from domain.games.romme.rules import legal
from tests.games.romme.measure_bot import hand_of, latencies, prepared, rounds_won
from tests.games.romme.play import by_bots, events
from tests.games.romme.positions import CHANCE, accepted, after, lay_off, position

HIGH = "3C 5S 8D TH QC KD 2S 6H 9C JS AD 4C 7D"
"""Cards without a pair of neighbours or of ranks."""


def choice(state: RommeState, seed: int = 1) -> RommeMove:
    view: View = view_of(ROMME_1, state, state.turn)
    return bot(view, seed)


def test_the_pile_is_left_alone_if_it_helps_nothing() -> None:
    assert choice(position(HIGH, phase="draw", pile="2D")) == RommeDrawStock()


def test_the_pile_is_taken_if_it_makes_a_meld() -> None:
    assert choice(position("7H 7S 2C 9D", phase="draw", pile="7C")) == RommeDrawPile()
    assert choice(position("7H 8H 2C TD", phase="draw", pile="JK#4")) == RommeDrawPile()


def test_the_pile_is_taken_if_it_can_be_laid_off() -> None:
    melds = ["5H 6H 7H"]
    assert choice(position("2C TD", melds=melds, out=True, phase="draw", pile="8H")) == RommeDrawPile()
    assert choice(position("2C TD", melds=melds, out=False, phase="draw", pile="8H")) == RommeDrawStock()


def test_it_comes_out_as_soon_as_it_can() -> None:
    state = position("QH KH AH 7C 7S 2D 5D 9C", drawn="9C")
    (fact,), _ = accepted(state, choice(state))
    assert isinstance(fact, RommeMeldsLaid)
    assert fact.came_out


def test_it_lays_off_real_cards_at_once_and_jokers_when_few_cards_are_left() -> None:
    melds = ["5H 6H 7H"]
    assert choice(position("8H 2D KC 6S TD", melds=melds, out=True)) == lay_off("8H")
    few = position("2D JK#1 KC", melds=melds, out=True)
    assert after(few, choice(few)).hands[0] == ("2D#1", "KC#1")


def test_it_takes_a_joker_for_a_card_it_does_not_need() -> None:
    state = position("7H#2 2D KC", melds=["5H 6H JK#1=7H"], out=True, joker_swap=True)
    assert choice(state) == RommeSwapJoker("m1", "JK#1", "7H#2")


def test_it_discards_what_helps_least_and_no_joker() -> None:
    assert choice(position("7H 7S 8H KD JK#1 2C 2S 9C", drawn="9C")) == RommeDiscard("KD#1")
    assert choice(position("JK#1 JK#2 3C", taken="JK#1")) == RommeDiscard("3C#1")


def test_if_all_cards_are_in_melds_it_gives_up_the_cheapest_loss() -> None:
    state = position("4H 5H 6H 7H", first_meld_min=40)
    assert choice(state) in (RommeDiscard("7H#1"), RommeDiscard("4H#1"))


def test_what_the_next_seat_collects_is_not_discarded() -> None:
    state = position("9H 8S 2D", drawn="2D", others=["9C#2 9D#2 3C 4D"])
    assert choice(state) == RommeDiscard("9H#1")
    seen = replace(state, shown=((), ("9C#2", "9D#2"), ()))
    assert choice(seen) == RommeDiscard("8S#1")


def test_what_the_next_seat_could_lay_off_is_not_discarded() -> None:
    state = position("9H 8S 2D", drawn="2D", melds=["TH JH QH"])
    assert choice(state) == RommeDiscard("9H#1")
    out = replace(state, first_lay=(None, 30, None))
    assert choice(out) == RommeDiscard("8S#1")


def test_the_same_view_and_seed_give_the_same_move() -> None:
    state = position(HIGH + " 8S", drawn="8S")
    assert len({str(choice(state, 5)) for _ in range(5)}) == 1


@pytest.mark.parametrize("jokers", range(7))
def test_it_answers_every_hand_with_a_legal_move(jokers: int) -> None:
    rng = Random(jokers)
    state = next(iter(events({"rounds": 1}, 4, 3, by_bots))).states[-1]
    for number in range(60):
        tried = prepared(state, hand_of(14, jokers, rng), out=bool(number % 2))
        for _ in range(30):
            answer = ROMME_1.decider.decide(tried, 0, choice(tried, number), CHANCE)
            assert not isinstance(answer, Rejection), f"{jokers} jokers, hand {number}: {answer}"
            for fact in answer:
                tried = ROMME_1.decider.evolve(tried, fact)
            if tried.turn != 0 or tried.phase == "over":
                break
        else:
            pytest.fail(f"{jokers} jokers, hand {number}: the turn does not end")


def laid_off_alone(state: RommeState) -> list[str]:
    entries = [entry for entry in legal(state, state.turn) if isinstance(entry, RommeLegalLayOff)]
    return [place.card for entry in entries for place in entry.places]


def test_the_pile_is_only_taken_if_it_changes_the_plan() -> None:
    taken = 0
    for event in events({"rounds": 3}, 4, 8, by_bots):
        if not isinstance(event.move, RommeDrawPile):
            continue
        taken += 1
        state = event.states[-1]
        card, hand = state.hands[state.turn][-1], state.hands[state.turn]
        better = HandSearch(hand).gain("cards") > HandSearch(hand[:-1]).gain("cards")
        fits = card in laid_off_alone(state)
        assert better or fits, f"{card} does not help {hand}"
    assert taken > 3


def test_it_plays_from_the_view_alone() -> None:
    view = view_of(ROMME_1, position(HIGH + " 8S", drawn="8S"), 0)
    assert isinstance(view, SeatView)
    assert not isinstance(
        ROMME_1.decider.decide(position(HIGH + " 8S", drawn="8S"), 0, bot(view, 3), CHANCE), Rejection
    )


def test_it_wins_more_than_its_share_against_simple_players() -> None:
    won, reasons, own, others = rounds_won(80, seed=2)
    assert won > 80 / 4, f"{won} of 80, {reasons}"
    assert own < others / 3


def test_decisions_are_measured_in_milliseconds_and_stay_far_below_a_second() -> None:
    alone, with_view = latencies(70, seed=4)
    assert len(alone) == len(with_view) == 70
    assert with_view[-1] < 1000
