"""The layout: the line, its ends, passes and the order of finishing (Z-29 to Z-44)."""

import pytest

from domain.games.herzeln.model import (
    HerzelnCardPlaced,
    HerzelnFact,
    HerzelnForcedPass,
    HerzelnLayout,
    HerzelnLegalPass,
    HerzelnLegalPlace,
    HerzelnMatchEnded,
    HerzelnPass,
    HerzelnPassed,
    HerzelnPlace,
    HerzelnPlacement,
    HerzelnRoundScored,
    HerzelnSeatFinished,
)
from domain.games.herzeln.order import NEXT_DOWN, NEXT_UP, asked
from domain.games.herzeln.rules import legal, to_act
from domain.games.herzeln.views import board
from tests.games.herzeln.tables import (
    accepted,
    after,
    at_layout,
    cards,
    case,
    dealt,
    line_of,
    match,
    of_kind,
    options,
    placed,
    refused,
    worked_case,
)

OPENING = "JS JD QH"
SEVEN = "9C JS QD KC TH AD 7S"
EIGHT = "JS QD KC TH AD 7C 8S 9H"


@worked_case("ZC-32")
@pytest.mark.parametrize("jack", ["JS", "JD"])
def test_any_jack_opens_the_line(case: str, jack: str) -> None:
    state = at_layout("", {0: OPENING, 1: "7C 9C"})

    assert legal(state, 0) == (
        HerzelnLegalPlace((HerzelnPlacement("JS", ("open",)), HerzelnPlacement("JD", ("open",)))),
    )
    assert line_of(after(state, accepted(state, 0, HerzelnPlace(jack)))) == (jack,)


@worked_case("ZC-33")
def test_with_a_jack_in_hand_the_line_must_be_opened_with_it(case: str) -> None:
    state = at_layout("", {0: OPENING, 1: "7C 9C"})

    assert refused(state, 0, HerzelnPlace("QH", "open")) == ("must_open_with_jack", "Z-31")
    assert refused(state, 0, HerzelnPass()) == ("must_place", "Z-38")


@worked_case("ZC-34")
def test_without_a_jack_only_a_pass_is_possible_at_an_empty_line(case: str) -> None:
    state = at_layout("", {0: "QH 7C", 1: "JC"})

    assert legal(state, 0) == (HerzelnLegalPass(),)
    assert refused(state, 0, HerzelnPlace("QH", "open")) == ("must_open_with_jack", "Z-31")
    assert accepted(state, 0, HerzelnPass()) == (HerzelnPassed(0),)
    assert to_act(after(state, [HerzelnPassed(0)])) == (1,)


@pytest.mark.parametrize(
    ("line", "card", "end", "becomes"),
    [
        case("ZC-35", "JS", "QD", "up", "JS QD"),
        case("ZC-43", EIGHT, "JD", "up", f"{EIGHT} JD"),
    ],
)
def test_a_card_of_the_rank_asked_for_fits_in_any_suit(line: str, card: str, end: str, becomes: str) -> None:
    state = at_layout(line, {0: f"{card} 7H", 1: "9D KS QC"})

    state = after(state, accepted(state, 0, HerzelnPlace(card, end)))  # type: ignore[arg-type]

    assert line_of(state) == cards(becomes)
    assert board(state).play.down == "9"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("line", "card", "end", "fits"),
    [
        case("ZC-36", "JS", "TC", "down", "9D"),
        case("ZC-37", "JS QD", "TH", "up", "KD"),
        case("ZC-38", "JS QD KC", "AH", "up", "TH"),
    ],
)
def test_a_card_of_another_rank_does_not_fit(line: str, card: str, end: str, fits: str) -> None:
    state = at_layout(line, {0: f"{card} {fits}", 1: "8S 9S QC KS AS"})

    assert refused(state, 0, HerzelnPlace(card, end)) == ("card_does_not_fit", "Z-34")  # type: ignore[arg-type]
    assert placed(accepted(state, 0, HerzelnPlace(fits, end))) == [(0, fits, end)]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "players", "up", "down"),
    [
        case("ZC-39", "JS QD KC TH AD", (3, 4), "97", "99"),
        case("ZC-40", "7D 8S 9C JS", (4,), "Q", "A"),
        case("ZC-41", "9C JS", (3,), "Q", "A"),
        case("ZC-44", SEVEN, (4,), "8", "8"),
    ],
)
def test_ranks_go_round_in_a_circle(line: str, players: tuple[int, ...], up: str, down: str) -> None:
    assert [asked(cards(line), number) for number in players] == list(zip(up, down, strict=True))


@worked_case("ZC-42")
def test_a_further_jack_needs_its_place_like_any_card(case: str) -> None:
    state = at_layout("JS QD KC", {0: "JH 9S", 1: "TC"})

    for end in ("up", "down"):
        assert refused(state, 0, HerzelnPlace("JH", end)) == ("card_does_not_fit", "Z-36")
    assert refused(state, 0, HerzelnPlace("JH", "open")) == ("wrong_end", "Z-37")
    assert refused(state, 0, HerzelnPass()) == ("must_place", "Z-38")
    assert legal(state, 0) == (HerzelnLegalPlace((HerzelnPlacement("9S", ("down",)),)),)


@worked_case("ZC-45")
def test_the_end_is_named_even_if_both_ask_for_the_same_rank(case: str) -> None:
    state = at_layout(SEVEN, {0: "8H 7D", 1: "8D 9D"})

    assert refused(state, 0, HerzelnPlace("8H")) == ("wrong_end", "Z-37")
    assert legal(state, 0) == (HerzelnLegalPlace((HerzelnPlacement("8H", ("up", "down")),)),)


@pytest.mark.parametrize(("end", "asks"), [case("ZC-46", "up", ("9", "8")), case("ZC-47", "down", ("8", "7"))])
def test_the_chosen_end_decides_what_is_asked_for_next(end: str, asks: tuple[str, str]) -> None:
    state = at_layout(SEVEN, {0: "8H 7D", 1: "8D 9D"})

    state = after(state, accepted(state, 0, HerzelnPlace("8H", end)))  # type: ignore[arg-type]

    play = board(state).play
    assert (play.up, play.down) == asks  # type: ignore[union-attr]


@worked_case("ZC-48")
def test_a_seat_that_can_place_must_not_pass(case: str) -> None:
    state = at_layout("JS QD", {0: "KS 7H", 1: "9C KD"})

    assert refused(state, 0, HerzelnPass()) == ("must_place", "Z-38")


@worked_case("ZC-49")
def test_a_seat_without_a_fitting_card_can_only_pass(case: str) -> None:
    state = at_layout("JS QD", {0: "7H AD", 1: "9C KD"})

    assert legal(state, 0) == (HerzelnLegalPass(),)
    for card in ("7H", "AD"):
        for end in ("up", "down"):
            assert refused(state, 0, HerzelnPlace(card, end))[0] == "card_does_not_fit"
    state = after(state, accepted(state, 0, HerzelnPass()))
    assert board(state).play.passes == (HerzelnForcedPass(0, ("K", "9")),)  # type: ignore[union-attr]


@worked_case("ZC-50")
def test_a_turn_is_a_single_card(case: str) -> None:
    state = at_layout("JD", {0: "QS KS 7C", 1: "KD 9D"})

    state = after(state, accepted(state, 0, HerzelnPlace("QS", "up")))

    assert refused(state, 0, HerzelnPlace("KS", "up")) == ("not_your_turn", "Z-33")
    assert to_act(state) == (1,)


@worked_case("ZC-51")
def test_a_finished_seat_is_skipped_without_a_pass(case: str) -> None:
    state = at_layout("JD", {0: "7C KS", 1: "QS TD", 3: "9C KD"}, turn=1, finished=(2,), last_mover=0)

    facts = accepted(state, 1, HerzelnPlace("QS", "up"))
    state = after(state, facts)

    assert facts == (HerzelnCardPlaced(1, "QS", "up"),)
    assert to_act(state) == (3,)
    assert refused(state, 2, HerzelnPass()) == ("not_your_turn", "Z-41")


@worked_case("ZC-52")
def test_the_round_ends_when_one_seat_still_has_cards(case: str) -> None:
    state = at_layout("JS", {1: "7D 7H", 3: "QD"}, turn=3, finished=(2, 0))

    facts = accepted(state, 3, HerzelnPlace("QD", "up"))

    assert facts == (
        HerzelnCardPlaced(3, "QD", "up"),
        HerzelnSeatFinished(3, 3, -20),
        HerzelnRoundScored(8, (-10, -30, 0, -20), (-10, -30, 0, -20), ((), ("7H", "7D"), (), ())),
        HerzelnMatchEnded((-10, -30, 0, -20), (2, 4, 1, 3)),
    )


@worked_case("ZC-53")
def test_three_seats_score_0_10_and_20(case: str) -> None:
    state = at_layout("JS", {0: "QD", 2: "7D"}, players=3, turn=0, finished=(1,))

    (scored,) = of_kind(accepted(state, 0, HerzelnPlace("QD", "up")), HerzelnRoundScored)

    assert scored.points == (-10, 0, -20)


@worked_case("ZC-54")
@pytest.mark.parametrize("players", [3, 4])
def test_a_line_never_makes_all_seats_pass(case: str, players: int) -> None:
    for seed in range(40):
        running = 0
        for state, _, move, _ in match(options(players), seed):
            if isinstance(state.round, HerzelnLayout):
                running = running + 1 if isinstance(move, HerzelnPass) else 0
                assert running < players - len(state.round.finished), f"seed {seed}"


@worked_case("ZC-55")
def test_a_whole_layout_with_three_players(case: str) -> None:
    hands = ("9C 9D JH KC KD TC TD AH", "9H JS QC QD KS KH TS AD", "9S JC JD QS QH TH AC AS")
    turns = (
        "0JHo 1QC^ 2 9Sv 0KC^ 1TS^ 2AC^ 0 9C^ 1JS^ 2QS^ 0KD^ 1ADv 2TH^ 0AH^ 1 9H^ 2JC^ 0TCv 1QD^ 2-- 0-- 1KS^ "
        "2-- 0TD^ 1KHv 2AS^ 0 9D^"
    ).replace(" 9", "9")
    state = dealt(8, hands, dealer=2)
    told: list[HerzelnFact] = []
    for number, turn in enumerate(turns.split(), 1):
        seat, card, end = int(turn[0]), turn[1:3], {"o": "open", "^": "up", "v": "down", "-": ""}[turn[-1]]
        assert to_act(state) == (seat,)
        facts = accepted(state, seat, HerzelnPlace(card, end) if end else HerzelnPass())  # type: ignore[arg-type]
        told.extend(facts)
        state = after(state, facts)
        if number == 17:
            assert len(line_of(state)) == 17
            assert asked(line_of(state), 3) == ("K", "K")
        if number == 19:
            both = tuple(HerzelnPlacement(king, ("up", "down")) for king in ("KS", "KH"))
            assert legal(state, 1) == (HerzelnLegalPlace(both),)

    assert number == 25
    assert line_of(state) == cards("KH TC AD 9S JH QC KC TS AC 9C JS QS KD TH AH 9H JC QD KS TD AS 9D")
    assert [passed.seat for passed in of_kind(told, HerzelnPassed)] == [2, 0, 2]
    assert [(fact.seat, fact.place) for fact in of_kind(told, HerzelnSeatFinished)] == [(1, 1), (0, 2)]
    (scored,) = of_kind(told, HerzelnRoundScored)
    assert scored.points == (-10, 0, -20)
    assert scored.left == ((), (), ("QH", "JD"))


def test_a_seat_that_has_not_moved_yet_waits_for_its_turn() -> None:
    state = at_layout("JD", {0: "QS KS", 1: "KD 9D"}, last_mover=3)

    assert refused(state, 1, HerzelnPlace("9D", "down")) == ("not_your_turn", "Z-32")
    assert refused(state, 3, HerzelnPass()) == ("not_your_turn", "Z-33")


def test_a_pass_is_a_move_after_which_the_seat_waits() -> None:
    state = at_layout("JD", {0: "7S 8S", 1: "QD 9D"})

    state = after(state, accepted(state, 0, HerzelnPass()))

    assert refused(state, 0, HerzelnPass()) == ("not_your_turn", "Z-33")


@pytest.mark.parametrize(("players", "upward"), [(3, "QKTA9J"), (4, "QKTA789J")])
def test_the_circle_starts_again_after_the_ace(players: int, upward: str) -> None:
    rank, walked = "J", ""
    for _ in upward:
        rank = NEXT_UP[players][rank]
        walked += rank
        assert NEXT_UP[players][NEXT_DOWN[players][rank]] == rank
    assert walked == upward


@pytest.mark.parametrize("ranks", ["9JQKTA", "789JQKTA"])
def test_both_ends_of_any_line_ask_for_a_rank_that_is_not_used_up(ranks: str) -> None:
    """Section 9, by enumeration of every length and every place in the circle."""
    players = 3 if len(ranks) == 6 else 4
    for low in range(len(ranks)):
        for length in range(1, 4 * len(ranks)):
            line = [ranks[(low + step) % len(ranks)] + "C" for step in range(length)]
            for rank in asked(line, players):
                assert sum(card[0] == rank for card in line) <= 3, (low, length)
