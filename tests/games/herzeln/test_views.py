"""Who sees what, and what is open after a round and after a match (Z-45, Z-60)."""

import msgspec
import pytest

from domain.games.herzeln import HERZELN_1
from domain.games.herzeln.model import (
    HerzelnFirstDealerDrawn,
    HerzelnHandDealt,
    HerzelnLayoutBoard,
    HerzelnPackDealt,
    HerzelnPass,
    HerzelnPlace,
    HerzelnPlay,
    HerzelnRoundDealt,
    HerzelnRoundScored,
    HerzelnTrick,
    HerzelnTricks,
    HerzelnTricksBoard,
    HerzelnTrickTaken,
)
from domain.games.herzeln.order import PACKS
from domain.games.herzeln.rules import timeout_move, to_act
from domain.games.herzeln.views import board, hand, private_form, public_form, round_number
from tests.games.herzeln.tables import (
    after,
    at_layout,
    at_tricks,
    cards,
    dealt,
    facts_of,
    match,
    of_kind,
    options,
    pack_for,
    play_tricks,
)
from tests.games.herzeln.test_scores import SHARED, SHARED_TRICKS


def test_a_deal_tells_everybody_the_round_and_each_seat_its_hand() -> None:
    fact = HerzelnPackDealt(3, 3, 1, PACKS[4])

    assert public_form(fact) == HerzelnRoundDealt(3, 3, 1)
    assert private_form(fact, 2) == HerzelnHandDealt(3, cards("7C JC 7S JS 7H JH 7D JD"))
    assert private_form(HerzelnFirstDealerDrawn(1), 2) is None


@pytest.mark.parametrize("dealer", range(4))
def test_cards_are_dealt_singly_beginning_at_the_dealers_left(dealer: int) -> None:
    fact = HerzelnPackDealt(1, 1, dealer, pack_for(SHARED, dealer))

    for seat in range(4):
        dealt_hand = private_form(fact, seat)
        assert dealt_hand is not None
        assert set(dealt_hand.hand) == set(cards(SHARED[seat]))
    assert fact.pack[:2] == (cards(SHARED[(dealer + 1) % 4])[0], cards(SHARED[(dealer + 2) % 4])[0])


def test_a_hand_is_sorted_by_suit_and_then_by_rank_of_the_game() -> None:
    own = "TC AH KC 7S 9D AC JC TH"
    others = [card for card in PACKS[4] if card not in cards(own)]
    state = dealt(1, (own, *(" ".join(others[start::3]) for start in range(3))), dealer=3)

    assert hand(state, 0) == cards("JC KC TC AC 7S TH AH 9D")


def test_everything_but_the_hands_of_a_round_of_tricks_is_on_the_board() -> None:
    state, _ = play_tricks(dealt(1, SHARED, dealer=3), [*SHARED_TRICKS[:3], "7C 8C"])

    seen = board(state)

    assert isinstance(seen.play, HerzelnTricksBoard)
    assert [trick.cards for trick in seen.play.taken] == [cards(trick) for trick in SHARED_TRICKS[:3]]
    assert seen.play.trick == cards("7C 8C")
    assert seen.play.tricks_won == (3, 0, 0, 0)
    assert (seen.rounds, seen.contract, seen.dealer, seen.turn) == (8, 1, 3, 2)
    assert seen.hand_sizes == (4, 4, 5, 5)
    assert seen.points == (-2, 0, 0, 0)


def test_everything_but_the_hands_of_a_layout_is_on_the_board() -> None:
    state = at_layout("9C JS QD", {0: "8H KS", 1: "7C", 3: "8D"}, turn=1, finished=(2,))

    seen = board(state)

    assert isinstance(seen.play, HerzelnLayoutBoard)
    assert seen.play.line == cards("9C JS QD")
    assert (seen.play.up, seen.play.down) == ("K", "8")
    assert seen.play.finished == (2,)
    assert seen.hand_sizes == (2, 1, 0, 1)


def test_cards_left_in_hands_are_open_once_the_round_is_over() -> None:
    tricks = [*SHARED_TRICKS[:2], "KS KH 8H 8D"]
    running, _ = play_tricks(dealt(5, SHARED, dealer=3, stop=True), tricks[:2])
    over, facts = play_tricks(running, tricks[2:])

    assert board(running).left == ()
    assert board(over).left == of_kind(facts, HerzelnRoundScored)[0].left
    assert set(board(over).left[3]) == set(cards("9C JC 9D JD AH"))
    assert round_number(over) == 6


def test_nothing_is_known_before_the_match_and_the_last_round_stays_after_it() -> None:
    new = board(HERZELN_1.decider.new(options(3), 3))
    *_, (state, _, _, facts) = match(options(3), seed=2)
    last = board(after(state, facts))

    assert (new.contract, new.dealer, new.turn, new.play) == (None, None, None, None)
    assert (last.rounds, last.contract, last.turn) == (8, 8, None)
    assert last.points == last.score_sheet[-1].points
    assert isinstance(last.play, HerzelnLayoutBoard)


@pytest.mark.parametrize("players", [3, 4])
def test_no_view_and_no_public_fact_has_a_card_of_a_hand(players: int) -> None:
    for state, _, _, facts in match(options(players, stop=True), seed=players):
        public = msgspec.json.encode([public_form(fact) for fact in facts]).decode()
        now = after(state, facts)
        open_cards = msgspec.json.encode(msgspec.structs.replace(board(now), left=(), last_trick=None)).decode()
        for seat in range(players) if to_act(now) else ():
            for card in hand(now, seat):
                assert card not in open_cards
                assert card not in public or any(isinstance(fact, HerzelnRoundScored) for fact in facts)


def test_after_a_match_its_facts_hold_every_pack() -> None:
    packs = [deal.pack for deal in of_kind(facts_of(options(4), seed=3), HerzelnPackDealt)]

    assert len(packs) == 8
    assert all(sorted(pack) == sorted(PACKS[4]) for pack in packs)


@pytest.mark.parametrize(
    ("trick", "held", "card"),
    [
        ("", "9C 8D KS 8S", "8S"),
        ("AH", "9C 8D KS TH JH", "JH"),
        ("AH", "TC TS KD AC", "KD"),
        ("AH", "TD TC", "TC"),
    ],
)
def test_for_an_absent_player_the_lowest_allowed_card_is_played(trick: str, held: str, card: str) -> None:
    state = at_tricks(1, {0: held}, trick=trick, leader=3 if trick else 0)

    assert timeout_move(state, 0) == HerzelnPlay(card)


@pytest.mark.parametrize(
    ("line", "held", "move"),
    [
        ("JS QD", "AC 7H", HerzelnPass()),
        ("", "QC 9S", HerzelnPass()),
        ("", "QC JD JH", HerzelnPlace("JH", "open")),
        ("JS QD", "KC 9C 9S", HerzelnPlace("9C", "down")),
        ("JS QD", "KC 9S", HerzelnPlace("KC", "up")),
        ("9C JS QD KC TH AD 7S", "8H 8S 7D", HerzelnPlace("8S", "up")),
    ],
)
def test_for_an_absent_player_the_first_fitting_card_is_placed_upward_if_it_fits_both_ends(
    line: str, held: str, move: object
) -> None:
    assert timeout_move(at_layout(line, {0: held, 1: "7C 8C"}), 0) == move


def test_the_last_trick_stays_in_sight_when_the_next_round_is_dealt() -> None:
    """Z-60: the last completed trick and its winner are open to all."""
    seen: HerzelnTrick | None = None
    for before, _, _, facts in match(options(4), 7):
        state = before
        for fact in facts:
            now = state.round
            if isinstance(fact, HerzelnTrickTaken):
                assert isinstance(now, HerzelnTricks)
                seen = HerzelnTrick(now.leader, now.trick, fact.seat, fact.points)
            state = after(state, [fact])
            assert board(state).last_trick == seen
    assert seen is not None
