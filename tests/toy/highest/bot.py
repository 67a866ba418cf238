"""Highest Card: a bot that keeps its high cards for the last trick, and moves from the view alone."""

from collections.abc import Callable
from typing import TypeAlias

from domain.cards import CANONICAL, RANKS, Card
from domain.decider import SeatView
from tests.toy.highest.model import HighestBoard, HighestChoices, HighestChoose, HighestOptions, HighestPrivate

HighestView: TypeAlias = SeatView[HighestOptions, HighestBoard, HighestPrivate, HighestChoices]


def bot(view: HighestView, seed: int) -> HighestChoose:
    """Choose the lowest card, or now and then the highest."""
    cards = sorted(view.legal[0].cards, key=_strength)
    return HighestChoose(cards[-1] if seed % 4 == 0 else cards[0])


def sample(view: HighestView, choose: Callable[[int], int]) -> HighestChoose:
    """Choose any card of the legal ones."""
    cards = view.legal[0].cards
    return HighestChoose(cards[choose(len(cards))])


def _strength(card: Card) -> tuple[int, int]:
    return RANKS.index(card[0]), CANONICAL[card]
