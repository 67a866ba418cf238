"""A computer player, and the player that tries whatever is allowed.

The bot lays as soon as it can, then gets rid of single cards wherever they fit. It takes the top of the
pile only if that makes its melds better or can be laid off. It discards what helps its own hand least,
costs most and serves the next seat least, and never a joker if it can be helped.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeAlias, TypeVar

from domain.cards import Card
from domain.decider import Seat, SeatView
from domain.games.romme.deck import ACE_HIGH, ACE_LOW, FACE, POSITION, VALUE
from domain.games.romme.melds import open_faces
from domain.games.romme.model import (
    RommeBoard,
    RommeLayOffPlace,
    RommeLegal,
    RommeLegalDiscard,
    RommeLegalDrawPile,
    RommeLegalLay,
    RommeLegalLayOff,
    RommeLegalSwapJoker,
    RommeOptions,
    RommePrivate,
)
from domain.games.romme.moves import (
    RommeChosenCard,
    RommeDiscard,
    RommeDrawPile,
    RommeDrawStock,
    RommeLay,
    RommeLayOff,
    RommeMove,
    RommeSwapJoker,
)
from domain.games.romme.offers import listed_moves
from domain.games.romme.partition import HandSearch
from domain.seeded_random import seeded_random

View: TypeAlias = SeatView[RommeOptions, RommeBoard, RommePrivate, RommeLegal]
_Entry = TypeVar("_Entry")

_FEW_CARDS: Final = 4
"""A hand of an opponent that is about to go out, or an own hand that a joker helps no more."""
_PAIR: Final = 6
"""What a card is worth that lacks one card to a meld, in hand points; less if fewer cards would do."""
_GAP: Final = 3
_SERVES_NEXT: Final = 8
"""What it costs to give the next seat a card it can use."""
_FITS_NEXT: Final = 3
"""What it costs to give it a card beside one that it took openly."""


def bot(view: View, seed: int) -> RommeMove:
    """Return a sensible move."""
    if view.board.phase == "draw":
        return _draw(view)
    lay = _entry(view, RommeLegalLay)
    if lay and lay.best:
        return RommeLay(tuple(meld.meld for meld in lay.best))
    return _lay_off(view) or _swap(view) or RommeDiscard(_discard(view, seeded_random(seed)))


def _entry(view: View, kind: type[_Entry]) -> _Entry | None:
    return next((entry for entry in view.legal if isinstance(entry, kind)), None)


def _draw(view: View) -> RommeMove:
    """Take the top of the pile only if it changes the melds or can be laid off (R-90)."""
    offered = _entry(view, RommeLegalDrawPile)
    if offered is None:
        return RommeDrawStock()
    if view.board.first_lay[view.seat] is not None and _fits_table(view.board, offered.card):
        return RommeDrawPile()
    without = HandSearch(view.hand).gain("cards")
    with_it = HandSearch((*view.hand, offered.card)).gain("cards")
    return RommeDrawPile() if with_it > without else RommeDrawStock()


def _fits_table(board: RommeBoard, card: Card) -> bool:
    return FACE.get(card) in open_faces(board.melds)


def _lay_off(view: View) -> RommeMove | None:
    """Lay off real cards at once, jokers when few cards are left."""
    offered = _entry(view, RommeLegalLayOff)
    if offered is None:
        return None
    real = [place for place in offered.places if place.card in FACE]
    if real:
        return _laid_off(max(real, key=lambda place: VALUE[place.card]))
    if len(view.hand) <= _FEW_CARDS or _in_danger(view):
        return _laid_off(offered.places[0]) if offered.places else offered.together[0]
    return None


def _laid_off(place: RommeLayOffPlace) -> RommeMove:
    return RommeLayOff(place.meld, (RommeChosenCard(place.card, place.face),), place.end)


def _in_danger(view: View) -> bool:
    """Whether another seat may go out soon."""
    counts = view.board.hand_sizes
    return any(
        count <= _FEW_CARDS and view.board.first_lay[seat] is not None
        for seat, count in enumerate(counts)
        if seat != view.seat
    )


def _swap(view: View) -> RommeMove | None:
    """Take a joker for a card that is in no meld of the hand."""
    offered = _entry(view, RommeLegalSwapJoker)
    if offered is None:
        return None
    left = HandSearch(view.hand).split("cards").left
    for swap in offered.swaps:
        if swap.card in left:
            return RommeSwapJoker(swap.meld, swap.joker, swap.card)
    return None


# discarding


def _discard(view: View, random: Callable[[], float]) -> Card:
    offered = _entry(view, RommeLegalDiscard)
    assert offered is not None, "a seat that neither draws nor lays discards"
    real = [card for card in offered.cards if card in FACE]
    if not real:
        return offered.cards[0]
    left = HandSearch(view.hand).split("cards").left
    loose = [card for card in real if card in left]
    if not loose:
        return max(real, key=lambda card: (_gain_without(view.hand, card), VALUE[card]))
    next_seat = (view.seat + 1) % len(view.board.hand_sizes)
    others = [card for card in view.hand if card in FACE]
    return max(
        loose,
        key=lambda card: (
            VALUE[card] - _promise(card, others) - _service(view.board, next_seat, card),
            random(),
        ),
    )


def _gain_without(hand: Sequence[Card], card: Card) -> int:
    """Return what the best split gains if a card is given away."""
    return HandSearch([other for other in hand if other != card]).gain("cards")


def _promise(card: Card, hand: Iterable[Card]) -> int:
    """Return what a card is worth for melds that are not complete yet."""
    worth = 0
    for other in hand:
        if FACE[other] == FACE[card]:
            continue
        if other[0] == card[0]:
            worth += _PAIR
        elif other[1] == card[1]:
            distance = _distance(card, other)
            worth += _PAIR if distance == 1 else _GAP if distance == 2 else 0
    return worth


def _distance(card: Card, other: Card) -> int:
    """Return how far two cards of a suit are apart in a run, the ace being low or high."""
    ends = [(ACE_LOW, ACE_HIGH) if name[0] == "A" else (POSITION[name[0]],) for name in (card, other)]
    return min(abs(one - another) for one in ends[0] for another in ends[1])


def _service(board: RommeBoard, next_seat: Seat, card: Card) -> int:
    """Return what a card would be worth to the next seat, as far as everybody can tell."""
    cost = 0
    if board.first_lay[next_seat] is not None and _fits_table(board, card):
        cost += _SERVES_NEXT
    for other in board.shown[next_seat]:
        if other in FACE and (other[0] == card[0] or (other[1] == card[1] and _distance(card, other) <= 2)):
            cost += _FITS_NEXT
    return cost


# whatever is allowed


def sample(view: View, choose: Callable[[int], int]) -> RommeMove:
    """Return any move of the table that `legal` lists: first one of the kinds, then one of its moves.

    ValueError if drafts leave no move but taking them back.
    """
    kinds = [moves for moves in map(listed_moves, view.legal) if moves]
    if not kinds:
        raise ValueError("drafts have to be taken back first")
    moves = kinds[choose(len(kinds))]
    return moves[choose(len(moves))]
