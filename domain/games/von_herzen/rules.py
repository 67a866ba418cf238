"""What is allowed: the start, judging moves, who has to act, and the move made for an absent player."""

from typing import Final, assert_never

from domain.cards import in_canonical_order
from domain.decider import Chance, Rejection, Seat
from domain.games.von_herzen.facts import (
    VonHerzenCardDiscarded,
    VonHerzenCardLaidOff,
    VonHerzenCards,
    VonHerzenCardsOffered,
    VonHerzenCardsSwapped,
    VonHerzenFact,
    VonHerzenFirstDealerDrawn,
    VonHerzenMatchEnded,
    VonHerzenOfferCountered,
    VonHerzenOfferDeclined,
    VonHerzenOfferLeft,
    VonHerzenOfferPassed,
    VonHerzenOfferWithdrawn,
    VonHerzenPileDrawn,
    VonHerzenRoundDealt,
    VonHerzenRunLaid,
    VonHerzenStockDrawn,
    VonHerzenTurnEnded,
)
from domain.games.von_herzen.fold import evolve, round_count
from domain.games.von_herzen.model import IDLE, VonHerzenPhase, VonHerzenState, VonHerzenSwap
from domain.games.von_herzen.moves import (
    VonHerzenAccept,
    VonHerzenAgree,
    VonHerzenCounter,
    VonHerzenDecline,
    VonHerzenDiscard,
    VonHerzenDrawPile,
    VonHerzenDrawStock,
    VonHerzenEndTurn,
    VonHerzenLay,
    VonHerzenLayOff,
    VonHerzenLeave,
    VonHerzenMove,
    VonHerzenOffer,
    VonHerzenPassOffer,
    VonHerzenSwapMove,
    VonHerzenTake,
    VonHerzenWithdraw,
)
from domain.games.von_herzen.runs import PACK, PACK_SET, refusal_of_lay_off, refusal_of_run
from domain.games.von_herzen.scoring import counted, ranking

_SWAP_PHASES: Final[tuple[VonHerzenPhase, ...]] = ("swap_offer", "swap_answer", "swap_take", "swap_agree")
_LAYING: Final[tuple[VonHerzenPhase, ...]] = ("lay", "closing")
_OPEN_IN: Final[dict[type[VonHerzenMove], tuple[VonHerzenPhase, ...]]] = {
    VonHerzenOffer: ("swap_offer",),
    VonHerzenPassOffer: ("swap_offer",),
    VonHerzenAccept: ("swap_answer",),
    VonHerzenCounter: ("swap_answer",),
    VonHerzenDecline: ("swap_answer",),
    VonHerzenTake: ("swap_take",),
    VonHerzenLeave: ("swap_take",),
    VonHerzenAgree: ("swap_agree",),
    VonHerzenWithdraw: ("swap_agree",),
    VonHerzenDrawStock: ("draw",),
    VonHerzenDrawPile: ("draw",),
    VonHerzenLay: _LAYING,
    VonHerzenLayOff: _LAYING,
    VonHerzenDiscard: ("lay",),
    VonHerzenEndTurn: _LAYING,
}
"""The steps in which a move is open to the seat whose move it is (section 10)."""


# refusals, in the order of V-76; those of turns, steps and swaps name the rule that speaks against the move

_MATCH_OVER: Final = Rejection("match_over", "V-70")
_NOT_SEATED: Final = Rejection("not_seated", "V-1")
_WRONG_PHASE: Final = Rejection("wrong_phase", "V-9")
_INVALID_CARD: Final = Rejection("invalid_card", "V-2")
_DUPLICATE_CARD: Final = Rejection("duplicate_card", "V-2")
_CARD_NOT_OFFERED: Final = Rejection("card_not_offered", "V-21")
_STOCK_EMPTY: Final = Rejection("stock_empty", "V-30")
_PILE_EMPTY: Final = Rejection("pile_empty", "V-30")
_CARD_NOT_IN_PILE: Final = Rejection("card_not_in_pile", "V-30")
_NOT_TOP_OF_PILE: Final = Rejection("not_top_of_pile", "V-32")
_CARD_NOT_IN_HAND: Final = Rejection("card_not_in_hand", "V-35")
_DISCARD_NOT_IN_HAND: Final = Rejection("card_not_in_hand", "V-52")
_NOT_OUT: Final = Rejection("not_out", "V-43")
_UNKNOWN_RUN: Final = Rejection("unknown_run", "V-44")

# start, and the end of a round


def start(state: VonHerzenState, chance: Chance) -> tuple[VonHerzenFact, ...]:
    """Return the draw of the first dealer and the first deal (V-10)."""
    dealer = chance.draw("first_dealer", len(state.totals))
    return VonHerzenFirstDealerDrawn(dealer), _deal(state, 1, dealer, chance)


def _deal(state: VonHerzenState, number: int, dealer: Seat, chance: Chance) -> VonHerzenRoundDealt:
    return VonHerzenRoundDealt(number, dealer, len(state.totals), chance.shuffle(number, 0, PACK))


def _round_end(state: VonHerzenState, chance: Chance) -> tuple[VonHerzenFact, ...]:
    """Return the scoring of the round that is over and what follows: the next deal or the end (V-70)."""
    scored = counted(state)
    if state.round == round_count(state.options):
        return scored, VonHerzenMatchEnded(scored.totals, ranking(scored.totals))
    dealer = (state.dealer + 1) % len(scored.totals)  # V-10
    return scored, _deal(state, state.round + 1, dealer, chance)


# judging moves, in the order of V-76


def decide(
    state: VonHerzenState, seat: Seat, move: VonHerzenMove, chance: Chance
) -> tuple[VonHerzenFact, ...] | Rejection:
    """Judge a move: the facts that follow from it, or the first check that fails (V-76)."""
    refusal = _refusal_of_turn(state, seat, move)
    if refusal is not None:
        return refusal
    match move:
        case VonHerzenDrawStock():
            return _draw_stock(state, seat)
        case VonHerzenDrawPile():
            return _draw_pile(state, seat, move)
        case VonHerzenLay():
            return _lay(state, seat, move, chance)
        case VonHerzenLayOff():
            return _lay_off(state, seat, move, chance)
        case VonHerzenDiscard():
            return _discard(state, seat, move, chance)
        case VonHerzenEndTurn():
            return _with_round_end(state, (VonHerzenTurnEnded(seat, went_out=False),), chance)
        case _:
            assert state.swap is not None
            return _swap_move(state, state.swap, seat, move)


def _refusal_of_turn(state: VonHerzenState, seat: Seat, move: VonHerzenMove) -> Rejection | None:
    """Checks 1 to 5: whether this seat may make this kind of move now."""
    if state.phase == "over":
        return _MATCH_OVER
    if not 0 <= seat < len(state.totals):
        return _NOT_SEATED
    if isinstance(move, VonHerzenSwapMove) != (state.phase in _SWAP_PHASES) or state.phase in IDLE:
        return _WRONG_PHASE
    if seat != state.turn:
        return Rejection("not_your_turn", _turn_rule(state, seat, move))
    if state.phase not in _OPEN_IN[type(move)]:
        return Rejection("wrong_step", _step_rule(state, move))
    return None


def _turn_rule(state: VonHerzenState, seat: Seat, move: VonHerzenMove) -> str:
    """Return the rule that gives the turn to another seat."""
    if isinstance(move, VonHerzenSwapMove):
        return _swap_rule(state, move)
    if state.turn_number > 0 and seat == (state.turn - 1) % len(state.totals):
        return "V-53"  # its own turn ended last
    return "V-55" if state.phase == "closing" else "V-28"


def _step_rule(state: VonHerzenState, move: VonHerzenMove) -> str:
    """Return the rule that keeps this move out of this step."""
    if isinstance(move, VonHerzenSwapMove):
        return _swap_rule(state, move)
    if state.phase == "draw":
        return "V-29"
    return "V-56" if state.phase == "closing" else "V-28"


def _swap_rule(state: VonHerzenState, move: VonHerzenSwapMove) -> str:
    """Return the rule that says whose swap move this would be, and when."""
    match move:
        case VonHerzenOffer() | VonHerzenPassOffer():
            return "V-11"
        case VonHerzenAccept() | VonHerzenCounter() | VonHerzenDecline():
            return "V-14"
        case VonHerzenTake() | VonHerzenLeave():
            return "V-17" if state.phase in ("swap_take", "swap_agree") else "V-22"
        case VonHerzenAgree():
            return "V-20"
        case VonHerzenWithdraw():
            return "V-20" if state.phase == "swap_agree" else "V-19"
        case _:
            assert_never(move)


def _refusal_of_cards(cards: VonHerzenCards, rule: str, least: int, most: int) -> Rejection | None:
    """Checks 6 to 8 of a swap move: real cards, as many as the move needs, none twice."""
    if not PACK_SET.issuperset(cards):
        return _INVALID_CARD
    if not least <= len(cards) <= most:
        return Rejection("wrong_card_count", rule)
    if len(set(cards)) < len(cards):
        return _DUPLICATE_CARD
    return None


def _refusal_of_laid(hand: VonHerzenCards, cards: VonHerzenCards, rule: str, least: int, most: int) -> Rejection | None:
    """Checks 6 to 9 of a swap move whose cards come from the sender's hand."""
    fault = _refusal_of_cards(cards, rule, least, most)
    if fault is None and not set(cards).issubset(hand):
        return Rejection("card_not_in_hand", rule)
    return fault


def _swap_move(
    state: VonHerzenState, swap: VonHerzenSwap, seat: Seat, move: VonHerzenSwapMove
) -> tuple[VonHerzenFact, ...] | Rejection:
    """Judge a move of the swap phase that is open to this seat."""
    hand, offered = state.hands[seat], len(swap.offered)
    match move:
        case VonHerzenPassOffer():
            return (VonHerzenOfferPassed(seat),)
        case VonHerzenDecline():
            return (VonHerzenOfferDeclined(swap.giver, seat),)
        case VonHerzenLeave():
            return (VonHerzenOfferLeft(seat),)
        case VonHerzenWithdraw():
            return (VonHerzenOfferWithdrawn(seat, swap.receiver),)
        case VonHerzenOffer():
            fault = _refusal_of_laid(hand, move.cards, "V-12", 1, len(hand))
            return fault or (VonHerzenCardsOffered(seat, swap.receiver, in_canonical_order(move.cards)),)
        case VonHerzenCounter():
            fault = _refusal_of_laid(hand, move.cards, "V-16", 1, offered - 1)
            return fault or (VonHerzenOfferCountered(swap.giver, seat, in_canonical_order(move.cards)),)
        case VonHerzenAccept():
            fault = _refusal_of_laid(hand, move.cards, "V-15", offered, offered)
            laid = in_canonical_order(move.cards) if fault is None else ()
            return fault or (VonHerzenCardsSwapped(swap.giver, seat, "accepted", swap.offered, laid),)
        case VonHerzenTake():
            fault = _refusal_of_laid(hand, move.cards, "V-18", offered, offered)
            laid = in_canonical_order(move.cards) if fault is None else ()
            return fault or (VonHerzenCardsSwapped(swap.giver, seat, "taken", swap.offered, laid),)
        case VonHerzenAgree():
            return _agree(swap, move)
        case _:
            assert_never(move)


def _agree(swap: VonHerzenSwap, move: VonHerzenAgree) -> tuple[VonHerzenFact, ...] | Rejection:
    count = len(swap.countered)
    fault = _refusal_of_cards(move.cards, "V-21", count, count)
    if fault is not None:
        return fault
    if not set(move.cards).issubset(swap.offered):
        return _CARD_NOT_OFFERED
    given = in_canonical_order(move.cards)
    return (VonHerzenCardsSwapped(swap.giver, swap.receiver, "agreed", given, swap.countered),)


def _draw_stock(state: VonHerzenState, seat: Seat) -> tuple[VonHerzenFact, ...] | Rejection:
    if not state.stock:
        return _STOCK_EMPTY
    return (VonHerzenStockDrawn(seat, state.stock[0]),)


def _draw_pile(state: VonHerzenState, seat: Seat, move: VonHerzenDrawPile) -> tuple[VonHerzenFact, ...] | Rejection:
    if move.card not in PACK_SET:
        return _INVALID_CARD
    if not state.pile:
        return _PILE_EMPTY
    if move.card not in state.pile:
        return _CARD_NOT_IN_PILE
    if state.options.pile_pick == "top" and move.card != state.pile[-1]:
        return _NOT_TOP_OF_PILE
    return (VonHerzenPileDrawn(seat, move.card),)


def _lay(
    state: VonHerzenState, seat: Seat, move: VonHerzenLay, chance: Chance
) -> tuple[VonHerzenFact, ...] | Rejection:
    if not PACK_SET.issuperset(move.cards):
        return _INVALID_CARD
    if len(set(move.cards)) < len(move.cards):
        return _DUPLICATE_CARD
    if not set(move.cards).issubset(state.hands[seat]):
        return _CARD_NOT_IN_HAND
    fault = refusal_of_run(move.cards)
    if fault is not None:
        return fault
    return _after(state, seat, VonHerzenRunLaid(seat, len(state.melds), move.cards), chance)


def _lay_off(
    state: VonHerzenState, seat: Seat, move: VonHerzenLayOff, chance: Chance
) -> tuple[VonHerzenFact, ...] | Rejection:
    if move.card not in PACK_SET:
        return _INVALID_CARD
    if move.card not in state.hands[seat]:
        return _CARD_NOT_IN_HAND
    if not any(run.owner == seat for run in state.melds):
        return _NOT_OUT
    if not 0 <= move.run < len(state.melds):
        return _UNKNOWN_RUN
    run = state.melds[move.run]
    own_joker = state.options.own_joker_layoff
    fault = refusal_of_lay_off(run, move.card, move.end, own=run.owner == seat, own_joker=own_joker)
    if fault is not None:
        return fault
    return _after(state, seat, VonHerzenCardLaidOff(seat, move.card, move.run, move.end), chance)


def _discard(
    state: VonHerzenState, seat: Seat, move: VonHerzenDiscard, chance: Chance
) -> tuple[VonHerzenFact, ...] | Rejection:
    if move.card not in PACK_SET:
        return _INVALID_CARD
    if move.card not in state.hands[seat]:
        return _DISCARD_NOT_IN_HAND
    ended = VonHerzenTurnEnded(seat, went_out=len(state.hands[seat]) == 1)
    return _with_round_end(state, (VonHerzenCardDiscarded(seat, move.card), ended), chance)


def _after(
    state: VonHerzenState, seat: Seat, fact: VonHerzenRunLaid | VonHerzenCardLaidOff, chance: Chance
) -> tuple[VonHerzenFact, ...]:
    """Return the facts of laying: an empty hand ends the turn (V-54)."""
    laid = len(fact.cards) if isinstance(fact, VonHerzenRunLaid) else 1
    if laid < len(state.hands[seat]):
        return (fact,)
    return _with_round_end(state, (fact, VonHerzenTurnEnded(seat, went_out=True)), chance)


def _with_round_end(
    state: VonHerzenState, facts: tuple[VonHerzenFact, ...], chance: Chance
) -> tuple[VonHerzenFact, ...]:
    """Return the facts that end a turn, and those that end the round if it is over with it."""
    for fact in facts:
        state = evolve(state, fact)
    return (*facts, *_round_end(state, chance)) if state.phase == "scoring" else facts


# who has to act


def to_act(state: VonHerzenState) -> tuple[Seat, ...]:
    """Return the seat to move; nobody before the start and after the end."""
    return () if state.phase in IDLE else (state.turn,)


# an absent player


def timeout_move(state: VonHerzenState, _seat: Seat) -> VonHerzenMove:
    """Return the neutral move for an absent player (V-78)."""
    match state.phase:
        case "swap_offer":
            return VonHerzenPassOffer()
        case "swap_answer":
            return VonHerzenDecline()
        case "swap_take":
            return VonHerzenLeave()
        case "swap_agree":
            return VonHerzenWithdraw()
        case "draw":
            return VonHerzenDrawStock() if state.stock else VonHerzenDrawPile(state.pile[-1])
        case _:
            return VonHerzenEndTurn()
