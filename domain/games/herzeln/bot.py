"""A player that sees what its seat may see, and nothing else (Z-47)."""

from collections.abc import Callable
from typing import TypeAlias

from domain.decider import SeatView
from domain.games.herzeln.layout_bot import choose_place
from domain.games.herzeln.model import (
    HerzelnBoard,
    HerzelnLegal,
    HerzelnLegalPlace,
    HerzelnLegalPlay,
    HerzelnMove,
    HerzelnOptions,
    HerzelnPass,
    HerzelnPlace,
    HerzelnPlay,
    HerzelnPrivate,
)
from domain.games.herzeln.trick_bot import choose_card
from domain.seeded_random import seeded_random

_View: TypeAlias = SeatView[HerzelnOptions, HerzelnBoard, HerzelnPrivate, HerzelnLegal]


def bot(view: _View, seed: int) -> HerzelnMove:
    """Return a sensible move. The seed decides which deals of the hidden cards the bot imagines."""
    (entry,) = view.legal
    random = seeded_random(seed)
    match entry:
        case HerzelnLegalPlay():
            if len(entry.cards) == 1:
                return HerzelnPlay(entry.cards[0])
            return HerzelnPlay(choose_card(view.board, view.hand, entry.cards, view.seat, random))
        case HerzelnLegalPlace():
            return choose_place(view.board, view.hand, _placings(entry), view.seat, random)
        case _:
            return HerzelnPass()


def sample(view: _View, choose: Callable[[int], int]) -> HerzelnMove:
    """Return one of the listed moves, picked by `choose`."""
    (entry,) = view.legal
    match entry:
        case HerzelnLegalPlay():
            return HerzelnPlay(entry.cards[choose(len(entry.cards))])
        case HerzelnLegalPlace():
            moves = _placings(entry)
            return moves[choose(len(moves))]
        case _:
            return HerzelnPass()


def _placings(entry: HerzelnLegalPlace) -> tuple[HerzelnPlace, ...]:
    return tuple(HerzelnPlace(option.card, end) for option in entry.placements for end in option.ends)
