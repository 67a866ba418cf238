"""Why a move is legal or not: the judgement of a seat's moves at any point of a match, with the rule that decides.

Nothing is recorded. What a judgement says follows from what the seat may know, as every refusal does.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import Any, Final

from msgspec import Struct, inspect

from domain.cards import Card
from domain.decider import AnyGame, Rejection, Seat, view_of
from domain.fairness import MatchChance
from domain.table import rules
from domain.table.model import REFUSALS, Accepted, TableRefusal, TableState

LISTED_MAX: Final = 16
"""Ways through `Game.players.sample` that are tried for the moves that a seat may make."""
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


def moves_to_explain(state: TableState, seat: Seat, hand: Sequence[Card]) -> list[Any]:
    """Return the moves that are explained if nobody asks for one, each once.

    For each card of the hand the moves of that one card, legal or not; then moves of any kind that a client can
    build from what is legal now, as far as `LISTED_MAX` ways lead to them.
    """
    game = state.setup.game
    moves = list(moves_with(game, hand))
    if state.decisions[seat] is not None:
        view = view_of(game, state.game_state, seat)
        moves += every_choice(lambda choose: game.players.sample(view, choose), LISTED_MAX)
    return list(dict.fromkeys(moves))


def every_choice(build: Callable[[Callable[[int], int]], Any], limit: int) -> Iterator[Any]:
    """Yield what `build` makes over all answers of the function it chooses with, up to `limit` things."""
    answers: list[int] = []
    for _ in range(limit):
        sizes: list[int] = []

        def choose(n: int, sizes: list[int] = sizes) -> int:
            if len(sizes) == len(answers):
                answers.append(0)
            sizes.append(n)
            assert n > answers[len(sizes) - 1], "the same answers lead to another question"
            return answers[len(sizes) - 1]

        yield build(choose)
        while answers and answers[-1] == sizes[len(answers) - 1] - 1:
            answers.pop()
        if not answers:
            return
        answers[-1] += 1


def moves_with(game: AnyGame, cards: Iterable[Card]) -> Iterator[Any]:
    """Return every move of one card, for each of these cards.

    Those are the moves that need a card and nothing else, with everything that they let one choose besides (the
    end of a line, say): a card that fits one end alone would else be told from the wrong one.
    """
    kinds = _one_card_moves(game.rules_id, game.types.move)
    return (kind(**{field: card}, **chosen) for card in cards for kind, field, chosen in kinds)


@lru_cache(maxsize=64)
def _one_card_moves(_: str, move_type: Any) -> tuple[tuple[Any, str, dict[str, Any]], ...]:
    """Return the kinds of move whose only necessary field is a text, which is a card, with that field's name, each
    with every choice of its other fields."""
    info = inspect.type_info(move_type)
    kinds = info.types if isinstance(info, inspect.UnionType) else (info,)
    found: list[tuple[Any, str, dict[str, Any]]] = []
    for kind in kinds:
        required = [field for field in kind.fields if field.required] if isinstance(kind, inspect.StructType) else []
        if isinstance(kind, inspect.StructType) and len(required) == 1 and _is_text(required[0].type):
            found += [(kind.cls, required[0].name, chosen) for chosen in _choices(kind)]
    return tuple(found)


def _is_text(type_: inspect.Type) -> bool:
    return _is_text(type_.type) if isinstance(type_, inspect.Metadata) else isinstance(type_, inspect.StrType)


def _choices(kind: inspect.StructType) -> Iterator[dict[str, Any]]:
    """Yield all values of the fields that may be left out and have a few names for values."""
    values = {field.name: _names(field.type) for field in kind.fields if not field.required}
    named = {name: found for name, found in values.items() if found}
    return (dict(zip(named, chosen, strict=True)) for chosen in product(*named.values()))


def _names(type_: inspect.Type) -> list[Any]:
    if isinstance(type_, inspect.Metadata):
        return _names(type_.type)
    return list(type_.values) if isinstance(type_, inspect.LiteralType) else []
