"""Tricks, as far as every trick game agrees: following suit and who wins."""

from collections.abc import Mapping, Sequence

from domain.cards import Card


def following(hand: Sequence[Card], led: str) -> tuple[Card, ...]:
    """Return the cards of `hand` in the led suit (a suit letter), in the order of the hand."""
    return tuple([card for card in hand if card[1] == led])


def winner(cards: Sequence[Card], strength: Mapping[str, int]) -> int:
    """Return the place (0 is the leader's) of the highest card of the suit led.

    `strength` orders the ranks of the game. There is no trump.
    """
    led = cards[0][1]
    best = 0
    for place in range(1, len(cards)):
        card = cards[place]
        if card[1] == led and strength[card[0]] > strength[cards[best][0]]:
            best = place
    return best
