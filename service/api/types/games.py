"""The types of the API for games, their options and rules."""

from typing import Annotated, Any

from msgspec import Meta, Struct

from domain.decider import Rule


class GameSummary(Struct, frozen=True):
    """A game that can be played."""

    game: str
    title: str
    rules_version: Annotated[int, Meta(ge=1, le=9999)]
    seats_min: Annotated[int, Meta(ge=2, le=6)]
    seats_max: Annotated[int, Meta(ge=2, le=6)]
    credits: str


class GameList(Struct, frozen=True):
    """All games."""

    items: tuple[GameSummary, ...]


class GameInfo(Struct, frozen=True):
    """A game with the JSON Schema of its options."""

    game: str
    title: str
    rules_version: Annotated[int, Meta(ge=1, le=9999)]
    seats_min: Annotated[int, Meta(ge=2, le=6)]
    seats_max: Annotated[int, Meta(ge=2, le=6)]
    credits: str
    options: Annotated[dict[str, Any], Meta(description="JSON Schema of `options` when a table is created.")]


class RuleList(Struct, frozen=True):
    """Every numbered rule of a game, and every code with which its rules refuse a move."""

    game: str
    rules_version: Annotated[int, Meta(ge=1, le=9999)]
    rules: Annotated[tuple[Rule, ...], Meta(description="Every rule, in the order of its number.")]
    rejections: Annotated[dict[str, str], Meta(description="A sentence for the player, by code.")]
