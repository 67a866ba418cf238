"""What may be done now, and an acceptable move built from that alone."""

from collections.abc import Callable, Sequence

from domain.cards import Card
from domain.decider import Seat, SeatView
from domain.games.von_herzen.facts import VonHerzenCards
from domain.games.von_herzen.model import (
    IDLE,
    VonHerzenBoard,
    VonHerzenOptions,
    VonHerzenPrivate,
    VonHerzenState,
    VonHerzenSwap,
)
from domain.games.von_herzen.moves import (
    VonHerzenAccept,
    VonHerzenAgree,
    VonHerzenCounter,
    VonHerzenDecline,
    VonHerzenDiscard,
    VonHerzenDrawPile,
    VonHerzenDrawStock,
    VonHerzenEnd,
    VonHerzenEndTurn,
    VonHerzenLay,
    VonHerzenLayOff,
    VonHerzenLayOffPlace,
    VonHerzenLeave,
    VonHerzenLegal,
    VonHerzenLegalAccept,
    VonHerzenLegalAgree,
    VonHerzenLegalCounter,
    VonHerzenLegalDiscard,
    VonHerzenLegalDrawPile,
    VonHerzenLegalLay,
    VonHerzenLegalLayOff,
    VonHerzenLegalOffer,
    VonHerzenLegalTake,
    VonHerzenMove,
    VonHerzenOffer,
    VonHerzenPassOffer,
    VonHerzenTake,
    VonHerzenWithdraw,
)
from domain.games.von_herzen.runs import needed_rank, refusal_of_lay_off, runs_in

_ENDS: tuple[VonHerzenEnd, ...] = ("up", "down")


def legal(state: VonHerzenState, seat: Seat) -> tuple[VonHerzenLegal, ...]:
    """Return one entry for each kind of move open to the seat now; empty if it is not to move (V-74)."""
    if seat != state.turn or state.phase in IDLE:
        return ()
    hand = state.hands[seat]
    if state.swap is not None:
        return _swap_entries(state, state.swap, hand)
    if state.phase == "draw":
        return _draw_entries(state)
    return _lay_entries(state, seat, hand)


def _swap_entries(state: VonHerzenState, swap: VonHerzenSwap, hand: VonHerzenCards) -> tuple[VonHerzenLegal, ...]:
    offered = len(swap.offered)
    match state.phase:
        case "swap_offer":
            return VonHerzenLegalOffer(hand, 1, len(hand)), VonHerzenPassOffer()  # V-12
        case "swap_answer":
            accept, decline = VonHerzenLegalAccept(hand, offered), VonHerzenDecline()  # V-14
            if offered == 1:
                return accept, decline
            return accept, VonHerzenLegalCounter(hand, 1, offered - 1), decline  # V-16
        case "swap_take":
            return VonHerzenLegalTake(hand, offered), VonHerzenLeave()  # V-17
        case _:
            return VonHerzenLegalAgree(swap.offered, len(swap.countered)), VonHerzenWithdraw()  # V-20


def _draw_entries(state: VonHerzenState) -> tuple[VonHerzenLegal, ...]:
    entries: list[VonHerzenLegal] = []
    if state.stock:
        entries.append(VonHerzenDrawStock())
    if state.pile:
        cards = state.pile[-1:] if state.options.pile_pick == "top" else state.pile  # V-32
        entries.append(VonHerzenLegalDrawPile(cards))
    return tuple(entries)


def _lay_entries(state: VonHerzenState, seat: Seat, hand: VonHerzenCards) -> tuple[VonHerzenLegal, ...]:
    entries: list[VonHerzenLegal] = []
    melds = runs_in(hand)
    if melds:
        entries.append(VonHerzenLegalLay(melds))
    places = _lay_off_places(state, seat, hand)
    if places:
        entries.append(VonHerzenLegalLayOff(places))
    if state.phase == "lay":
        entries.append(VonHerzenLegalDiscard(hand))  # V-52, V-56
    entries.append(VonHerzenEndTurn())
    return tuple(entries)


def _lay_off_places(state: VonHerzenState, seat: Seat, hand: VonHerzenCards) -> tuple[VonHerzenLayOffPlace, ...]:
    """Return every laying off that is open (V-43 to V-49)."""
    if seat not in [run.owner for run in state.melds]:  # V-43
        return ()
    own_joker = state.options.own_joker_layoff
    by_rank: dict[str, list[Card]] = {}
    for card in hand:
        by_rank.setdefault(card[0], []).append(card)
    places: list[VonHerzenLayOffPlace] = []
    for run in state.melds:
        for end in _ENDS:
            if fitting := by_rank.get(needed_rank(run, end)):
                places += [
                    VonHerzenLayOffPlace(card, run.id, end)
                    for card in fitting
                    if refusal_of_lay_off(run, card, end, own=run.owner == seat, own_joker=own_joker) is None
                ]
    return tuple(places)


# a move from the entries alone


def sample(
    view: SeatView[VonHerzenOptions, VonHerzenBoard, VonHerzenPrivate, VonHerzenLegal], choose: Callable[[int], int]
) -> VonHerzenMove:
    """Return an acceptable move, built as a client would that knows no rules; `choose(n)` picks 0..n-1."""
    entry = view.legal[choose(len(view.legal))]
    match entry:
        case VonHerzenLegalOffer():
            return VonHerzenOffer(_some(entry.cards, _between(entry.least, entry.most, choose), choose))
        case VonHerzenLegalAccept():
            return VonHerzenAccept(_some(entry.cards, entry.count, choose))
        case VonHerzenLegalCounter():
            return VonHerzenCounter(_some(entry.cards, _between(entry.least, entry.most, choose), choose))
        case VonHerzenLegalTake():
            return VonHerzenTake(_some(entry.cards, entry.count, choose))
        case VonHerzenLegalAgree():
            return VonHerzenAgree(_some(entry.cards, entry.count, choose))
        case VonHerzenLegalDrawPile():
            return VonHerzenDrawPile(entry.cards[choose(len(entry.cards))])
        case VonHerzenLegalLay():
            return VonHerzenLay(entry.melds[choose(len(entry.melds))])
        case VonHerzenLegalLayOff():
            place = entry.places[choose(len(entry.places))]
            return VonHerzenLayOff(place.card, place.run, place.end)
        case VonHerzenLegalDiscard():
            return VonHerzenDiscard(entry.cards[choose(len(entry.cards))])
        case _:  # a move that leaves nothing to choose
            return entry


def _between(least: int, most: int, choose: Callable[[int], int]) -> int:
    return least + choose(most - least + 1)


def _some(cards: Sequence[Card], count: int, choose: Callable[[int], int]) -> VonHerzenCards:
    """Return `count` different cards; every choice of them can come out."""
    left = list(cards)
    return tuple(left.pop(choose(len(left))) for _ in range(count))
