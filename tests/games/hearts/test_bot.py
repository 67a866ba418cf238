"""The bot: legal, repeatable, recognisable, and better than chance."""

import msgspec
import pytest

from domain.decider import view_of
from domain.games.hearts import HEARTS_1
from domain.games.hearts.model import HeartsMove, HeartsPass, HeartsPlay, HeartsState, HeartsTrick
from tests.games.hearts.measure_bot import TimedBot, winner
from tests.games.hearts.positions import (
    TABLES,
    View,
    accepted,
    by_bot,
    dealt,
    deck_giving,
    options,
    playing,
    steps,
    table_of,
)


def passed(hand: str, short: str = "-") -> set[str]:
    """The cards that the bot passes from a hand, whatever its seed."""
    state = dealt(deck_giving(hand.split(), 0, 4), options(short))
    (move,) = moves_in(state, 0)
    assert isinstance(move, HeartsPass)
    return set(move.cards)


def moves_in(state: HeartsState, seat: int = 2) -> set[HeartsMove]:
    """The moves of the bot in a position, over many seeds."""
    return {HEARTS_1.players.bot(view_of(HEARTS_1, state, seat), seed) for seed in range(26)}


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_whole_matches_of_bots_are_legal_and_end(table: dict[str, object]) -> None:
    target = 150 if table["variant"] == "spot" else 30
    last = list(steps(table_of({**table, "target_score": target}), seed=11, mover=by_bot))[-1]
    assert HEARTS_1.decider.outcome(last.after) is not None


def test_the_same_view_and_seed_give_the_same_move() -> None:
    for step in steps(options(target_score=1), 3):
        for seat in HEARTS_1.decider.to_act(step.after):
            view = view_of(HEARTS_1, step.after, seat)
            again: View = msgspec.json.decode(msgspec.json.encode(view), type=View)
            assert HEARTS_1.players.bot(view, 2**63 - 1) == HEARTS_1.players.bot(again, 2**63 - 1)


def test_an_unguarded_queen_and_high_spades_are_passed() -> None:
    assert passed("2C 3C 4C 5C 2D 3D 4D 5D 2H 3H QS KS AS") == {"QS", "KS", "AS"}
    assert "QS" in passed("2C 3C 4C 5C 2D 3D 4D 5D 2H 3H 2S 3S QS")


def test_a_well_guarded_queen_is_kept() -> None:
    assert passed("KC 3C 4C 2D 3D 4D KH AH 2S 3S 5S 7S 9S QS".replace("2D ", "")) == {"KC", "KH", "AH"}


def test_high_hearts_are_passed_and_low_spades_kept() -> None:
    assert passed("2C 3C 4C 5C 2D 3D 4D 5D KH AH QH 2S 3S") == {"KH", "AH", "QH"}


def test_a_short_suit_is_emptied() -> None:
    assert passed("JC 2D 3D 4D 5D 6D 7D 2H 3H 4H 2S 3S 4S") >= {"JC"}


def test_with_omnibus_cards_that_catch_the_jack_are_kept() -> None:
    assert passed("AD KD QD 2C 3C 4C 5C 2H 3H 4H 2S 3S 4S", "OM").isdisjoint({"AD", "KD", "QD"})
    assert "AD" in passed("AD KD QD 2C 3C 4C 5C 2H 3H 4H 2S 3S 4S")


def test_the_highest_card_that_ducks_is_played() -> None:
    state = playing(options(), seat=2, hand="2D 9D JD AD 5C 4S 6C 7C", trick="5D QD", number=6, broken=True)
    assert moves_in(state) == {HeartsPlay("JD")}


def test_the_queen_goes_under_king_or_ace() -> None:
    state = playing(options(), seat=2, hand="2S QS 4D 5C 6C 7C 8C 9C", trick="KS 5S", number=6, broken=True)
    assert moves_in(state) == {HeartsPlay("QS")}


def test_the_queen_is_discarded_first_then_what_may_catch_her_then_hearts() -> None:
    state = playing(options(), seat=2, hand="QS AH AC KS 4C", trick="KD 5D", number=9, broken=True)
    assert moves_in(state) == {HeartsPlay("QS")}
    state = playing(options("BM"), seat=2, hand="AS AH AC KC 4C", trick="KD 5D", number=9, broken=True)
    assert moves_in(state) == {HeartsPlay("AS")}
    state = playing(options(), seat=2, hand="3H AH 4C 2C 3C", trick="KD 5D", number=9, broken=True)
    assert moves_in(state) == {HeartsPlay("AH")}


def test_the_last_seat_takes_a_worthless_trick_with_its_highest_card() -> None:
    state = playing(options(), seat=3, hand="2D 9D AD 5C 4S 6C 7C 8C", trick="5D 6D 8D", number=6, broken=True)
    assert moves_in(state, 3) == {HeartsPlay("AD")}


def test_the_last_seat_ducks_an_expensive_trick() -> None:
    state = playing(options(), seat=3, hand="2D 4D AD 5C 4S 6C 7C 8C", trick="5D QS 8D", number=6, broken=True)
    assert moves_in(state, 3) == {HeartsPlay("4D")}


def test_with_omnibus_the_last_seat_catches_the_jack() -> None:
    state = playing(options("OM"), seat=3, hand="2D 4D AD 5C 4S 6C 7C 8C", trick="5D JD 8D", number=6, broken=True)
    assert moves_in(state, 3) == {HeartsPlay("AD")}
    state = playing(options(), seat=3, hand="2D 4D KD 5C 4S 6C 7C 8C", trick="5D 2H 8D", number=6, broken=True)
    assert moves_in(state, 3) == {HeartsPlay("4D")}


def test_low_spades_search_for_the_queen() -> None:
    taken = "2C 3C 4C 5C 6C 7C TC JC QC KC AC 2D 3D 4D 5D 6D 7D TD JD QD"
    state = playing(options(), seat=2, hand="4S 5S 8D 9D 8C 9C 8H 9H", trick="", number=6, broken=False, taken=taken)
    assert moves_in(state) <= {HeartsPlay("4S"), HeartsPlay("5S")}


SHOOTING = (
    HeartsTrick(0, ("2C", "3C", "4C", "5C"), 0),
    HeartsTrick(0, ("AH", "2H", "3H", "4H"), 0),
    HeartsTrick(0, ("KH", "5H", "6H", "7H"), 0),
    HeartsTrick(0, ("AS", "QS", "2S", "3S"), 0),
)


def against_shooter(hand: str, trick: str, seat: int) -> HeartsState:
    """Seat 0 has taken all penalty cards so far and leads."""
    state = playing(options(), seat=seat, hand=hand, trick=trick, number=5, broken=False, taken="".join(
        f"{card} " for done in SHOOTING for card in done.cards
    ))  # fmt: skip
    return msgspec.structs.replace(state, tricks=SHOOTING, points=(21, 0, 0, 0), broken=True)


def test_the_moon_is_not_given_to_somebody_who_has_all_points() -> None:
    state = against_shooter("8H 9H TC JC QC KC 5S 6S 7S", "AD 2D", 2)
    assert not moves_in(state) & {HeartsPlay("8H"), HeartsPlay("9H")}


def test_a_heart_is_taken_from_somebody_who_has_all_points() -> None:
    state = against_shooter("3D KD TC JC QC KC 5S 6S 7S", "QD 2D 8H", 3)
    assert moves_in(state, 3) == {HeartsPlay("KD")}


def test_a_certain_moon_is_shot() -> None:
    state = against_shooter("TH JH QH AD KD AC KC QC KS", "", 0)
    assert state.points[0] == 21
    seen: list[HeartsMove] = []
    while state.round == 4:
        (seat,) = HEARTS_1.decider.to_act(state)
        move = (
            HEARTS_1.players.bot(view_of(HEARTS_1, state, 0), 5)
            if seat == 0
            else HEARTS_1.players.timeout_move(state, seat)
        )
        seen += [move] if seat == 0 else []
        _, state = accepted(state, seat, move)
    assert len(seen) == 9
    assert state.score_sheet[-1].moon == 0


def test_the_bot_wins_clearly_more_than_its_share() -> None:
    bot = TimedBot()
    wins = sum(winner({}, seed, seed % 4, bot) == seed % 4 for seed in range(40))
    assert wins > 24, f"{wins} of 40 matches, seeds 0 to 39"
