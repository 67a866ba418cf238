"""What happened: the state before the match, and how each fact changes it."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, TypeVar, get_args

from msgspec import ValidationError
from msgspec.structs import asdict, replace

from domain.cards import Card
from domain.decider import ImpossibleFactError, Outcome, Seat
from domain.games.romme.deck import DECK, dealt_hands, first_stock, in_deck_order
from domain.games.romme.facts import (
    RommeCardDiscarded,
    RommeCardDrawn,
    RommeCardsLaidOff,
    RommeFact,
    RommeJokerSwapped,
    RommeMatchEnded,
    RommeMeldsLaid,
    RommeOptionChanged,
    RommePackDealt,
    RommePileDrawn,
    RommeRoundEnded,
    RommeRoundStarted,
    RommeStockEmptied,
    RommeStockShuffled,
)
from domain.games.romme.model import (
    Phase,
    RommeMeld,
    RommeOptions,
    RommeRoundResult,
    RommeSlot,
    RommeState,
)
from domain.games.romme.options import options_of
from domain.seats import with_entry

_NO_CARDS: Final[tuple[Card, ...]] = ()

_T = TypeVar("_T")


def new(options: RommeOptions, seats: int) -> RommeState:
    """Return the state before the first deal."""
    return RommeState(
        options=options,
        seats=seats,
        totals=(0,) * seats,
        results=(),
        places=None,
        round=0,
        round_options=options,
        starter=0,
        phase="lobby",
        turn=0,
        turn_number=0,
        lays=0,
        arrivals=0,
        hands=(_NO_CARDS,) * seats,
        entered=((),) * seats,
        shown=(_NO_CARDS,) * seats,
        first_lay=(None,) * seats,
        out_at_turn_start=False,
        taken=None,
        drawn=None,
        progress=False,
        idle_turns=0,
        stock=(),
        stock_drawn=0,
        pile=(),
        table=(),
        empties=0,
    )


def evolve(state: RommeState, fact: RommeFact) -> RommeState:
    """Return the state after a recorded fact. ImpossibleFactError if it does not fit."""
    return _CHANGES[type(fact)](state, fact)


# rounds and options


def _round_started(state: RommeState, fact: RommeRoundStarted) -> RommeState:
    if not between_rounds(state) or fact.round != state.round + 1 or not 0 <= fact.starter < state.seats:
        raise ImpossibleFactError(f"round {fact.round} cannot have started now")
    return replace(
        new(state.options, state.seats),
        totals=state.totals,
        results=state.results,
        round=fact.round,
        round_options=fact.options,
        starter=fact.starter,
        turn=fact.starter,
        phase="opening",
        turn_number=state.turn_number + 1,
        arrivals=state.arrivals,
    )


def _pack_dealt(state: RommeState, fact: RommePackDealt) -> RommeState:
    fits = state.phase == "opening" and fact.starter == state.starter and fact.seats == state.seats
    if not fits or any(state.hands) or in_deck_order(fact.order) != DECK:
        raise ImpossibleFactError("these cards cannot have been dealt now")
    hands = dealt_hands(fact.order, fact.starter, fact.seats)
    arrivals = state.arrivals + 1
    return replace(
        state,
        hands=hands,
        entered=tuple((arrivals,) * len(hand) for hand in hands),
        arrivals=arrivals,
        stock=first_stock(fact.order, fact.seats),
        stock_drawn=0,
    )


def _round_ended(state: RommeState, fact: RommeRoundEnded) -> RommeState:
    totals = tuple(map(int.__add__, state.totals, fact.points))
    if state.phase != "draw" or fact.round != state.round or fact.totals != totals:
        raise ImpossibleFactError(f"round {fact.round} cannot have ended like this now")
    result = RommeRoundResult(
        fact.round, fact.reason, fact.winners, fact.hand_romme, fact.values, fact.points, state.round_options
    )
    return replace(state, phase="over", totals=totals, results=(*state.results, result))


def _match_ended(state: RommeState, fact: RommeMatchEnded) -> RommeState:
    if state.phase != "over" or state.places is not None or fact.totals != state.totals:
        raise ImpossibleFactError("the match cannot have ended now")
    return replace(state, places=fact.places)


def _option_changed(state: RommeState, fact: RommeOptionChanged) -> RommeState:
    values = asdict(state.options)
    if not between_rounds(state) or fact.name not in values or values[fact.name] != fact.old:
        raise ImpossibleFactError(f"option {fact.name} cannot have changed like this now")
    try:
        return replace(state, options=options_of({**values, fact.name: fact.new}))
    except ValidationError as error:
        raise ImpossibleFactError(f"option {fact.name} cannot have this value") from error


# turns


def _card_drawn(state: RommeState, fact: RommeCardDrawn) -> RommeState:
    if (
        state.phase != "draw"
        or fact.seat != state.turn
        or not state.stock_count
        or state.stock[state.stock_drawn] != fact.card
    ):
        raise ImpossibleFactError(f"seat {fact.seat} cannot have drawn {fact.card} now")
    arrivals = state.arrivals + 1
    return replace(
        state,
        phase="play",
        arrivals=arrivals,
        hands=_with(state.hands, fact.seat, fact.card),
        entered=_with(state.entered, fact.seat, arrivals),
        drawn=fact.card,
        stock_drawn=state.stock_drawn + 1,
        progress=True,
    )


def _pile_drawn(state: RommeState, fact: RommePileDrawn) -> RommeState:
    if state.phase != "draw" or fact.seat != state.turn or state.pile[-1:] != (fact.card,):
        raise ImpossibleFactError(f"seat {fact.seat} cannot have taken {fact.card} now")
    arrivals = state.arrivals + 1
    return replace(
        state,
        phase="play",
        arrivals=arrivals,
        hands=_with(state.hands, fact.seat, fact.card),
        entered=_with(state.entered, fact.seat, arrivals),
        shown=_with(state.shown, fact.seat, fact.card),
        taken=fact.card,
        pile=state.pile[:-1],
    )


def _melds_laid(state: RommeState, fact: RommeMeldsLaid) -> RommeState:
    seat = fact.seat
    first = not state.is_out(seat)
    expected = [f"m{number}" for number in range(len(state.table) + 1, len(state.table) + len(fact.melds) + 1)]
    if fact.came_out != first or [meld.id for meld in fact.melds] != expected:
        raise ImpossibleFactError(f"seat {seat} cannot have laid these melds now")
    hands, entered, shown = _without(state, seat, [slot.card for meld in fact.melds for slot in meld.slots])
    return replace(
        state,
        hands=hands,
        entered=entered,
        shown=shown,
        lays=state.lays + 1,
        first_lay=with_entry(state.first_lay, seat, fact.points) if first else state.first_lay,
        table=state.table + fact.melds,
        progress=True,
    )


def _cards_laid_off(state: RommeState, fact: RommeCardsLaidOff) -> RommeState:
    old = _meld(state, fact.meld)
    cards = {slot.card for slot in fact.slots}
    before = {slot.card for slot in old.slots}
    if not before.isdisjoint(fact.cards) or cards != before.union(fact.cards) or len(cards) < len(fact.slots):
        raise ImpossibleFactError(f"meld {fact.meld} cannot have become this")
    hands, entered, shown = _without(state, fact.seat, fact.cards)
    return replace(
        state,
        hands=hands,
        entered=entered,
        shown=shown,
        table=_with_slots(state.table, old, fact.slots),
        progress=True,
    )


def _joker_swapped(state: RommeState, fact: RommeJokerSwapped) -> RommeState:
    old = _meld(state, fact.meld)
    slots = tuple(RommeSlot(fact.card, slot.face) if slot.card == fact.joker else slot for slot in old.slots)
    if slots == old.slots:
        raise ImpossibleFactError(f"{fact.joker} does not lie in {fact.meld}")
    hands, entered, shown = _without(state, fact.seat, (fact.card,))
    arrivals = state.arrivals + 1
    return replace(
        state,
        arrivals=arrivals,
        hands=_with(hands, fact.seat, fact.joker),
        entered=_with(entered, fact.seat, arrivals),
        shown=_with(shown, fact.seat, fact.joker),
        table=_with_slots(state.table, old, slots),
        progress=True,
    )


def _card_discarded(state: RommeState, fact: RommeCardDiscarded) -> RommeState:
    if state.phase not in ("opening", "play") or fact.seat != state.turn:
        raise ImpossibleFactError(f"seat {fact.seat} cannot have discarded now")
    idle_turns = 0 if state.progress or state.phase == "opening" else state.idle_turns + 1
    hands, entered, shown = _without(state, fact.seat, (fact.card,), phase=state.phase)
    turn = (state.turn + 1) % state.seats
    return replace(
        state,
        hands=hands,
        entered=entered,
        shown=shown,
        phase="draw",
        turn=turn,
        turn_number=state.turn_number + 1,
        lays=0,
        out_at_turn_start=state.is_out(turn),
        taken=None,
        drawn=None,
        progress=False,
        idle_turns=idle_turns,
        pile=(*state.pile, fact.card),
    )


def _stock_emptied(state: RommeState, fact: RommeStockEmptied) -> RommeState:
    if state.phase != "draw" or state.stock_count or fact.count != state.empties + 1:
        raise ImpossibleFactError("the stock cannot have been empty now")
    return replace(state, empties=fact.count)


def _stock_shuffled(state: RommeState, fact: RommeStockShuffled) -> RommeState:
    if state.stock_count or fact.count != state.empties or in_deck_order(fact.order) != in_deck_order(state.pile[:-1]):
        raise ImpossibleFactError("the pile cannot have become this stock")
    return replace(state, stock=fact.order, stock_drawn=0, pile=state.pile[-1:])


_CHANGES: Final[dict[type, Callable[[RommeState, Any], RommeState]]] = {
    RommeRoundStarted: _round_started,
    RommePackDealt: _pack_dealt,
    RommeCardDrawn: _card_drawn,
    RommePileDrawn: _pile_drawn,
    RommeMeldsLaid: _melds_laid,
    RommeCardsLaidOff: _cards_laid_off,
    RommeJokerSwapped: _joker_swapped,
    RommeCardDiscarded: _card_discarded,
    RommeStockEmptied: _stock_emptied,
    RommeStockShuffled: _stock_shuffled,
    RommeRoundEnded: _round_ended,
    RommeMatchEnded: _match_ended,
    RommeOptionChanged: _option_changed,
}
"""Which kind of fact changes the state how."""

assert _CHANGES.keys() == set(get_args(RommeFact))


# parts of a state


def _with(lists: tuple[tuple[_T, ...], ...], seat: Seat, added: _T) -> tuple[tuple[_T, ...], ...]:
    """Return the lists of all seats, that of one with something added on the right (R-82)."""
    return with_entry(lists, seat, (*lists[seat], added))


_Hands: TypeAlias = tuple[tuple[Card, ...], ...]


def _without(
    state: RommeState, seat: Seat, cards: Sequence[Card], *, phase: Phase = "play"
) -> tuple[_Hands, tuple[tuple[int, ...], ...], _Hands]:
    """Return hands, `entered` and `shown` after the seat on turn gave these cards away."""
    if state.phase != phase or seat != state.turn:
        raise ImpossibleFactError(f"seat {seat} cannot have given away {cards} now")
    hand, entered, shown = state.hands[seat], state.entered[seat], state.shown[seat]
    for card in cards:
        try:
            place = hand.index(card)
        except ValueError:
            raise ImpossibleFactError(f"seat {seat} does not hold {card}") from None
        hand = hand[:place] + hand[place + 1 :]
        entered = entered[:place] + entered[place + 1 :]
        if card in shown:
            shown = tuple([other for other in shown if other != card])
    return (
        with_entry(state.hands, seat, hand),
        with_entry(state.entered, seat, entered),
        state.shown if shown is state.shown[seat] else with_entry(state.shown, seat, shown),
    )


def _meld(state: RommeState, name: str) -> RommeMeld:
    meld = meld_named(state, name)
    if meld is None:
        raise ImpossibleFactError(f"there is no meld {name}")
    return meld


def _with_slots(table: tuple[RommeMeld, ...], old: RommeMeld, slots: tuple[RommeSlot, ...]) -> tuple[RommeMeld, ...]:
    place = int(old.id[1:]) - 1
    return (*table[:place], RommeMeld(old.id, old.seat, old.kind, slots, old.points), *table[place + 1 :])


# what follows from a state


def between_rounds(state: RommeState) -> bool:
    """Whether no round is running and the match has not ended (R-65)."""
    return state.phase in ("lobby", "over") and state.places is None


def running(state: RommeState) -> bool:
    """Whether a round is running."""
    return state.phase not in ("lobby", "over")


def meld_named(state: RommeState, name: str) -> RommeMeld | None:
    """Return the meld on the table that has this name (R-32)."""
    return next((meld for meld in state.table if meld.id == name), None)


def outcome(state: RommeState) -> Outcome | None:
    """Return totals and places of a finished match, else None."""
    return None if state.places is None else Outcome(state.totals, state.places)
