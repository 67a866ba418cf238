"""Moves for absent players (H-58)."""

from domain.decider import SeatView
from domain.games.hearts import HEARTS_1
from domain.games.hearts.model import HeartsMove, HeartsPass, HeartsPlay
from tests.games.hearts.positions import accepted, dealt, deck_giving, options, playing, steps


def passed(hand: str) -> HeartsMove:
    return HEARTS_1.players.timeout_move(dealt(deck_giving(hand.split(), 0, 4), options()), 0)


def test_the_three_highest_cards_are_passed() -> None:
    assert passed("2C 3C 4C 5C 2S 3S 4S 5S 2H 3H TH QD KS") == HeartsPass(("KS", "TH", "QD"))


def test_among_equal_ranks_the_later_suit_of_clubs_spades_hearts_diamonds_is_passed() -> None:
    assert passed("2C 3C 4C 5C 2S 3S 4S 2H 3H AC AS AH AD") == HeartsPass(("AS", "AH", "AD"))
    assert passed("2C 3C 4C 5C 2S 3S 4S 2H 3H KC KS KH AD") == HeartsPass(("KS", "KH", "AD"))


def test_the_lowest_legal_card_is_played_clubs_first_diamonds_last() -> None:
    def played(hand: str, trick: str) -> HeartsMove:
        count = len(hand.split())
        state = playing(options(), seat=0, hand=hand, trick=trick, number=14 - count, broken=True)
        return HEARTS_1.players.timeout_move(state, 0)

    assert played("4D 4H 4S 4C", "") == HeartsPlay("4C")
    assert played("4D 4H 4S", "5C") == HeartsPlay("4S")
    assert played("4D 4H 5S", "9C") == HeartsPlay("4H")
    assert played("4D 5H 5S", "9C") == HeartsPlay("4D")
    assert played("4D 9S KS QS", "TS") == HeartsPlay("9S")


def test_a_table_of_absent_players_plays_to_the_end() -> None:
    for players in (3, 4, 5):
        table = options(players=players, target_score=40)
        state = next(iter(steps(table, players))).after
        moves = 0
        while seats := HEARTS_1.decider.to_act(state):
            _, state = accepted(state, seats[0], HEARTS_1.players.timeout_move(state, seats[0]))
            moves += 1
        assert state.phase == "finished"
        assert moves > 100


def test_a_view_has_no_field_for_anything_else() -> None:
    assert set(SeatView.__struct_fields__) == {"seat", "options", "board", "hand", "legal", "private"}
