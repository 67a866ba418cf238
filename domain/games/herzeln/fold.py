"""Herzeln: the start, what recorded facts change, and what contracts score."""

from collections.abc import Callable
from typing import Any, Final, get_args

from msgspec.structs import replace

from domain.cards import Card, hands_without
from domain.decider import ImpossibleFactError, Seat
from domain.games.herzeln.model import (
    HerzelnCardPlaced,
    HerzelnCardPlayed,
    HerzelnFact,
    HerzelnFirstDealerDrawn,
    HerzelnForcedPass,
    HerzelnLayout,
    HerzelnMatchEnded,
    HerzelnOptions,
    HerzelnPackDealt,
    HerzelnPassed,
    HerzelnRoundScored,
    HerzelnScore,
    HerzelnSeatFinished,
    HerzelnState,
    HerzelnTrick,
    HerzelnTricks,
    HerzelnTrickTaken,
)
from domain.games.herzeln.order import HAND_SIZE, asked, in_hand_order
from domain.seats import with_entry

CONTRACTS: Final = 8  # Z-9

_HEARTS: Final[dict[Card, int]] = {  # Z-20
    "AH": -11, "TH": -10, "KH": -4, "QH": -3, "JH": -2, "9H": -1, "8H": -1, "7H": -1,
}  # fmt: skip
_QUEENS: Final[dict[Card, int]] = {"QC": -20, "QS": -20, "QH": -20, "QD": -20}  # Z-23
_KING: Final[dict[Card, int]] = {"KH": -40}  # Z-24

SCORING_CARDS: Final[dict[int, dict[Card, int]]] = {1: _HEARTS, 4: _QUEENS, 5: _KING}
"""Points of a taken card, for the contracts that count cards."""

_TRICK_POINTS: Final[dict[int, int]] = {2: 10, 3: -10}  # Z-21, Z-22
_LAST_TRICK_POINTS: Final[dict[int, int]] = {6: 40, 7: -40}  # Z-25, Z-26


def new(options: HerzelnOptions, _seats: int) -> HerzelnState:
    """Return the state before the match starts."""
    return HerzelnState(options, None, (0,) * options.players, (), (), None, None)


# What happened


def evolve(state: HerzelnState, fact: HerzelnFact) -> HerzelnState:
    """Apply a recorded fact. Raises `ImpossibleFactError` if it does not fit; never judges a move."""
    return _CHANGES[type(fact)](state, fact)


def _without_card(hands: tuple[tuple[Card, ...], ...], seat: Seat, card: Card) -> tuple[tuple[Card, ...], ...]:
    try:
        return hands_without(hands, seat, card)
    except ValueError:
        raise ImpossibleFactError(f"seat {seat} does not hold {card}") from None


def _card_played(state: HerzelnState, fact: HerzelnCardPlayed) -> HerzelnState:
    now, seat, card = state.round, fact.seat, fact.card
    if not isinstance(now, HerzelnTricks):
        raise ImpossibleFactError("a card is played, but there are no tricks")
    hands, trick = now.hands, now.trick
    players, played = len(hands), len(trick)
    if played == players or (now.leader + played) % players != seat:
        raise ImpossibleFactError(f"seat {seat} plays a card out of turn")
    return replace(state, round=replace(now, hands=_without_card(hands, seat, card), trick=(*trick, card)))


def _trick_taken(state: HerzelnState, fact: HerzelnTrickTaken) -> HerzelnState:
    now = state.round
    if not isinstance(now, HerzelnTricks) or len(now.trick) != len(now.hands):
        raise ImpossibleFactError("a trick is taken that is not complete")
    winner = fact.seat
    points = with_entry(now.points, winner, now.points[winner] + fact.points)
    taken = (*now.taken, HerzelnTrick(now.leader, now.trick, winner, fact.points))
    # Z-16: the winner leads
    return replace(state, round=replace(now, points=points, leader=winner, trick=(), taken=taken))


def _card_placed(state: HerzelnState, fact: HerzelnCardPlaced) -> HerzelnState:
    now, seat = _layout(state, fact.seat), fact.seat
    if (fact.end == "open") != (not now.line):
        raise ImpossibleFactError(f"{fact.card} is placed at an end that is not there")
    hands = _without_card(now.hands, seat, fact.card)
    line = (fact.card, *now.line) if fact.end == "down" else (*now.line, fact.card)
    actor = _next_in_play(hands, seat)
    return replace(state, round=replace(now, hands=hands, actor=actor, line=line, passes_running=0, last_mover=seat))


def _passed(state: HerzelnState, fact: HerzelnPassed) -> HerzelnState:
    now, seat = _layout(state, fact.seat), fact.seat
    running = now.passes_running + 1
    if running >= len(now.hands) - len(now.finished):  # section 9: a layout never blocks
        raise ImpossibleFactError("every seat in play has passed")
    ranks = asked(now.line, len(now.hands)) if now.line else ("J",)  # Z-31
    passes = (*now.passes, HerzelnForcedPass(seat, ranks))
    actor = _next_in_play(now.hands, seat)
    return replace(state, round=replace(now, actor=actor, passes=passes, passes_running=running, last_mover=seat))


def _seat_finished(state: HerzelnState, fact: HerzelnSeatFinished) -> HerzelnState:
    now = state.round
    if not isinstance(now, HerzelnLayout) or now.hands[fact.seat] or fact.seat in now.finished:
        raise ImpossibleFactError(f"seat {fact.seat} cannot have finished")
    points = with_entry(now.points, fact.seat, fact.points)
    return replace(state, round=replace(now, points=points, finished=(*now.finished, fact.seat)))


def _round_scored(state: HerzelnState, fact: HerzelnRoundScored) -> HerzelnState:
    now = state.round
    if now is None or fact.round != now.number or len(state.scores) >= now.number:
        raise ImpossibleFactError(f"round {fact.round} is scored, but it is not running")
    scores = (*state.scores, HerzelnScore(contract_of(now.number), now.dealer, fact.points))
    trick = now.taken[-1] if isinstance(now, HerzelnTricks) and now.taken else state.last_trick  # Z-60
    return replace(state, totals=fact.totals, scores=scores, left=fact.left, places=None, last_trick=trick)


def _pack_dealt(state: HerzelnState, fact: HerzelnPackDealt) -> HerzelnState:
    players = state.options.players
    if state.first_dealer is None or state.places is not None or fact.round != len(state.scores) + 1:
        raise ImpossibleFactError(f"round {fact.round} is dealt out of order")
    if len(fact.pack) != players * HAND_SIZE:
        raise ImpossibleFactError(f"a pack of {len(fact.pack)} cards for {players} players")
    hands = tuple([dealt_hand(fact, seat) for seat in range(players)])
    zeros = (0,) * players
    forehand = (fact.dealer + 1) % players  # Z-11, Z-32
    dealt: HerzelnTricks | HerzelnLayout
    if fact.contract == CONTRACTS:
        dealt = HerzelnLayout(fact.round, fact.dealer, hands, zeros, forehand, (), (), (), 0, None)
    else:
        dealt = HerzelnTricks(fact.round, fact.contract, fact.dealer, hands, zeros, forehand, (), ())
    return replace(state, round=dealt)


def _first_dealer_drawn(state: HerzelnState, fact: HerzelnFirstDealerDrawn) -> HerzelnState:
    if state.first_dealer is not None:
        raise ImpossibleFactError("the first dealer is drawn twice")
    return replace(state, first_dealer=fact.dealer)


def _match_ended(state: HerzelnState, fact: HerzelnMatchEnded) -> HerzelnState:
    if state.places is not None or len(state.scores) != rounds_of(state.options):
        raise ImpossibleFactError("the match ends before its last round")
    return replace(state, places=fact.places)


def _layout(state: HerzelnState, seat: Seat) -> HerzelnLayout:
    now = state.round
    if not isinstance(now, HerzelnLayout):
        raise ImpossibleFactError(f"seat {seat} moves in a layout, but there is none")
    if now.actor != seat or not now.hands[seat]:
        raise ImpossibleFactError(f"seat {seat} moves out of turn")
    return now


def _next_in_play(hands: tuple[tuple[Card, ...], ...], seat: Seat) -> Seat:
    """Return the next seat clockwise that has cards (Z-41), or `seat` if there is no other."""
    players = len(hands)
    for step in range(1, players):
        other = (seat + step) % players
        if hands[other]:
            return other
    return seat


def dealt_hand(fact: HerzelnPackDealt, seat: Seat) -> tuple[Card, ...]:
    """Return a seat's hand in hand order: cards are dealt singly, clockwise, forehand first (Z-6)."""
    players = len(fact.pack) // HAND_SIZE
    return in_hand_order(fact.pack[(seat - fact.dealer - 1) % players :: players])


_CHANGES: Final[dict[type, Callable[[HerzelnState, Any], HerzelnState]]] = {
    HerzelnFirstDealerDrawn: _first_dealer_drawn,
    HerzelnPackDealt: _pack_dealt,
    HerzelnCardPlayed: _card_played,
    HerzelnTrickTaken: _trick_taken,
    HerzelnCardPlaced: _card_placed,
    HerzelnPassed: _passed,
    HerzelnSeatFinished: _seat_finished,
    HerzelnRoundScored: _round_scored,
    HerzelnMatchEnded: _match_ended,
}
"""Which kind of fact changes the state how."""

assert _CHANGES.keys() == set(get_args(HerzelnFact))


# What it scores


def contract_of(number: int) -> int:
    """Return the contract (1..8) of round `number` (from 1) of a match (Z-9)."""
    return (number - 1) % CONTRACTS + 1


def rounds_of(options: HerzelnOptions) -> int:
    """Return the number of rounds of a match (Z-51)."""
    return CONTRACTS if options.match_length == "one_series" else CONTRACTS * options.players


def dealer_of(number: int, first_dealer: Seat, players: int) -> Seat:
    """Return the dealer of round `number` (from 1) of a match (Z-51)."""
    series, contract = divmod(number - 1, CONTRACTS)
    shift = series if players == 4 else 0
    return (first_dealer + CONTRACTS * series + contract + shift) % players


def trick_points(contract: int, cards: tuple[Card, ...], *, last: bool) -> int:
    """Return what a trick scores under a contract from 1 to 7; `last` for the eighth trick."""
    values = SCORING_CARDS.get(contract)
    if values is not None:
        return sum(values.get(card, 0) for card in cards)
    if last:
        return _TRICK_POINTS.get(contract, 0) + _LAST_TRICK_POINTS.get(contract, 0)
    return _TRICK_POINTS.get(contract, 0)


def place_points(place: int) -> int:
    """Return what a place in the layout scores, 1 for the first to finish (Z-43)."""
    return -10 * (place - 1)
