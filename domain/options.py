"""Options from one struct: the JSON Schema that clients get, and the judgement of what they send.

Each field is an option. Its type says what is allowed (`bool`, a `Literal`, an `int` with bounds in `Meta`), its
default what is filled in, the `description` of its `Meta` what clients show. A game whose options depend on each
other writes its own `OptionRules` instead.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import Struct, structs

from domain.decider import OptionProblem, OptionRules

T = TypeVar("T", bound=Struct)
_PLAYERS = "players"


def option_rules(type_: type[T], *, rule: str, seats: int = 0, players_rule: str | None = None) -> OptionRules[T]:
    """Return everything about these options. `rule` is the number of the rule that a refusal names, `seats` how many
    a table has if nobody says it.

    An option `players` says it instead: without it the number of seats asked for is taken, and asking for another
    number contradicts it, under `players_rule` if that is another one.
    """
    return OptionRules(
        type=type_,
        schema=_schema(type_),
        parse=_parser(type_, rule, players_rule or rule),
        seat_count=_seat_count(seats),
    )


def _schema(type_: type[Struct]) -> dict[str, Any]:
    properties = msgspec.json.schema(type_)["$defs"][type_.__name__]["properties"]
    for declared in properties.values():
        if "enum" in declared:
            declared["type"] = "string" if isinstance(declared["enum"][0], str) else "integer"
    return {"type": "object", "additionalProperties": False, "properties": properties}


def _parser(
    type_: type[T], rule: str, players_rule: str
) -> Callable[[Mapping[str, object], int | None], T | OptionProblem]:
    fields = {field.name: field for field in structs.fields(type_)}

    def parse(raw: Mapping[str, object], seats: int | None) -> T | OptionProblem:
        for name in raw:
            if name not in fields:
                return OptionProblem("option_unknown", rule, name)
        given = dict(raw)
        if seats is not None and _PLAYERS in fields:
            given.setdefault(_PLAYERS, seats)
        for name, field in fields.items():
            if (field.required and name not in given) or (name in given and not _is_one(given[name], field.type)):
                return OptionProblem("option_value", rule, name)
        if seats is not None and given.get(_PLAYERS, seats) != seats:
            return OptionProblem("option_conflict", players_rule, _PLAYERS)
        return msgspec.convert(given, type_)

    return parse


def _is_one(value: object, type_: Any) -> bool:
    """Whether a value is exactly of a type: to msgspec 2.0 is an integer."""
    if isinstance(value, float):
        return False
    try:
        return bool(msgspec.convert(value, type_) == value)
    except msgspec.ValidationError:
        return False


def _seat_count(seats: int) -> Callable[[Any, int | None], int]:
    def seat_count(options: Any, asked: int | None) -> int:
        count: int = getattr(options, _PLAYERS, seats if asked is None else asked)
        return count

    return seat_count
