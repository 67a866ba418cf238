"""Options: defaults, strict types, ranges, contradictions (V-77)."""

import pytest

from domain.decider import OptionProblem
from domain.games.von_herzen.model import VonHerzenOptions
from tests.games.von_herzen.play import GAME

DEFAULTS = VonHerzenOptions(
    players=4,
    complete_rounds=2,
    swap_rounds=1,
    pile_pick="top",
    own_joker_layoff=True,
    pure_flute_four=False,
    standstill_rounds=2,
)


def test_absent_options_have_their_defaults() -> None:
    assert GAME.options.parse({"players": 4}, None) == DEFAULTS
    assert GAME.options.parse({}, 4) == DEFAULTS
    assert GAME.options.parse({"players": 4}, 4) == DEFAULTS
    assert GAME.options.seat_count(DEFAULTS, None) == 4


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("players", range(2, 7)),
        ("complete_rounds", range(1, 11)),
        ("swap_rounds", (1, 2)),
        ("pile_pick", ("top", "any")),
        ("own_joker_layoff", (True, False)),
        ("pure_flute_four", (True, False)),
        ("standstill_rounds", range(1, 6)),
    ],
)
def test_every_value_of_the_range_is_taken(option: str, values: tuple[object, ...]) -> None:
    for value in values:
        options = GAME.options.parse({"players": 3, option: value}, None)
        assert isinstance(options, VonHerzenOptions)
        assert getattr(options, option) == value


@pytest.mark.parametrize(
    ("raw", "seats", "problem"),
    [
        ({"players": 4, "rounds": 2}, None, OptionProblem("option_unknown", "V-77", "rounds")),
        ({}, None, OptionProblem("option_value", "V-77", "players")),
        ({}, 7, OptionProblem("option_value", "V-77", "players")),
        ({"players": None}, 4, OptionProblem("option_value", "V-77", "players")),
        ({"players": 1}, None, OptionProblem("option_value", "V-77", "players")),
        ({"players": 4.0}, None, OptionProblem("option_value", "V-77", "players")),
        ({"players": "4"}, None, OptionProblem("option_value", "V-77", "players")),
        ({"complete_rounds": True}, 4, OptionProblem("option_value", "V-77", "complete_rounds")),
        ({"complete_rounds": 11}, 4, OptionProblem("option_value", "V-77", "complete_rounds")),
        ({"swap_rounds": 0}, 4, OptionProblem("option_value", "V-77", "swap_rounds")),
        ({"standstill_rounds": None}, 4, OptionProblem("option_value", "V-77", "standstill_rounds")),
        ({"own_joker_layoff": 1}, 4, OptionProblem("option_value", "V-77", "own_joker_layoff")),
        ({"pure_flute_four": "true"}, 4, OptionProblem("option_value", "V-77", "pure_flute_four")),
        ({"pile_pick": "Top"}, 4, OptionProblem("option_value", "V-77", "pile_pick")),
        ({"pile_pick": ["top"]}, 4, OptionProblem("option_value", "V-77", "pile_pick")),
        ({"players": 4}, 5, OptionProblem("option_conflict", "V-1", "players")),
    ],
    ids=str,
)
def test_bad_options_are_refused(raw: dict[str, object], seats: int | None, problem: OptionProblem) -> None:
    assert GAME.options.parse(raw, seats) == problem


def test_the_schema_names_every_option_in_order() -> None:
    assert tuple(GAME.options.schema["properties"]) == VonHerzenOptions.__struct_fields__
