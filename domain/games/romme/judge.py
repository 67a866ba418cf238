"""Judging one move of a seat on turn: the fact it makes, or the first reason against it (R-91)."""

from collections.abc import Collection, Sequence
from typing import Final, TypeAlias, assert_never

from domain.cards import Card
from domain.decider import Rejection, Seat
from domain.games.romme.deck import FACE, PLACE
from domain.games.romme.facts import (
    RommeCardDiscarded,
    RommeCardDrawn,
    RommeCardsLaidOff,
    RommeJokerSwapped,
    RommeMeldsLaid,
    RommePileDrawn,
)
from domain.games.romme.fold import meld_named, running
from domain.games.romme.melds import RommeShape, check_meld, chosen, extended
from domain.games.romme.model import RommeDraft, RommeMatchEnd, RommeMeld, RommePhase, RommeState
from domain.games.romme.moves import (
    RommeChosenMeld,
    RommeDiscard,
    RommeDrawPile,
    RommeDrawStock,
    RommeLay,
    RommeLayOff,
    RommeMove,
    RommeSwapJoker,
)

# refusals, in the order of R-91

_MATCH_OVER: Final[dict[RommeMatchEnd, Rejection]] = {
    "rounds": Rejection("match_over", "R-66"),
    "points": Rejection("match_over", "R-67"),
    "open": Rejection("match_over", "R-68"),
}
_NOT_SEATED: Final = Rejection("not_seated", "R-5")
_NOT_YOUR_TURN: Final = Rejection("not_your_turn", "R-13")
_WRONG_PHASE: Final = Rejection("wrong_phase", "R-13")
_ONLY_A_DISCARD: Final = Rejection("wrong_phase", "R-11")
_ROUND_WON: Final = Rejection("wrong_phase", "R-54")
_ROUND_EXHAUSTED: Final = Rejection("wrong_phase", "R-59")
_SWAP_DISABLED: Final = Rejection("swap_disabled", "R-49")
_DISCARD_DRAW_NOT_OUT: Final = Rejection("discard_draw_not_out", "R-15")
_MUST_DRAW_STOCK: Final = Rejection("must_draw_stock", "R-19")
_NOT_OUT: Final = Rejection("not_out", "R-44")
_NOT_OUT_TO_SWAP: Final = Rejection("not_out", "R-49")
UNKNOWN_MELD: Final = Rejection("unknown_meld", "R-32")
_NO_JOKER: Final = Rejection("no_joker", "R-49")
_NOTHING_TO_LAY: Final = Rejection("nothing_to_lay", "R-41")
_INVALID_CARD: Final = Rejection("invalid_card", "R-2")
_DUPLICATE_CARD: Final = Rejection("duplicate_card", "R-2")
_CARD_NOT_IN_HAND: Final = Rejection("card_not_in_hand", "R-2")
_CARD_RESERVED: Final = Rejection("card_reserved", "R-39")
_DRAFTS_OPEN: Final = Rejection("drafts_open", "R-42")
_SWAP_WRONG_CARD: Final = Rejection("swap_wrong_card", "R-49")
_MUST_KEEP_DISCARD: Final = Rejection("must_keep_discard", "R-53")
_DISCARD_JUST_TAKEN: Final = Rejection("discard_just_taken", "R-24")

_FAULTS: Final = ("joker_face_missing", "meld_too_small", "too_many_jokers", "meld_invalid")
"""Faults of melds; a row is judged for all melds of a move before the next."""

IDLE_TURNS_PER_SEAT: Final = 12

RommeMade: TypeAlias = (
    RommeCardDrawn | RommePileDrawn | RommeMeldsLaid | RommeCardsLaidOff | RommeJokerSwapped | RommeCardDiscarded
)
"""What one move does, before anything follows from it."""


def judge(state: RommeState, seat: Seat, move: RommeMove, drafts: tuple[RommeDraft, ...] = ()) -> RommeMade | Rejection:
    """Judge a move, in the light of the seat's open drafts if they are given."""
    match move:  # the most frequent first
        case RommeDiscard():
            return _discard(state, seat, move, drafts)
        case RommeDrawStock():
            return _draw_stock(state, seat)
        case RommeDrawPile():
            return _draw_pile(state, seat)
        case RommeLay():
            return _lay(state, seat, in_full(move, drafts))
        case RommeLayOff():
            return _lay_off(state, seat, move, reserved(drafts))
        case RommeSwapJoker():
            return _swap_joker(state, seat, move, reserved(drafts))
        case _:
            assert_never(move)


def in_full(move: RommeLay, drafts: tuple[RommeDraft, ...]) -> RommeLay:
    """Return a `lay` with its melds: those of the open drafts if it names none (R-41)."""
    if move.melds is not None:
        return move
    return RommeLay(tuple(chosen(draft.kind, draft.slots) for draft in drafts))


def reserved(drafts: tuple[RommeDraft, ...]) -> frozenset[Card]:
    """Return the cards of drafts (R-39)."""
    return frozenset([slot.card for draft in drafts for slot in draft.slots])


# what several moves have in common


def refusal_of_turn(state: RommeState, seat: Seat, *phases: RommePhase) -> Rejection | None:
    """Return why a seat may not act now in one of these phases, None if it may."""
    if state.places is not None:
        return _MATCH_OVER[state.options.match_end]
    if not 0 <= seat < state.seats:
        return _NOT_SEATED
    if not running(state):
        return refusal_between_rounds(state)
    if seat != state.turn:
        return _NOT_YOUR_TURN
    if state.phase not in phases:
        return _ONLY_A_DISCARD if state.phase == "opening" else _WRONG_PHASE
    return None


def refusal_between_rounds(state: RommeState) -> Rejection:
    """Return the refusal of whatever needs a running round."""
    if not state.score_sheet:
        return _WRONG_PHASE
    return _ROUND_WON if state.score_sheet[-1].reason == "out" else _ROUND_EXHAUSTED


def refusal_of_cards(hand: Sequence[Card], cards: Sequence[Card]) -> Rejection | None:
    """Return why these names are not different cards of the hand, None if they are."""
    if any(card not in PLACE for card in cards):
        return _INVALID_CARD
    if len(set(cards)) < len(cards):
        return _DUPLICATE_CARD
    if any(card not in hand for card in cards):
        return _CARD_NOT_IN_HAND
    return None


def refusal_of_reserved(cards: Sequence[Card], kept: Collection[Card]) -> Rejection | None:
    """Return the refusal if one of the cards is in a draft."""
    return _CARD_RESERVED if any(card in kept for card in cards) else None


def leaves_discard(state: RommeState, seat: Seat, cards: Collection[Card]) -> bool:
    """Whether without these cards the seat keeps one that it may discard (R-53)."""
    hand = state.hands[seat]
    if len(hand) > len(cards) + 1:  # of two cards that are left one at least was not just taken
        return True
    return any(card not in cards and card != state.taken for card in hand)


def may_draw_pile(state: RommeState) -> Rejection | None:
    """Return why the seat on turn may not take the top of the pile, None if it may."""
    if state.round_options.discard_draw == "after_out" and not state.is_out(state.turn):
        return _DISCARD_DRAW_NOT_OUT
    if state.idle_turns >= IDLE_TURNS_PER_SEAT * state.seats:
        return _MUST_DRAW_STOCK
    return None


# the moves


def _draw_stock(state: RommeState, seat: Seat) -> RommeMade | Rejection:
    refusal = refusal_of_turn(state, seat, "draw")
    return refusal or RommeCardDrawn(seat, state.stock[state.stock_drawn])


def _draw_pile(state: RommeState, seat: Seat) -> RommeMade | Rejection:
    refusal = refusal_of_turn(state, seat, "draw") or may_draw_pile(state)
    return refusal or RommePileDrawn(seat, state.pile[-1])


def _lay(state: RommeState, seat: Seat, move: RommeLay) -> RommeMade | Rejection:
    melds = move.melds or ()
    cards = [card.card for meld in melds for card in meld.cards]
    refusal = (
        refusal_of_turn(state, seat, "play")
        or (None if melds else _NOTHING_TO_LAY)
        or refusal_of_cards(state.hands[seat], cards)
    )
    if refusal:
        return refusal
    shapes = check_melds(melds)
    if isinstance(shapes, Rejection):
        return shapes
    points = sum(shape.points for shape in shapes)
    out, need = state.is_out(seat), state.round_options.first_meld_min
    if not out and points < need:
        return Rejection("first_meld_too_low", "R-33", have=points, need=need)
    if not leaves_discard(state, seat, cards):
        return _MUST_KEEP_DISCARD
    laid = tuple(
        RommeMeld(f"m{number}", seat, shape.kind, shape.slots, shape.points)
        for number, shape in enumerate(shapes, start=len(state.melds) + 1)
    )
    return RommeMeldsLaid(seat, laid, points, came_out=not out)


def check_melds(melds: Sequence[RommeChosenMeld]) -> list[RommeShape] | Rejection:
    """Return what all melds form, or the first fault in the order of R-91."""
    results = [check_meld(meld.cards, meld.end) for meld in melds]
    faults = [result for result in results if isinstance(result, Rejection)]
    if faults:
        return min(faults, key=lambda fault: _FAULTS.index(fault.code))
    return [result for result in results if isinstance(result, RommeShape)]


def _lay_off(state: RommeState, seat: Seat, move: RommeLayOff, kept: Collection[Card]) -> RommeMade | Rejection:
    refusal = refusal_of_turn(state, seat, "play")
    if refusal:
        return refusal
    if not state.is_out(seat):
        return _NOT_OUT
    meld = meld_named(state, move.meld)
    if meld is None:
        return UNKNOWN_MELD
    if not move.cards:
        return _NOTHING_TO_LAY
    cards = tuple(card.card for card in move.cards)
    refusal = refusal_of_cards(state.hands[seat], cards) or refusal_of_reserved(cards, kept)
    if refusal:
        return refusal
    shape = extended(meld, move.cards, move.end)
    if isinstance(shape, Rejection):
        return shape
    if not leaves_discard(state, seat, cards):
        return _MUST_KEEP_DISCARD
    return RommeCardsLaidOff(seat, meld.id, cards, shape.slots)


def _swap_joker(state: RommeState, seat: Seat, move: RommeSwapJoker, kept: Collection[Card]) -> RommeMade | Rejection:
    refusal = refusal_of_turn(state, seat, "play")
    if refusal:
        return refusal
    if not state.round_options.joker_swap:
        return _SWAP_DISABLED
    if not state.is_out(seat):
        return _NOT_OUT_TO_SWAP
    meld = meld_named(state, move.meld)
    if meld is None:
        return UNKNOWN_MELD
    face = next((slot.face for slot in meld.slots if slot.card == move.joker and slot.card not in FACE), None)
    if face is None:
        return _NO_JOKER
    refusal = refusal_of_cards(state.hands[seat], (move.card,)) or refusal_of_reserved((move.card,), kept)
    if refusal:
        return refusal
    if FACE.get(move.card) != face:
        return _SWAP_WRONG_CARD
    if move.joker == state.taken and not leaves_discard(state, seat, (move.card,)):
        return _MUST_KEEP_DISCARD
    return RommeJokerSwapped(seat, meld.id, move.joker, move.card)


def _discard(
    state: RommeState, seat: Seat, move: RommeDiscard, drafts: tuple[RommeDraft, ...]
) -> RommeMade | Rejection:
    refusal = refusal_of_turn(state, seat, "opening", "play") or refusal_of_cards(state.hands[seat], (move.card,))
    if refusal:
        return refusal
    if drafts:
        return _DRAFTS_OPEN
    if move.card == state.taken:
        return _DISCARD_JUST_TAKEN
    return RommeCardDiscarded(seat, move.card)
