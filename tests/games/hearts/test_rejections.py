"""Refused moves: the order of H-56, and that each code and rule is documented."""

import msgspec
import pytest

from domain.decider import Rejection
from domain.games.hearts import HEARTS_1
from domain.games.hearts.model import HeartsMove, HeartsPass, HeartsPlay, HeartsState
from tests.games.hearts.complete_rounds import FOUR_PLAYERS
from tests.games.hearts.positions import accepted, chance, dealt, options, playing, rejected

PASSING = dealt(FOUR_PLAYERS.deck.split(), options())
HOLD = dealt(FOUR_PLAYERS.deck.split(), options(), round_number=4)
FOLLOWING = playing(options(), seat=2, hand="3D 4D QH", trick="5D 6D", number=11, broken=True)
FINISHED = msgspec.structs.replace(FOLLOWING, phase="finished")
NEW = HEARTS_1.decider.new(options(), 4)
_, COMMITTED = accepted(PASSING, 0, HeartsPass(PASSING.hands[0][:3]))

BAD_PASS = HeartsPass(("XX", "XX"))
ORDER: list[tuple[str, HeartsState, int, HeartsMove, str, str]] = [
    # each move also breaks what is checked later
    ("finished before seat", FINISHED, 9, BAD_PASS, "match_over", "H-50"),
    ("finished, play", FINISHED, 2, HeartsPlay("QH"), "match_over", "H-50"),
    ("seat before phase", FOLLOWING, 4, BAD_PASS, "not_seated", "H-56"),
    ("negative seat", FOLLOWING, -1, HeartsPlay("3D"), "not_seated", "H-56"),
    ("before the first deal", NEW, 0, BAD_PASS, "wrong_phase", "H-56"),
    ("play before the first deal", NEW, 0, HeartsPlay("XX"), "wrong_phase", "H-56"),
    ("phase before committed", COMMITTED, 0, HeartsPlay("XX"), "wrong_phase", "H-56"),
    ("pass while playing", FOLLOWING, 2, BAD_PASS, "wrong_phase", "H-15"),
    ("pass in a hold round", HOLD, 0, BAD_PASS, "wrong_phase", "H-15"),
    ("committed before card", COMMITTED, 0, BAD_PASS, "already_passed", "H-17"),
    ("turn before card", FOLLOWING, 0, HeartsPlay("XX"), "not_your_turn", "H-21"),
    ("turn before hand", FOLLOWING, 0, HeartsPlay("3D"), "not_your_turn", "H-21"),
    ("card before count", PASSING, 0, BAD_PASS, "invalid_card", "H-3"),
    ("card before hand", FOLLOWING, 2, HeartsPlay("1D"), "invalid_card", "H-3"),
    ("lower case is no card", FOLLOWING, 2, HeartsPlay("3d"), "invalid_card", "H-3"),
    ("count before duplicates", PASSING, 0, HeartsPass(("QS", "QS")), "wrong_pass_count", "H-14"),
    ("too many", PASSING, 0, HeartsPass(PASSING.hands[0][:4]), "wrong_pass_count", "H-14"),
    ("none", PASSING, 0, HeartsPass(()), "wrong_pass_count", "H-14"),
    ("duplicates before hand", PASSING, 0, HeartsPass(("QS", "QS", "3D")), "duplicate_card", "H-14"),
    ("pass from another hand", PASSING, 0, HeartsPass((*PASSING.hands[0][:2], "QS")), "card_not_in_hand", "H-18"),
    ("hand before suit", FOLLOWING, 2, HeartsPlay("KC"), "card_not_in_hand", "H-56"),
    ("must follow", FOLLOWING, 2, HeartsPlay("QH"), "must_follow_suit", "H-22"),
]


@pytest.mark.parametrize(
    ("state", "seat", "move", "code", "rule"), [case[1:] for case in ORDER], ids=[case[0] for case in ORDER]
)
def test_the_first_reason_is_given(state: HeartsState, seat: int, move: HeartsMove, code: str, rule: str) -> None:
    rejection = rejected(state, seat, move)
    assert (rejection.code, rejection.rule) == (code, rule)


def test_a_removed_card_is_a_card_nobody_holds() -> None:
    state = playing(options(players=3), seat=0, hand="3D 4D", trick="5D", number=16, broken=True)
    assert rejected(state, 0, HeartsPlay("2D")) == Rejection("card_not_in_hand", "H-56")


def test_a_pass_after_the_exchange_is_in_the_wrong_phase() -> None:
    state = PASSING
    for seat in range(4):
        _, state = accepted(state, seat, HeartsPass(state.hands[seat][:3]))
    assert rejected(state, 0, HeartsPass(state.hands[0][:3])) == Rejection("wrong_phase", "H-56")


def test_cards_of_others_are_refused_alike_wherever_they_are() -> None:
    """Whose card it is must not show in the answer: a hand, a pass under way or no hand at all."""
    codes = set()
    for card in (COMMITTED.hands[1][0], COMMITTED.passes[0][0], COMMITTED.hands[3][5]):
        codes.add(rejected(COMMITTED, 2, HeartsPass((*COMMITTED.hands[2][:2], card))))
    assert codes == {Rejection("card_not_in_hand", "H-18")}


def test_decide_depends_on_nothing_but_its_arguments() -> None:
    move = HeartsPlay("3D")
    assert HEARTS_1.decider.decide(FOLLOWING, 2, move, chance()) == HEARTS_1.decider.decide(
        FOLLOWING, 2, move, chance()
    )


def test_every_code_and_rule_that_occurs_is_documented() -> None:
    numbers = {rule.number for rule in HEARTS_1.rules}
    codes = {case[4] for case in ORDER} | {"must_lead_two_of_clubs", "no_penalty_on_first_trick", "hearts_not_broken"}
    assert codes == set(HEARTS_1.rejections)
    assert {case[5] for case in ORDER} <= numbers


def test_the_rulebook_has_every_number_once() -> None:
    assert [rule.number for rule in HEARTS_1.rules] == [f"H-{number}" for number in range(1, 59)]
    assert len({rule.text for rule in HEARTS_1.rules}) == 58
