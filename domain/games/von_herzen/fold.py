"""What happened: the state before the match, how each fact changes it, and the score of a round."""

from bisect import insort
from collections.abc import Callable
from typing import Any, Final, Literal, TypeAlias, assert_never, get_args

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
    VonHerzenRoundResult,
    VonHerzenState,
    VonHerzenSwap,
)
from domain.games.von_herzen.runs import PACK, PACK_SET, extended, is_run, new_run, refusal_of_lay_off
from domain.games.von_herzen.scoring import counted, ranking
from domain.seats import with_entry

_LAYING: Final = ("lay", "closing")

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
    try:
        return _CHANGES[type(fact)](state, fact)
    except (ValueError, LookupError) as error:  # a card or a run that is not there
        raise ImpossibleFactError(f"{fact!r}: {error}") from error


def _require(holds: bool, fact: VonHerzenFact) -> None:
    """Raise ImpossibleFactError unless the fact fits."""
    if not holds:
        raise ImpossibleFactError(repr(fact))


def _require_turn(state: VonHerzenState, seat: Seat, phases: tuple[str, ...], fact: VonHerzenFact) -> None:
    """Raise ImpossibleFactError unless the seat is to move in one of these phases."""
    if seat != state.turn or state.phase not in phases:
        raise ImpossibleFactError(repr(fact))


def _plus(hand: VonHerzenCards, card: Card) -> VonHerzenCards:
    """Return the hand, which is in canonical order, with a card more."""
    cards = list(hand)
    insort(cards, card, key=CANONICAL.__getitem__)
    return tuple(cards)


def _minus(hand: VonHerzenCards, cards: VonHerzenCards) -> VonHerzenCards:
    """Return the hand without the cards. ValueError if one is not in it."""
    rest = list(hand)
    for card in cards:
        rest.remove(card)
    return tuple(rest)


# before the match, and its end


def _first_dealer_drawn(state: VonHerzenState, fact: VonHerzenFirstDealerDrawn) -> VonHerzenState:
    _require(state.phase == "before" and 0 <= fact.dealer < len(state.totals), fact)
    return replace(state, phase="dealing", dealer=fact.dealer)


def _match_ended(state: VonHerzenState, fact: VonHerzenMatchEnded) -> VonHerzenState:
    _require(state.phase == "dealing" and state.round == round_count(state.options), fact)  # V-70
    _require(fact == VonHerzenMatchEnded(state.totals, ranking(state.totals)), fact)
    return replace(state, phase="over")


# deal


def dealt_hand(fact: VonHerzenRoundDealt, seat: Seat) -> VonHerzenCards:
    """Return the hand that a seat gets: singly, clockwise, from the dealer's left (V-6)."""
    first = (seat - fact.dealer - 1) % fact.seats
    return in_canonical_order(fact.pack[first : hand_size(fact.seats) * fact.seats : fact.seats])


def _dealt(state: VonHerzenState, fact: VonHerzenRoundDealt) -> VonHerzenState:
    seats = len(state.totals)
    _require(state.phase == "dealing" and fact.round == state.round + 1 <= round_count(state.options), fact)
    due = state.dealer if state.round == 0 else (state.dealer + 1) % seats  # V-10
    _require(fact.dealer == due and fact.seats == seats, fact)
    _require(len(fact.pack) == len(PACK) and frozenset(fact.pack) == PACK_SET, fact)
    hands = tuple(dealt_hand(fact, seat) for seat in range(seats))
    return VonHerzenState(
        options=state.options,
        totals=state.totals,
        score_sheet=state.score_sheet,
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


def _open_swap(state: VonHerzenState, giver: Seat, fact: VonHerzenFact) -> VonHerzenSwap:
    """Return the running giver's turn; ImpossibleFactError if it is not this giver's."""
    if state.swap is None or state.swap.giver != giver:
        raise ImpossibleFactError(repr(fact))
    return state.swap


def _offered(state: VonHerzenState, fact: VonHerzenCardsOffered) -> VonHerzenState:
    _require_turn(state, fact.giver, ("swap_offer",), fact)
    swap = _open_swap(state, fact.giver, fact)
    _minus(state.hands[fact.giver], fact.cards)
    _require(fact.receiver == swap.receiver, fact)
    _require(len(fact.cards) > 0 and fact.cards == in_canonical_order(fact.cards), fact)
    swap = VonHerzenSwap(swap.giver, swap.receiver, fact.cards)
    return replace(state, phase="swap_answer", turn=swap.receiver, swap=swap)


def _countered(state: VonHerzenState, fact: VonHerzenOfferCountered) -> VonHerzenState:
    _require_turn(state, fact.receiver, ("swap_answer",), fact)
    swap = _open_swap(state, fact.giver, fact)
    _minus(state.hands[fact.receiver], fact.cards)
    _require(0 < len(fact.cards) < len(swap.offered) and fact.cards == in_canonical_order(fact.cards), fact)
    swap = VonHerzenSwap(swap.giver, swap.receiver, swap.offered, fact.cards)
    return _asked(replace(state, swap=swap), (swap.receiver - 1) % len(state.totals))  # V-17


def _asked(state: VonHerzenState, seat: Seat) -> VonHerzenState:
    """Return the state in which this seat is asked; if everybody has been, the giver answers (V-20)."""
    assert state.swap is not None
    return replace(state, phase="swap_agree" if seat == state.swap.giver else "swap_take", turn=seat)


def _left(state: VonHerzenState, fact: VonHerzenOfferLeft) -> VonHerzenState:
    _require_turn(state, fact.seat, ("swap_take",), fact)
    return _asked(state, (fact.seat - 1) % len(state.totals))


def _swapped(state: VonHerzenState, fact: VonHerzenCardsSwapped) -> VonHerzenState:
    swap = _open_swap(state, fact.giver, fact)
    match fact.kind:
        case "accepted":
            fits = state.phase == "swap_answer" and fact.partner == state.turn and fact.given == swap.offered
        case "taken":
            fits = state.phase == "swap_take" and fact.partner == state.turn and fact.given == swap.offered
        case "agreed":
            fits = state.phase == "swap_agree" and fact.partner == swap.receiver and fact.received == swap.countered
        case _:
            assert_never(fact.kind)
    _require(fits and len(fact.given) == len(fact.received), fact)
    _minus(swap.offered, fact.given)
    _require(fact.given == in_canonical_order(fact.given), fact)
    giver_hand = (*_minus(state.hands[fact.giver], fact.given), *fact.received)
    partner_hand = (*_minus(state.hands[fact.partner], fact.received), *fact.given)
    _require(fact.received == in_canonical_order(fact.received), fact)
    hands = with_entry(state.hands, fact.giver, in_canonical_order(giver_hand))
    hands = with_entry(hands, fact.partner, in_canonical_order(partner_hand))
    state = replace(state, hands=hands, swaps=(*state.swaps, fact))
    return _next_giver(state, swap, fact.kind, fact.partner, len(fact.given))


def _offer_passed(state: VonHerzenState, fact: VonHerzenOfferPassed) -> VonHerzenState:
    swap = _open_swap(state, fact.giver, fact)
    _require_turn(state, fact.giver, ("swap_offer",), fact)
    return _next_giver(state, swap, "passed")  # V-12


def _declined(state: VonHerzenState, fact: VonHerzenOfferDeclined) -> VonHerzenState:
    swap = _open_swap(state, fact.giver, fact)
    _require_turn(state, fact.receiver, ("swap_answer",), fact)
    return _next_giver(state, swap, "declined")


def _withdrawn(state: VonHerzenState, fact: VonHerzenOfferWithdrawn) -> VonHerzenState:
    swap = _open_swap(state, fact.giver, fact)
    _require_turn(state, fact.giver, ("swap_agree",), fact)
    _require(fact.receiver == swap.receiver, fact)
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
    _require_turn(state, fact.seat, ("draw",), fact)
    _require(state.stock[0] == fact.card, fact)
    hands = with_entry(state.hands, fact.seat, _plus(state.hands[fact.seat], fact.card))
    return replace(state, phase="lay", hands=hands, stock=state.stock[1:], progress=True)  # V-60


def _pile_drawn(state: VonHerzenState, fact: VonHerzenPileDrawn) -> VonHerzenState:
    _require_turn(state, fact.seat, ("draw",), fact)
    hands = with_entry(state.hands, fact.seat, _plus(state.hands[fact.seat], fact.card))
    taken = with_entry(state.taken, fact.seat, _plus(state.taken[fact.seat], fact.card))
    return replace(state, phase="lay", hands=hands, pile=without(state.pile, fact.card), taken=taken)


def _run_laid(state: VonHerzenState, fact: VonHerzenRunLaid) -> VonHerzenState:
    _require_turn(state, fact.seat, _LAYING, fact)
    _require(fact.run == len(state.melds) and is_run(fact.cards), fact)
    hands = with_entry(state.hands, fact.seat, _minus(state.hands[fact.seat], fact.cards))
    taken = state.taken
    if taken[fact.seat]:
        taken = with_entry(taken, fact.seat, tuple([card for card in taken[fact.seat] if card not in fact.cards]))
    melds = (*state.melds, new_run(fact.run, fact.seat, fact.cards))
    return replace(state, hands=hands, taken=taken, melds=melds, progress=True)


def _laid_off(state: VonHerzenState, fact: VonHerzenCardLaidOff) -> VonHerzenState:
    _require_turn(state, fact.seat, _LAYING, fact)
    _require(fact.run >= 0, fact)
    run, own_joker = state.melds[fact.run], state.options.own_joker_layoff
    hands, taken = _put_down(state, fact.seat, fact.card)
    refusal = refusal_of_lay_off(run, fact.card, fact.end, own=run.owner == fact.seat, own_joker=own_joker)
    _require(refusal is None, fact)
    melds = with_entry(state.melds, fact.run, extended(run, fact.card, fact.end))
    return replace(state, hands=hands, taken=taken, melds=melds, progress=True)


def _discarded(state: VonHerzenState, fact: VonHerzenCardDiscarded) -> VonHerzenState:
    _require_turn(state, fact.seat, ("lay",), fact)
    hands, taken = _put_down(state, fact.seat, fact.card)
    return replace(state, phase="ending", hands=hands, taken=taken, pile=(*state.pile, fact.card))


def _put_down(
    state: VonHerzenState, seat: Seat, card: Card
) -> tuple[tuple[VonHerzenCards, ...], tuple[VonHerzenCards, ...]]:
    """Return hands and taken cards of all seats after a seat has put one card on the table."""
    hands, taken = hands_without(state.hands, seat, card), state.taken
    if card in taken[seat]:
        taken = hands_without(taken, seat, card)
    return hands, taken


def _turn_ended(state: VonHerzenState, fact: VonHerzenTurnEnded) -> VonHerzenState:
    _require_turn(state, fact.seat, (*_LAYING, "ending"), fact)
    _require(fact.went_out == (not state.hands[fact.seat]), fact)
    following = (fact.seat + 1) % len(state.totals)
    last = fact.seat == state.dealer
    if state.phase == "closing":  # V-57
        return (
            replace(state, phase="scoring")
            if last
            else replace(state, turn=following, turn_number=state.turn_number + 1)
        )
    if fact.went_out:
        state = replace(state, out=fact.seat)
        if last or state.turn_number >= len(state.totals):  # V-54, V-57
            return replace(state, phase="scoring")
        return replace(state, phase="closing", turn=following, turn_number=state.turn_number + 1)  # V-55
    idle_turns = 0 if state.progress else state.idle_turns + 1  # V-60
    if idle_turns >= idle_turns_max(state.options):
        return replace(state, phase="scoring", idle_turns=idle_turns)
    return _turn(state, following, state.turn_number + 1, idle_turns=idle_turns)


# score


def _scored(state: VonHerzenState, fact: VonHerzenRoundScored) -> VonHerzenState:
    _require(state.phase == "scoring" and fact == counted(state), fact)
    result = VonHerzenRoundResult(round=fact.round, ended=fact.ended, points=fact.scores)
    return replace(state, phase="dealing", totals=fact.totals, score_sheet=(*state.score_sheet, result))


def outcome(state: VonHerzenState) -> Outcome | None:
    """Return totals and places of a finished match, else None."""
    return Outcome(state.totals, ranking(state.totals)) if state.phase == "over" else None


_CHANGES: Final[dict[type, Callable[[VonHerzenState, Any], VonHerzenState]]] = {
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
"""Which kind of fact changes the state how."""

assert _CHANGES.keys() == set(get_args(VonHerzenFact))
