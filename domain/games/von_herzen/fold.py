"""What happened: the state before the match, how each fact changes it, and the score of a round."""

from bisect import insort
from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias, assert_never

from msgspec.structs import replace

from domain.cards import CANONICAL, Card, hands_without, in_canonical_order, without
from domain.decider import ImpossibleFactError, Outcome, Seat
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
    VonHerzenRoundScored,
    VonHerzenRunLaid,
    VonHerzenStockDrawn,
    VonHerzenTurnEnded,
)
from domain.games.von_herzen.model import (
    VonHerzenGiverTurn,
    VonHerzenOptions,
    VonHerzenPhase,
    VonHerzenState,
    VonHerzenSwap,
)
from domain.games.von_herzen.runs import PACK, PACK_SET, extended, is_run, new_run, takes
from domain.games.von_herzen.scoring import counted, ranking, result_of
from domain.seats import with_entry

_LAYING: Final = ("lay", "closing")
_ENDS_TURN: Final = ("ending", *_LAYING)

VonHerzenSwapResult: TypeAlias = Literal["passed", "declined", "withdrawn", "accepted", "taken", "agreed"]


def new(options: VonHerzenOptions, seats: int) -> VonHerzenState:
    """Return the state before the match starts."""
    return VonHerzenState(options=options, totals=(0,) * seats)


def hand_size(seats: int) -> int:
    """Return how many cards everyone is dealt (V-5)."""
    return min(8, len(PACK) // seats)


def round_count(options: VonHerzenOptions) -> int:
    """Return the rounds of the match (V-70)."""
    return options.complete_rounds * options.players


def idle_turns_max(options: VonHerzenOptions) -> int:
    """Return how many turns in a row without progress end a round (V-60)."""
    return options.standstill_rounds * options.players


def evolve(state: VonHerzenState, fact: VonHerzenFact) -> VonHerzenState:
    """Apply a recorded fact. ImpossibleFactError if it does not fit the state."""
    return CHANGES[type(fact)](state, fact)


def _plus(hand: VonHerzenCards, card: Card) -> VonHerzenCards:
    """Return the hand, which is in canonical order, with a card more."""
    cards = list(hand)
    insort(cards, card, key=CANONICAL.__getitem__)
    return tuple(cards)


def _are_part_of(held: VonHerzenCards, cards: VonHerzenCards) -> bool:
    """Whether different cards, in canonical order, are among those that are held, which are in it too."""
    return cards == tuple([card for card in held if card in cards])


def _minus(seat: Seat, held: VonHerzenCards, cards: VonHerzenCards) -> VonHerzenCards:
    """Return what a seat holds without these cards. ImpossibleFactError if one is not among it."""
    rest = list(held)
    try:
        for card in cards:
            rest.remove(card)
    except ValueError:
        raise ImpossibleFactError(f"seat {seat} does not hold all of {cards}") from None
    return tuple(rest)


# before the match, and its end


def _first_dealer_drawn(state: VonHerzenState, fact: VonHerzenFirstDealerDrawn) -> VonHerzenState:
    if state.phase != "before" or not 0 <= fact.dealer < len(state.totals):
        raise ImpossibleFactError(f"seat {fact.dealer} cannot have been drawn to deal now")
    return replace(state, phase="dealing", dealer=fact.dealer)


def _match_ended(state: VonHerzenState, fact: VonHerzenMatchEnded) -> VonHerzenState:
    if state.phase != "dealing" or state.round != round_count(state.options):  # V-70
        raise ImpossibleFactError("the match cannot have ended now")
    if fact != VonHerzenMatchEnded(state.totals, ranking(state.totals)):
        raise ImpossibleFactError("the match cannot have ended like this")
    return replace(state, phase="over")


# deal


def dealt_hand(fact: VonHerzenRoundDealt, seat: Seat) -> VonHerzenCards:
    """Return the hand that a seat gets: singly, clockwise, from the dealer's left (V-6)."""
    first = (seat - fact.dealer - 1) % fact.seats
    return in_canonical_order(fact.pack[first : hand_size(fact.seats) * fact.seats : fact.seats])


def _dealt(state: VonHerzenState, fact: VonHerzenRoundDealt) -> VonHerzenState:
    seats = len(state.totals)
    if state.phase != "dealing" or not fact.round == state.round + 1 <= round_count(state.options):
        raise ImpossibleFactError(f"round {fact.round} cannot have been dealt now")
    due = state.dealer if state.round == 0 else (state.dealer + 1) % seats  # V-10
    if fact.dealer != due or fact.seats != seats:
        raise ImpossibleFactError(f"round {fact.round} cannot have been dealt like this")
    if len(fact.pack) != len(PACK) or not PACK_SET.issubset(fact.pack):
        raise ImpossibleFactError("these cards are not the pack")
    hands = tuple([dealt_hand(fact, seat) for seat in range(seats)])
    return VonHerzenState(
        options=state.options,
        totals=state.totals,
        score_sheet=state.score_sheet,
        left=state.left,
        round=fact.round,
        dealer=fact.dealer,
        phase="swap_offer",
        turn=(fact.dealer - 1) % seats,  # V-11
        hands=hands,
        stock=fact.pack[hand_size(seats) * seats :],  # V-7
        taken=((),) * seats,
        swap=_giver_turn((fact.dealer - 1) % seats, seats),
    )


# swap phase


def _giver_turn(giver: Seat, seats: int) -> VonHerzenSwap:
    """Return the start of a giver's turn (V-12)."""
    return VonHerzenSwap(giver, (giver - 1) % seats)


def _open_swap(state: VonHerzenState, giver: Seat, seat: Seat, phase: VonHerzenPhase) -> VonHerzenSwap:
    """Return the giver's running turn. ImpossibleFactError if it is not open, or not for this seat in this phase."""
    if state.swap is None or state.swap.giver != giver:
        raise ImpossibleFactError(f"no turn of giver {giver} is open")
    if seat != state.turn or state.phase != phase:
        raise ImpossibleFactError(f"seat {seat} is not to move in {phase}")
    return state.swap


def _offered(state: VonHerzenState, fact: VonHerzenCardsOffered) -> VonHerzenState:
    swap = _open_swap(state, fact.giver, fact.giver, "swap_offer")
    if fact.receiver != swap.receiver:
        raise ImpossibleFactError(f"seat {fact.receiver} cannot have been offered cards now")
    if not fact.cards or not _are_part_of(state.hands[fact.giver], fact.cards):
        raise ImpossibleFactError(f"seat {fact.giver} cannot have offered {fact.cards}")
    swap = VonHerzenSwap(swap.giver, swap.receiver, fact.cards)
    return replace(state, phase="swap_answer", turn=swap.receiver, swap=swap)


def _countered(state: VonHerzenState, fact: VonHerzenOfferCountered) -> VonHerzenState:
    swap = _open_swap(state, fact.giver, fact.receiver, "swap_answer")
    if not 0 < len(fact.cards) < len(swap.offered) or not _are_part_of(state.hands[fact.receiver], fact.cards):
        raise ImpossibleFactError(f"seat {fact.receiver} cannot have proposed {fact.cards}")
    swap = VonHerzenSwap(swap.giver, swap.receiver, swap.offered, fact.cards)
    return _asked(replace(state, swap=swap), (swap.receiver - 1) % len(state.totals))  # V-17


def _asked(state: VonHerzenState, seat: Seat) -> VonHerzenState:
    """Return the state in which this seat is asked; if everybody has been, the giver answers (V-20)."""
    assert state.swap is not None
    return replace(state, phase="swap_agree" if seat == state.swap.giver else "swap_take", turn=seat)


def _left(state: VonHerzenState, fact: VonHerzenOfferLeft) -> VonHerzenState:
    if fact.seat != state.turn or state.phase != "swap_take":
        raise ImpossibleFactError(f"seat {fact.seat} cannot have left an offer now")
    return _asked(state, (fact.seat - 1) % len(state.totals))


def _swapped(state: VonHerzenState, fact: VonHerzenCardsSwapped) -> VonHerzenState:
    match fact.kind:
        case "accepted":
            swap = _open_swap(state, fact.giver, fact.partner, "swap_answer")
            fits = fact.given == swap.offered and _are_part_of(state.hands[fact.partner], fact.received)
        case "taken":
            swap = _open_swap(state, fact.giver, fact.partner, "swap_take")
            fits = fact.given == swap.offered and _are_part_of(state.hands[fact.partner], fact.received)
        case "agreed":
            swap = _open_swap(state, fact.giver, fact.giver, "swap_agree")
            fits = fact.received == swap.countered and _are_part_of(swap.offered, fact.given)
            fits = fits and fact.partner == swap.receiver
        case _:
            assert_never(fact.kind)
    if not fits or len(fact.given) != len(fact.received):
        raise ImpossibleFactError(f"seats {fact.giver} and {fact.partner} cannot have swapped like this")
    giver_hand = (*_minus(fact.giver, state.hands[fact.giver], fact.given), *fact.received)
    partner_hand = (*_minus(fact.partner, state.hands[fact.partner], fact.received), *fact.given)
    hands = with_entry(state.hands, fact.giver, in_canonical_order(giver_hand))
    hands = with_entry(hands, fact.partner, in_canonical_order(partner_hand))
    state = replace(state, hands=hands, swaps=(*state.swaps, fact))
    return _next_giver(state, swap, fact.kind, fact.partner, len(fact.given))


def _offer_passed(state: VonHerzenState, fact: VonHerzenOfferPassed) -> VonHerzenState:
    swap = _open_swap(state, fact.giver, fact.giver, "swap_offer")
    return _next_giver(state, swap, "passed")  # V-12


def _declined(state: VonHerzenState, fact: VonHerzenOfferDeclined) -> VonHerzenState:
    swap = _open_swap(state, fact.giver, fact.receiver, "swap_answer")
    return _next_giver(state, swap, "declined")


def _withdrawn(state: VonHerzenState, fact: VonHerzenOfferWithdrawn) -> VonHerzenState:
    swap = _open_swap(state, fact.giver, fact.giver, "swap_agree")
    if fact.receiver != swap.receiver:
        raise ImpossibleFactError(f"seat {fact.receiver} has not proposed anything")
    return _next_giver(state, swap, "withdrawn")  # V-22


def _next_giver(
    state: VonHerzenState,
    swap: VonHerzenSwap,
    result: VonHerzenSwapResult,
    partner: Seat | None = None,
    swapped: int = 0,
) -> VonHerzenState:
    """Close a giver's turn: the next giver, the second swap round or the meld phase."""
    seats = len(state.totals)
    counts = len(swap.offered), len(swap.countered)
    done = VonHerzenGiverTurn(swap.giver, swap.receiver, *counts, result, partner, swapped)
    turns = (*state.giver_turns, done)
    swap_round = state.swap_round
    if swap.giver == state.dealer:  # V-11: the dealer is the last giver
        if swap_round == state.options.swap_rounds:
            return _turn(replace(state, giver_turns=turns, swap=None), (state.dealer + 1) % seats, 0)  # V-28
        swap_round += 1  # V-26
    giver = (swap.giver - 1) % seats  # V-23
    following = _giver_turn(giver, seats)
    return replace(state, phase="swap_offer", turn=giver, giver_turns=turns, swap_round=swap_round, swap=following)


# meld phase


def _turn(state: VonHerzenState, seat: Seat, turn_number: int, *, idle_turns: int = 0) -> VonHerzenState:
    """Start a turn: with the duty to draw while there is anything to draw (V-29, V-31)."""
    phase: VonHerzenPhase = "draw" if state.stock or state.pile else "lay"
    return replace(state, phase=phase, turn=seat, turn_number=turn_number, idle_turns=idle_turns, progress=False)


def _stock_drawn(state: VonHerzenState, fact: VonHerzenStockDrawn) -> VonHerzenState:
    seat, card, stock = fact.seat, fact.card, state.stock
    if seat != state.turn or state.phase != "draw" or not stock or stock[0] != card:
        raise ImpossibleFactError(f"seat {seat} cannot have drawn {card} now")
    hands = with_entry(state.hands, seat, _plus(state.hands[seat], card))
    return replace(state, phase="lay", hands=hands, stock=stock[1:], progress=True)  # V-60


def _pile_drawn(state: VonHerzenState, fact: VonHerzenPileDrawn) -> VonHerzenState:
    seat, card = fact.seat, fact.card
    if seat != state.turn or state.phase != "draw" or card not in state.pile:
        raise ImpossibleFactError(f"seat {seat} cannot have taken {card} now")
    hands = with_entry(state.hands, seat, _plus(state.hands[seat], card))
    taken = with_entry(state.taken, seat, _plus(state.taken[seat], card))
    return replace(state, phase="lay", hands=hands, pile=without(state.pile, card), taken=taken)


def _run_laid(state: VonHerzenState, fact: VonHerzenRunLaid) -> VonHerzenState:
    seat, cards = fact.seat, fact.cards
    if seat != state.turn or state.phase not in _LAYING:
        raise ImpossibleFactError(f"seat {seat} cannot have laid a run now")
    if fact.run != len(state.melds) or not is_run(cards):
        raise ImpossibleFactError(f"{cards} are not run {fact.run}")
    hands, taken = with_entry(state.hands, seat, _minus(seat, state.hands[seat], cards)), state.taken
    if taken[seat]:
        taken = with_entry(taken, seat, tuple([card for card in taken[seat] if card not in cards]))
    melds = (*state.melds, new_run(fact.run, seat, cards))
    return replace(state, hands=hands, taken=taken, melds=melds, progress=True)


def _laid_off(state: VonHerzenState, fact: VonHerzenCardLaidOff) -> VonHerzenState:
    seat, card, melds = fact.seat, fact.card, state.melds
    if seat != state.turn or state.phase not in _LAYING:
        raise ImpossibleFactError(f"seat {seat} cannot have laid off {card} now")
    if not 0 <= fact.run < len(melds):
        raise ImpossibleFactError(f"there is no run {fact.run}")
    hands, taken = _put_down(state, seat, card)
    run, own_joker = melds[fact.run], state.options.own_joker_layoff
    if not takes(run, card, fact.end, own=run.owner == seat, own_joker=own_joker):
        raise ImpossibleFactError(f"run {fact.run} does not take {card} at this end")
    melds = with_entry(melds, fact.run, extended(run, card, fact.end))
    return replace(state, hands=hands, taken=taken, melds=melds, progress=True)


def _discarded(state: VonHerzenState, fact: VonHerzenCardDiscarded) -> VonHerzenState:
    if fact.seat != state.turn or state.phase != "lay":
        raise ImpossibleFactError(f"seat {fact.seat} cannot have discarded now")
    hands, taken = _put_down(state, fact.seat, fact.card)
    return replace(state, phase="ending", hands=hands, taken=taken, pile=state.pile + (fact.card,))


def _put_down(
    state: VonHerzenState, seat: Seat, card: Card
) -> tuple[tuple[VonHerzenCards, ...], tuple[VonHerzenCards, ...]]:
    """Return hands and taken cards of all seats after a seat has put one card on the table."""
    taken = state.taken
    try:
        hands = hands_without(state.hands, seat, card)
    except ValueError:
        raise ImpossibleFactError(f"seat {seat} does not hold {card}") from None
    if card in taken[seat]:
        taken = hands_without(taken, seat, card)
    return hands, taken


def _turn_ended(state: VonHerzenState, fact: VonHerzenTurnEnded) -> VonHerzenState:
    seat, phase, seats = fact.seat, state.phase, len(state.totals)
    if seat != state.turn or phase not in _ENDS_TURN:
        raise ImpossibleFactError(f"seat {seat} cannot have ended its turn now")
    if fact.went_out == bool(state.hands[seat]):
        raise ImpossibleFactError(f"seat {seat} {'still holds' if fact.went_out else 'no longer holds'} cards")
    following, number = (seat + 1) % seats, state.turn_number + 1
    if phase == "closing":  # V-57
        if seat == state.dealer:
            return replace(state, phase="scoring")
        return replace(state, turn=following, turn_number=number)
    if fact.went_out:
        if seat == state.dealer or state.turn_number >= seats:  # V-54, V-57
            return replace(state, phase="scoring", out=seat)
        return replace(state, phase="closing", out=seat, turn=following, turn_number=number)  # V-55
    idle_turns = 0 if state.progress else state.idle_turns + 1  # V-60
    if idle_turns >= idle_turns_max(state.options):
        return replace(state, phase="scoring", idle_turns=idle_turns)
    return _turn(state, following, number, idle_turns=idle_turns)


# score


def _scored(state: VonHerzenState, fact: VonHerzenRoundScored) -> VonHerzenState:
    if state.phase != "scoring":
        raise ImpossibleFactError("no round can have been scored now")
    if fact != counted(state):
        raise ImpossibleFactError(f"round {fact.round} cannot have been scored like this")
    sheet = (*state.score_sheet, result_of(state))
    return replace(state, phase="dealing", totals=fact.totals, score_sheet=sheet, left=fact.hands)


def outcome(state: VonHerzenState) -> Outcome | None:
    """Return totals and places of a finished match, else None."""
    return Outcome(state.totals, ranking(state.totals)) if state.phase == "over" else None


CHANGES: Final[dict[type, Callable[[VonHerzenState, Any], VonHerzenState]]] = {
    VonHerzenFirstDealerDrawn: _first_dealer_drawn,
    VonHerzenRoundDealt: _dealt,
    VonHerzenCardsOffered: _offered,
    VonHerzenOfferCountered: _countered,
    VonHerzenOfferLeft: _left,
    VonHerzenOfferPassed: _offer_passed,
    VonHerzenOfferDeclined: _declined,
    VonHerzenOfferWithdrawn: _withdrawn,
    VonHerzenCardsSwapped: _swapped,
    VonHerzenStockDrawn: _stock_drawn,
    VonHerzenPileDrawn: _pile_drawn,
    VonHerzenRunLaid: _run_laid,
    VonHerzenCardLaidOff: _laid_off,
    VonHerzenCardDiscarded: _discarded,
    VonHerzenTurnEnded: _turn_ended,
    VonHerzenRoundScored: _scored,
    VonHerzenMatchEnded: _match_ended,
}
"""For each kind of fact the function that applies it."""
