"""A player that follows well-known rules of thumb and knows only what its seat may see."""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from domain.cards import SUITS, Card, in_canonical_order
from domain.decider import SeatView
from domain.games.hearts.deal import PASS_COUNT
from domain.games.hearts.model import (
    HeartsBoard,
    HeartsLegal,
    HeartsLegalPass,
    HeartsLegalPlay,
    HeartsMove,
    HeartsPass,
    HeartsPlay,
    HeartsPrivate,
)
from domain.games.hearts.values import STRENGTH, penalties

HeartsView: TypeAlias = SeatView[HeartsBoard, HeartsPrivate, HeartsLegal]

_ABOVE_QUEEN: Final = ("KS", "AS")


def bot(view: HeartsView, seed: int) -> HeartsMove:
    """Return a sensible move; the seed decides between moves that are equally good."""
    entry = view.legal[0]
    if isinstance(entry, HeartsLegalPass):
        return HeartsPass(_cards_to_pass(view, entry.cards))
    return HeartsPlay(_card_to_play(view, _rotated(entry.cards, seed)))


def _rotated(cards: Sequence[Card], seed: int) -> tuple[Card, ...]:
    """Return the cards beginning at a place given by the seed: among equals, the first one is taken."""
    place = seed % len(cards)
    return (*cards[place:], *cards[:place])


def _cards_to_pass(view: HeartsView, hand: Sequence[Card]) -> tuple[Card, ...]:
    values = penalties(view.board.options)
    lengths = {suit: sum(card[1] == suit for card in hand) for suit in SUITS}

    def burden(card: Card) -> int:
        suit = card[1]
        if suit == "S" and STRENGTH[card[0]] >= STRENGTH["Q"]:
            return 100 + values.get(card, 0) if lengths["S"] < 5 else 0
        return STRENGTH[card[0]] * (2 if suit == "H" else 1) - 2 * lengths[suit]

    return in_canonical_order(sorted(hand, key=burden)[-PASS_COUNT:])


def _card_to_play(view: HeartsView, cards: Sequence[Card]) -> Card:
    trick = view.board.trick
    if not trick:
        return min(cards, key=lambda card: STRENGTH[card[0]])
    led = trick[0][1]
    if cards[0][1] != led:
        values = penalties(view.board.options)
        return max(cards, key=lambda card: (values.get(card, 0), STRENGTH[card[0]]))
    best = max(STRENGTH[card[0]] for card in trick if card[1] == led)
    below = [card for card in cards if STRENGTH[card[0]] < best]
    if below:
        return max(below, key=lambda card: STRENGTH[card[0]])
    last = len(trick) == len(view.board.totals) - 1
    return (max if last else min)(cards, key=lambda card: STRENGTH[card[0]])


def sample(view: HeartsView, choose: Callable[[int], int]) -> HeartsMove:
    """Return any move that `legal` allows: over all choices, each of them."""
    entry = view.legal[0]
    if isinstance(entry, HeartsLegalPlay):
        return HeartsPlay(entry.cards[choose(len(entry.cards))])
    left = list(entry.cards)
    return HeartsPass(tuple(left.pop(choose(len(left))) for _ in range(entry.count)))
