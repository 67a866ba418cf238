"""How the bot plays the layout: it imagines deals that agree with what it saw and plays each to the end.

Every placement in question is tried in the same imagined deals. In a playout a seat that may choose
its end prefers the one that then asks for a rank it holds, so it keeps its exits open.
"""

from collections.abc import Callable, Sequence
from typing import Final

from domain.cards import Card
from domain.decider import Seat
from domain.games.herzeln.fold import place_points
from domain.games.herzeln.imagination import BIT, RANK_MASK, Imagination
from domain.games.herzeln.model import HerzelnBoard, HerzelnLayoutBoard, HerzelnPlace
from domain.games.herzeln.order import NEXT_DOWN, NEXT_UP

_PLAYOUTS: Final = 96
"""Playouts of one decision, shared among the placements in question."""


def choose_place(
    board: HerzelnBoard,
    hand: Sequence[Card],
    options: Sequence[HerzelnPlace],
    seat: Seat,
    random: Callable[[], float],
) -> HerzelnPlace:
    """Return the one of `options` that does best in imagined deals; the first of equals."""
    assert isinstance(board.play, HerzelnLayoutBoard)
    distinct = list({(move.card[0], move.end): move for move in reversed(options)}.values())[::-1]  # Z-29
    if len(distinct) == 1:
        return distinct[0]
    players = len(board.hand_sizes)
    asked = [_asked_after(board.play, move, players) for move in distinct]
    imagination = Imagination(board, hand, seat, random)
    points = [0] * len(distinct)
    for _ in range(_PLAYOUTS // len(distinct)):
        deal = imagination.deal()
        for place, move in enumerate(distinct):
            hands = deal.copy()
            hands[seat] ^= BIT[move.card]
            points[place] += _play_out(hands, *asked[place], seat, random)
    return distinct[points.index(max(points))]


def _asked_after(now: HerzelnLayoutBoard, move: HerzelnPlace, players: int) -> tuple[str, str]:
    """Return the ranks that fit at the high and the low end after a placement."""
    rank = move.card[0]
    up = now.up if now.up and move.end == "down" else NEXT_UP[players][rank]
    down = now.down if now.down and move.end == "up" else NEXT_DOWN[players][rank]
    return up, down


def _play_out(hands: list[int], up: str, down: str, seat: Seat, random: Callable[[], float]) -> int:
    """Return what `seat`, which has just placed a card, scores if habits do the rest."""
    players = len(hands)
    above, below = NEXT_UP[players], NEXT_DOWN[players]
    place = 1 + hands.count(0)
    if not hands[seat]:
        return place_points(place - 1)
    turn = seat
    while place < players:
        turn = (turn + 1) % players
        hand = hands[turn]
        fits_up = hand & RANK_MASK[up]
        fits_down = hand & RANK_MASK[down]
        if fits_up and fits_down:
            goes_on_up = bool(hand & RANK_MASK[above[up]])
            goes_on_down = bool(hand & RANK_MASK[below[down]])
            if goes_on_down > goes_on_up or (goes_on_down == goes_on_up and random() < 0.5):
                fits_up = 0
        if fits_up:
            hand ^= fits_up & -fits_up
            up = above[up]
        elif fits_down:
            hand ^= fits_down & -fits_down
            down = below[down]
        else:
            continue
        hands[turn] = hand
        if not hand:
            if turn == seat:
                return place_points(place)
            place += 1
    return place_points(place)
