"""Options of a table (Z-46)."""

import pytest

from domain.decider import OptionProblem
from domain.games.herzeln.model import HerzelnOptions
from domain.games.herzeln.options import OPTIONS


@pytest.mark.parametrize(
    ("raw", "seats", "parsed"),
    [
        ({"players": 4}, None, HerzelnOptions(4, "one_series", False)),
        ({}, 3, HerzelnOptions(3, "one_series", False)),
        ({"players": 3}, 3, HerzelnOptions(3, "one_series", False)),
        (
            {"stop_when_decided": True, "match_length": "series_per_player", "players": 4},
            4,
            HerzelnOptions(4, "series_per_player", True),
        ),
    ],
)
def test_absent_options_take_their_defaults(raw: dict[str, object], seats: int | None, parsed: HerzelnOptions) -> None:
    assert OPTIONS.parse(raw, seats) == parsed
    assert OPTIONS.seat_count(parsed, seats) == parsed.players


@pytest.mark.parametrize(
    ("raw", "seats", "problem"),
    [
        ({}, None, ("option_value", "players")),
        ({}, 2, ("option_value", "players")),
        ({"players": 5}, None, ("option_value", "players")),
        ({"players": True}, None, ("option_value", "players")),
        ({"players": 4.0}, 4, ("option_value", "players")),
        ({"players": "4"}, 4, ("option_value", "players")),
        ({"players": None}, 4, ("option_value", "players")),
        ({"players": 4, "match_length": None}, 4, ("option_value", "match_length")),
        ({"players": 4, "match_length": "two_series"}, 4, ("option_value", "match_length")),
        ({"players": 4, "match_length": ["one_series"]}, 4, ("option_value", "match_length")),
        ({"players": 4, "stop_when_decided": 1}, 4, ("option_value", "stop_when_decided")),
        ({"players": 4, "stop_when_decided": None}, 4, ("option_value", "stop_when_decided")),
        ({"players": 9, "rank_order": "AKQJT"}, 4, ("option_unknown", "rank_order")),
    ],
)
def test_unknown_options_and_wrong_values_are_refused(
    raw: dict[str, object], seats: int | None, problem: tuple[str, str]
) -> None:
    code, option = problem
    assert OPTIONS.parse(raw, seats) == OptionProblem(code, "Z-46", option)


def test_the_number_of_seats_must_agree_with_the_option() -> None:
    assert OPTIONS.parse({"players": 3}, 4) == OptionProblem("option_conflict", "Z-1", "players")
