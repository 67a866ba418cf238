"""Options from one struct: what a client is told of them, and what it may send."""

from typing import Annotated, Literal

import pytest
from msgspec import Meta, Struct

from domain.decider import OptionProblem
from domain.options import Follows, filled_in, option, option_rules
from domain.structs import tag_after


class Given(Struct, frozen=True):
    """Options of every kind."""

    players: Annotated[int, Meta(ge=2, le=4, description="Number of seats.")] = 3
    deck: Literal["small", "large"] = "small"
    open: bool = False
    limit: Annotated[int, Meta(ge=1, le=9)] | None = None


RULES = option_rules(Given, rule="X-1")


def test_the_schema_has_every_option_with_range_default_and_description() -> None:
    assert RULES.schema == {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "players": {
                "type": "integer",
                "minimum": 2,
                "maximum": 4,
                "description": "Number of seats.",
                "default": 3,
            },
            "deck": {"type": "string", "enum": ["small", "large"], "default": "small"},
            "open": {"type": "boolean", "default": False},
            "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": 9, "default": None},
        },
    }


def test_defaults_are_filled_in_and_the_seats_asked_for_are_players() -> None:
    assert RULES.parse({}, None) == Given()
    assert RULES.parse({"deck": "large"}, 4) == Given(4, "large")
    assert RULES.parse({"players": 4}, 4) == Given(4)
    assert RULES.seat_count(Given(4), None) == 4


@pytest.mark.parametrize(
    ("raw", "seats", "code", "option"),
    [
        ({"colour": 1}, None, "option_unknown", "colour"),
        ({"players": 5}, None, "option_value", "players"),
        ({"players": 3.0}, None, "option_value", "players"),
        ({"players": True}, None, "option_value", "players"),
        ({"open": 1}, None, "option_value", "open"),
        ({"deck": "Small"}, None, "option_value", "deck"),
        ({"limit": "3"}, None, "option_value", "limit"),
        ({}, 5, "option_value", "players"),
        ({"players": 3}, 4, "option_conflict", "players"),
    ],
)
def test_what_is_not_allowed_is_refused_by_name(
    raw: dict[str, object], seats: int | None, code: str, option: str
) -> None:
    assert RULES.parse(raw, seats) == OptionProblem(code, "X-1", option)


class Complete(Struct, frozen=True):
    """Options that are complete wherever they stand, some of which follow from others."""

    ends_by: Annotated[Literal["points", "nothing"], option("How it ends.", "points")]
    packs: Annotated[int, option("Packs.", 2, values=(2, 4))]
    limit: Annotated[
        Annotated[int, Meta(ge=1, le=9)] | None,
        option("Points.", Follows("ends_by", {"points": 5, "nothing": None}, off=None)),
    ]
    bonus: Annotated[int, Meta(ge=0), option("More points.", Follows("packs", {2: 10, 4: 20}))]


COMPLETE = option_rules(Complete, rule="X-1", type_rule="X-2", conflict_rule="X-3", seats=(3, 5), seats_rule="X-4")


def test_defaults_that_follow_from_others_are_not_in_the_schema() -> None:
    properties = COMPLETE.schema["properties"]
    assert properties["packs"] == {"type": "integer", "enum": [2, 4], "description": "Packs.", "default": 2}
    assert properties["limit"] == {
        "type": ["integer", "null"],
        "minimum": 1,
        "maximum": 9,
        "description": "Points.",
    }
    assert properties["bonus"] == {"type": "integer", "minimum": 0, "description": "More points."}


@pytest.mark.parametrize(
    ("raw", "options"),
    [
        ({}, Complete("points", 2, 5, 10)),
        ({"packs": 4}, Complete("points", 4, 5, 20)),
        ({"packs": 4, "bonus": 10}, Complete("points", 4, 5, 10)),
        ({"ends_by": "nothing"}, Complete("nothing", 2, None, 10)),
        ({"ends_by": "nothing", "limit": None}, Complete("nothing", 2, None, 10)),
        ({"limit": 9}, Complete("points", 2, 9, 10)),
    ],
)
def test_defaults_follow_from_what_other_options_say(raw: dict[str, object], options: Complete) -> None:
    assert COMPLETE.parse(raw, None) == options
    assert list(filled_in(Complete, raw)) == ["ends_by", "packs", "limit", "bonus"]


@pytest.mark.parametrize(
    ("raw", "seats", "problem"),
    [
        ({"limit": None}, None, OptionProblem("option_conflict", "X-3", "limit")),
        ({"ends_by": "nothing", "limit": 5}, None, OptionProblem("option_conflict", "X-3", "limit")),
        ({"packs": 3}, None, OptionProblem("option_value", "X-1", "packs")),
        ({"packs": True}, None, OptionProblem("option_value", "X-2", "packs")),
        ({"packs": 2.0}, None, OptionProblem("option_value", "X-2", "packs")),
        ({"ends_by": None}, None, OptionProblem("option_value", "X-2", "ends_by")),
        ({"bonus": -1}, None, OptionProblem("option_value", "X-1", "bonus")),
        ({"limit": 10}, 9, OptionProblem("option_value", "X-1", "limit")),
        ({}, 2, OptionProblem("option_value", "X-4", "seats")),
        ({}, 6, OptionProblem("option_value", "X-4", "seats")),
    ],
    ids=str,
)
def test_a_refusal_names_the_rule_for_what_is_wrong(
    raw: dict[str, object], seats: int | None, problem: OptionProblem
) -> None:
    assert COMPLETE.parse(raw, seats) == problem


def test_without_players_a_table_has_the_seats_asked_for_or_the_fewest() -> None:
    options = Complete("points", 2, 5, 10)
    assert [COMPLETE.seat_count(options, asked) for asked in (None, 3, 5)] == [3, 3, 5]


def test_seats_are_said_in_one_way() -> None:
    with pytest.raises(TypeError, match="Complete needs either"):
        option_rules(Complete, rule="X-1")
    with pytest.raises(TypeError, match="Given needs either"):
        option_rules(Given, rule="X-1", seats=(2, 4))


def test_a_tag_is_the_class_name_without_the_game() -> None:
    tag = tag_after("VonHerzen")
    assert [tag(name) for name in ("VonHerzenSwapAll", "VonHerzenLegalPass", "VonHerzenLay")] == [
        "swap_all",
        "pass",
        "lay",
    ]
