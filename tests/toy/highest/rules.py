"""Highest Card: what is allowed, and what follows from a move."""

from domain.cards import CANONICAL, RANKS, Card, pack
from domain.decider import Chance, Rejection, Seat
from tests.toy.highest.fold import evolve
from tests.toy.highest.model import (
    HighestCardChosen,
    HighestCardsShown,
    HighestChoices,
    HighestChoose,
    HighestFact,
    HighestMatchEnded,
    HighestRoundDealt,
    HighestState,
)


def start(state: HighestState, chance: Chance) -> tuple[HighestFact, ...]:
    """Return the first deal."""
    return (_deal(state, chance),)


def decide(
    state: HighestState, seat: Seat, move: HighestChoose, chance: Chance, *, last_points: int
) -> tuple[HighestFact, ...] | Rejection:
    """Judge a choice. The last cards of a round are worth `last_points`, all others one point."""
    if state.ended:
        return Rejection("match_over", "T-6")
    if seat not in to_act(state):
        return Rejection("not_your_choice", "T-3")
    if move.card not in CANONICAL:
        return Rejection("invalid_card", "T-1")
    if move.card not in state.hands[seat]:
        return Rejection("card_not_in_hand", "T-3")
    facts: list[HighestFact] = [HighestCardChosen(seat, move.card)]
    state = evolve(state, facts[0])
    if None not in state.chosen:
        facts += _shown(state, chance, last_points)
    return tuple(facts)


def _shown(state: HighestState, chance: Chance, last_points: int) -> list[HighestFact]:
    cards = tuple(card for card in state.chosen if card is not None)
    winner = max(range(len(cards)), key=lambda seat: _strength(cards[seat]))  # T-4
    last = len(state.hands[0]) == 1
    facts: list[HighestFact] = [HighestCardsShown(cards, winner, last_points if last else 1)]  # T-5
    if last and state.round == state.options.rounds:
        facts.append(HighestMatchEnded(evolve(state, facts[0]).totals))  # T-6
    elif last:
        facts.append(_deal(state, chance))
    return facts


def to_act(state: HighestState) -> tuple[Seat, ...]:
    """Return the seats that have not chosen yet. T-3"""
    if state.ended:
        return ()
    return tuple(seat for seat, hand in enumerate(state.hands) if hand and state.chosen[seat] is None)


def legal(state: HighestState, seat: Seat) -> tuple[HighestChoices, ...]:
    """Return the one kind of move, if the seat has to choose."""
    return (HighestChoices(state.hands[seat]),) if seat in to_act(state) else ()


def timeout_move(state: HighestState, seat: Seat) -> HighestChoose:
    """Choose the lowest card. T-7"""
    return HighestChoose(min(state.hands[seat], key=_strength))


def _deal(state: HighestState, chance: Chance) -> HighestRoundDealt:
    order = chance.shuffle(state.round + 1, 0, pack())
    return HighestRoundDealt(state.round + 1, len(state.hands), state.options.hand_size, order)  # T-2


def _strength(card: Card) -> tuple[int, int]:
    return RANKS.index(card[0]), CANONICAL[card]
