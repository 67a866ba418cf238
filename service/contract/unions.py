"""The names that unions have in the contract. A union of structs that has none here is an error of its author."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple, get_args

from domain.registry import CURRENT
from domain.table.model import TableFact
from service.api.types.per_game import class_name
from service.api.types.tables import EVENT_FACTS

Members = frozenset[str]
"""The class names of the members of a union."""


class Union(NamedTuple):
    """A union as it is called, and what it is."""

    name: str
    text: str


def name_of(members: Members) -> Union:
    """Return name and text of a union. LookupError if nobody named it."""
    if members in _NAMED:
        return _NAMED[members]
    suffixes = {_without_game(member) for member in members}
    if len(suffixes) == 1 and len(members) == len(CURRENT):
        (name,) = suffixes
        return Union(name, f"One for each game: {' or '.join(sorted(members))}.")
    raise LookupError(f"a union without a name: {sorted(members)}; give it one with Meta(title=...)")


def _without_game(member: str) -> str:
    prefix = next((prefix for game in CURRENT.values() if member.startswith(prefix := class_name(game, ""))), "")
    return member.removeprefix(prefix)


def _of_games() -> Iterator[tuple[Any, Union]]:
    """The unions that every game declares, and those that only some have."""
    yield TableFact, Union("TableFact", "Something that happened at a table, beside the game.")
    for key, game in CURRENT.items():
        of = f"of {game.title}"
        yield game.types.move, Union(class_name(game, "Move"), f"A move {of}.")
        yield game.types.legal, Union(class_name(game, "Legal"), f"A kind of move {of} that may be made now.")
        yield EVENT_FACTS[key], Union(class_name(game, "EventFact"), f"Something that happened in a match {of}.")
        if game.advice is not None:
            yield game.advice.question_type, Union(class_name(game, "Question"), "A question about the own cards.")
            yield game.advice.answer_type, Union(class_name(game, "Answer"), "The answer to a question.")
        if game.private_stream is not None and game.private_stream.hand_order_type is not None:
            yield game.private_stream.hand_order_type, Union(class_name(game, "HandOrder"), "A new order of the hand.")


_NAMED: Final[Mapping[Members, Union]] = {
    frozenset(member.__name__ for member in get_args(union)): named
    for union, named in _of_games()
    if len(get_args(union)) > 1
}
