"""Why a move is legal or not: the judgement of a seat's moves at any point of a match, with the rule that decides.

Nothing is recorded. What a judgement says follows from what the seat may know, as every refusal does.
"""

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product
from typing import Any, Final

from msgspec import Struct, inspect

from domain.cards import Card
from domain.decider import AnyGame, Rejection, Seat
from domain.fairness import MatchChance
from domain.table import rules
from domain.table.model import REFUSALS, Accepted, TableRefusal, TableState

_SOME_CHANCE: Final = MatchChance(bytes(32))
"""Whether a move is legal never depends on a later shuffle, so that of the match is not asked for."""


class Explanation(Struct, frozen=True, gc=False):
    """The judgement of one move."""

    move: Any
    legal: bool
    code: str | None = None
    """Why not: a key of the game's rejections or of the table's refusals."""
    rule: str | None = None
    """The number of the rule that refuses; None where the table refuses."""
    text: str | None = None
    """The text of that rule."""
    detail: str | None = None
    """One sentence for the player."""
    have: int | None = None
    need: int | None = None
    """What the seat has of a quantity that is missing, and what it would need."""


def explain(state: TableState, seat: Seat, moves: Iterable[Any]) -> tuple[Explanation, ...]:
    """Judge each move as if `seat` made it now."""
    return tuple(_judged(state, seat, move) for move in moves)


def _judged(state: TableState, seat: Seat, move: Any) -> Explanation:
    decision = state.decisions[seat]
    judged = rules.move(state, seat, 0 if decision is None else decision, move, _SOME_CHANCE, "")
    match judged:
        case Accepted():
            return Explanation(move, legal=True)
        case TableRefusal(code):
            return Explanation(move, legal=False, code=code, detail=REFUSALS[code])
        case Rejection():
            return _rejected(state.setup.game, move, judged)


def _rejected(game: AnyGame, move: Any, why: Rejection) -> Explanation:
    text = next((rule.text for rule in game.rules if rule.number == why.rule), None)
    return Explanation(move, False, why.code, why.rule, text, game.rejections[why.code], why.have, why.need)


def moves_with(game: AnyGame, cards: Iterable[Card]) -> Iterator[Any]:
    """Return every move of one card, for each of these cards.

    Those are the moves that need a card and nothing else, with everything that they let one choose besides (the
    end of a line, say): a card that fits one end alone would else be told from the wrong one.
    """
    kinds = _one_card_moves(game.rules_id, game.move_type)
    return (kind(card=card, **chosen) for card in cards for kind, chosen in kinds)


@lru_cache(maxsize=64)
def _one_card_moves(_: str, move_type: Any) -> tuple[tuple[Any, dict[str, Any]], ...]:
    """Return the kinds of move whose only necessary field is a card, each with every choice of its other fields."""
    info = inspect.type_info(move_type)
    kinds = info.types if isinstance(info, inspect.UnionType) else (info,)
    return tuple(
        (kind.cls, chosen)
        for kind in kinds
        if isinstance(kind, inspect.StructType) and [field.name for field in kind.fields if field.required] == ["card"]
        for chosen in _choices(kind)
    )


def _choices(kind: inspect.StructType) -> Iterator[dict[str, Any]]:
    """Yield all values of the fields that may be left out and have a few names for values."""
    values = {field.name: _names(field.type) for field in kind.fields if not field.required}
    named = {name: found for name, found in values.items() if found}
    return (dict(zip(named, chosen, strict=True)) for chosen in product(*named.values()))


def _names(type_: inspect.Type) -> list[Any]:
    if isinstance(type_, inspect.Metadata):
        return _names(type_.type)
    return list(type_.values) if isinstance(type_, inspect.LiteralType) else []
