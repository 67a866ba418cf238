"""Options of a table: worked cases 13.1 and the limits of H-4 to H-9."""

import pytest

from domain.decider import OptionProblem
from domain.games.hearts import HEARTS_1
from domain.games.hearts.model import HeartsOptions
from tests.games.hearts.positions import TABLES

DEFAULTS = HeartsOptions("standard", 4, False, False, "add_to_others", 100)
SPOT = HeartsOptions("spot", 4, False, False, "add_to_others", 500)

CASES: dict[str, tuple[dict[str, object], HeartsOptions | OptionProblem]] = {
    "HC-O-1": ({}, DEFAULTS),
    "HC-O-2": ({"variant": "spot"}, SPOT),
    "HC-O-3": (
        {"variant": "spot", "target_score": 100},
        HeartsOptions("spot", 4, False, False, "add_to_others", 100),
    ),
    "HC-O-4": ({"black_maria": True}, HeartsOptions("standard", 4, True, False, "none", 100)),
    "HC-O-5": (
        {"black_maria": True, "moon_rule": "add_to_others"},
        OptionProblem("option_conflict", "H-5", "moon_rule"),
    ),
    "HC-O-6": ({"moon_rule": "none"}, OptionProblem("option_conflict", "H-5", "moon_rule")),
    "HC-O-7": (
        {"black_maria": True, "omnibus": True, "variant": "spot", "players": 5},
        HeartsOptions("spot", 5, True, True, "none", 500),
    ),
    "HC-O-8": ({"players": 6}, OptionProblem("option_value", "H-4", "players")),
    "HC-O-9": ({"players": True}, OptionProblem("option_value", "H-7", "players")),
    "HC-O-9 float": ({"target_score": 100.0}, OptionProblem("option_value", "H-7", "target_score")),
    "HC-O-10": ({"target_score": 0}, OptionProblem("option_value", "H-4", "target_score")),
    "HC-O-10 above": ({"target_score": 5001}, OptionProblem("option_value", "H-4", "target_score")),
    "HC-O-11": ({"queen_breaks_hearts": True}, OptionProblem("option_unknown", "H-4", "queen_breaks_hearts")),
}


@pytest.mark.parametrize("case", CASES)
def test_options_are_filled_in_or_refused(case: str) -> None:
    given, expected = CASES[case]
    assert HEARTS_1.options.parse(given, None) == expected


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_every_other_combination_is_accepted_and_kept_as_given(table: dict[str, object]) -> None:
    parsed = HEARTS_1.options.parse(table, None)
    assert isinstance(parsed, HeartsOptions)
    assert {name: getattr(parsed, name) for name in table} == table
    assert HEARTS_1.options.parse({**table, "target_score": 5000}, None) != parsed


@pytest.mark.parametrize("name", ["variant", "players", "black_maria", "omnibus", "moon_rule", "target_score"])
@pytest.mark.parametrize("value", [None, 4.0, "4", [], {}, 1, True, "", "Spot", 10**30, -1])
def test_only_the_right_type_and_value_is_accepted(name: str, value: object) -> None:
    right = {"black_maria": value is True, "omnibus": value is True, "target_score": value == 1 and value is not True}
    given = HEARTS_1.options.parse({name: value}, None)
    if right.get(name):
        assert isinstance(given, HeartsOptions)
    else:
        assert isinstance(given, OptionProblem)
        assert (given.code, given.option) == ("option_value", name)


def test_seats_asked_for_stand_in_for_players_and_must_not_contradict() -> None:
    asked = HEARTS_1.options.parse({}, 5)
    assert isinstance(asked, HeartsOptions)
    assert asked.players == HEARTS_1.options.seat_count(asked, 5) == 5
    assert isinstance(HEARTS_1.options.parse({"players": 3}, 3), HeartsOptions)
    assert HEARTS_1.options.parse({"players": 3}, 4) == OptionProblem("option_conflict", "H-9", "players")
    assert HEARTS_1.options.parse({}, 6) == OptionProblem("option_value", "H-4", "players")


def test_the_schema_names_every_option_and_its_default() -> None:
    properties = HEARTS_1.options.schema["properties"]
    assert tuple(properties) == HeartsOptions.__struct_fields__
    for name, schema in properties.items():
        if "default" in schema:
            assert getattr(DEFAULTS, name) == schema["default"]
    assert HEARTS_1.options.schema["additionalProperties"] is False
