"""Refused moves: the order of the checks, and that nothing changes (Z-70)."""

import msgspec
import pytest

from domain.games.herzeln import HERZELN_1
from domain.games.herzeln.model import HerzelnMove, HerzelnPass, HerzelnPlace, HerzelnPlay, HerzelnState
from domain.games.herzeln.rulebook import REJECTIONS, RULES
from tests.games.herzeln.conformance import candidates
from tests.games.herzeln.tables import CHANCE, after, at_layout, at_tricks, match, options, refused

TRICKS = at_tricks(1, {0: "7C 9H", 1: "8C AH", 2: "TC KH", 3: "JC QH"}, trick="9C", leader=3)
LAYOUT = at_layout("JS QD", {0: "KS JC 7H", 1: "KD JD 7C", 3: "TC 9D"}, finished=(2,), last_mover=3)
EMPTY = at_layout("", {0: "JS QH", 1: "7C 9C"})


def ended() -> HerzelnState:
    """Return the state after a match."""
    *_, (state, _, _, facts) = match(options(3), seed=1)
    return after(state, facts)


@pytest.mark.parametrize(
    ("state", "seat", "move", "code", "rule"),
    [
        # 2: no such seat, before anything else about the move
        (TRICKS, 4, HerzelnPass(), "not_seated", "Z-1"),
        (TRICKS, -1, HerzelnPlay("7C"), "not_seated", "Z-1"),
        # 3: the wrong kind of move, even out of turn and with a card that is none
        (TRICKS, 0, HerzelnPass(), "wrong_phase", "Z-9"),
        (TRICKS, 2, HerzelnPlace("XX", "up"), "wrong_phase", "Z-9"),
        (LAYOUT, 1, HerzelnPlay("XX"), "wrong_phase", "Z-9"),
        # 4: out of turn, even with a card that is none or with a pass that would be wrong
        (TRICKS, 1, HerzelnPlay("XX"), "not_your_turn", "Z-7"),
        (at_tricks(1, {0: "7C", 1: "8C"}), 1, HerzelnPlay("XX"), "not_your_turn", "Z-11"),
        (LAYOUT, 2, HerzelnPass(), "not_your_turn", "Z-41"),
        (LAYOUT, 3, HerzelnPass(), "not_your_turn", "Z-33"),
        (LAYOUT, 1, HerzelnPlace("XX", "open"), "not_your_turn", "Z-32"),
        # 5: no card of this pack, at any end
        (TRICKS, 0, HerzelnPlay("2C"), "invalid_card", "Z-2"),
        (TRICKS, 0, HerzelnPlay(""), "invalid_card", "Z-2"),
        (LAYOUT, 0, HerzelnPlace("10H", "open"), "invalid_card", "Z-2"),
        # 6: not in the hand, whoever holds it and whatever fits
        (TRICKS, 0, HerzelnPlay("AH"), "card_not_in_hand", "Z-5"),
        (TRICKS, 0, HerzelnPlay("9C"), "card_not_in_hand", "Z-5"),
        (LAYOUT, 0, HerzelnPlace("KD", "open"), "card_not_in_hand", "Z-5"),
        # 7: the suit; the end; a pass with a fitting card
        (TRICKS, 0, HerzelnPlay("9H"), "must_follow_suit", "Z-12"),
        (LAYOUT, 0, HerzelnPlace("7H", "open"), "wrong_end", "Z-37"),
        (EMPTY, 0, HerzelnPlace("QH", "up"), "wrong_end", "Z-37"),
        (EMPTY, 0, HerzelnPlace("JS", "down"), "wrong_end", "Z-37"),
        (LAYOUT, 0, HerzelnPass(), "must_place", "Z-38"),
        # 8: the first card; the rank
        (EMPTY, 0, HerzelnPlace("QH", "open"), "must_open_with_jack", "Z-31"),
        (LAYOUT, 0, HerzelnPlace("7H", "up"), "card_does_not_fit", "Z-34"),
        (LAYOUT, 0, HerzelnPlace("KS", "down"), "card_does_not_fit", "Z-34"),
        (LAYOUT, 0, HerzelnPlace("JC", "down"), "card_does_not_fit", "Z-36"),
    ],
)
def test_the_first_failing_check_gives_code_and_rule(
    state: HerzelnState, seat: int, move: HerzelnMove, code: str, rule: str
) -> None:
    before = msgspec.json.encode(state)

    assert refused(state, seat, move) == (code, rule)
    assert msgspec.json.encode(state) == before


@pytest.mark.parametrize("seat", [0, 7])
@pytest.mark.parametrize("move", [HerzelnPass(), HerzelnPlay("XX"), HerzelnPlace("JC", "open")])
def test_nothing_is_judged_after_the_match(seat: int, move: HerzelnMove) -> None:
    assert refused(ended(), seat, move) == ("match_over", "Z-53")


def test_nothing_can_be_done_before_the_match() -> None:
    state = HERZELN_1.decider.new(options(4), 4)

    for move in candidates(state, 0):
        assert refused(state, 0, move) == ("wrong_phase", "Z-9")


def test_a_refusal_does_not_depend_on_who_holds_the_card() -> None:
    one = at_layout("JS", {0: "7C", 1: "QD", 2: "KD"})
    other = at_layout("JS", {0: "7C", 1: "KD", 2: "QD"})

    for move in candidates(one, 0):
        assert HERZELN_1.decider.decide(one, 0, move, CHANCE) == HERZELN_1.decider.decide(other, 0, move, CHANCE)


def test_every_refusal_is_explained() -> None:
    numbers = {rule.number for rule in RULES}
    seen = set()
    for state in (TRICKS, LAYOUT, EMPTY, ended()):
        for seat in range(-1, 5):
            for move in candidates(state, seat):
                judged = HERZELN_1.decider.decide(state, seat, move, CHANCE)
                if not isinstance(judged, tuple):
                    assert judged.rule in numbers
                    seen.add(judged.code)
    assert seen == set(REJECTIONS)


def test_the_rulebook_has_every_rule_in_order() -> None:
    assert [rule.number for rule in RULES] == [
        f"Z-{number}" for number in (*range(1, 48), *range(50, 54), 60, 70)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ['{"type":"place","card":"JC","end":"left"}', '{"type":"draw"}', '{"type":"pass","card":"JC"}', '{"type":"play"}'],
)
def test_what_is_none_of_the_moves_is_malformed(text: str) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=HERZELN_1.types.move)


def test_a_place_without_an_end_means_open() -> None:
    assert msgspec.json.decode('{"type":"place","card":"JC"}', type=HERZELN_1.types.move) == HerzelnPlace("JC", "open")
