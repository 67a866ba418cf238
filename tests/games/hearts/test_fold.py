"""Facts that cannot have happened are never applied: each guard of the fold in a state in which only it refuses."""

import re
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from domain.decider import ImpossibleFactError
from domain.games.hearts import HEARTS_1
from domain.games.hearts.deal import PACK
from domain.games.hearts.model import (
    HeartsCardPlayed,
    HeartsCardsExchanged,
    HeartsFact,
    HeartsMatchEnded,
    HeartsPassCommitted,
    HeartsRoundDealt,
    HeartsRoundScored,
    HeartsState,
    HeartsTrickTaken,
)
from tests.games.hearts.positions import options, steps

TABLE = options("OM", target_score=30)


def folded() -> Iterator[tuple[HeartsState, HeartsFact]]:
    """Yield every fact of a match with the state before it."""
    for step in steps(TABLE, 6):
        state = step.before
        for fact in step.facts:
            yield state, fact
            state = HEARTS_1.decider.evolve(state, fact)


FOLDED = list(folded())
OVER = HEARTS_1.decider.evolve(*FOLDED[-1])


def first(kind: type[HeartsFact], number: int = 0) -> tuple[HeartsState, HeartsFact]:
    """Return a fact of a kind, the first if no number is given, with the state before it."""
    return [(state, fact) for state, fact in FOLDED if isinstance(fact, kind)][number]


NEW, DEAL = first(HeartsRoundDealt)
PASSING, PASS = first(HeartsPassCommitted)
COMMITTED, EXCHANGE = first(HeartsCardsExchanged)
PLAYING, PLAY = first(HeartsCardPlayed, 2)
COMPLETE, TAKE = next((s, f) for s, f in FOLDED if isinstance(f, HeartsTrickTaken) and f.points and not f.bonus)
LAST_CARD, LAST_TRICK = [(s, f) for s, f in FOLDED if isinstance(f, HeartsTrickTaken)][12]
COUNTED, SCORE = first(HeartsRoundScored)
SCORED, NEXT_DEAL = first(HeartsRoundDealt, 1)
ENDING, END = FOLDED[-1]
assert isinstance(DEAL, HeartsRoundDealt)
assert isinstance(PASS, HeartsPassCommitted)
assert isinstance(EXCHANGE, HeartsCardsExchanged)
assert isinstance(PLAY, HeartsCardPlayed)
assert isinstance(TAKE, HeartsTrickTaken)
assert isinstance(SCORE, HeartsRoundScored)
assert isinstance(NEXT_DEAL, HeartsRoundDealt)
assert isinstance(END, HeartsMatchEnded)

TWO_OF_A_KIND = ("2C", *DEAL.order[1:]) if DEAL.order[0] != "2C" else ("3C", *DEAL.order[1:])
OTHER_HAND = PASSING.hands[(PASS.seat + 1) % 4]
HAND = PASSING.hands[PASS.seat]
FOREIGN_CARD = PLAYING.hands[(PLAY.seat + 1) % 4][0]
BY_ONE = (1, 0, 0, -1)
"""Moves points from one seat to another."""


def shifted(values: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(map(int.__add__, values, BY_ONE))


WRONG_VALUES: list[tuple[HeartsState, HeartsFact, HeartsFact, str]] = [
    # a deal
    (NEW, DEAL, replace(DEAL, round=2), "like this"),
    (NEW, DEAL, replace(DEAL, round=0), "like this"),
    (NEW, DEAL, replace(DEAL, offset=2), "like this"),
    (NEW, DEAL, replace(DEAL, offset=0), "like this"),
    (NEW, DEAL, replace(DEAL, seats=3), "like this"),
    (NEW, DEAL, replace(DEAL, order=("2C",) * 8), "not the pack"),
    (NEW, DEAL, replace(DEAL, order=DEAL.order[1:]), "not the pack"),
    (NEW, DEAL, replace(DEAL, order=(*DEAL.order, "2C")), "not the pack"),
    (NEW, DEAL, replace(DEAL, order=TWO_OF_A_KIND), "not the pack"),
    (NEW, DEAL, replace(DEAL, order=("XX", *DEAL.order[1:])), "not the pack"),
    # the passing
    (PASSING, PASS, replace(PASS, seat=4), "now"),
    (PASSING, PASS, replace(PASS, seat=-1), "now"),
    (PASSING, PASS, replace(PASS, cards=OTHER_HAND[:3]), "cannot have passed"),
    (PASSING, PASS, replace(PASS, cards=("XX", *PASS.cards[1:])), "cannot have passed"),
    (PASSING, PASS, replace(PASS, cards=HAND[:2]), "cannot have passed"),
    (PASSING, PASS, replace(PASS, cards=HAND[:4]), "cannot have passed"),
    (PASSING, PASS, replace(PASS, cards=(HAND[0], HAND[0], HAND[1])), "cannot have passed"),
    (PASSING, PASS, replace(PASS, cards=HAND[2::-1]), "cannot have passed"),
    (COMMITTED, EXCHANGE, replace(EXCHANGE, offset=2), "like this"),
    (COMMITTED, EXCHANGE, replace(EXCHANGE, leader=(EXCHANGE.leader + 1) % 4), "like this"),
    (COMMITTED, EXCHANGE, replace(EXCHANGE, leader=EXCHANGE.leader - 4), "like this"),
    (COMMITTED, EXCHANGE, replace(EXCHANGE, passes=(*EXCHANGE.passes[1:], EXCHANGE.passes[0])), "like this"),
    # tricks
    (PLAYING, PLAY, replace(PLAY, seat=(PLAY.seat + 1) % 4, card=FOREIGN_CARD), "now"),
    (PLAYING, PLAY, replace(PLAY, seat=PLAY.seat - 4), "now"),
    (PLAYING, PLAY, replace(PLAY, card=FOREIGN_CARD), "does not hold"),
    (PLAYING, PLAY, replace(PLAY, card="XX"), "does not hold"),
    (COMPLETE, TAKE, replace(TAKE, seat=(TAKE.seat + 1) % 4), "has not won"),
    (COMPLETE, TAKE, replace(TAKE, seat=(TAKE.seat + 2) % 4), "has not won"),
    (COMPLETE, TAKE, replace(TAKE, seat=(TAKE.seat + 3) % 4), "has not won"),
    (COMPLETE, TAKE, replace(TAKE, seat=TAKE.seat + 4), "now"),
    (COMPLETE, TAKE, replace(TAKE, seat=TAKE.seat - 4), "now"),
    (COMPLETE, TAKE, replace(TAKE, points=TAKE.points + 1), "not worth"),
    (COMPLETE, TAKE, replace(TAKE, points=0), "not worth"),
    (COMPLETE, TAKE, replace(TAKE, bonus=-10), "not worth"),
    # the score and the end
    (COUNTED, SCORE, replace(SCORE, round=2), "like this"),
    (COUNTED, SCORE, replace(SCORE, raw=shifted(SCORE.raw)), "like this"),
    (COUNTED, SCORE, replace(SCORE, bonus=shifted(SCORE.bonus)), "like this"),
    (COUNTED, SCORE, replace(SCORE, moon=0), "like this"),
    (COUNTED, SCORE, replace(SCORE, results=shifted(SCORE.results)), "like this"),
    (COUNTED, SCORE, replace(SCORE, totals=shifted(SCORE.totals)), "like this"),
    (ENDING, END, replace(END, totals=shifted(END.totals)), "like this"),
    (ENDING, END, replace(END, places=(1, 1, 1, 1)), "like this"),
]


@pytest.mark.parametrize(("state", "right", "wrong", "guard"), WRONG_VALUES)
def test_a_fact_with_a_value_that_does_not_follow_is_impossible(
    state: HeartsState, right: HeartsFact, wrong: HeartsFact, guard: str
) -> None:
    HEARTS_1.decider.evolve(state, right)
    with pytest.raises(ImpossibleFactError, match=guard):
        HEARTS_1.decider.evolve(state, wrong)


ALONE = replace(COMMITTED, passes=((), *COMMITTED.passes[1:]))
"""All passes but one are committed."""
BETWEEN_TRICKS = next(state for state, _ in FOLDED if len(state.tricks) == 3 and not state.trick)
FIFTH = next(
    (state, HeartsCardPlayed(state.leader, state.hands[state.leader][0]))
    for state, fact in FOLDED
    if isinstance(fact, HeartsTrickTaken) and state.hands[state.leader]
)
SAME_SCORE = replace(SCORE, totals=tuple(2 * total for total in SCORE.totals))
DEAL_AFTER_END = HeartsRoundDealt(ENDING.round + 1, (1, 3, 2, 0)[ENDING.round % 4], 4, PACK[4])

WRONG_TIME: list[tuple[str, HeartsState, HeartsFact, str]] = [
    ("dealt while cards are passed", PASSING, replace(NEXT_DEAL, round=2), "no round can have been dealt"),
    ("dealt while cards are held", PLAYING, NEXT_DEAL, "no round can have been dealt"),
    ("dealt before the last trick is taken", LAST_CARD, NEXT_DEAL, "no round can have been dealt"),
    ("dealt before the round is scored", COUNTED, NEXT_DEAL, "no round can have been dealt"),
    ("dealt though the match is decided", ENDING, DEAL_AFTER_END, "no round can have been dealt"),
    ("dealt after the end", OVER, DEAL_AFTER_END, "no round can have been dealt"),
    ("passed twice", HEARTS_1.decider.evolve(PASSING, PASS), PASS, "committed a pass now"),
    ("passed while cards are played", PLAYING, HeartsPassCommitted(0, PLAYING.hands[0][:3]), "committed a pass now"),
    ("exchanged before all have passed", ALONE, replace(EXCHANGE, passes=ALONE.passes), "changed hands now"),
    ("exchanged twice", HEARTS_1.decider.evolve(COMMITTED, EXCHANGE), EXCHANGE, "changed hands now"),
    ("played while cards are passed", PASSING, HeartsCardPlayed(PASSING.leader, "2C"), "cannot have played"),
    ("a fifth card in a trick of four", *FIFTH, "cannot have played"),
    ("a trick of two cards taken", PLAYING, HeartsTrickTaken(PLAYING.leader, 0, 0), "taken a trick now"),
    ("no trick taken", SCORED, HeartsTrickTaken(0, 0, 0), "taken a trick now"),
    ("scored before a round", NEW, HeartsRoundScored(0, (0,) * 4, (0,) * 4, None, (0,) * 4, (0,) * 4), "scored now"),
    ("scored while cards are held", BETWEEN_TRICKS, SCORE, "scored now"),
    ("scored before the last trick is taken", LAST_CARD, SCORE, "scored now"),
    ("scored twice", SCORED, SAME_SCORE, "scored now"),
    ("ended before it is decided", SCORED, HeartsMatchEnded(SCORED.totals, (1, 2, 3, 4)), "ended now"),
    ("ended while cards are held", replace(ENDING, round=ENDING.round + 1), END, "ended now"),
    ("ended twice", OVER, END, "ended now"),
]


@pytest.mark.parametrize(("state", "fact", "guard"), [case[1:] for case in WRONG_TIME], ids=[c[0] for c in WRONG_TIME])
def test_a_fact_at_another_time_is_impossible(state: HeartsState, fact: HeartsFact, guard: str) -> None:
    with pytest.raises(ImpossibleFactError, match=re.escape(guard)):
        HEARTS_1.decider.evolve(state, fact)
