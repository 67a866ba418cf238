"""The match: dealers, series, totals and winners (Z-8, Z-27, Z-50 to Z-53)."""

from itertools import pairwise

import pytest

from domain.games.herzeln.fold import dealer_of, outcome
from domain.games.herzeln.model import (
    HerzelnFact,
    HerzelnMatchEnded,
    HerzelnPackDealt,
    HerzelnPlace,
    HerzelnRoundScored,
)
from tests.games.herzeln.tables import (
    accepted,
    after,
    at_layout,
    case,
    facts_of,
    first_dealer_of,
    of_kind,
    options,
    worked_case,
)


def dealers(facts: list[HerzelnFact]) -> list[int]:
    """Return how far from the first dealer each round's dealer sits."""
    players = len(of_kind(facts, HerzelnMatchEnded)[0].totals)
    return [(deal.dealer - first_dealer_of(facts)) % players for deal in of_kind(facts, HerzelnPackDealt)]


@worked_case("ZC-56")
def test_the_deal_passes_to_the_left_after_every_round(case: str) -> None:
    assert dealers(facts_of(options(3), seed=56)) == [0, 1, 2, 0, 1, 2, 0, 1]


@worked_case("ZC-57")
def test_the_second_series_of_four_starts_with_the_next_dealer(case: str) -> None:
    assert dealers(facts_of(options(4, long=True), seed=57))[8] == 1


@pytest.mark.parametrize(("players", "rounds", "total"), [case("ZC-58", 4, 32, -852), case("ZC-59", 3, 24, -543)])
def test_a_series_per_player_has_its_control_sum(players: int, rounds: int, total: int) -> None:
    facts = facts_of(options(players, long=True), seed=rounds)

    assert len(of_kind(facts, HerzelnRoundScored)) == rounds
    assert sum(of_kind(facts, HerzelnMatchEnded)[0].totals) == total


@worked_case("ZC-60")
def test_equal_totals_share_the_first_place(case: str) -> None:
    state = at_layout("JS", {2: "QD", 3: "7D"}, turn=2, finished=(0, 1), totals=(-30, -20, -41, -62))

    ended = outcome(after(state, accepted(state, 2, HerzelnPlace("QD", "up"))))

    assert ended is not None
    assert ended.totals == (-30, -30, -61, -92)
    assert ended.places == (1, 1, 3, 4)


@pytest.mark.parametrize("players", [3, 4])
def test_everyone_deals_every_contract_once_and_nobody_twice_running(players: int) -> None:
    for first in range(players):
        order = [dealer_of(number, first, players) for number in range(1, 8 * players + 1)]
        assert order[0] == first
        for contract in range(8):
            assert sorted(order[contract::8]) == list(range(players))
        assert all(dealer != following for dealer, following in pairwise(order))


@pytest.mark.parametrize("players", [3, 4])
def test_every_round_is_dealt_from_a_fresh_shuffle_by_the_left_neighbour(players: int) -> None:
    deals = of_kind(facts_of(options(players), seed=9), HerzelnPackDealt)

    assert [deal.contract for deal in deals] == [1, 2, 3, 4, 5, 6, 7, 8]
    assert len({deal.pack for deal in deals}) == 8


def test_the_first_dealer_is_drawn_by_chance() -> None:
    assert {first_dealer_of(facts_of(options(4), seed=seed)) for seed in range(30)} == {0, 1, 2, 3}
