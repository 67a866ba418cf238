"""Facts that cannot have happened are never applied: each guard of the fold in a state in which only it refuses."""

from collections.abc import Iterator
from random import Random

import pytest
from msgspec.structs import replace

from domain.decider import ImpossibleFactError
from domain.games.von_herzen.facts import (
    VonHerzenCardDiscarded,
    VonHerzenCardLaidOff,
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
from domain.games.von_herzen.model import VonHerzenState
from domain.games.von_herzen.runs import PACK, RANKS, is_run, refusal_of_run
from domain.games.von_herzen.scoring import counted, ranking
from tests.games.von_herzen.play import GAME, careless, options_of, started, steps
from tests.games.von_herzen.positions import cards, dealt, melding


def folded() -> Iterator[tuple[VonHerzenState, VonHerzenFact]]:
    """Yield every fact of a match with the state before it."""
    chosen = options_of(3, complete_rounds=1)
    state = GAME.decider.new(chosen, 3)
    for fact in started(chosen, 9)[1]:
        yield state, fact
        state = GAME.decider.evolve(state, fact)
    for before, _, _, facts, _ in steps(chosen, 9, {}, careless):
        state = before
        for fact in facts:
            yield state, fact
            state = GAME.decider.evolve(state, fact)


def folds(state: VonHerzenState, *facts: VonHerzenFact) -> VonHerzenState:
    """Return the state after facts."""
    for fact in facts:
        state = GAME.decider.evolve(state, fact)
    return state


FOLDED = list(folded())
NEW, DRAWN = FOLDED[0]
READY, DEAL = FOLDED[1]
ENDING, END = FOLDED[-1]
OVER = folds(ENDING, END)
COUNTED, SCORE = next((state, fact) for state, fact in FOLDED if isinstance(fact, VonHerzenRoundScored))
SCORED, NEXT_DEAL = next((state, fact) for state, fact in FOLDED[2:] if isinstance(fact, VonHerzenRoundDealt))
assert isinstance(DRAWN, VonHerzenFirstDealerDrawn)
assert isinstance(DEAL, VonHerzenRoundDealt)
assert isinstance(SCORE, VonHerzenRoundScored)
assert isinstance(NEXT_DEAL, VonHerzenRoundDealt)
assert isinstance(END, VonHerzenMatchEnded)

# the swap phase: seat 3 gives to seat 2, then seats 1 and 0 may be asked
OFFERING = dealt(4)
HANDS = OFFERING.hands
PASSED = VonHerzenOfferPassed(3)
OFFER = VonHerzenCardsOffered(3, 2, HANDS[3][:3])
ANSWERING = folds(OFFERING, OFFER)
DECLINED = VonHerzenOfferDeclined(3, 2)
ACCEPTED = VonHerzenCardsSwapped(3, 2, "accepted", HANDS[3][:3], HANDS[2][:3])
COUNTER = VonHerzenOfferCountered(3, 2, HANDS[2][:2])
ASKED = folds(ANSWERING, COUNTER)
LEFT = VonHerzenOfferLeft(1)
TAKEN = VonHerzenCardsSwapped(3, 1, "taken", HANDS[3][:3], HANDS[1][:3])
AGREEING = folds(ASKED, LEFT, VonHerzenOfferLeft(0))
WITHDRAWN = VonHerzenOfferWithdrawn(3, 2)
AGREED = VonHerzenCardsSwapped(3, 2, "agreed", HANDS[3][:2], HANDS[2][:2])

# the meld phase, seat 0 to move
HELD = ("7H 8H 9H TH KS", "7S", "8S")
DRAWING = melding(HELD, turn=0, phase="draw", pile="AC QC", stock="7D 8D", dealer=2)
LAYING = melding(HELD, turn=0, melds=[(1, "JD QD KD")], dealer=2)
STOCK_DRAWN = VonHerzenStockDrawn(0, "7D")
PILE_DRAWN = VonHerzenPileDrawn(0, "QC")
RUN = VonHerzenRunLaid(0, 1, cards("7H 8H 9H"))
LAID_OFF = VonHerzenCardLaidOff(0, "TH", 0, "down")
DISCARD = VonHerzenCardDiscarded(0, "KS")
TURN_END = VonHerzenTurnEnded(0, went_out=False)
LAST_CARD = melding(("KS", "7S", "8S"), turn=0, dealer=2)
WENT_OUT = folds(LAST_CARD, DISCARD)
OUT = VonHerzenTurnEnded(0, went_out=True)
CLOSING = melding(HELD, turn=0, phase="closing", out=1, dealer=2)


def shifted(values: tuple[int, ...]) -> tuple[int, ...]:
    """Move a point from the last seat to the first."""
    return (values[0] + 1, *values[1:-1], values[-1] - 1)


WRONG_VALUES: list[tuple[VonHerzenState, VonHerzenFact, VonHerzenFact]] = [
    # deals
    (NEW, DRAWN, replace(DRAWN, dealer=3)),
    (NEW, DRAWN, replace(DRAWN, dealer=-1)),
    (READY, DEAL, replace(DEAL, round=2)),
    (READY, DEAL, replace(DEAL, dealer=(DEAL.dealer + 1) % 3)),
    (READY, DEAL, replace(DEAL, dealer=DEAL.dealer + 3)),
    (READY, DEAL, replace(DEAL, seats=4)),
    (READY, DEAL, replace(DEAL, pack=DEAL.pack[1:])),
    (READY, DEAL, replace(DEAL, pack=(*DEAL.pack, "9C"))),
    (READY, DEAL, replace(DEAL, pack=("XX", *DEAL.pack[1:]))),
    (SCORED, NEXT_DEAL, replace(NEXT_DEAL, dealer=DEAL.dealer)),
    # swaps
    (OFFERING, PASSED, replace(PASSED, giver=2)),
    (OFFERING, OFFER, replace(OFFER, giver=2, cards=HANDS[2][:3])),
    (OFFERING, OFFER, replace(OFFER, receiver=1)),
    (OFFERING, OFFER, replace(OFFER, cards=HANDS[2][:3])),
    (OFFERING, OFFER, replace(OFFER, cards=())),
    (OFFERING, OFFER, replace(OFFER, cards=(HANDS[3][0], HANDS[3][0]))),
    (OFFERING, OFFER, replace(OFFER, cards=HANDS[3][2::-1])),
    (ANSWERING, DECLINED, replace(DECLINED, giver=1)),
    (ANSWERING, DECLINED, replace(DECLINED, receiver=1)),
    (ANSWERING, COUNTER, replace(COUNTER, giver=1)),
    (ANSWERING, COUNTER, replace(COUNTER, receiver=1, cards=HANDS[1][:2])),
    (ANSWERING, COUNTER, replace(COUNTER, cards=HANDS[1][:2])),
    (ANSWERING, COUNTER, replace(COUNTER, cards=())),
    (ANSWERING, COUNTER, replace(COUNTER, cards=HANDS[2][:3])),
    (ANSWERING, COUNTER, replace(COUNTER, cards=HANDS[2][1::-1])),
    (ANSWERING, ACCEPTED, replace(ACCEPTED, giver=1)),
    (ANSWERING, ACCEPTED, replace(ACCEPTED, partner=1, received=HANDS[1][:3])),
    (ANSWERING, ACCEPTED, replace(ACCEPTED, given=HANDS[3][1:4])),
    (ANSWERING, ACCEPTED, replace(ACCEPTED, received=HANDS[1][:3])),
    (ANSWERING, ACCEPTED, replace(ACCEPTED, received=HANDS[2][:2])),
    (ANSWERING, ACCEPTED, replace(ACCEPTED, received=HANDS[2][2::-1])),
    (ASKED, LEFT, replace(LEFT, seat=0)),
    (ASKED, TAKEN, replace(TAKEN, partner=0, received=HANDS[0][:3])),
    (ASKED, TAKEN, replace(TAKEN, given=HANDS[3][1:4])),
    (ASKED, TAKEN, replace(TAKEN, received=HANDS[1][:2])),
    (AGREEING, WITHDRAWN, replace(WITHDRAWN, giver=2)),
    (AGREEING, WITHDRAWN, replace(WITHDRAWN, receiver=1)),
    (AGREEING, AGREED, replace(AGREED, partner=1, received=HANDS[1][:2])),
    (AGREEING, AGREED, replace(AGREED, received=HANDS[2][1:3])),
    (AGREEING, AGREED, replace(AGREED, given=HANDS[3][3:5])),
    (AGREEING, AGREED, replace(AGREED, given=HANDS[3][:3])),
    (AGREEING, AGREED, replace(AGREED, given=HANDS[3][1::-1])),
    # turns
    (DRAWING, STOCK_DRAWN, replace(STOCK_DRAWN, seat=1)),
    (DRAWING, STOCK_DRAWN, replace(STOCK_DRAWN, seat=-3)),
    (DRAWING, STOCK_DRAWN, replace(STOCK_DRAWN, card="8D")),
    (DRAWING, PILE_DRAWN, replace(PILE_DRAWN, seat=1)),
    (DRAWING, PILE_DRAWN, replace(PILE_DRAWN, card="7D")),
    (DRAWING, PILE_DRAWN, replace(PILE_DRAWN, card="XX")),
    (LAYING, RUN, replace(RUN, seat=1, cards=("7S",))),
    (LAYING, RUN, replace(RUN, run=0)),
    (LAYING, RUN, replace(RUN, cards=cards("7H 8H 9D"))),
    (LAYING, RUN, replace(RUN, cards=cards("7H 7H 8H"))),
    (LAYING, RUN, replace(RUN, cards=())),
    (LAYING, RUN, replace(RUN, cards=cards("7H 8H"))),
    (LAYING, RUN, replace(RUN, cards=cards("7H 9H 8H"))),
    (LAYING, LAID_OFF, replace(LAID_OFF, seat=1, card="7S")),
    (LAYING, LAID_OFF, replace(LAID_OFF, card="TD")),
    (LAYING, LAID_OFF, replace(LAID_OFF, card="9H")),
    (LAYING, LAID_OFF, replace(LAID_OFF, end="up")),
    (LAYING, LAID_OFF, replace(LAID_OFF, run=1)),
    (LAYING, LAID_OFF, replace(LAID_OFF, run=-1)),
    (LAYING, DISCARD, replace(DISCARD, seat=1, card="7S")),
    (LAYING, DISCARD, replace(DISCARD, card="7S")),
    (LAYING, TURN_END, replace(TURN_END, seat=1)),
    (LAYING, TURN_END, replace(TURN_END, went_out=True)),
    (WENT_OUT, OUT, replace(OUT, went_out=False)),
    # scores and the end
    (COUNTED, SCORE, replace(SCORE, round=2)),
    (COUNTED, SCORE, replace(SCORE, ended="out" if SCORE.ended == "standstill" else "standstill")),
    (COUNTED, SCORE, replace(SCORE, hands=(("7C",), *SCORE.hands[1:]))),
    (COUNTED, SCORE, replace(SCORE, stock=(*SCORE.stock, "7C"))),
    (COUNTED, SCORE, replace(SCORE, scores=shifted(SCORE.scores))),
    (COUNTED, SCORE, replace(SCORE, totals=shifted(SCORE.totals))),
    (ENDING, END, replace(END, totals=shifted(END.totals))),
    (ENDING, END, replace(END, places=(1, 1, 1))),
]


@pytest.mark.parametrize(("state", "right", "wrong"), WRONG_VALUES)
def test_a_fact_with_a_value_that_does_not_follow_is_impossible(
    state: VonHerzenState, right: VonHerzenFact, wrong: VonHerzenFact
) -> None:
    GAME.decider.evolve(state, right)
    with pytest.raises(ImpossibleFactError):
        GAME.decider.evolve(state, wrong)


def test_a_pack_of_one_card_is_not_dealt() -> None:
    with pytest.raises(ImpossibleFactError):
        GAME.decider.evolve(READY, replace(DEAL, pack=("9C",) * len(PACK)))


AFTER_THE_LAST = VonHerzenRoundDealt(ENDING.round + 1, (ENDING.dealer + 1) % 3, 3, PACK)
NO_STOCK = replace(DRAWING, stock=())
DISCARDED = folds(LAYING, DISCARD)

WRONG_TIME: list[tuple[str, VonHerzenState, VonHerzenFact]] = [
    ("the first dealer drawn twice", READY, DRAWN),
    ("dealt before the first dealer is drawn", NEW, replace(DEAL, dealer=NEW.dealer)),
    ("dealt twice", folds(READY, DEAL), replace(DEAL, round=2, dealer=(DEAL.dealer + 1) % 3)),
    ("dealt before the round is scored", COUNTED, NEXT_DEAL),
    ("dealt after the last round", ENDING, AFTER_THE_LAST),
    ("offer passed when it is made", ANSWERING, PASSED),
    ("offered twice", ANSWERING, OFFER),
    ("declined before the offer", OFFERING, DECLINED),
    ("countered twice", ASKED, COUNTER),
    ("accepted after the counter-proposal", ASKED, ACCEPTED),
    ("left before the counter-proposal", ANSWERING, VonHerzenOfferLeft(2)),
    ("taken before the counter-proposal", ANSWERING, replace(ACCEPTED, kind="taken")),
    ("agreed before all are asked", ASKED, AGREED),
    ("withdrawn before all are asked", ASKED, WITHDRAWN),
    ("swapped in the meld phase", LAYING, replace(AGREED, giver=0)),
    ("drawn twice from the stock", folds(DRAWING, STOCK_DRAWN), VonHerzenStockDrawn(0, "8D")),
    ("drawn from an empty stock", NO_STOCK, STOCK_DRAWN),
    ("drawn twice from the pile", folds(DRAWING, PILE_DRAWN), VonHerzenPileDrawn(0, "AC")),
    ("laid before the draw", DRAWING, replace(RUN, run=0)),
    ("laid off before the draw", replace(LAYING, phase="draw"), LAID_OFF),
    ("laid after the discard", DISCARDED, RUN),
    ("laid off after the discard", DISCARDED, LAID_OFF),
    ("discarded before the draw", DRAWING, DISCARD),
    ("discarded twice", DISCARDED, VonHerzenCardDiscarded(0, "7H")),
    ("discarded in the closing turns", CLOSING, DISCARD),
    ("ended before the draw", DRAWING, TURN_END),
    ("scored before the round is over", LAYING, counted(LAYING)),
    ("scored twice", SCORED, counted(SCORED)),
    ("ended before the last round", SCORED, VonHerzenMatchEnded(SCORED.totals, ranking(SCORED.totals))),
    ("ended before the last round is scored", replace(ENDING, phase="scoring"), END),
    ("ended twice", OVER, END),
]


@pytest.mark.parametrize(("state", "fact"), [case[1:] for case in WRONG_TIME], ids=[case[0] for case in WRONG_TIME])
def test_a_fact_at_another_time_is_impossible(state: VonHerzenState, fact: VonHerzenFact) -> None:
    with pytest.raises(ImpossibleFactError):
        GAME.decider.evolve(state, fact)


@pytest.mark.parametrize("size", range(10))
def test_the_fold_and_the_rules_agree_on_what_a_run_is(size: int) -> None:
    rng = Random(size)
    for _ in range(500):
        low = rng.randrange(len(RANKS))
        suits = rng.choices("CSHD", weights=(8, 8, 1, 1), k=size)
        ordered = tuple([RANKS[(low + step) % len(RANKS)] + suit for step, suit in enumerate(suits)])
        for chosen in (ordered, tuple(rng.sample(ordered, size)), tuple(rng.sample(PACK, size))):
            assert is_run(chosen) == (refusal_of_run(chosen) is None), chosen
