"""How the bot plays tricks: it imagines deals that agree with what it saw and plays each to the end.

Every card in question is tried in the same imagined deals; in a playout all seats follow the simple
habits below, and the card that brings most points on average is played.
"""

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias

from domain.cards import Card
from domain.decider import Seat
from domain.games.herzeln.fold import SCORING_CARDS, trick_points
from domain.games.herzeln.imagination import BIT, RANK_MASK, SUIT_MASK, Imagination, hidden_cards, mask
from domain.games.herzeln.model import HerzelnBoard, HerzelnTricksBoard
from domain.games.herzeln.order import HAND_SIZE
from domain.structs import Value

_PLAYOUTS: Final = 96
"""Playouts of one decision, shared among the cards in question."""

_LATE: Final = 6
"""Completed tricks from which on the last trick is fought for."""

_Follow: TypeAlias = Callable[[int, int, int, bool], int]
"""(cards that follow, card to beat, scoring cards, last to play) -> card."""


def choose_card(
    board: HerzelnBoard, hand: Sequence[Card], cards: Sequence[Card], seat: Seat, random: Callable[[], float]
) -> Card:
    """Return the one of `cards` (in hand order) that does best in imagined deals.

    Habit is left only for a gain that chance alone would hardly give: more than about 1.4 standard errors.
    """
    now = board.play
    assert isinstance(now, HerzelnTricksBoard)
    assert board.contract is not None
    trick = [BIT[card] for card in now.trick]
    done = len(now.taken)
    bits = _distinct([BIT[card] for card in cards], hidden_cards(board, hand) + trick, _VALUES[board.contract])
    if len(bits) == 1:
        return _CARD[bits[0]]
    habits = _HABITS[board.contract][done >= _LATE]
    usual = _usual(mask(hand), *_to_beat(trick), habits, len(trick) + 1 == len(board.hand_sizes))
    favourite = min(bit for bit in bits if bit >= usual)
    bits = [favourite, *(bit for bit in bits if bit != favourite)]
    imagination = Imagination(board, hand, seat, random)
    gains = [0] * len(bits)
    squares = [0] * len(bits)
    for _ in range(_PLAYOUTS // len(bits)):
        deal = imagination.deal()
        points = [_play_out(board.contract, deal.copy(), now.leader, trick, done, bit, seat) for bit in bits]
        for place, value in enumerate(points):
            gains[place] += value - points[0]
            squares[place] += (value - points[0]) ** 2
    best = gains.index(max(gains))
    return _CARD[bits[best if gains[best] ** 2 > 2 * squares[best] else 0]]


def _distinct(bits: Sequence[int], others: Sequence[int], values: dict[int, int]) -> list[int]:
    """Return the highest of each run of cards that come to the same: they score the same, and none of
    the other cards that count lies between them."""
    separators = sum(others)
    distinct: list[int] = []
    for bit, above in zip(bits, (*bits[1:], 0), strict=True):
        same = above and _SUIT_OF[bit] == _SUIT_OF[above] and values[bit] == values[above]
        if not same or separators & (above - bit):
            distinct.append(bit)
    return distinct


def _to_beat(trick: Sequence[int]) -> tuple[int, int]:
    """Return the mask of the suit led and the highest card of it, 0 and 0 before the lead."""
    if not trick:
        return 0, 0
    led = _SUIT_OF[trick[0]]
    return led, max(card & led for card in trick)


def _play_out(
    contract: int, hands: list[int], leader: Seat, trick: Sequence[int], done: int, first: int, seat: Seat
) -> int:
    """Return what `seat` scores from here on if it plays `first` and habits do the rest."""
    early, late = _HABITS[contract]
    values = _VALUES[contract]
    scoring = _SCORING[contract]
    points = 0
    while done < HAND_SIZE:
        taker, worth = _play_trick(hands, leader, trick, first, late if done >= _LATE else early, values)
        done += 1
        if taker == seat:
            points += worth + trick_points(contract, (), done)
        leader, trick, first = taker, (), 0
        if scoring and not any(map(scoring.__and__, hands)):
            break
    return points


def _play_trick(
    hands: list[int], leader: Seat, trick: Sequence[int], first: int, habits: "_Habits", values: dict[int, int]
) -> tuple[Seat, int]:
    """Complete a trick, with `first` as the next card if given: who takes it, and its cards' points."""
    players = len(hands)
    led = best = worth = 0
    taker = leader
    for place in range(players):
        seat = (leader + place) % players
        if place < len(trick):
            card = trick[place]
        else:
            card = first or _usual(hands[seat], led, best, habits, place == players - 1)
            first = 0
            hands[seat] ^= card
        worth += values[card]
        if not led:
            led, best = _SUIT_OF[card], card
        elif card & led and card > best:
            best, taker = card, seat
    return taker, worth


# Habits


class _Habits(Value, frozen=True):
    """What a seat does in a playout. Leads and discards are masks, the most welcome first."""

    leads: tuple[int, ...]
    discards: tuple[int, ...]
    follow: _Follow
    scoring: int


def _usual(hand: int, led: int, best: int, habits: _Habits, last: bool) -> int:
    """Return the card that habits play, given the mask of the suit led and the card to beat."""
    same = hand & led
    if same:
        return habits.follow(same, best, habits.scoring, last)
    return _first_of(hand, habits.discards if led else habits.leads)


def _first_of(hand: int, wishes: tuple[int, ...]) -> int:
    """Return a card of the hand (not empty) from the first mask that has one."""
    for wish in wishes:
        wanted = hand & wish
        if wanted:
            return wanted & -wanted
    return hand & -hand


def _duck(same: int, best: int, scoring: int, last: bool) -> int:
    """Stay below with the highest card, a scoring one first; else go over without a scoring card."""
    below = same & (best - 1)
    if below:
        return _highest(below & scoring or below)
    harmless = same & ~scoring or same
    return _highest(harmless) if last else harmless & -harmless


def _grab(same: int, best: int, _scoring: int, last: bool) -> int:
    """Go over, as cheaply as possible if nobody follows; else give the lowest card."""
    above = same & -best
    if above and not last:
        return _highest(above)
    return above & -above if above else same & -same


def _save(same: int, _best: int, _scoring: int, _last: bool) -> int:
    """Keep high cards."""
    return same & -same


def _dump(same: int, _best: int, _scoring: int, _last: bool) -> int:
    """Get rid of high cards."""
    return _highest(same)


def _highest(cards: int) -> int:
    return 1 << (cards.bit_length() - 1)


_HIGH_FIRST: Final = tuple(RANK_MASK[rank] for rank in "ATKQJ987")
_LOW_FIRST: Final = _HIGH_FIRST[::-1]
_CARD: Final = {bit: card for card, bit in BIT.items()}
_SUIT_OF: Final = {bit: SUIT_MASK[card[1]] for card, bit in BIT.items()}
_SCORING: Final = {contract: mask(tuple(SCORING_CARDS.get(contract, ()))) for contract in range(1, 8)}
_VALUES: Final = {
    contract: {bit: SCORING_CARDS.get(contract, {}).get(card, 0) for card, bit in BIT.items()}
    for contract in range(1, 8)
}


def _avoiding(contract: int, *discards: Card) -> _Habits:
    """Duck, lead low but no scoring card if it can be helped, throw `discards` and then high cards."""
    leads = tuple(wish & ~_SCORING[contract] for wish in _LOW_FIRST) if contract in (4, 5) else _LOW_FIRST
    return _Habits(leads, (*map(BIT.__getitem__, discards), *_HIGH_FIRST), _duck, _SCORING[contract])


_WANTING: Final = _Habits(_HIGH_FIRST, _LOW_FIRST, _grab, 0)
_SAVING: Final = _Habits(_LOW_FIRST, _LOW_FIRST, _save, 0)
_DUMPING: Final = _Habits(_HIGH_FIRST, _HIGH_FIRST, _dump, 0)

_HEARTS: Final = _avoiding(1, "AH", "TH", "KH", "QH")
_NO_TRICKS: Final = _avoiding(3)
_NO_QUEENS: Final = _avoiding(4, "QC", "QS", "QH", "QD")
_NO_KING: Final = _avoiding(5, "KH", "AH", "TH")

_HABITS: Final[dict[int, tuple[_Habits, _Habits]]] = {  # in the first six tricks, in the last two
    1: (_HEARTS, _HEARTS),
    2: (_WANTING, _WANTING),
    3: (_NO_TRICKS, _NO_TRICKS),
    4: (_NO_QUEENS, _NO_QUEENS),
    5: (_NO_KING, _NO_KING),
    6: (_SAVING, _WANTING),
    7: (_DUMPING, _NO_TRICKS),
}
