"""What the conformance suite needs to know of Highest Card."""

from collections.abc import Iterable
from random import Random

from domain.cards import Card, in_canonical_order, pack
from tests.toy.highest.model import HighestCardsShown, HighestChoose, HighestState

OPTIONS: list[tuple[dict[str, object], int | None]] = [
    ({}, None),
    ({"rounds": 1, "hand_size": 6}, 2),
    ({"rounds": 5, "hand_size": 1}, 4),
]

REVEALING = (HighestCardsShown,)

PLAYTHROUGHS: dict[str, tuple[dict[str, object], int | None]] = {
    "three": ({}, 3),
    "two_long_hands": ({"hand_size": 6}, 2),
}


def candidates(state: HighestState, seat: int) -> Iterable[HighestChoose]:
    """Every card, whoever has it, and one that does not exist."""
    return [HighestChoose(card) for card in (*pack(), "1X", "QS ")]


def cards_in_play(state: HighestState) -> Iterable[Card]:
    """Hands, stock and what was shown; a chosen card is still in its hand."""
    return [card for hand in state.hands for card in hand] + [*state.stock, *state.shown]


def hidden_from(state: HighestState, seat: int | None) -> Iterable[Card]:
    """The other hands and the stock."""
    return [card for other, hand in enumerate(state.hands) if other != seat for card in hand] + [*state.stock]


def shown(move: HighestChoose) -> object:
    """Choices are face down: all look the same."""
    return "choose"


def permute_hidden(state: HighestState, seat: int | None, rng: Random) -> HighestState:
    """Exchange all cards that the seat cannot see; a seat that has chosen then chose what came instead."""
    hidden = list(hidden_from(state, seat))
    instead = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
    return HighestState(
        options=state.options,
        round=state.round,
        hands=tuple(in_canonical_order(instead.get(card, card) for card in hand) for hand in state.hands),
        stock=tuple(instead[card] for card in state.stock),
        chosen=tuple(card and instead.get(card, card) for card in state.chosen),
        shown=state.shown,
        totals=state.totals,
        ended=state.ended,
    )
