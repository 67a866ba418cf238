"""Herzeln tables for the tests: states built by hand, stacked deals and random matches."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from typing import Any, TypeVar

import pytest

from domain.cards import Card
from domain.decider import Rejection, Seat, view_of
from domain.fairness import MatchChance
from domain.games.herzeln import HERZELN_1
from domain.games.herzeln.fold import evolve, place_points
from domain.games.herzeln.model import (
    HerzelnCardPlaced,
    HerzelnFact,
    HerzelnFirstDealerDrawn,
    HerzelnLayout,
    HerzelnMove,
    HerzelnOptions,
    HerzelnPackDealt,
    HerzelnPlay,
    HerzelnRoundResult,
    HerzelnState,
    HerzelnTrick,
    HerzelnTricks,
)
from domain.games.herzeln.order import in_hand_order
from domain.games.herzeln.rules import decide, start, to_act
from tests.games import given

FactT = TypeVar("FactT")

CHANCE = MatchChance(bytes(range(32)))

# The list of worked cases

COVERED: list[str] = []
"""Every worked case that some test has under its id."""


def case(number: str, *values: object) -> Any:
    """Return the parameters of a worked case, under its id."""
    COVERED.append(number)
    return pytest.param(*values, id=number)


def worked_case(number: str) -> pytest.MarkDecorator:
    """Put a test that is a single worked case under its id, which it gets as `case`."""
    return pytest.mark.parametrize("case", [case(number, number)])


# States built by hand


def options(players: int, *, long: bool = False, stop: bool = False) -> HerzelnOptions:
    """Return options; `long` for a series per player."""
    return HerzelnOptions(players, "series_per_player" if long else "one_series", stop)


def cards(text: str) -> tuple[Card, ...]:
    """Return the cards of a text such as `7C AH`."""
    return tuple(text.split())


def hands_of(players: int, hands: Mapping[Seat, str]) -> tuple[tuple[Card, ...], ...]:
    """Return hands by seat in hand order; seats that are not named hold nothing."""
    return tuple(in_hand_order(cards(hands.get(seat, ""))) for seat in range(players))


def at_tricks(
    contract: int,
    hands: Mapping[Seat, str],
    *,
    players: int = 4,
    leader: Seat = 0,
    trick: str = "",
    taken: tuple[HerzelnTrick, ...] = (),
    stop: bool = False,
) -> HerzelnState:
    """Return a state in a round of tricks; the seat `leader` leads or led to the current trick."""
    points = tuple(sum(done.points for done in taken if done.winner == seat) for seat in range(players))
    dealer = (leader - 1) % players
    now = HerzelnTricks(contract, contract, dealer, hands_of(players, hands), points, leader, cards(trick), taken)
    return _in_round(options(players, stop=stop), (0,) * players, now)


def at_layout(
    line: str,
    hands: Mapping[Seat, str],
    *,
    players: int = 4,
    turn: Seat = 0,
    finished: tuple[Seat, ...] = (),
    last_mover: Seat | None = None,
    totals: tuple[int, ...] | None = None,
) -> HerzelnState:
    """Return a state in the layout of the last round of a series, with `actor` to move."""
    points = [0] * players
    for place, seat in enumerate(finished, 1):
        points[seat] = place_points(place)
    now = HerzelnLayout(
        8, 3, hands_of(players, hands), tuple(points), turn, cards(line), finished, (), 0, last_mover
    )  # fmt: skip
    return _in_round(options(players), totals or (0,) * players, now)


def _in_round(chosen: HerzelnOptions, totals: tuple[int, ...], now: HerzelnTricks | HerzelnLayout) -> HerzelnState:
    nothing = (0,) * chosen.players
    scores = tuple(HerzelnRoundResult(contract, contract, 0, nothing) for contract in range(1, now.number))
    return HerzelnState(chosen, 0, totals, scores, (), None, now)


def dealt(contract: int, hands: Sequence[str], *, dealer: Seat, stop: bool = False) -> HerzelnState:
    """Return the state after a deal of these hands in the round of a contract."""
    players = len(hands)
    before = at_tricks(contract, {}, players=players, stop=stop)
    first_dealer = (dealer - contract + 1) % players
    before = HerzelnState(before.options, first_dealer, before.totals, before.score_sheet, (), None, None)
    return evolve(before, HerzelnPackDealt(contract, contract, dealer, pack_for(hands, dealer)))


def pack_for(hands: Sequence[str], dealer: Seat) -> tuple[Card, ...]:
    """Return the pack that gives these hands when it is dealt singly, clockwise from the dealer's left."""
    players = len(hands)
    stacks = [cards(hands[(dealer + 1 + step) % players]) for step in range(players)]
    return tuple(stacks[place % players][place // players] for place in range(8 * players))


# Moves


def accepted(state: HerzelnState, seat: Seat, move: HerzelnMove) -> tuple[HerzelnFact, ...]:
    """Return the facts of a move that must be allowed."""
    facts: tuple[HerzelnFact, ...] = given.accepted(HERZELN_1, state, seat, move, CHANCE)[0]
    return facts


def after(state: HerzelnState, facts: Sequence[HerzelnFact]) -> HerzelnState:
    """Return the state after these facts."""
    folded: HerzelnState = given.folded(HERZELN_1, state, facts)
    return folded


def refused(state: HerzelnState, seat: Seat, move: HerzelnMove) -> tuple[str, str]:
    """Return code and rule of a move that must be refused."""
    rejection = given.refused(HERZELN_1, state, seat, move, CHANCE)
    return rejection.code, rejection.rule


def of_kind(facts: Sequence[HerzelnFact], kind: type[FactT]) -> list[FactT]:
    """Return the facts of one kind."""
    return [fact for fact in facts if isinstance(fact, kind)]


def play_tricks(state: HerzelnState, tricks: Sequence[str]) -> tuple[HerzelnState, list[HerzelnFact]]:
    """Play whole tricks, each given in the order of play by whoever is to act."""
    told: list[HerzelnFact] = []
    for trick in tricks:
        for card in cards(trick):
            facts = accepted(state, to_act(state)[0], HerzelnPlay(card))
            told.extend(facts)
            state = after(state, facts)
    return state, told


def line_of(state: HerzelnState) -> tuple[Card, ...]:
    """Return the line of the layout."""
    assert isinstance(state.round, HerzelnLayout)
    return state.round.line


def placed(facts: Sequence[HerzelnFact]) -> list[tuple[Seat, Card, str]]:
    """Return what was placed, by whom and where."""
    return [(fact.seat, fact.card, fact.end) for fact in of_kind(facts, HerzelnCardPlaced)]


# Random matches

Mover = Callable[[HerzelnState, Seat], HerzelnMove]
Step = tuple[HerzelnState, Seat | None, HerzelnMove | None, tuple[HerzelnFact, ...]]


def match(chosen: HerzelnOptions, seed: int, mover: Mover | None = None) -> Iterator[Step]:
    """Play a match and yield each step: state before, seat, move and facts, for the start without a move.

    Without `mover` every move is drawn at random from the allowed ones.
    """
    random = Random(seed)
    chance = MatchChance(seed.to_bytes(32, "big"))
    state = HERZELN_1.decider.new(chosen, chosen.players)
    facts = start(state, chance)
    yield state, None, None, facts
    state = after(state, facts)
    while actors := to_act(state):
        (seat,) = actors
        move = (
            mover(state, seat) if mover else HERZELN_1.players.sample(view_of(HERZELN_1, state, seat), random.randrange)
        )
        answer = decide(state, seat, move, chance)
        assert not isinstance(answer, Rejection), (answer, seat, move, seed)
        yield state, seat, move, answer
        state = after(state, answer)


def facts_of(chosen: HerzelnOptions, seed: int) -> list[HerzelnFact]:
    """Return all facts of a random match."""
    return [fact for _, _, _, facts in match(chosen, seed) for fact in facts]


def first_dealer_of(facts: Sequence[HerzelnFact]) -> Seat:
    """Return the first dealer of a match."""
    return of_kind(facts, HerzelnFirstDealerDrawn)[0].dealer
