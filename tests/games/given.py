"""What worked cases of every game need: a known pack, moves that must be accepted or refused, states after facts."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from domain.cards import Card
from domain.decider import AnyGame, Chance, Rejection, Seat
from domain.fairness import MatchChance


class Stacked:
    """Chance that gives known orders by round, and known draws by name; all else follows from `seed`.

    An order is that of the first shuffle of its round.
    """

    def __init__(
        self, orders: Mapping[int, Sequence[Card]] | None = None, draws: Mapping[str, int] | None = None, seed: int = 0
    ) -> None:
        self._orders = orders or {}
        self._draws = draws or {}
        self._other = chance_of(seed)

    def shuffle(self, round_number: int, shuffle_number: int, cards: Sequence[Card]) -> tuple[Card, ...]:
        if shuffle_number or round_number not in self._orders:
            return self._other.shuffle(round_number, shuffle_number, cards)
        order = tuple(self._orders[round_number])
        assert sorted(order) == sorted(cards), "the stacked pack is another one than that of the game"
        return order

    def draw(self, name: str, n: int) -> int:
        return self._draws[name] % n if name in self._draws else self._other.draw(name, n)


def chance_of(seed: int) -> MatchChance:
    """Return the chance of a match that follows from a number."""
    return MatchChance(seed.to_bytes(32, "big"))


def folded(game: AnyGame, state: Any, facts: Iterable[Any]) -> Any:
    """Return the state after facts."""
    for fact in facts:
        state = game.decider.evolve(state, fact)
    return state


def accepted(game: AnyGame, state: Any, seat: Seat, move: Any, chance: Chance | None = None) -> tuple[Any, Any]:
    """Return the facts of a move that must be accepted, and the state after them."""
    facts = game.decider.decide(state, seat, move, chance or chance_of(0))
    assert not isinstance(facts, Rejection), (seat, move, facts)
    return facts, folded(game, state, facts)


def refused(game: AnyGame, state: Any, seat: Seat, move: Any, chance: Chance | None = None) -> Rejection:
    """Return why a move is refused; it must be, with a code and a rule that the game explains."""
    rejection = game.decider.decide(state, seat, move, chance or chance_of(0))
    assert isinstance(rejection, Rejection), (seat, move, rejection)
    assert rejection.code in game.rejections, rejection
    assert rejection.rule in {rule.number for rule in game.rules}, rejection
    return rejection
