"""What only one seat ever knows: its drafts and the order of its hand.

Facts of the private stream name the turn they were made in, how often the seat had laid in it, and what
had come to the hand. What of them still holds follows from that and the table's state, so the table never
waits for the private stream, nor that for the table. `own` is what the facts of a seat add up to.
"""

from collections.abc import Sequence
from typing import Final, assert_never

from domain.cards import RANKS, SUITS, Card
from domain.decider import ImpossibleFactError, Rejection, Seat
from domain.games.romme import offers
from domain.games.romme.deck import FACE, PLACE
from domain.games.romme.facts import (
    RommeHandArranged,
    RommeMeldPrepared,
    RommeMeldsTakenBack,
    RommePrivateStream,
    RommePrivateStreamFact,
)
from domain.games.romme.fold import running
from domain.games.romme.judge import (
    in_full,
    judge,
    refusal_between_rounds,
    refusal_of_cards,
    refusal_of_reserved,
    refusal_of_turn,
    reserved,
)
from domain.games.romme.melds import check_meld
from domain.games.romme.model import RommeDraft, RommeLegal, RommePreparable, RommePrivate, RommeState
from domain.games.romme.moves import (
    RommeArrangeHand,
    RommeLay,
    RommeMove,
    RommeMoveCard,
    RommePrepare,
    RommePrivateMove,
    RommeSortHand,
    RommeTakeBack,
)
from domain.games.romme.rules import legal as table_legal

_UNKNOWN_DRAFT: Final = Rejection("unknown_draft", "R-40")
_ORDER_STALE: Final = Rejection("order_stale", "R-81")
_INVALID_CARD: Final = Rejection("invalid_card", "R-2")
_CARD_NOT_IN_HAND: Final = Rejection("card_not_in_hand", "R-2")

_BY_RANK: Final = {
    card: (RANKS.index(card[0]), SUITS.index(card[1]), place) if card in FACE else (len(RANKS), 0, place)
    for card, place in PLACE.items()
}


_NOTHING: Final = RommePrivateStream(turn_number=0, lays=0, prepared=0, drafts=(), arranged=None)


def new() -> RommePrivateStream:
    """Return the state of an empty private stream."""
    return _NOTHING


# judging private moves


def decide(
    state: RommeState, seat: Seat, own: RommePrivateStream, move: RommePrivateMove
) -> tuple[RommePrivateStreamFact, ...] | Rejection:
    """Judge a private move: the facts it makes, or the first reason against it."""
    match move:
        case RommePrepare():
            return _prepare(state, seat, own, move)
        case RommeTakeBack():
            return _take_back(state, seat, own, move)
        case RommeSortHand() | RommeMoveCard() | RommeArrangeHand():
            if not running(state):
                return refusal_between_rounds(state)
            order = _new_order(hand(state, seat, own), move)
            return order if isinstance(order, Rejection) else (RommeHandArranged(state.arrivals, order),)
        case _:
            assert_never(move)


def _prepare(
    state: RommeState, seat: Seat, own: RommePrivateStream, move: RommePrepare
) -> tuple[RommePrivateStreamFact, ...] | Rejection:
    drafts = open_drafts(state, seat, own)
    cards = [card.card for card in move.cards]
    refusal = (
        refusal_of_turn(state, seat, "play")
        or refusal_of_cards(state.hands[seat], cards)
        or refusal_of_reserved(cards, reserved(drafts))
    )
    if refusal:
        return refusal
    shape = check_meld(move.cards, move.end)
    if isinstance(shape, Rejection):
        return shape
    number = own.prepared + 1 if own.turn_number == state.turn_number else 1
    total = shape.points + sum(draft.points for draft in drafts)
    fact = RommeMeldPrepared(
        turn_number=state.turn_number,
        lays=state.lays,
        draft=f"p{number}",
        kind=shape.kind,
        slots=shape.slots,
        points=shape.points,
        sum=total,
        missing=max(0, offers.need(state, seat) - total),
    )
    return (fact,)


def _take_back(
    state: RommeState, seat: Seat, own: RommePrivateStream, move: RommeTakeBack
) -> tuple[RommePrivateStreamFact, ...] | Rejection:
    refusal = refusal_of_turn(state, seat, "play")
    if refusal:
        return refusal
    drafts = tuple(
        draft.draft for draft in open_drafts(state, seat, own) if move.draft is None or draft.draft == move.draft
    )
    return (RommeMeldsTakenBack(drafts),) if drafts else _UNKNOWN_DRAFT


def _new_order(
    present: Sequence[Card], move: RommeSortHand | RommeMoveCard | RommeArrangeHand
) -> tuple[Card, ...] | Rejection:
    match move:
        case RommeSortHand():
            return tuple(sorted(present, key=(PLACE if move.by == "suit" else _BY_RANK).__getitem__))
        case RommeMoveCard():
            return _moved(present, move)
        case RommeArrangeHand():
            if any(card not in PLACE for card in move.cards):
                return _INVALID_CARD
            return move.cards if sorted(move.cards) == sorted(present) else _ORDER_STALE
        case _:
            assert_never(move)


def _moved(present: Sequence[Card], move: RommeMoveCard) -> tuple[Card, ...] | Rejection:
    if move.card not in PLACE:
        return _INVALID_CARD
    if move.card not in present:
        return _CARD_NOT_IN_HAND
    if not 0 <= move.index < len(present):
        return _ORDER_STALE
    others = [card for card in present if card != move.card]
    return (*others[: move.index], move.card, *others[move.index :])


# what happened


def evolve(own: RommePrivateStream, fact: RommePrivateStreamFact) -> RommePrivateStream:
    """Return the state of the private stream after a recorded fact. ImpossibleFactError if it does not fit."""
    match fact:
        case RommeHandArranged():
            return RommePrivateStream(own.turn_number, own.lays, own.prepared, own.drafts, fact)
        case RommeMeldPrepared():
            return _prepared(own, fact)
        case RommeMeldsTakenBack():
            kept = tuple(draft for draft in own.drafts if draft.draft not in fact.drafts)
            if len(kept) + len(fact.drafts) != len(own.drafts):
                raise ImpossibleFactError(f"there are no drafts {fact.drafts}")
            return RommePrivateStream(own.turn_number, own.lays, own.prepared, kept, own.arranged)
        case _:
            assert_never(fact)


def _prepared(own: RommePrivateStream, fact: RommeMeldPrepared) -> RommePrivateStream:
    turn, lays = (fact.turn_number, fact.lays), (own.turn_number, own.lays)
    if turn < lays:
        raise ImpossibleFactError(f"draft {fact.draft} comes after drafts of a later turn")
    same_turn = fact.turn_number == own.turn_number
    prepared = own.prepared + 1 if same_turn else 1
    if fact.draft != f"p{prepared}":
        raise ImpossibleFactError(f"draft {fact.draft} is not the next of its turn")
    earlier = own.drafts if turn == lays else ()
    return RommePrivateStream(fact.turn_number, fact.lays, prepared, (*earlier, fact), own.arranged)


# what still holds


def open_drafts(state: RommeState, seat: Seat, own: RommePrivateStream) -> tuple[RommeDraft, ...]:
    """Return the drafts of this turn that no `lay` has ended and whose cards are still held (R-41, R-42)."""
    made_now = own.turn_number == state.turn_number and own.lays == state.lays
    if not own.drafts or not made_now or seat != state.turn or not running(state):
        return ()
    held = state.hands[seat]
    return tuple(
        RommeDraft(draft.draft, draft.kind, draft.slots, draft.points)
        for draft in own.drafts
        if all(slot.card in held for slot in draft.slots)
    )


def hand(state: RommeState, seat: Seat, own: RommePrivateStream) -> tuple[Card, ...]:
    """Return the hand in the seat's own order, what came later on the right (R-82)."""
    present, arranged = state.hands[seat], own.arranged
    if arranged is None:
        return present
    arrivals = arranged.arrivals
    known = {card for card, entered in zip(present, state.entered[seat], strict=True) if entered <= arrivals}
    placed = [card for card in arranged.cards if card in known]
    return (*placed, *(card for card in present if card not in known))


def consulted(state: RommeState, seat: Seat) -> bool:
    """Return whether drafts may be open: they are made after the draw (R-40) and end with the turn (R-41)."""
    return state.phase == "play" and seat == state.turn


def resolve(state: RommeState, seat: Seat, own: RommePrivateStream, move: RommeMove) -> RommeMove | Rejection:
    """Judge a move of the table in the light of open drafts and return it with everything it says."""
    drafts = open_drafts(state, seat, own)
    made = judge(state, seat, move, drafts)
    if isinstance(made, Rejection):
        return made
    return in_full(move, drafts) if isinstance(move, RommeLay) else move


def private(state: RommeState, seat: Seat, own: RommePrivateStream) -> RommePrivate:
    """Return what only this seat knows beyond its hand."""
    need = offers.need(state, seat)
    if seat != state.turn or not running(state):
        return RommePrivate(drawn=None, drafts=(), preparable=(), points=0, missing=need)
    drafts = open_drafts(state, seat, own)
    points = sum([draft.points for draft in drafts])
    return RommePrivate(
        drawn=state.drawn,
        drafts=drafts,
        preparable=_preparable(state, seat, drafts) if state.phase == "play" else (),
        points=points,
        missing=max(0, need - points),
    )


def _preparable(state: RommeState, seat: Seat, drafts: tuple[RommeDraft, ...]) -> tuple[RommePreparable, ...]:
    return tuple(
        [
            RommePreparable(found.kind, found.points, RommePrepare(found.meld.cards, found.meld.end))
            for found in offers.melds_of(state, seat, reserved(drafts))
        ]
    )


def legal(state: RommeState, seat: Seat, own: RommePrivateStream) -> tuple[RommeLegal, ...]:
    """Return the moves that are open to the seat with its drafts.

    There may be none while drafts stand against each: they have to be taken back first.
    """
    if state.phase != "play" or seat != state.turn:
        return table_legal(state, seat)
    drafts = open_drafts(state, seat, own)
    kept = reserved(drafts)
    drafted = bool(drafts) and not isinstance(judge(state, seat, RommeLay(), drafts), Rejection)
    found: tuple[RommeLegal | None, ...] = (
        offers.lay(state, seat, offers.melds_of(state, seat), drafted=drafted),
        offers.lay_off(state, seat, kept),
        offers.swap_joker(state, seat, kept),
        None if drafts else offers.discard(state, seat),
    )
    return tuple([entry for entry in found if entry is not None])
