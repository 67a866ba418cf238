"""Stacked decks: the fourth empty stock and the forced draw, reached move by move from the deal."""

from collections.abc import Sequence

import pytest

from domain.cards import Card
from domain.decider import Rejection
from domain.games.romme import ROMME_1
from domain.games.romme.deck import DECK, hand_value
from domain.games.romme.facts import RommeFact, RommeRoundEnded, RommeStockEmptied, RommeStockShuffled
from domain.games.romme.model import RommeState
from domain.games.romme.moves import RommeDiscard, RommeDrawPile, RommeDrawStock, RommeMove
from domain.games.romme.rules import start
from tests.games.romme.positions import before


class Stacked:
    """Chance that deals a given order and turns each new stock round."""

    def __init__(self, order: Sequence[Card], starter: int) -> None:
        self._order, self._starter = tuple(order), starter
        self.asked: list[tuple[int, int, int]] = []

    def shuffle(self, round_number: int, shuffle_number: int, cards: Sequence[Card]) -> tuple[Card, ...]:
        assert list(cards) == sorted(cards, key=DECK.index), "in canonical order before the shuffle (R-7)"
        self.asked.append((round_number, shuffle_number, len(cards)))
        return tuple(reversed(cards)) if shuffle_number else self._order

    def draw(self, name: str, n: int) -> int:
        assert (name, self._starter < n) == ("starter", True)
        return self._starter


def do(state: RommeState, move: RommeMove, chance: Stacked) -> tuple[tuple[RommeFact, ...], RommeState]:
    facts = ROMME_1.decider.decide(state, state.turn, move, chance)
    assert not isinstance(facts, Rejection), (state.turn, move, facts)
    for fact in facts:
        state = ROMME_1.decider.evolve(state, fact)
    return facts, state


def begun(chance: Stacked, seats: int) -> RommeState:
    state = before(seats=seats)
    for fact in start(state, chance):
        state = ROMME_1.decider.evolve(state, fact)
    return state


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_the_fourth_empty_stock_ends_the_round(seats: int) -> None:
    chance = Stacked(DECK, seats - 1)
    state = begun(chance, seats)
    assert state.starter == seats - 1
    hands = [set(hand) for hand in state.hands]
    facts, state = do(state, RommeDiscard(state.hands[state.turn][-1]), chance)
    size, emptied = 109 - 13 * seats, []
    for draws in range(1, 4 * size + 1):
        _, state = do(state, RommeDrawStock(), chance)
        assert state.drawn is not None
        facts, state = do(state, RommeDiscard(state.drawn), chance)
        counts = [fact.count for fact in facts if isinstance(fact, RommeStockEmptied)]
        assert bool(counts) == (draws % size == 0)
        emptied += counts
        if counts and counts != [4]:
            (shuffled,) = [fact for fact in facts if isinstance(fact, RommeStockShuffled)]
            assert (len(shuffled.order), len(state.pile)) == (size, 1)
            assert shuffled.order == tuple(sorted(shuffled.order, key=DECK.index, reverse=True))
    assert emptied == [1, 2, 3, 4]
    assert chance.asked == [(1, 0, 110), (1, 1, size), (1, 2, size), (1, 3, size)]
    ended = facts[-1]
    assert isinstance(ended, RommeRoundEnded)
    assert ended.reason == "exhausted"
    lowest = min(ended.values)
    assert ended.winners == tuple(seat for seat, value in enumerate(ended.values) if value == lowest)
    assert ended.points == tuple(0 if value == lowest else value for value in ended.values)
    assert ended.values == tuple(map(hand_value, state.hands))
    assert all(len(hands[seat] - set(state.hands[seat])) <= 1 for seat in range(seats))


@pytest.mark.parametrize("seats", [2, 3, 6])
def test_after_twelve_idle_turns_for_each_seat_the_stock_must_be_drawn_from(seats: int) -> None:
    chance = Stacked(DECK[::-1], 0)
    state = begun(chance, seats)
    _, state = do(state, RommeDiscard(state.hands[0][0]), chance)
    assert (state.idle_turns, state.turn) == (0, 1), "the opening discard is no regular turn"
    for turns in range(12 * seats):
        assert state.idle_turns == turns
        _, state = do(state, RommeDrawPile(), chance)
        _, state = do(state, RommeDiscard(state.hands[state.turn][0]), chance)
    assert state.idle_turns == 12 * seats
    refused = ROMME_1.decider.decide(state, state.turn, RommeDrawPile(), chance)
    assert refused == Rejection("must_draw_stock", "R-19")
    assert [entry.__struct_config__.tag for entry in ROMME_1.views.legal(state, state.turn)] == ["draw_stock"]
    _, state = do(state, RommeDrawStock(), chance)
    _, state = do(state, RommeDiscard(state.hands[state.turn][0]), chance)
    assert state.idle_turns == 0
    assert not isinstance(ROMME_1.decider.decide(state, state.turn, RommeDrawPile(), chance), Rejection)
