"""What happened: the state before the match, and how each fact changes it."""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias, TypeVar

from msgspec import ValidationError
from msgspec.structs import asdict, replace

from domain.cards import Card
from domain.decider import ImpossibleFactError, Outcome, Seat
from domain.games.romme.deck import DECK, FACE, PLACE, dealt_hands, first_stock
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
from domain.games.romme.melds import shape_of
from domain.games.romme.model import (
    RommeMeld,
    RommeOptions,
    RommeRoundResult,
    RommeSlot,
    RommeState,
)
from domain.games.romme.options import MATCH_OPTIONS, is_changed, is_same, options_of
from domain.games.romme.scoring import EMPTIES_MAX, match_decided, ranking, round_ended
from domain.options import problem_of_combination
from domain.seats import with_entry

_NO_CARDS: Final[tuple[Card, ...]] = ()

_T = TypeVar("_T")


def new(options: RommeOptions, seats: int) -> RommeState:
    """Return the state before the first deal."""
    return RommeState(
        options=options,
        seats=seats,
        totals=(0,) * seats,
        score_sheet=(),
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
        melds=(),
        empties=0,
    )


def evolve(state: RommeState, fact: RommeFact) -> RommeState:
    """Return the state after a recorded fact. ImpossibleFactError if it does not fit."""
    return CHANGES[type(fact)](state, fact)


# rounds and options


def _round_started(state: RommeState, fact: RommeRoundStarted) -> RommeState:
    if not between_rounds(state) or match_decided(state):
        raise ImpossibleFactError("no round can have started now")
    starter = (state.starter + 1) % state.seats if state.round else fact.starter  # the first one is drawn
    if fact != RommeRoundStarted(state.round + 1, starter, state.options) or not 0 <= starter < state.seats:
        raise ImpossibleFactError(f"round {fact.round} cannot have started like this")
    if problem_of_combination(RommeOptions, asdict(fact.options), "R-73"):
        raise ImpossibleFactError("these options do not go together")
    return replace(
        new(state.options, state.seats),
        totals=state.totals,
        score_sheet=state.score_sheet,
        round=fact.round,
        round_options=fact.options,
        starter=fact.starter,
        turn=fact.starter,
        phase="opening",
        turn_number=state.turn_number + 1,
        arrivals=state.arrivals,
    )


def _pack_dealt(state: RommeState, fact: RommePackDealt) -> RommeState:
    if state.phase != "opening" or any(state.hands):
        raise ImpossibleFactError("no cards can have been dealt now")
    if fact.starter != state.starter or fact.seats != state.seats:
        raise ImpossibleFactError("the cards cannot have been dealt like this")
    if len(fact.order) != len(DECK) or frozenset(fact.order) != PLACE.keys():
        raise ImpossibleFactError("what was dealt is not the pack")
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
    if state.phase != "scoring":
        raise ImpossibleFactError("no round can have ended now")
    if fact != round_ended(state):
        raise ImpossibleFactError(f"round {fact.round} cannot have ended like this")
    result = RommeRoundResult(
        round=fact.round,
        reason=fact.reason,
        winners=fact.winners,
        hand_romme=fact.hand_romme,
        values=fact.values,
        points=fact.points,
        options=state.round_options,
    )
    return replace(state, phase="over", totals=fact.totals, score_sheet=(*state.score_sheet, result))


def _match_ended(state: RommeState, fact: RommeMatchEnded) -> RommeState:
    if state.phase != "over" or state.places is not None:
        raise ImpossibleFactError("the match cannot have ended now")
    if state.options.match_end != "open" and not match_decided(state):
        raise ImpossibleFactError("the match is not decided")
    if fact != RommeMatchEnded(state.totals, ranking(state.totals)):
        raise ImpossibleFactError("the match cannot have ended like this")
    return replace(state, places=fact.places)


def _option_changed(state: RommeState, fact: RommeOptionChanged) -> RommeState:
    values = asdict(state.options)
    if not between_rounds(state) or match_decided(state):
        raise ImpossibleFactError("no option can have changed now")
    if state.round and fact.name in MATCH_OPTIONS:
        raise ImpossibleFactError(f"option {fact.name} is locked")
    if fact.name not in values or not is_same(values[fact.name], fact.old) or is_same(fact.old, fact.new):
        raise ImpossibleFactError(f"option {fact.name} cannot have changed like this")
    try:
        options = options_of({**values, fact.name: fact.new})
    except ValidationError as error:
        raise ImpossibleFactError(f"option {fact.name} cannot have this value") from error
    if fact.changed != is_changed(fact.name, options):
        raise ImpossibleFactError(f"option {fact.name} is marked wrong")
    return replace(state, options=options)


# turns


def _card_drawn(state: RommeState, fact: RommeCardDrawn) -> RommeState:
    drawn = state.stock_drawn
    if state.phase != "draw" or fact.seat != state.turn or state.stock[drawn : drawn + 1] != (fact.card,):
        raise ImpossibleFactError(f"seat {fact.seat} cannot have drawn {fact.card} now")
    arrivals = state.arrivals + 1
    return replace(
        state,
        phase="play",
        out_at_turn_start=state.first_lay[fact.seat] is not None,
        arrivals=arrivals,
        hands=_with(state.hands, fact.seat, fact.card),
        entered=_with(state.entered, fact.seat, arrivals),
        drawn=fact.card,
        stock_drawn=drawn + 1,
        progress=True,
    )


def _pile_drawn(state: RommeState, fact: RommePileDrawn) -> RommeState:
    if state.phase != "draw" or fact.seat != state.turn or state.pile[-1:] != (fact.card,):
        raise ImpossibleFactError(f"seat {fact.seat} cannot have taken {fact.card} now")
    arrivals = state.arrivals + 1
    return replace(
        state,
        phase="play",
        out_at_turn_start=state.first_lay[fact.seat] is not None,
        arrivals=arrivals,
        hands=_with(state.hands, fact.seat, fact.card),
        entered=_with(state.entered, fact.seat, arrivals),
        shown=_with(state.shown, fact.seat, fact.card),
        taken=fact.card,
        pile=state.pile[:-1],
    )


def _melds_laid(state: RommeState, fact: RommeMeldsLaid) -> RommeState:
    seat, melds = fact.seat, fact.melds
    if state.phase != "play" or seat != state.turn:
        raise ImpossibleFactError(f"seat {seat} cannot have laid melds now")
    hands, entered, shown = _without(state, seat, [slot.card for meld in melds for slot in meld.slots])
    first = not state.is_out(seat)
    if fact.came_out != first:
        raise ImpossibleFactError(f"seat {seat} has {'not ' * first}laid before")
    if not melds:
        raise ImpossibleFactError(f"seat {seat} has laid nothing")
    points = 0
    for number, meld in enumerate(melds, start=len(state.melds) + 1):
        if meld.id != f"m{number}" or meld.owner != seat:
            raise ImpossibleFactError(f"{meld.id} of seat {meld.owner} cannot be the next meld")
        if (meld.kind, meld.points) != shape_of(meld.slots):
            raise ImpossibleFactError(f"{meld.id} is not what its cards form")
        points += meld.points
    if fact.points != points:
        raise ImpossibleFactError(f"the melds do not count {fact.points}")
    return replace(
        state,
        hands=hands,
        entered=entered,
        shown=shown,
        lays=state.lays + 1,
        first_lay=with_entry(state.first_lay, seat, fact.points) if first else state.first_lay,
        melds=state.melds + melds,
        progress=True,
    )


def _cards_laid_off(state: RommeState, fact: RommeCardsLaidOff) -> RommeState:
    if state.phase != "play" or fact.seat != state.turn:
        raise ImpossibleFactError(f"seat {fact.seat} cannot have laid off cards now")
    hands, entered, shown = _without(state, fact.seat, fact.cards)
    place = _place_of(state, fact.meld)
    old, cards = state.melds[place], fact.cards
    kept: list[RommeSlot] = []
    added: list[Card] = []
    for slot in fact.slots:
        if slot.card in cards:
            added.append(slot.card)
        else:
            kept.append(slot)
    if not added or len(added) != len(cards) or {*added} != {*cards}:
        raise ImpossibleFactError(f"meld {fact.meld} has not got these cards")
    shape = shape_of(fact.slots)
    if shape is None or shape[0] != old.kind:
        raise ImpossibleFactError(f"meld {fact.meld} cannot have become this")
    if tuple(kept) != old.slots:
        raise ImpossibleFactError(f"meld {fact.meld} was another one")
    return replace(
        state,
        hands=hands,
        entered=entered,
        shown=shown,
        melds=_with_slots(state.melds, place, fact.slots),
        progress=True,
    )


def _joker_swapped(state: RommeState, fact: RommeJokerSwapped) -> RommeState:
    if state.phase != "play" or fact.seat != state.turn:
        raise ImpossibleFactError(f"seat {fact.seat} cannot have swapped a joker now")
    hands, entered, shown = _without(state, fact.seat, (fact.card,))
    place = _place_of(state, fact.meld)
    old = state.melds[place]
    taken = RommeSlot(fact.joker, FACE.get(fact.card, ""))
    if fact.joker in FACE or taken not in old.slots:
        raise ImpossibleFactError(f"{fact.joker} does not lie in {fact.meld} for {fact.card}")
    slots = tuple([RommeSlot(fact.card, slot.face) if slot == taken else slot for slot in old.slots])
    arrivals = state.arrivals + 1
    return replace(
        state,
        arrivals=arrivals,
        hands=_with(hands, fact.seat, fact.joker),
        entered=_with(entered, fact.seat, arrivals),
        shown=_with(shown, fact.seat, fact.joker),
        melds=_with_slots(state.melds, place, slots),
        progress=True,
    )


def _card_discarded(state: RommeState, fact: RommeCardDiscarded) -> RommeState:
    phase, seat = state.phase, fact.seat
    if phase not in ("opening", "play") or seat != state.turn:
        raise ImpossibleFactError(f"seat {seat} cannot have discarded now")
    idle_turns = 0 if state.progress or phase == "opening" else state.idle_turns + 1
    hands, entered, shown = _without(state, seat, (fact.card,))
    return replace(
        state,
        hands=hands,
        entered=entered,
        shown=shown,
        phase=("draw" if state.stock_size else "emptied") if hands[seat] else "scoring",
        turn=(seat + 1) % state.seats,
        turn_number=state.turn_number + 1,
        lays=0,
        taken=None,
        drawn=None,
        progress=False,
        idle_turns=idle_turns,
        pile=state.pile + (fact.card,),
    )


def _stock_emptied(state: RommeState, fact: RommeStockEmptied) -> RommeState:
    if state.phase != "emptied" or fact.count != state.empties + 1:
        raise ImpossibleFactError(f"the stock cannot have been empty for time {fact.count} now")
    return replace(state, empties=fact.count, phase="scoring" if fact.count == EMPTIES_MAX else "shuffling")


def _stock_shuffled(state: RommeState, fact: RommeStockShuffled) -> RommeState:
    if state.phase != "shuffling" or fact.count != state.empties:
        raise ImpossibleFactError(f"no stock can have been shuffled for time {fact.count} now")
    if sorted(fact.order) != sorted(state.pile[:-1]):
        raise ImpossibleFactError("the pile cannot have become this stock")
    return replace(state, phase="draw", stock=fact.order, stock_drawn=0, pile=state.pile[-1:])


CHANGES: Final[dict[type, Callable[[RommeState, Any], RommeState]]] = {
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
"""For each kind of fact the function that applies it."""


# parts of a state


def _with(lists: tuple[tuple[_T, ...], ...], seat: Seat, added: _T) -> tuple[tuple[_T, ...], ...]:
    """Return the lists of all seats, that of one with something added on the right (R-82)."""
    return with_entry(lists, seat, lists[seat] + (added,))


_Hands: TypeAlias = tuple[tuple[Card, ...], ...]


def _without(
    state: RommeState, seat: Seat, cards: Sequence[Card]
) -> tuple[_Hands, tuple[tuple[int, ...], ...], _Hands]:
    """Return hands, `entered` and `shown` after a seat gave these cards away."""
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


def _place_of(state: RommeState, name: str) -> int:
    """Return the place of a meld among those on the table. ImpossibleFactError if there is none of this name."""
    for place, meld in enumerate(state.melds):
        if meld.id == name:
            return place
    raise ImpossibleFactError(f"there is no meld {name}")


def _with_slots(melds: tuple[RommeMeld, ...], place: int, slots: tuple[RommeSlot, ...]) -> tuple[RommeMeld, ...]:
    return with_entry(melds, place, replace(melds[place], slots=slots))


# what follows from a state


def between_rounds(state: RommeState) -> bool:
    """Whether no round is running and the match has not ended (R-65)."""
    return state.phase in ("lobby", "over") and state.places is None


def running(state: RommeState) -> bool:
    """Whether a round is running."""
    return state.phase not in ("lobby", "over")


def outcome(state: RommeState) -> Outcome | None:
    """Return totals and places of a finished match, else None."""
    return None if state.places is None else Outcome(state.totals, state.places)
