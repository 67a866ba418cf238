"""What the contracts 1 to 7 score, and when a round of tricks ends (Z-18 to Z-28)."""

import pytest

from domain.games.herzeln.fold import outcome, trick_points
from domain.games.herzeln.model import HerzelnPlace, HerzelnPlay, HerzelnRoundScored, HerzelnTrickTaken
from tests.games.herzeln.tables import (
    accepted,
    after,
    at_layout,
    at_tricks,
    cards,
    case,
    dealt,
    of_kind,
    play_tricks,
    worked_case,
)

# P0 takes three tricks, P1 none, P2 four, P3 the last one; queens fall in tricks 2, 5, 6 and 7
SHARED = (
    "AS TS KS 7C QD KD TD AD",
    "7S JS 8C 9H JH QH KH TH",
    "8S QS AC TC KC QC 8H 7H",
    "9S 9C JC 7D 8D 9D JD AH",
)
SHARED_TRICKS = [
    "AS 7S 8S 9S", "TS JS QS 7D", "KS 9H 8H 8D", "7C 8C AC 9C",
    "TC JC QD JH", "KC 9D KD QH", "QC JD TD KH", "7H AH AD TH",
]  # fmt: skip

# P0 takes the first seven tricks, P1 the last
SEVEN = (
    "AC TC KC QC JC 9C 8C 7H",
    "7C 7S 8S 9S JS QS KS AH",
    "TS AS 7D 8D 9D JD QD KD",
    "TD AD 8H 9H JH QH KH TH",
)
SEVEN_TRICKS = [" ".join(trick) for trick in zip(*map(cards, SEVEN), strict=True)]

WHOLE = (
    "AS 7S QH JH 9D 8D KC TC",
    "TS 8S AH 9H QD 7D AC 8C",
    "KS 9S TH 8H AD JD QC 7C",
    "QS JS KH 7H TD KD JC 9C",
)
WHOLE_TRICKS = [
    "7S 8S 9S JS", "7H JH 9H 8H", "KC AC 7C JC", "QD JD KD 8D",
    "TD 9D 7D AD", "KS QS AS TS", "TC 8C QC 9C", "QH AH TH KH",
]  # fmt: skip
WHOLE_POINTS = {
    1: (-5, -28, 0, 0),
    2: (30, 20, 10, 20),
    3: (-30, -20, -10, -20),
    4: (-40, -20, 0, -20),
    5: (0, -40, 0, 0),
    6: (0, 40, 0, 0),
    7: (0, -40, 0, 0),
}


def score(contract: int, hands: tuple[str, ...], tricks: list[str], *, stop: bool = False) -> tuple[int, ...]:
    """Play a whole round led by P0 and return its points."""
    _, facts = play_tricks(dealt(contract, hands, dealer=len(hands) - 1, stop=stop), tricks)
    (scored,) = of_kind(facts, HerzelnRoundScored)
    return scored.points


@pytest.mark.parametrize(
    ("trick", "points"),
    [
        case("ZC-16", "AH TH 9H 7H", -23),
        case("ZC-17", "KH QH JH 8C", -9),
        case("ZC-18", "AC TC KC QC", 0),
    ],
)
def test_contract_1_counts_each_taken_heart(trick: str, points: int) -> None:
    state = at_tricks(1, dict(enumerate(cards(trick))))

    state, facts = play_tricks(state, [trick])

    assert of_kind(facts, HerzelnTrickTaken) == [HerzelnTrickTaken(0, points)]
    assert state.round is not None
    assert state.round.points == (points, 0, 0, 0)


@worked_case("ZC-19")
def test_taking_all_hearts_is_not_rewarded(case: str) -> None:
    four = ("AH TH KH QH JH 9H 8H 7H", "AS TS KS QS JS 9S 8S 7S", "AC TC KC QC JC 9C 8C 7C", "AD TD KD QD JD 9D 8D 7D")
    three = ("AH TH KH QH JH 9H AC TC", "AS TS KS QS JS 9S KC QC", "AD TD KD QD JD 9D JC 9C")

    assert score(1, four, [" ".join(trick) for trick in zip(*map(cards, four), strict=True)]) == (-33, 0, 0, 0)
    assert score(1, three, [" ".join(trick) for trick in zip(*map(cards, three), strict=True)]) == (-31, 0, 0)


@pytest.mark.parametrize(
    ("contract", "points"),
    [case("ZC-20", 2, (30, 0, 40, 10)), case("ZC-21", 3, (-30, 0, -40, -10))],
)
def test_contracts_2_and_3_count_tricks(contract: int, points: tuple[int, ...]) -> None:
    assert score(contract, SHARED, SHARED_TRICKS) == points


@pytest.mark.parametrize(("trick", "points"), [case("ZC-22", "AH QH QS 7C", -40), case("ZC-23", "QS QH QD QC", -80)])
def test_contract_4_counts_each_taken_queen(trick: str, points: int) -> None:
    state = at_tricks(4, dict(enumerate(cards(trick))))

    _, facts = play_tricks(state, [trick])

    assert of_kind(facts, HerzelnTrickTaken) == [HerzelnTrickTaken(0, points)]


@worked_case("ZC-24")
def test_contract_5_counts_the_king_of_hearts_alone(case: str) -> None:
    state = at_tricks(5, {0: "AS 7H", 1: "KH AH", 2: "7S QH", 3: "8S 8H"})

    state, facts = play_tricks(state, ["AS KH 7S 8S", "7H AH QH 8H"])

    assert of_kind(facts, HerzelnTrickTaken) == [HerzelnTrickTaken(0, -40), HerzelnTrickTaken(1, 0)]


@pytest.mark.parametrize(("contract", "points"), [case("ZC-25", 6, (0, 40, 0, 0)), case("ZC-26", 7, (0, -40, 0, 0))])
def test_contracts_6_and_7_count_the_last_trick_alone(contract: int, points: tuple[int, ...]) -> None:
    assert score(contract, SEVEN, SEVEN_TRICKS) == points


@worked_case("ZC-27")
def test_contract_5_stops_with_the_king_of_hearts_if_the_table_says_so(case: str) -> None:
    tricks = [*SHARED_TRICKS[:2], "KS KH 8H 8D", *SHARED_TRICKS[3:6], "QC JD TD 9H", SHARED_TRICKS[7]]

    stopped, facts = play_tricks(dealt(5, SHARED, dealer=3, stop=True), tricks[:3])

    (scored,) = of_kind(facts, HerzelnRoundScored)
    assert scored.points == (-40, 0, 0, 0)
    assert [len(hand) for hand in scored.left] == [5, 5, 5, 5]
    assert stopped.left == scored.left
    assert score(5, SHARED, tricks) == scored.points
    assert not of_kind(play_tricks(dealt(5, SHARED, dealer=3), tricks[:7])[1], HerzelnRoundScored)


@worked_case("ZC-28")
def test_contract_4_stops_with_the_fourth_queen_if_the_table_says_so(case: str) -> None:
    state, six = play_tricks(dealt(4, SHARED, dealer=3, stop=True), SHARED_TRICKS[:6])
    _, seventh = play_tricks(state, SHARED_TRICKS[6:7])

    assert not of_kind(six, HerzelnRoundScored)
    (scored,) = of_kind(seventh, HerzelnRoundScored)
    assert scored.points == (-20, 0, -60, 0) == score(4, SHARED, SHARED_TRICKS)


@worked_case("ZC-29")
@pytest.mark.parametrize("contract", [2, 3, 6, 7])
def test_contracts_of_tricks_always_run_through_eight(case: str, contract: int) -> None:
    state, facts = play_tricks(dealt(contract, SEVEN, dealer=3, stop=True), SEVEN_TRICKS[:7])
    _, eighth = play_tricks(state, SEVEN_TRICKS[7:])

    assert not of_kind(facts, HerzelnRoundScored)
    assert of_kind(eighth, HerzelnRoundScored)


def test_contract_1_stops_with_the_last_heart_if_the_table_says_so() -> None:
    hands = ("AH TH KH QH JH 9H AC TC", "AS TS KS QS JS 9S KC QC", "AD TD KD QD JD 9D JC 9C")
    tricks = [" ".join(trick) for trick in zip(*map(cards, hands), strict=True)]

    _, facts = play_tricks(dealt(1, hands, dealer=2, stop=True), tricks[:6])

    assert of_kind(facts, HerzelnRoundScored)[0].points == (-31, 0, 0)


@worked_case("ZC-30")
@pytest.mark.parametrize("contract", range(1, 8))
def test_a_whole_round_of_tricks_under_each_contract(case: str, contract: int) -> None:
    _, facts = play_tricks(dealt(contract, WHOLE, dealer=3), WHOLE_TRICKS)

    assert [taken.seat for taken in of_kind(facts, HerzelnTrickTaken)] == [3, 0, 1, 3, 2, 0, 0, 1]
    assert of_kind(facts, HerzelnRoundScored)[0].points == WHOLE_POINTS[contract]


@worked_case("ZC-31")
def test_the_highest_total_wins_the_match(case: str) -> None:
    before = tuple(map(sum, zip(*WHOLE_POINTS.values(), strict=True)))
    state = at_layout("JS", {1: "7D 7H", 3: "QD"}, turn=3, finished=(2, 0), totals=before)

    ended = outcome(after(state, accepted(state, 3, HerzelnPlace("QD", "up"))))

    assert ended is not None
    assert ended.totals == (-55, -118, 0, -40)
    assert sum(ended.totals) == -213
    assert ended.places == (3, 4, 1, 2)


def test_a_trick_scores_only_what_its_contract_names() -> None:
    trick = cards("KH QH QS 7C")

    assert [trick_points(contract, trick, 7) for contract in range(1, 8)] == [-7, 10, -10, -40, -40, 0, 0]
    assert [trick_points(contract, trick, 8) for contract in range(1, 8)] == [-7, 10, -10, -40, -40, 40, -40]


def test_a_round_of_tricks_has_eight_tricks_with_three_players_too() -> None:
    hands = ("AC TC KC QC JC 9C AS TS", "KS QS JS 9S AH TH KH QH", "JH 9H AD TD KD QD JD 9D")
    state = dealt(3, hands, dealer=2)
    state, facts = play_tricks(state, [" ".join(trick) for trick in zip(*map(cards, hands), strict=True)][:7])
    last = cards("TS QH 9D")
    for seat, card in enumerate(last):
        assert not of_kind(facts, HerzelnRoundScored)
        facts = list(accepted(state, seat, HerzelnPlay(card)))
        state = after(state, facts)
    assert of_kind(facts, HerzelnRoundScored)[0].points == (-80, 0, 0)
