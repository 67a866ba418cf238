"""Options from one struct: the JSON Schema that clients get, and the judgement of what they send.

Each field is an option. Its type says what is allowed (`bool`, a `Literal`, an `int` with bounds in `Meta`, any of
them `| None`), its default what is filled in, the `description` of its `Meta` what clients show:

    rounds: Annotated[int, Meta(ge=1, le=10, description="Rounds of the match.")] = 3

An option whose default follows from another one says so in `option`, and so do those of a struct whose fields have
no defaults of their own, since it always is complete where it is stored and sent:

    target_score: Annotated[int, option("The match ends here.", Follows("variant", {"short": 100, "long": 500}))]
"""

from collections.abc import Mapping
from functools import cache
from types import NoneType
from typing import Annotated, Any, Final, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Meta, Struct, structs

from domain.decider import OptionProblem, OptionRules

T = TypeVar("T", bound=Struct)
_PLAYERS: Final = "players"
_OPTION: Final = "option"
_JSON_TYPES: Final = {bool: "boolean", int: "integer", str: "string"}


class Follows(Struct, frozen=True):
    """The default of an option that depends on another one."""

    name: str
    """The other option. Its own default depends on none."""
    defaults: Mapping[Any, Any]
    """The default for each value of it."""
    off: Any = UNSET
    """The value that says that the option has no say: where it is the default nothing else is allowed, and where it
    is not, it is not allowed."""


class _Option(Struct, frozen=True):
    """What `option` says of a field beside its description."""

    default: Any
    values: tuple[int, ...]


def option(description: str, default: Any = UNSET, *, values: tuple[int, ...] = ()) -> Meta:
    """Return what an option is, beside its type and bounds, for the annotation of its field.

    The default is a value or `Follows`; without it the option has to be given. `values` are what is allowed of an
    `int`, if not a range.
    """
    return Meta(description=description, extra={_OPTION: _Option(default, values)})


class _Declared(Struct, frozen=True):
    """A field, as it is judged."""

    schema: dict[str, Any]
    types: tuple[type, ...]
    default: Any


def option_rules(
    type_: type[T],
    *,
    rule: str,
    type_rule: str | None = None,
    conflict_rule: str | None = None,
    players_rule: str | None = None,
    seats: tuple[int, int] | None = None,
    seats_rule: str | None = None,
) -> OptionRules[T]:
    """Return everything about these options.

    A refusal names the rule `rule`, if not another one is given for a value of the wrong type, for values that do not
    go together, for `players` that contradict the number of seats asked for, and for seats that cannot be played.

    A game without an option `players` says the fewest and most `seats`; the fewest are taken if nobody asks for a
    number. With that option the number asked for stands in for it, and has to agree with it.
    """

    def parse(raw: Mapping[str, object], asked: int | None) -> T | OptionProblem:
        given = {_PLAYERS: asked, **raw} if asked is not None and seats is None else raw
        problem = (
            problem_of_values(type_, given, rule, type_rule)
            or _missing(type_, given, rule)
            or problem_of_seats(given, asked)
        )
        if problem:
            return problem
        values = filled_in(type_, given)
        return problem_of_combination(type_, values, conflict_rule or rule) or msgspec.convert(values, type_)

    def problem_of_seats(given: Mapping[str, object], asked: int | None) -> OptionProblem | None:
        if asked is None:
            return None
        if seats is None:
            conflict = given[_PLAYERS] != asked
            return OptionProblem("option_conflict", players_rule or rule, _PLAYERS) if conflict else None
        playable = seats[0] <= asked <= seats[1]
        return None if playable else OptionProblem("option_value", seats_rule or rule, "seats")

    def seat_count(options: T, asked: int | None) -> int:
        if seats is None:
            players: int = getattr(options, _PLAYERS)
            return players
        return seats[0] if asked is None else asked

    if (seats is None) != (_PLAYERS in _options(type_)):
        raise TypeError(f"{type_.__name__} needs either an option `players` or `seats`")
    return OptionRules(type=type_, schema=_schema(type_), parse=parse, seat_count=seat_count)


def problem_of_values(
    type_: type[Struct], given: Mapping[str, object], rule: str, type_rule: str | None = None
) -> OptionProblem | None:
    """Judge names, then each value by itself, in the order of the struct."""
    options = _options(type_)
    for name in given:
        if name not in options:
            return OptionProblem("option_unknown", rule, name)
    for name, option in options.items():
        if name in given:
            if type(given[name]) not in option.types:  # `True` is no integer, 2.0 neither
                return OptionProblem("option_value", type_rule or rule, name)
            if not _is_in_range(given[name], option.schema):
                return OptionProblem("option_value", rule, name)
    return None


def problem_of_combination(type_: type[Struct], values: Mapping[str, object], rule: str) -> OptionProblem | None:
    """Judge whether values go together; all are there, each right by itself."""
    for name, option in _options(type_).items():
        if isinstance(option.default, Follows) and option.default.off is not UNSET:
            off = option.default.off
            if (values[name] == off) != (default_of(type_, name, values) == off):
                return OptionProblem("option_conflict", rule, name)
    return None


def filled_in(type_: type[Struct], given: Mapping[str, object]) -> dict[str, object]:
    """Return all options in order, those that are not given with their defaults."""
    options = _options(type_)
    values = {name: option.default for name, option in options.items()} | dict(given)
    return {
        name: default_of(type_, name, values) if isinstance(value, Follows) else value for name, value in values.items()
    }


def default_of(type_: type[Struct], name: str, values: Mapping[str, object]) -> object:
    """Return the default of an option beside these values of others."""
    default = _options(type_)[name].default
    return default.defaults[values[default.name]] if isinstance(default, Follows) else default


def _missing(type_: type[Struct], given: Mapping[str, object], rule: str) -> OptionProblem | None:
    missing = [name for name, option in _options(type_).items() if option.default is UNSET and name not in given]
    return OptionProblem("option_value", rule, missing[0]) if missing else None


def _is_in_range(value: Any, schema: Mapping[str, Any]) -> bool:
    if value is None:
        return True
    if "enum" in schema:
        return value in schema["enum"]
    return bool(schema.get("minimum", value) <= value <= schema.get("maximum", value))


def _schema(type_: type[Struct]) -> dict[str, Any]:
    properties = {name: option.schema for name, option in _options(type_).items()}
    return {"type": "object", "additionalProperties": False, "properties": properties}


@cache
def _options(type_: type[Struct]) -> dict[str, _Declared]:
    hints = get_type_hints(type_, include_extras=True)
    return {field.name: _declared(hints[field.name], field) for field in structs.fields(type_)}


def _declared(hint: Any, field: structs.FieldInfo) -> _Declared:
    schema, types = _type_schema(hint)
    default = UNSET if field.default is msgspec.NODEFAULT else field.default
    description = None
    for annotation in _annotations(hint):
        if isinstance(annotation, Meta):
            description = annotation.description or description
            declared = (annotation.extra or {}).get(_OPTION)
            if declared is not None:
                default = declared.default
                schema |= {"enum": list(declared.values)} if declared.values else {}
    if default is not UNSET and not isinstance(default, Follows):
        schema["default"] = default
    if description:
        schema["description"] = description
    return _Declared(schema, types, default)


def _type_schema(hint: Any) -> tuple[dict[str, Any], tuple[type, ...]]:
    """Return the JSON Schema of a type of options, and the Python types of its values."""
    arguments: tuple[Any, ...] = get_args(hint)
    if get_origin(hint) is Annotated:
        schema, types = _type_schema(arguments[0])
        for annotation in _annotations(hint):
            if isinstance(annotation, Meta):
                bounds = {"minimum": annotation.ge, "maximum": annotation.le}
                schema |= {name: bound for name, bound in bounds.items() if bound is not None}
        return schema, types
    if get_origin(hint) is Literal:
        kind = _type_schema(type(arguments[0]))
        return kind[0] | {"enum": list(arguments)}, kind[1]
    if not arguments:
        return {"type": _JSON_TYPES[hint]}, cast("tuple[type, ...]", (hint,))
    (inner,) = (one for one in arguments if one is not NoneType)
    schema, types = _type_schema(inner)
    if "enum" in schema:
        schema["enum"].append(None)
    return schema | {"type": [schema["type"], "null"]}, (*types, NoneType)


def _annotations(hint: Any) -> tuple[Any, ...]:
    return get_args(hint)[1:] if get_origin(hint) is Annotated else ()
