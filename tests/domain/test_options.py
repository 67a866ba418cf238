"""Options from one struct: what a client is told of them, and what it may send."""

from typing import Annotated, Literal

import pytest
from msgspec import Meta, Struct

from domain.decider import OptionProblem
from domain.options import option_rules
from domain.tags import tag_after


class Given(Struct, frozen=True):
    """Options of every kind."""

    players: Annotated[int, Meta(ge=2, le=4, description="Number of seats.")] = 3
    deck: Literal["small", "large"] = "small"
    open: bool = False
    limit: Annotated[int, Meta(ge=1, le=9)] | None = None


RULES = option_rules(Given, rule="X-1", seats=2)


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
            "deck": {"type": "string", "enum": ["large", "small"], "default": "small"},
            "open": {"type": "boolean", "default": False},
            "limit": {"anyOf": [{"type": "integer", "minimum": 1, "maximum": 9}, {"type": "null"}], "default": None},
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


def test_a_tag_is_the_class_name_without_the_game() -> None:
    tag = tag_after("VonHerzen")
    assert [tag(name) for name in ("VonHerzenSwapAll", "VonHerzenLegalPass", "VonHerzenLay")] == [
        "swap_all",
        "pass",
        "lay",
    ]
