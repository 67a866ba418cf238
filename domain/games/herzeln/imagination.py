"""What the bot makes of hidden cards: who cannot hold what, and random deals that agree with that.

Sets of cards are bit masks here. A card's bit is its suit (C S H D) times eight plus its strength, so
within a suit a higher bit is a higher card.
"""

from collections.abc import Callable, Sequence
from typing import Final

from domain.cards import SUITS, Card
from domain.games.herzeln.model import HerzelnBoard, HerzelnTricksBoard
from domain.games.herzeln.order import PACKS, STRENGTH

BIT: Final[dict[Card, int]] = {
    rank + suit: 1 << (8 * place + strength) for place, suit in enumerate(SUITS) for rank, strength in STRENGTH.items()
}
SUIT_MASK: Final[dict[str, int]] = {suit: 0xFF << (8 * place) for place, suit in enumerate(SUITS)}
RANK_MASK: Final[dict[str, int]] = {rank: 0x01010101 << strength for rank, strength in STRENGTH.items()}

_ATTEMPTS: Final = 12


def mask(cards: Sequence[Card]) -> int:
    """Return the cards as a bit mask."""
    return sum(map(BIT.__getitem__, cards))


def hidden_cards(board: HerzelnBoard, hand: Sequence[Card]) -> list[int]:
    """Return the bits of all cards that other seats hold, in canonical order."""
    seen = set(hand)
    if isinstance(board.play, HerzelnTricksBoard):
        seen.update(board.play.trick, *(trick.cards for trick in board.play.taken))
    elif board.play is not None:
        seen.update(board.play.line)
    return [BIT[card] for card in PACKS[len(board.hand_sizes)] if card not in seen]


def impossible_cards(board: HerzelnBoard) -> list[int]:
    """Return for each seat a mask of the cards it cannot hold: it did not follow, or it passed."""
    players = len(board.hand_sizes)
    impossible = [0] * players
    if isinstance(board.play, HerzelnTricksBoard):
        tricks = [(trick.leader, trick.cards) for trick in board.play.taken]
        for leader, cards in [*tricks, (board.play.leader, board.play.trick)]:
            for place, card in enumerate(cards):
                if card[1] != cards[0][1]:  # Z-12
                    impossible[(leader + place) % players] |= SUIT_MASK[cards[0][1]]
    elif board.play is not None:
        for forced in board.play.passes:
            for rank in forced.asked:  # Z-38
                impossible[forced.seat] |= RANK_MASK[rank]
    return impossible


class Imagination:
    """Random deals of the hidden cards, as one seat can imagine them from what it has seen."""

    __slots__ = ("_holders", "_own", "_random", "_seat", "_sizes", "_unrestricted")

    def __init__(self, board: HerzelnBoard, hand: Sequence[Card], seat: int, random: Callable[[], float]) -> None:
        self._own = mask(hand)
        self._random = random
        self._seat = seat
        self._sizes = [*board.hand_sizes[:seat], 0, *board.hand_sizes[seat + 1 :]]
        others = [other for other, size in enumerate(self._sizes) if size]
        impossible = impossible_cards(board)
        hidden = hidden_cards(board, hand)
        self._unrestricted = [(bit, others) for bit in hidden]
        self._holders = [(bit, [other for other in others if not impossible[other] & bit]) for bit in hidden]
        self._holders.sort(key=lambda entry: len(entry[1]))

    def deal(self) -> list[int]:
        """Return a mask of cards for each seat.

        A deal that gets stuck is tried again; after some attempts one is returned that ignores what
        seats have shown not to hold.
        """
        for _ in range(_ATTEMPTS):
            hands = self._deal(self._holders)
            if hands is not None:
                return hands
        hands = self._deal(self._unrestricted)
        assert hands is not None
        return hands

    def _deal(self, possible_holders: list[tuple[int, list[int]]]) -> list[int] | None:
        """Return one deal, or None if it gets stuck; the cards with the fewest holders come first."""
        random = self._random
        room = self._sizes.copy()
        hands = [0] * len(room)
        hands[self._seat] = self._own
        for bit, holders in possible_holders:
            places = sum(map(room.__getitem__, holders))
            if not places:
                return None
            pick = random() * places
            for seat in holders:
                pick -= room[seat]
                if pick < 0:
                    hands[seat] |= bit
                    room[seat] -= 1
                    break
        return hands
