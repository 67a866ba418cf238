"""Who sees what: public and private forms of facts, the board, hands and what only one seat knows (section 9)."""

from domain.decider import Seat
from domain.games.von_herzen.facts import (
    VonHerzenCardDiscarded,
    VonHerzenCardLaidOff,
    VonHerzenCards,
    VonHerzenCardsOffered,
    VonHerzenCardsOfferedPrivate,
    VonHerzenCardsOfferedPublic,
    VonHerzenCardsSwapped,
    VonHerzenCardsSwappedPrivate,
    VonHerzenCardsSwappedPublic,
    VonHerzenFact,
    VonHerzenOfferCountered,
    VonHerzenOfferCounteredPrivate,
    VonHerzenOfferCounteredPublic,
    VonHerzenPileDrawn,
    VonHerzenPrivateFact,
    VonHerzenPublicFact,
    VonHerzenRoundDealt,
    VonHerzenRoundDealtPrivate,
    VonHerzenRoundDealtPublic,
    VonHerzenRunLaid,
    VonHerzenStockDrawn,
    VonHerzenStockDrawnPrivate,
    VonHerzenStockDrawnPublic,
    VonHerzenTurnEnded,
)
from domain.games.von_herzen.fold import dealt_hand, hand_size, idle_turns_max, round_count
from domain.games.von_herzen.model import (
    IDLE,
    VonHerzenBoard,
    VonHerzenPrivate,
    VonHerzenState,
    VonHerzenSwap,
    VonHerzenSwapBoard,
    VonHerzenSwapSeen,
)
from domain.games.von_herzen.runs import PACK

# facts


def public_form(fact: VonHerzenFact) -> VonHerzenPublicFact:
    """Return what everybody learns of a fact (V-73)."""
    match fact:  # the most frequent first
        case (
            VonHerzenTurnEnded()
            | VonHerzenCardDiscarded()
            | VonHerzenPileDrawn()
            | VonHerzenRunLaid()
            | VonHerzenCardLaidOff()
        ):
            return fact
        case VonHerzenStockDrawn():
            return VonHerzenStockDrawnPublic(fact.seat)
        case VonHerzenRoundDealt():
            each = hand_size(fact.seats)
            return VonHerzenRoundDealtPublic(fact.round, fact.dealer, each, len(PACK) - each * fact.seats)
        case VonHerzenCardsOffered():
            return VonHerzenCardsOfferedPublic(fact.giver, fact.receiver, len(fact.cards))
        case VonHerzenOfferCountered():
            return VonHerzenOfferCounteredPublic(fact.giver, fact.receiver, len(fact.cards))
        case VonHerzenCardsSwapped():
            return VonHerzenCardsSwappedPublic(fact.giver, fact.partner, fact.kind, len(fact.given))
        case _:
            return fact


def private_form(fact: VonHerzenFact, seat: Seat) -> VonHerzenPrivateFact | None:
    """Return what the seat learns beyond everybody, None if nothing (V-73, V-74)."""
    match fact:  # the most frequent first
        case VonHerzenStockDrawn(seat=drawer, card=card):
            return VonHerzenStockDrawnPrivate(card) if seat == drawer else None
        case VonHerzenRoundDealt():
            return VonHerzenRoundDealtPrivate(dealt_hand(fact, seat))
        case VonHerzenCardsOffered(giver=giver, cards=cards):
            return VonHerzenCardsOfferedPrivate(cards) if seat == giver else None  # V-13
        case VonHerzenOfferCountered(receiver=receiver, cards=cards):
            return VonHerzenOfferCounteredPrivate(cards) if seat == receiver else None
        case VonHerzenCardsSwapped():
            sides = _sides(fact, seat)
            return None if sides is None else VonHerzenCardsSwappedPrivate(*sides)
        case _:
            return None


def _sides(swap: VonHerzenCardsSwapped, seat: Seat) -> tuple[VonHerzenCards, VonHerzenCards] | None:
    """Return what the seat gave and got in a swap, None if it had no part in it."""
    if seat == swap.giver:
        return swap.given, swap.received
    if seat == swap.partner:
        return swap.received, swap.given
    return None


# states


def _swap_board(swap: VonHerzenSwap | None) -> VonHerzenSwapBoard | None:
    """Return the running giver's turn in numbers (V-13)."""
    if swap is None:
        return None
    return VonHerzenSwapBoard(swap.giver, swap.receiver, len(swap.offered), len(swap.countered))


def board(state: VonHerzenState) -> VonHerzenBoard:
    """Return all that every seat and any spectator may know (V-73, V-75)."""
    swap = state.swap
    return VonHerzenBoard(
        rounds=round_count(state.options),
        dealer=state.dealer,
        phase=state.phase,
        turn=None if state.phase in IDLE else state.turn,
        hand_sizes=tuple(map(len, state.hands)),
        stock_size=len(state.stock),
        pile=state.pile,
        melds=state.melds,
        taken=state.taken,
        swap_round=state.swap_round,
        swap=_swap_board(swap),
        giver_turns=state.giver_turns,
        turn_number=state.turn_number,
        go_round=0 if swap is not None or not state.hands else state.turn_number // len(state.totals) + 1,
        idle_turns=state.idle_turns,
        idle_turns_max=idle_turns_max(state.options),
        out=state.out,
        score_sheet=state.score_sheet,
        left=state.left,
    )


def hand(state: VonHerzenState, seat: Seat) -> VonHerzenCards:
    """Return the seat's cards in canonical order, offered and countered ones included (V-25)."""
    return state.hands[seat] if state.hands else ()


def private(state: VonHerzenState, seat: Seat) -> VonHerzenPrivate:
    """Return what only this seat knows beyond its hand: what it laid face down, what it swapped."""
    swap = state.swap
    seen: list[VonHerzenSwapSeen] = []
    for done in state.swaps:
        sides = _sides(done, seat)
        if sides is not None:
            partner = done.partner if seat == done.giver else done.giver
            seen.append(VonHerzenSwapSeen(partner, *sides))
    return VonHerzenPrivate(
        offered=swap.offered if swap is not None and seat == swap.giver else (),
        countered=swap.countered if swap is not None and seat == swap.receiver else (),
        swaps=tuple(seen),
    )
