"""What a game declares: types, rules, refusals and options, without playing it."""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, Final, get_args

import msgspec
from msgspec.inspect import (
    AnyType,
    BytesType,
    CollectionType,
    DecimalType,
    DictType,
    FloatType,
    FrozenSetType,
    ListType,
    SetType,
    StrType,
    StructType,
    Type,
    UnionType,
    VarTupleType,
    type_info,
)

from domain.decider import AnyGame, OptionProblem
from domain.table.model import TableCommand
from tests.conformance.hooks import Hooks

_SNAKE: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_UNSTABLE: Final = (FloatType, DecimalType, SetType, FrozenSetType, BytesType, AnyType)
"""Types whose JSON is not one fixed text, or that would come back as something else."""
SEATS_MOST: Final = 6
"""In the API and in standings."""


def check_identity(game: AnyGame) -> None:
    """Key, version, seats, rules and refusals are what clients can rely on."""
    least, most = game.seats
    numbers = [rule.number for rule in game.rules]
    assert _SNAKE.fullmatch(game.key), f"the key {game.key!r} is not in snake_case"
    assert game.rules_version >= 1, f"rules_version is {game.rules_version}; versions are counted from 1"
    assert 2 <= least <= most <= SEATS_MOST, f"seats are {game.seats}; fewest and most lie in 2 to {SEATS_MOST}"
    assert game.title, "no title"
    assert numbers, "no rules"
    assert len(set(numbers)) == len(numbers), f"rules with the same number: {numbers}"
    untold = [rule.number for rule in game.rules if not rule.text.strip()]
    assert not untold, f"rules without a text: {untold}"
    misnamed = [code for code in game.rejections if not _SNAKE.fullmatch(code)]
    assert not misnamed, f"codes of refusals that are not in snake_case: {misnamed}"
    speechless = [code for code, text in game.rejections.items() if not text.strip()]
    assert not speechless, f"refusals without a sentence: {speechless}"


def check_types(game: AnyGame) -> None:
    """API types are frozen structs named after the game; their unions are tagged by `type`; nothing
    that is stored or sent has a type that JSON does not keep."""
    name = "".join(part.capitalize() for part in game.key.split("_"))
    tags: dict[str, type] = {}
    for declared in _unions(game):
        for member in _members(declared):
            tag = member.__struct_config__.tag
            assert member.__struct_config__.tag_field == "type", f"{member.__name__} is not tagged by type"
            assert isinstance(tag, str), f"{member.__name__} has the tag {tag}"
            assert _SNAKE.fullmatch(tag), f"{member.__name__} has the tag {tag}"
            if declared in (game.types.fact, game.types.public_form, game.types.private_form):
                assert tags.setdefault(tag, member) is member, f"{member.__name__} and {tags[tag].__name__}: {tag}"
    for found in _structs(
        *_unions(game), game.types.state, game.options.type, game.types.board, game.types.private_part
    ):
        assert found.__struct_config__.frozen, f"{found.__name__} is not frozen"
    twice = {"options", "round", "totals", "places"}.intersection(game.types.board.__struct_fields__)
    assert not twice, f"the board has {sorted(twice)}, which stand beside it in the view of every game"
    for found in _structs(*_unions(game), game.options.type, game.types.board, game.types.private_part):
        assert found.__name__.startswith(name), f"{found.__name__} does not begin with {name}"


def check_changes(game: AnyGame) -> None:
    """The fold has a function for each kind of fact, and for nothing else."""
    declared, applied = set(_members(game.types.fact)), set(game.decider.changes)
    missing = sorted(kind.__name__ for kind in declared - applied)
    assert not missing, f"changes has no function for {missing}, which the union of facts names"
    unknown = sorted(kind.__name__ for kind in applied - declared)
    assert not unknown, f"changes has functions for {unknown}, which the union of facts does not name"


def check_moves(game: AnyGame) -> None:
    """Moves refuse unknown fields and bound every text and list, so that rules judge the rest."""
    for found in _structs(*_moves(game)):
        assert found.__struct_config__.forbid_unknown_fields, f"{found.__name__} allows unknown fields"
    for inner in chain.from_iterable(_walk(type_info(declared), set()) for declared in _moves(game)):
        if isinstance(inner, StrType | ListType | VarTupleType | DictType):
            assert inner.max_length is not None, f"{game.rules_id}: a text or list without bound in a move: {inner}"


def check_names_of_moves(game: AnyGame) -> None:
    """No move has the name of a command of the table: whoever reads the log tells them apart by it."""
    tags = {member.__struct_config__.tag for declared in _moves(game) for member in _members(declared)}
    shared = tags & set(get_args(TableCommand))
    assert not shared, f"{game.key}: moves with names of the table's commands: {sorted(shared)}"


def check_options(game: AnyGame, hooks: Hooks) -> None:
    """The schema names the options in the order of their struct, its defaults are those that are filled in,
    and complete options are read as what they are."""
    properties = game.options.schema["properties"]
    fields = game.options.type.__struct_fields__
    assert tuple(properties) == fields, (
        f"the schema has the options {list(properties)}, their struct has {list(fields)}"
    )
    for raw, asked in hooks.options:
        parsed = game.options.parse(raw, asked)
        assert isinstance(parsed, game.options.type), f"{raw} is refused: {parsed}"
        seats = game.options.seat_count(parsed, asked)
        assert game.seats[0] <= seats <= game.seats[1], f"{raw} gives {seats} seats"
        assert game.options.parse(msgspec.to_builtins(parsed), asked) == parsed, f"{parsed} is read as something else"
        for option, schema in properties.items():
            if not raw and asked is None and "default" in schema:
                assert getattr(parsed, option) == schema["default"], f"{option} has another default"


def check_bad_options(game: AnyGame, hooks: Hooks) -> None:
    """Unknown options, wrong types and values outside the schema are refused with a rule, never repaired."""
    raw, asked = hooks.options[0]
    numbers = {rule.number for rule in game.rules}
    for option, schema in (*game.options.schema["properties"].items(), ("no_such_option", {})):
        for value in _bad_values(schema):
            problem = game.options.parse({**raw, option: value}, asked)
            assert isinstance(problem, OptionProblem), f"{option} = {value!r} is accepted: {problem}"
            assert problem.code == ("option_value" if schema else "option_unknown"), (
                f"{option} = {value!r} is refused with another code than option_value or, if unknown, option_unknown: "
                f"{problem}"
            )
            assert problem.option == option, f"{option} = {value!r} is refused as another option: {problem}"
            assert problem.rule in numbers, f"{option} = {value!r} breaks a rule that RULES do not have: {problem}"


def check_option_sets(game: AnyGame, hooks: Hooks) -> None:
    """The option sets of the suite cover every number of seats, and every value of options with few."""
    parsed = [(game.options.parse(raw, asked), asked) for raw, asked in hooks.options]
    seats = {game.options.seat_count(options, asked) for options, asked in parsed}
    wanted_seats = set(range(game.seats[0], game.seats[1] + 1))
    assert seats == wanted_seats, f"no set of OPTIONS has {sorted(wanted_seats - seats)} seats; add one for each"
    for option, schema in game.options.schema["properties"].items():
        values = {getattr(options, option) for options, _ in parsed}
        wanted = set(schema.get("enum", (False, True) if schema.get("type") == "boolean" else ()))
        assert wanted <= values, f"no set of OPTIONS has {option} = {wanted - values}; add one for each"


def _bad_values(schema: dict[str, Any]) -> Iterator[object]:
    declared = schema.get("type", ())
    kinds = {declared} if isinstance(declared, str) else {*declared}
    yield from ([], {}, 2.0, "no such value", "2", b"")
    for kind, value in (("null", None), ("boolean", True), ("integer", 1)):
        if kind not in kinds:
            yield value
    if "minimum" in schema:
        yield schema["minimum"] - 1
    if "maximum" in schema:
        yield schema["maximum"] + 1


def _moves(game: AnyGame) -> tuple[Any, ...]:
    return (game.types.move, game.private_stream.move_type) if game.private_stream else (game.types.move,)


def _unions(game: AnyGame) -> tuple[Any, ...]:
    private = (game.private_stream.fact_type,) if game.private_stream else ()
    facts = (game.types.fact, game.types.public_form, game.types.private_form)
    return (*_moves(game), *facts, game.types.legal, *private)


def _members(declared: Any) -> tuple[type[Any], ...]:
    return get_args(declared) or (declared,)


def _structs(*declared: Any) -> set[type[Any]]:
    """Return all struct classes in these types, however deep."""
    found: set[type[Any]] = set()
    for each in declared:
        for inner in _walk(type_info(each), set()):
            assert not isinstance(inner, _UNSTABLE), f"{each} has a {type(inner).__name__}"
            if isinstance(inner, StructType):
                found.add(inner.cls)
    return found


def _walk(info: Type, seen: set[type]) -> Iterator[Type]:
    yield info
    inner: tuple[Type, ...] = ()
    if isinstance(info, StructType) and info.cls not in seen:
        seen.add(info.cls)
        inner = tuple(field.type for field in info.fields)
    elif isinstance(info, UnionType):
        inner = info.types
    elif isinstance(info, CollectionType):
        inner = (info.item_type,)
    elif isinstance(info, DictType):
        inner = (info.key_type, info.value_type)
    elif hasattr(info, "item_types"):
        inner = info.item_types
    elif hasattr(info, "type"):
        inner = (info.type,)
    for each in inner:
        yield from _walk(each, seen)
