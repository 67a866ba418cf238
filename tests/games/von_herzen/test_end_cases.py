"""The worked cases of end and scoring, VC-55 to VC-71."""

from itertools import pairwise

import pytest
from msgspec.structs import replace

from domain.games.von_herzen.facts import VonHerzenRoundDealt, VonHerzenRoundScored, VonHerzenTurnEnded
from domain.games.von_herzen.model import VonHerzenRoundResult, VonHerzenState
from domain.games.von_herzen.moves import (
    VonHerzenDiscard,
    VonHerzenDrawPile,
    VonHerzenDrawStock,
    VonHerzenEndTurn,
    VonHerzenLay,
    VonHerzenLayOff,
    VonHerzenPassOffer,
)
from domain.games.von_herzen.scoring import score
from tests.games.von_herzen.play import GAME, careless, options_of, steps
from tests.games.von_herzen.positions import after, cards, dealt, facts_of, laid, melding, refused


def scored_in(facts: tuple[object, ...]) -> VonHerzenRoundScored:
    (scored,) = (fact for fact in facts if isinstance(fact, VonHerzenRoundScored))
    return scored


def test_vc_55_in_go_round_two_the_last_laid_card_ends_the_round_before_any_discard() -> None:
    state = melding(["7D", "8S", "9S", "8H 9H TH"], turn=3, turn_number=6)
    facts = facts_of(state, 3, VonHerzenLay(cards("8H 9H TH")))
    assert facts[1] == VonHerzenTurnEnded(3, went_out=True)
    assert scored_in(facts).ended == "out"
    assert isinstance(facts[3], VonHerzenRoundDealt)


def test_vc_56_in_go_round_two_discarding_the_last_card_ends_the_round() -> None:
    state = melding(["7D", "8S", "9S", "8H"], turn=3, turn_number=6)
    scored = scored_in(facts_of(state, 3, VonHerzenDiscard("8H")))
    assert (scored.ended, scored.hands[3], scored.scores) == ("out", (), (-1, -1, -1, 0))


def closing() -> VonHerzenState:
    """Case VC-57: P2 has gone out in go-round 1."""
    hands = ["7D 8D 9D KS", "8S", "9S TS JS", "QC AD KC"]
    return after(melding(hands, turn=2, pile="AH"), (2, VonHerzenLay(cards("9S TS JS"))))


def test_vc_57_going_out_in_go_round_one_leaves_a_closing_turn_to_those_who_had_none() -> None:
    state = closing()
    assert (state.phase, state.turn, state.out) == ("closing", 3, 2)
    assert refused(state, 1, VonHerzenEndTurn()) == ("not_your_turn", "V-55")
    state = after(state, (3, VonHerzenEndTurn()))
    assert (state.phase, state.turn) == ("closing", 0)
    facts = facts_of(state, 0, VonHerzenEndTurn())
    assert scored_in(facts).scores == (-4, -1, 3, -3)


def test_vc_58_a_closing_turn_has_no_draw_and_no_discard() -> None:
    state = replace(closing(), stock=("KH",))
    assert refused(state, 3, VonHerzenDrawStock()) == ("wrong_step", "V-56")
    assert refused(state, 3, VonHerzenDrawPile("AH")) == ("wrong_step", "V-56")
    assert refused(state, 3, VonHerzenDiscard("AD")) == ("wrong_step", "V-56")


def test_vc_59_in_a_closing_turn_too_laying_off_needs_a_run_of_ones_own() -> None:
    assert refused(closing(), 3, VonHerzenLayOff("QC", 0, "up")) == ("not_out", "V-43")


def test_vc_60_when_the_dealer_goes_out_in_go_round_one_the_round_is_over() -> None:
    state = melding(["8H 9H TH", "8S", "9S", "QS"], turn=0)
    assert state.turn_number == 3
    assert scored_in(facts_of(state, 0, VonHerzenLay(cards("8H 9H TH")))).scores == (3, -1, -1, -1)


def test_vc_61_eight_turns_of_four_players_without_progress_are_a_standstill() -> None:
    state = dealt(4)
    for seat in (3, 2, 1, 0):
        state = after(state, (seat, VonHerzenPassOffer()))
    for _ in range(7):
        facts = facts_of(state, state.turn, VonHerzenEndTurn())
        assert len(facts) == 1
        state = after(state, (state.turn, VonHerzenEndTurn()))
    scored = scored_in(facts_of(state, state.turn, VonHerzenEndTurn()))
    assert (scored.ended, scored.scores) == ("standstill", (-8, -8, -8, -8))


def test_vc_62_progress_in_the_last_turn_starts_the_count_again() -> None:
    state = melding(["8H 9H TH 7C", "8S", "9S", "QS"], turn=0, turn_number=7, idle_turns=7)
    state = after(state, (0, VonHerzenLay(cards("8H 9H TH"))), (0, VonHerzenEndTurn()))
    assert (state.idle_turns, state.turn, state.phase, state.round) == (0, 1, "lay", 1)


def test_vc_63_taking_from_the_pile_is_no_progress_though_stock_remains() -> None:
    state = melding(["7D 8S", "KC 9C", "JS AC"], turn=1, phase="draw", pile="9H", stock="7S 7C 8C 8D 8H")
    for turn_number in range(6):
        seat = state.turn
        state = after(state, (seat, VonHerzenDrawPile("9H")))
        facts = facts_of(state, seat, VonHerzenDiscard("9H"))
        if turn_number < 5:
            assert len(facts) == 2
            state = after(state, (seat, VonHerzenDiscard("9H")))
    scored = scored_in(facts)
    assert (scored.ended, len(scored.stock)) == ("standstill", 5)


FLUTE = "7H 8H 9H TH JH QH KH AH"
JOKER_FLUTE = "JH QD KH AD 7H 8C 9D TH"


@pytest.mark.parametrize(
    ("run", "hand", "points", "points_with_four"),
    [
        pytest.param("8H 9D TS JH", "QS KC", 1, 1, id="VC-64"),
        pytest.param(FLUTE, "", 10, 12, id="VC-65"),
        pytest.param(JOKER_FLUTE, "", 9, 9, id="VC-66"),
        pytest.param("", "7C 8C 9C TC JC QC KC AC 7S", -9, -9, id="VC-68"),
    ],
)
def test_real_cards_count_and_hand_cards_cost(run: str, hand: str, points: int, points_with_four: int) -> None:
    melds = [(0, run)] if run else []
    assert score(melding([hand, "9S"], turn=1, melds=melds)) == (points, -1)
    assert score(melding([hand, "9S"], turn=1, melds=melds, pure_flute_four=True)) == (points_with_four, -1)


def test_vc_67_a_card_counts_for_the_owner_of_the_run_whoever_laid_it() -> None:
    state = melding(["8D", "8C AC KD 7S", "JS"], turn=1, melds=[(0, "KS AS 7C"), (1, "9H TH JD QH")], turn_number=4)
    state = after(state, (1, VonHerzenLayOff("8C", 0, "up")))
    assert score(state) == (3, 1, -1)


def scored_round(number: int, points: tuple[int, ...]) -> VonHerzenRoundResult:
    nothing = (0,) * len(points)
    return VonHerzenRoundResult(number, "out", laid=points, flutes=nothing, kept=nothing, points=points)


def test_vc_69_equal_highest_totals_share_the_win() -> None:
    # given: the last turn of the last round; P0 goes out and nobody has a run
    state = melding(["8H", "9S", "TS"], turn=0, turn_number=5, complete_rounds=1)
    sheet = (scored_round(1, (0, 0, 0)), scored_round(2, (31, 45, 45)))
    state = replace(state, round=3, totals=(31, 45, 45), score_sheet=sheet)
    # when
    state = after(state, (0, VonHerzenDiscard("8H")))
    # then
    outcome = GAME.decider.outcome(state)
    assert outcome is not None
    assert (outcome.totals, outcome.places) == ((31, 44, 44), (3, 1, 1))


def test_vc_70_two_complete_rounds_of_three_players_are_six_rounds_and_everybody_deals_twice() -> None:
    played = list(steps(options_of(3, complete_rounds=2), 70, {}, careless))
    dealers = [
        before.dealer for before, _, _, facts, _ in played for fact in facts if isinstance(fact, VonHerzenRoundScored)
    ]
    assert len(dealers) == 6
    assert sorted(dealers) == [0, 0, 1, 1, 2, 2]
    assert all(later == (dealer + 1) % 3 for dealer, later in pairwise(dealers))
    end = played[-1][-1]
    assert refused(end, 0, VonHerzenEndTurn()) == ("match_over", "V-70")


WHOLE = [
    "8C KC JS AS TH QH AH JD",
    "7S 8S 9C TS JH QD KH 9D",
    "TC JC QC KD 8H 7D AC 9S",
    "7H 8D 9H TD KS QS AD 7C",
]


def whole(*, own_joker_layoff: bool = True, pure_flute_four: bool = False) -> VonHerzenState:
    """Case VC-71 up to P3's turn."""
    state = dealt(4, hands=WHOLE, own_joker_layoff=own_joker_layoff, pure_flute_four=pure_flute_four)
    for seat in (3, 2, 1, 0):
        state = after(state, (seat, VonHerzenPassOffer()))
    state = after(
        state,
        (1, VonHerzenLay(cards("7S 8S 9C TS"))),
        (1, VonHerzenLay(cards("JH QD KH"))),
        (1, VonHerzenDiscard("9D")),
    )
    assert (state.phase, state.turn) == ("closing", 2)
    state = after(
        state,
        (2, VonHerzenLay(cards("TC JC QC KD"))),
        (2, VonHerzenLayOff("AC", 2, "up")),
        (2, VonHerzenLayOff("9S", 2, "down")),
    )
    assert refused(state, 2, VonHerzenLayOff("7D", 2, "up")) == ("two_jokers", "V-37")
    return after(
        state,
        (2, VonHerzenEndTurn()),
        (3, VonHerzenLay(cards("7H 8D 9H TD"))),
        (3, VonHerzenLayOff("AD", 3, "down")),
    )


def finished(state: VonHerzenState) -> tuple[VonHerzenState, VonHerzenRoundScored]:
    """Case VC-71 from the end of P3's turn on: the state before the last card, and the round's scoring."""
    state = after(
        state,
        (3, VonHerzenEndTurn()),
        (0, VonHerzenLay(cards("TH JD QH KC AH"))),
        (0, VonHerzenLayOff("JS", 0, "up")),
        (0, VonHerzenLayOff("AS", 0, "down")),
    )
    return state, scored_in(facts_of(state, 0, VonHerzenLayOff("8C", 2, "up")))


@pytest.mark.parametrize("pure_flute_four", [False, True])
def test_vc_71_a_whole_round(pure_flute_four: bool) -> None:
    state = whole(pure_flute_four=pure_flute_four)
    state = after(state, (3, VonHerzenLayOff("KS", 3, "down")), (3, VonHerzenLayOff("7C", 2, "up")))
    state, scored = finished(state)
    assert laid(state) == [
        "AS 7S 8S 9C TS JS",
        "JH QD KH",
        "9S TC JC QC KD AC 7C",
        "KS AD 7H 8D 9H TD",
        "TH JD QH KC AH",
    ]
    assert state.pile == ("9D",)
    assert scored.hands == ((), (), ("8H", "7D"), ("QS",))
    assert scored.scores == (4, 9, 7, 4)
    assert GAME.views.board(state).left == ()
    state = after(state, (0, VonHerzenLayOff("8C", 2, "up")))
    seen = GAME.views.board(state)
    assert seen.left == scored.hands, "the next round is dealt, and the hands of the last are still open"
    (row,) = seen.score_sheet
    assert row.kept == (0, 0, -2, -1)
    assert [sum(column) for column in zip(row.laid, row.flutes, row.kept, strict=True)] == list(row.points)
    assert row.points == scored.scores
    assert (state.totals, state.round, state.dealer) == ((4, 9, 7, 4), 2, 1)


def test_vc_71_without_jokers_added_later_p3_keeps_his_king() -> None:
    state = whole(own_joker_layoff=False)
    assert refused(state, 3, VonHerzenLayOff("KS", 3, "down")) == ("joker_layoff_off", "V-46")
    _, scored = finished(after(state, (3, VonHerzenLayOff("7C", 2, "up"))))
    assert scored.hands[3] == ("QS", "KS")
    assert scored.scores == (4, 9, 7, 3)
