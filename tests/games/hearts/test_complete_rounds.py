"""The two complete rounds of section 14, move by move, with all eight results each."""

import pytest

from domain.cards import in_canonical_order
from domain.games.hearts import HEARTS_1
from domain.games.hearts.model import (
    HeartsCardPlayed,
    HeartsPass,
    HeartsPlay,
    HeartsRoundScored,
    HeartsTrick,
    HeartsTrickTaken,
)
from tests.games.hearts.complete_rounds import COMPLETE_ROUNDS
from tests.games.hearts.positions import accepted, dealt, options

OPTIONS = ("-", "OM", "BM", "BM OM", "SPOT", "SPOT OM", "SPOT BM", "SPOT BM OM")


@pytest.mark.parametrize("short", OPTIONS)
@pytest.mark.parametrize("section", COMPLETE_ROUNDS)
def test_a_recorded_round_is_replayed_move_by_move(section: str, short: str) -> None:
    complete = COMPLETE_ROUNDS[section]
    table = options(short, players=complete.players)
    state = dealt(complete.deck.split(), table, round_number=complete.number)
    assert (state.round, state.offset) == (complete.number, complete.offset)

    for seat, passed in enumerate(complete.passes):
        assert HEARTS_1.views.private_part(state, seat).passed_to == (seat + complete.offset) % complete.players
        _, state = accepted(state, seat, HeartsPass(tuple(passed.split())))
    assert state.hands == tuple(in_canonical_order(hand.split()) for hand in complete.hands)

    for number, (leader, text, winner) in enumerate(complete.tricks, start=1):
        cards = text.split()
        assert state.leader == leader
        assert len(state.tricks) == number - 1
        for place, card in enumerate(cards):
            seat = (leader + place) % complete.players
            assert HEARTS_1.decider.to_act(state) == (seat,)
            facts, state = accepted(state, seat, HeartsPlay(card))
            assert facts[0] == HeartsCardPlayed(seat, card)
            if (number, seat, card) == complete.breaking:
                assert state.broken
            elif number < complete.breaking[0]:
                assert not state.broken
        assert isinstance(facts[1], HeartsTrickTaken)
        assert facts[1].seat == winner
        if number < len(complete.tricks):
            assert state.tricks[-1] == HeartsTrick(leader, tuple(cards), winner)

    scored = facts[2]
    assert isinstance(scored, HeartsRoundScored)
    assert (scored.results, scored.moon) == (complete.results[short], None)
    assert state.totals == complete.results[short]
    assert state.round == complete.number + 1


def test_all_eight_results_are_there() -> None:
    for complete in COMPLETE_ROUNDS.values():
        assert tuple(complete.results) == OPTIONS
