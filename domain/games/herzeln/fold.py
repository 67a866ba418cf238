"""What happened: the state before the match, how each fact changes it, and the scores of contracts."""

from collections.abc import Callable
from operator import add
from typing import Any, Final

from msgspec.structs import replace

from domain.cards import Card, hands_without
from domain.decider import ImpossibleFactError, Outcome, Seat
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
    HerzelnRoundResult,
    HerzelnRoundScored,
    HerzelnSeatFinished,
    HerzelnState,
    HerzelnTrick,
    HerzelnTricks,
    HerzelnTrickTaken,
)
from domain.games.herzeln.order import HAND_ORDER, HAND_SIZE, HIGHER, PACKS, asked, asked_at, in_hand_order
from domain.ranking import places
from domain.seats import with_entry

CONTRACTS: Final = 8  # Z-9

_CARDS: Final = {players: set(cards) for players, cards in PACKS.items()}

_HEARTS: Final[dict[Card, int]] = {  # Z-20
    "AH": -11, "TH": -10, "KH": -4, "QH": -3, "JH": -2, "9H": -1, "8H": -1, "7H": -1,
}  # fmt: skip
_QUEENS: Final[dict[Card, int]] = {"QC": -20, "QS": -20, "QH": -20, "QD": -20}  # Z-23
_KING: Final[dict[Card, int]] = {"KH": -40}  # Z-24

SCORING_CARDS: Final[dict[int, dict[Card, int]]] = {1: _HEARTS, 4: _QUEENS, 5: _KING}
"""Points of a taken card, for the contracts that count cards; other cards count nothing."""

_CARD_POINTS: Final = {contract: dict.fromkeys(PACKS[4], 0) | values for contract, values in SCORING_CARDS.items()}
"""The same for every card."""

_TRICK_POINTS: Final[dict[int, int]] = {2: 10, 3: -10, 6: 0, 7: 0}  # Z-21, Z-22
_LAST_TRICK_POINTS: Final[dict[int, int]] = {2: 10, 3: -10, 6: 40, 7: -40}  # Z-25, Z-26


def new(options: HerzelnOptions, _seats: int) -> HerzelnState:
    """Return the state before the match starts."""
    return HerzelnState(
        options=options,
        first_dealer=None,
        totals=(0,) * options.players,
        score_sheet=(),
        left=(),
        places=None,
        round=None,
    )


# what happened


def evolve(state: HerzelnState, fact: HerzelnFact) -> HerzelnState:
    """Apply a recorded fact. Raises `ImpossibleFactError` if it does not fit; never judges a move."""
    return CHANGES[type(fact)](state, fact)


def _card_played(state: HerzelnState, fact: HerzelnCardPlayed) -> HerzelnState:
    now, seat, card = state.round, fact.seat, fact.card
    if not isinstance(now, HerzelnTricks):
        raise ImpossibleFactError("a card is played, but there are no tricks")
    hands, trick = now.hands, now.trick
    players, played = len(hands), len(trick)
    if played == players or (now.leader + played) % players != seat:
        raise ImpossibleFactError(f"seat {seat} plays a card out of turn")
    # only a trick with points decides a round; one that is not stopped ends with empty hands
    if not played and now.taken and now.taken[-1].points and state.options.stop_when_decided and decided(now):
        raise ImpossibleFactError("a card is played in a round that is scored or over")
    changed, rest = [*hands], [*hands[seat]]  # `hands_without` written out: a call takes a twentieth of this fold
    try:
        rest.remove(card)
    except ValueError:
        raise ImpossibleFactError(f"seat {seat} does not hold {card}") from None
    changed[seat] = tuple(rest)
    return replace(state, round=replace(now, hands=tuple(changed), trick=trick + (card,)))


def _trick_taken(state: HerzelnState, fact: HerzelnTrickTaken) -> HerzelnState:
    now, winner = state.round, fact.seat
    if not isinstance(now, HerzelnTricks) or len(now.trick) != len(now.hands):
        raise ImpossibleFactError("a trick is taken that is not complete")
    trick = now.trick
    if not 0 <= winner < len(trick):
        raise ImpossibleFactError(f"seat {winner} does not exist")
    best = trick[winner - now.leader]
    if best[1] != trick[0][1] or not HIGHER[best].isdisjoint(trick):  # Z-15
        raise ImpossibleFactError(f"seat {winner} has not won the trick")
    if fact.points != trick_points(now.contract, trick, len(now.taken) + 1):
        raise ImpossibleFactError(f"the trick does not score {fact.points}")
    taken = now.taken + (HerzelnTrick(now.leader, trick, winner, fact.points),)
    now = replace(now, leader=winner, trick=(), taken=taken)  # Z-16: the winner leads
    if fact.points:
        now = replace(now, points=with_entry(now.points, winner, now.points[winner] + fact.points))
    return replace(state, round=now)


def _card_placed(state: HerzelnState, fact: HerzelnCardPlaced) -> HerzelnState:
    now, seat = _layout(state, fact.seat), fact.seat
    if (fact.end == "open") != (not now.line):
        raise ImpossibleFactError(f"{fact.card} is placed at an end that is not there")
    try:
        hands = hands_without(now.hands, seat, fact.card)
    except ValueError:
        raise ImpossibleFactError(f"seat {seat} does not hold {fact.card}") from None
    if fact.card[0] != (asked_at(fact.end, now.line, len(now.hands)) if now.line else "J"):  # Z-31
        raise ImpossibleFactError(f"{fact.card} does not continue the line")
    line = (fact.card,) + now.line if fact.end == "down" else now.line + (fact.card,)
    turn = _next_in_play(hands, seat)
    return replace(state, round=replace(now, hands=hands, turn=turn, line=line, passes_running=0, last_mover=seat))


def _passed(state: HerzelnState, fact: HerzelnPassed) -> HerzelnState:
    now, seat = _layout(state, fact.seat), fact.seat
    running = now.passes_running + 1
    if running >= len(now.hands) - len(now.finished):  # section 9: a layout never blocks
        raise ImpossibleFactError("every seat in play has passed")
    ranks = asked(now.line, len(now.hands)) if now.line else ("J",)  # Z-31
    passes = (*now.passes, HerzelnForcedPass(seat, ranks))
    turn = _next_in_play(now.hands, seat)
    return replace(state, round=replace(now, turn=turn, passes=passes, passes_running=running, last_mover=seat))


def _seat_finished(state: HerzelnState, fact: HerzelnSeatFinished) -> HerzelnState:
    now, seat = state.round, fact.seat
    if not isinstance(now, HerzelnLayout) or seat != now.last_mover or now.hands[seat] or seat in now.finished:
        raise ImpossibleFactError(f"seat {seat} cannot have finished")
    place = len(now.finished) + 1
    if fact.place != place or fact.points != place_points(place):
        raise ImpossibleFactError(f"seat {seat} has not finished like this")
    points = with_entry(now.points, fact.seat, fact.points)
    return replace(state, round=replace(now, points=points, finished=(*now.finished, fact.seat)))


def _round_scored(state: HerzelnState, fact: HerzelnRoundScored) -> HerzelnState:
    now = state.round
    if now is None or len(state.score_sheet) >= now.number or not _round_over(state.options, now):
        raise ImpossibleFactError("a round is scored that is not over")
    if fact != score(state):
        raise ImpossibleFactError(f"round {fact.round} is not scored like this")
    contract, trick = (
        (now.contract, now.taken[-1]) if isinstance(now, HerzelnTricks) else (CONTRACTS, state.last_trick)  # Z-60
    )
    sheet = (*state.score_sheet, HerzelnRoundResult(now.number, contract, now.dealer, fact.points))
    return replace(state, totals=fact.totals, score_sheet=sheet, left=fact.left, last_trick=trick)


def _round_over(options: HerzelnOptions, now: HerzelnTricks | HerzelnLayout) -> bool:
    """Return whether the last trick is taken, or all seats but one have finished."""
    if isinstance(now, HerzelnTricks):
        return not now.trick and (
            len(now.taken) == HAND_SIZE  # Z-18
            or (options.stop_when_decided and bool(now.taken) and decided(now))  # Z-28
        )
    return len(now.finished) + 1 == len(now.hands)  # Z-42


def decided(now: HerzelnTricks) -> bool:
    """Return whether the last scoring card of the round has been taken (Z-28)."""
    values = SCORING_CARDS.get(now.contract)
    return values is not None and all(map(values.keys().isdisjoint, now.hands))


def _pack_dealt(state: HerzelnState, fact: HerzelnPackDealt) -> HerzelnState:
    players, number = state.options.players, len(state.score_sheet) + 1
    if state.first_dealer is None or number > rounds_of(state.options):
        raise ImpossibleFactError("no round can be dealt now")
    if state.round is not None and state.round.number == number:
        raise ImpossibleFactError("a round is dealt while another is running")
    due = (number, contract_of(number), dealer_of(number, state.first_dealer, players))
    if (fact.round, fact.contract, fact.dealer) != due:
        raise ImpossibleFactError(f"round {fact.round} is not dealt like this")
    if len(fact.pack) != players * HAND_SIZE or {*fact.pack} != _CARDS[players]:
        raise ImpossibleFactError("what is dealt is not the pack")
    first, place = fact.dealer + 1, HAND_ORDER.__getitem__  # `dealt_hand`, a sixth faster than by calls
    hands = tuple([tuple(sorted(fact.pack[(seat - first) % players :: players], key=place)) for seat in range(players)])
    zeros = (0,) * players
    forehand = (fact.dealer + 1) % players  # Z-11, Z-32
    dealt: HerzelnTricks | HerzelnLayout
    if fact.contract == CONTRACTS:
        dealt = HerzelnLayout(
            number=fact.round,
            dealer=fact.dealer,
            hands=hands,
            points=zeros,
            turn=forehand,
            line=(),
            finished=(),
            passes=(),
            passes_running=0,
            last_mover=None,
        )
    else:
        dealt = HerzelnTricks(
            number=fact.round,
            contract=fact.contract,
            dealer=fact.dealer,
            hands=hands,
            points=zeros,
            leader=forehand,
            trick=(),
            taken=(),
        )
    return replace(state, round=dealt)


def _first_dealer_drawn(state: HerzelnState, fact: HerzelnFirstDealerDrawn) -> HerzelnState:
    if state.first_dealer is not None:
        raise ImpossibleFactError("the first dealer is drawn twice")
    if not 0 <= fact.dealer < state.options.players:
        raise ImpossibleFactError(f"there is no seat {fact.dealer} to deal")
    return replace(state, first_dealer=fact.dealer)


def _match_ended(state: HerzelnState, fact: HerzelnMatchEnded) -> HerzelnState:
    if state.places is not None or len(state.score_sheet) != rounds_of(state.options):
        raise ImpossibleFactError("the match cannot end now")
    if fact != HerzelnMatchEnded(state.totals, ranking(state.totals)):
        raise ImpossibleFactError("the match does not end like this")
    return replace(state, places=fact.places)


def _layout(state: HerzelnState, seat: Seat) -> HerzelnLayout:
    now = state.round
    if not isinstance(now, HerzelnLayout):
        raise ImpossibleFactError(f"seat {seat} moves in a layout, but there is none")
    hands, last, finished = now.hands, now.last_mover, now.finished
    if now.turn != seat or not hands[seat]:
        raise ImpossibleFactError(f"seat {seat} moves out of turn")
    if last is not None and not hands[last] and last not in finished:
        raise ImpossibleFactError(f"seat {seat} moves before seat {last} has finished")
    if len(finished) + 1 == len(hands):  # Z-42
        raise ImpossibleFactError("a seat moves in a layout that is over")
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


CHANGES: Final[dict[type, Callable[[HerzelnState, Any], HerzelnState]]] = {
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
"""For each kind of fact the function that applies it."""


# what it scores


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


def trick_points(contract: int, cards: tuple[Card, ...], number: int) -> int:
    """Return what the trick of this number in its round (from 1) scores under a contract from 1 to 7."""
    values = _CARD_POINTS.get(contract)
    if values is None:
        return (_LAST_TRICK_POINTS if number == HAND_SIZE else _TRICK_POINTS)[contract]
    points = 0
    for card in cards:
        points += values[card]
    return points


def score(state: HerzelnState) -> HerzelnRoundScored:
    """Return the fact that counts the round that is over."""
    now = state.round
    assert now is not None
    points = now.points
    if isinstance(now, HerzelnLayout):
        last = place_points(len(points))
        points = tuple([last if hand else own for hand, own in zip(now.hands, points, strict=True)])  # Z-42
    totals = tuple(map(add, state.totals, points))  # Z-50
    return HerzelnRoundScored(now.number, points, totals, now.hands)


def ranking(totals: tuple[int, ...]) -> tuple[int, ...]:
    """Return the place of each seat, the highest total first (Z-50, Z-52)."""
    return places(totals, low_wins=False)


def outcome(state: HerzelnState) -> Outcome | None:
    """Return totals and places of a finished match, else None."""
    return None if state.places is None else Outcome(state.totals, state.places)


def place_points(place: int) -> int:
    """Return what a place in the layout scores, 1 for the first to finish (Z-43)."""
    return -10 * (place - 1)
