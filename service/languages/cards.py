"""What cards are called, by face."""

from collections.abc import Mapping
from typing import Final

from domain.cards import RANKS, SUITS
from service.languages.message import Message

_SUITS: Final = (Message("clubs"), Message("spades"), Message("hearts"), Message("diamonds"))
_RANKS: Final = (
    *(Message("two"), Message("three"), Message("four"), Message("five"), Message("six"), Message("seven")),
    *(Message("eight"), Message("nine"), Message("ten"), Message("jack"), Message("queen"), Message("king")),
    Message("ace"),
)
CARD_WORDS: Final[Mapping[str, str]] = {
    code + suit: Message("{rank} of {suit}", rank=rank, suit=suit_word)
    for suit, suit_word in zip(SUITS, _SUITS, strict=True)
    for code, rank in zip(RANKS, _RANKS, strict=True)
} | {"JK": Message("joker")}
"""Every face of 52 cards, and `JK` for any joker."""
