"""What a seat on turn may do in its play phase: every single-card move, and suggestions for melds."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import assert_never

from domain.cards import Card
from domain.decider import Seat
from domain.games.romme.deck import FACE
from domain.games.romme.judge import leaves_discard
from domain.games.romme.melds import faces_beyond, open_faces, places_left, takes_joker
from domain.games.romme.model import (
    RommeLayOffPlace,
    RommeLegal,
    RommeLegalDiscard,
    RommeLegalDrawPile,
    RommeLegalLay,
    RommeLegalLayOff,
    RommeLegalSwapJoker,
    RommeMeld,
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
from domain.games.romme.partition import HandSearch, possible_melds, with_first

# entries


def need(state: RommeState, seat: Seat) -> int:
    """Return the points that a `lay` of this seat must reach (R-33, R-37)."""
    return 0 if state.is_out(seat) else state.round_options.first_meld_min


def melds_of(state: RommeState, seat: Seat, kept: Collection[Card] = ()) -> tuple[RommeReading, ...]:
    """Return every meld that the hand can form without the cards to be kept."""
    hand = state.hands[seat]
    if kept:
        hand = tuple(card for card in hand if card not in kept)
    return possible_melds(with_first(hand, state.taken))


def lay(state: RommeState, seat: Seat, melds: Sequence[RommeReading], *, drafted: bool = False) -> RommeLegalLay | None:
    """Return what can be laid by a hand that can form these melds, None if nothing acceptable was found."""
    needed = need(state, seat)
    best = HandSearch(state.hands[seat], state.taken).lay(needed) if melds else None
    if best is None and not drafted:
        return None
    alone = tuple(
        [
            meld
            for meld in melds
            if meld.points >= needed and leaves_discard(state, seat, [card.card for card in meld.meld.cards])
        ]
    )
    return RommeLegalLay(needed, drafted, best.melds if best else (), alone)


def lay_off(state: RommeState, seat: Seat, kept: Collection[Card] = ()) -> RommeLegalLayOff | None:
    """Return every card that can be laid off alone, and where (R-44 to R-48)."""
    if not state.is_out(seat):
        return None
    hand: Sequence[Card] = state.hands[seat]
    if kept:
        hand = [card for card in hand if card not in kept]
    if len(state.hands[seat]) <= 2:  # of more cards any one may go
        hand = [card for card in hand if leaves_discard(state, seat, (card,))]
    faces = [FACE.get(card) for card in hand]
    joker = None in faces
    fits = joker or not open_faces(state.melds).isdisjoint(faces)
    places = tuple(_places(state, hand)) if fits else ()
    together = tuple(_together(state, seat, hand)) if joker else ()
    return RommeLegalLayOff(places, together) if places or together else None


def _places(state: RommeState, hand: Sequence[Card]) -> Iterator[RommeLayOffPlace]:
    by_face: dict[str | None, list[Card]] = {}
    for card in hand:
        by_face.setdefault(FACE.get(card), []).append(card)
    for meld in state.melds:
        joker = None in by_face and takes_joker(meld)
        for face, end in places_left(meld):
            for card in hand if joker else by_face.get(face, ()):
                own = FACE.get(card)
                if own == face:
                    yield RommeLayOffPlace(meld.id, card, None, end)
                elif own is None:
                    yield RommeLayOffPlace(meld.id, card, face, end)


def _together(state: RommeState, seat: Seat, hand: Sequence[Card]) -> Iterator[RommeLayOff]:
    """Yield the fewest cards that extend a run which takes no joker alone by a joker and real cards (R-45).

    Such a run has as many jokers as real cards, and so has what is added: never 13 cards, so the end of
    a new ace is never open (R-48).
    """
    jokers = [card for card in hand if card not in FACE]
    if not jokers or len(jokers) == len(hand):
        return
    melds = [meld for meld in state.melds if meld.kind == "run" and not takes_joker(meld)]
    if not melds:
        return
    first = state.taken  # where two copies would do, the one that may not be discarded
    real = {FACE[card]: card for card in sorted(hand, key=lambda card: card == first) if card in FACE}
    jokers.sort(key=lambda card: card != first)
    for meld in melds:
        for faces in faces_beyond(meld):
            cards = _joker_first(meld, faces, real, jokers)
            if cards and leaves_discard(state, seat, [card.card for card in cards]):
                yield RommeLayOff(meld.id, cards)


def _joker_first(
    meld: RommeMeld, faces: Iterable[str], real: Mapping[str, Card], jokers: Sequence[Card]
) -> tuple[RommeChosenCard, ...]:
    """Return a joker and what has to follow it so that jokers do not outnumber real cards; empty if it is lacking."""
    spare = sum(1 if slot.card in FACE else -1 for slot in meld.slots)
    free = iter(jokers)
    cards: list[RommeChosenCard] = []
    for face in faces:
        if face in real:
            if not cards:
                return ()  # a place of its own
            cards.append(RommeChosenCard(real[face]))
            spare += 1
        else:
            joker = next(free, None)
            if joker is None:
                return ()
            cards.append(RommeChosenCard(joker, face))
            spare -= 1
        if spare >= 0:
            return tuple(cards)
    return ()


def swap_joker(state: RommeState, seat: Seat, kept: Collection[Card] = ()) -> RommeLegalSwapJoker | None:
    """Return every joker that can be had for a card of the hand (R-49)."""
    if not state.round_options.joker_swap or not state.is_out(seat):
        return None
    swaps = tuple(
        RommeSwap(meld.id, slot.card, card)
        for meld in state.melds
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
    hand, taken = state.hands[seat], state.taken
    return RommeLegalDiscard(hand if taken is None else tuple([card for card in hand if card != taken]))


# the moves that entries list


def listed_moves(entry: RommeLegal) -> tuple[RommeMove, ...]:
    """Return every move of the table that an entry lists, each of which is accepted."""
    match entry:
        case RommeDrawStock():
            return (entry,)
        case RommeLegalDrawPile():
            return (RommeDrawPile(),)
        case RommeLegalDiscard():
            return tuple(RommeDiscard(card) for card in entry.cards)
        case RommeLegalSwapJoker():
            return tuple(RommeSwapJoker(swap.meld, swap.joker, swap.card) for swap in entry.swaps)
        case RommeLegalLayOff():
            alone = tuple(
                RommeLayOff(place.meld, (RommeChosenCard(place.card, place.face),), place.end) for place in entry.places
            )
            return alone + entry.together
        case RommeLegalLay():
            return _lays(entry)
        case _:
            assert_never(entry)


def _lays(entry: RommeLegalLay) -> tuple[RommeMove, ...]:
    lists = [tuple(meld.meld for meld in entry.best)] if entry.best else []
    lists += [(meld.meld,) for meld in entry.alone]
    drafts = [RommeLay()] if entry.drafted else []
    return (*drafts, *(RommeLay(melds) for melds in dict.fromkeys(lists)))
