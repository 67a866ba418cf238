"""Overboard: a bot that makes its hand worth more while it can, and moves from the view alone."""

from collections.abc import Callable
from typing import TypeAlias

from domain.cards import without
from domain.decider import SeatView
from tests.toy.overboard.fold import value
from tests.toy.overboard.model import (
    OverboardBoard,
    OverboardLegal,
    OverboardMove,
    OverboardOptions,
    OverboardPrivate,
    OverboardStay,
    OverboardSwap,
    OverboardSwapAll,
)

OverboardView: TypeAlias = SeatView[OverboardOptions, OverboardBoard, OverboardPrivate, OverboardLegal]


def bot(view: OverboardView, _seed: int) -> OverboardMove:
    """Make the best hand that one move can make."""
    raft = view.board.raft
    made: dict[OverboardMove, int] = {OverboardStay(): view.private.value, OverboardSwapAll(): value(raft)}
    for give in view.hand:
        for take in raft:
            made[OverboardSwap(give, take)] = value((*without(view.hand, give), take))
    return max(made, key=made.__getitem__)


def sample(view: OverboardView, choose: Callable[[int], int]) -> OverboardMove:
    """Make any of the legal moves."""
    entry = view.legal[choose(len(view.legal))]
    if isinstance(entry, OverboardSwapAll | OverboardStay):
        return entry
    return OverboardSwap(entry.give[choose(len(entry.give))], entry.take[choose(len(entry.take))])
