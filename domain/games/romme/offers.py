"""What a seat on turn may do in its play phase: every single-card move, and suggestions for melds."""

from collections.abc import Collection, Iterator

from domain.cards import Card
from domain.decider import Seat
from domain.games.romme.deck import FACE
from domain.games.romme.judge import leaves_discard
from domain.games.romme.melds import places_left, takes_joker
from domain.games.romme.model import (
    RommeLayOffPlace,
    RommeLegal,
    RommeLegalDiscard,
    RommeLegalDrawPile,
    RommeLegalDrawStock,
    RommeLegalLay,
    RommeLegalLayOff,
    RommeLegalSwapJoker,
    RommeReading,
    RommeState,
    RommeSwap,
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
from domain.games.romme.partition import HandSearch, possible_melds

# entries


def need(state: RommeState, seat: Seat) -> int:
    """Return the points that a `lay` of this seat must reach (R-33, R-37)."""
    return 0 if state.is_out(seat) else state.round_options.first_meld_min


def melds_of(state: RommeState, seat: Seat, kept: Collection[Card] = ()) -> tuple[RommeReading, ...]:
    """Return every meld that the hand can form without the cards to be kept."""
    hand = [card for card in state.hands[seat] if card not in kept]
    return possible_melds(sorted(hand, key=lambda card: card != state.taken))


def lay(state: RommeState, seat: Seat, *, drafted: bool = False) -> RommeLegalLay | None:
    """Return what can be laid, None if nothing acceptable was found."""
    needed = need(state, seat)
    best = HandSearch(state.hands[seat], state.taken).lay(needed)
    if best is None and not drafted:
        return None
    alone = tuple(
        meld
        for meld in melds_of(state, seat)
        if meld.points >= needed and leaves_discard(state, seat, [card.card for card in meld.meld.cards])
    )
    return RommeLegalLay(needed, drafted, best.melds if best else (), alone)


def lay_off(state: RommeState, seat: Seat, kept: Collection[Card] = ()) -> RommeLegalLayOff | None:
    """Return every card that can be laid off alone, and where (R-44 to R-48)."""
    if not state.is_out(seat):
        return None
    hand = [card for card in state.hands[seat] if card not in kept and leaves_discard(state, seat, (card,))]
    places = tuple(_places(state, hand)) if hand else ()
    return RommeLegalLayOff(places) if places else None


def _places(state: RommeState, hand: list[Card]) -> Iterator[RommeLayOffPlace]:
    for meld in state.table:
        joker = takes_joker(meld)
        for face, end in places_left(meld):
            for card in hand:
                own = FACE.get(card)
                if own == face:
                    yield RommeLayOffPlace(meld.id, card, None, end)
                elif own is None and joker:
                    yield RommeLayOffPlace(meld.id, card, face, end)


def swap_joker(state: RommeState, seat: Seat, kept: Collection[Card] = ()) -> RommeLegalSwapJoker | None:
    """Return every joker that can be had for a card of the hand (R-49)."""
    if not state.round_options.joker_swap or not state.is_out(seat):
        return None
    swaps = tuple(
        RommeSwap(meld.id, slot.card, card)
        for meld in state.table
        for slot in meld.slots
        if slot.card not in FACE
        for card in state.hands[seat]
        if FACE.get(card) == slot.face
        and card not in kept
        and (slot.card != state.taken or leaves_discard(state, seat, (card,)))
    )
    return RommeLegalSwapJoker(swaps) if swaps else None


def discard(state: RommeState, seat: Seat) -> RommeLegalDiscard:
    """Return the cards that can be discarded; there is always one (R-53)."""
    return RommeLegalDiscard(tuple(card for card in state.hands[seat] if card != state.taken))


# the moves that entries list


def listed_moves(entry: RommeLegal) -> tuple[RommeMove, ...]:
    """Return every move of the table that an entry lists, each of which is accepted."""
    match entry:
        case RommeLegalDrawStock():
            return (RommeDrawStock(),)
        case RommeLegalDrawPile():
            return (RommeDrawPile(),)
        case RommeLegalDiscard():
            return tuple(RommeDiscard(card) for card in entry.cards)
        case RommeLegalSwapJoker():
            return tuple(RommeSwapJoker(swap.meld, swap.joker, swap.card) for swap in entry.swaps)
        case RommeLegalLayOff():
            return tuple(
                RommeLayOff(place.meld, (RommeChosenCard(place.card, place.face),), place.end) for place in entry.places
            )
        case RommeLegalLay():
            return _lays(entry)
        case _:
            return ()  # private moves


def _lays(entry: RommeLegalLay) -> tuple[RommeMove, ...]:
    lists = [tuple(meld.meld for meld in entry.best)] if entry.best else []
    lists += [(meld.meld,) for meld in entry.alone]
    drafts = [RommeLay()] if entry.drafted else []
    return (*drafts, *(RommeLay(melds) for melds in dict.fromkeys(lists)))
