"""Facts that cannot have happened are never applied: each guard in a state in which only it refuses."""

import pytest
from msgspec.structs import replace

from domain.decider import ImpossibleFactError
from domain.games.romme import ROMME_1, private_stream
from domain.games.romme.deck import DECK
from domain.games.romme.facts import (
    RommeCardDiscarded,
    RommeCardDrawn,
    RommeCardsLaidOff,
    RommeFact,
    RommeJokerSwapped,
    RommeMatchEnded,
    RommeMeldPrepared,
    RommeMeldsLaid,
    RommeMeldsTakenBack,
    RommeOptionChanged,
    RommePackDealt,
    RommePileDrawn,
    RommePrivateStreamFact,
    RommeRoundStarted,
    RommeStockEmptied,
    RommeStockShuffled,
)
from domain.games.romme.model import RommeState
from domain.games.romme.scoring import ranking, round_ended
from tests.games.romme.positions import before, laid, options, position, prepare, privately


def folds(state: RommeState, *facts: RommeFact) -> RommeState:
    """Return the state after facts."""
    for fact in facts:
        state = ROMME_1.decider.evolve(state, fact)
    return state


NEW = before()
STARTED = RommeRoundStarted(1, 2, NEW.options)
OPENING = folds(NEW, STARTED)
DEALT = RommePackDealt(2, 3, DECK)

PLAYING = position("8H 7H#2 2C 2S 2D", melds=["5H 6H JK#1=7H"], out=True, joker_swap=True)
COMING_OUT = position("8H 2C 2S 2D KC", melds=["5H 6H JK#1=7H"], first_meld_min=0)
DRAWING = position("8H 2D", phase="draw", pile="9C")
EMPTY = replace(DRAWING, stock_drawn=len(DRAWING.stock))
DRAWN, TAKEN = RommeCardDrawn(0, DRAWING.stock[0]), RommePileDrawn(0, "9C#1")
TWOS = laid("2C 2S 2D")[0]
LAID = RommeMeldsLaid(0, (replace(TWOS, id="m2"),), 6, False)
FIRST_LAID = replace(LAID, came_out=True)
SLOTS = PLAYING.melds[0].slots
LAID_OFF = RommeCardsLaidOff(0, "m1", ("8H#1",), laid("5H 6H JK#1=7H 8H")[0].slots)
SWAPPED = RommeJokerSwapped(0, "m1", "JK#1", "7H#2")
DISCARDED = RommeCardDiscarded(0, "8H#1")

# the stock is empty at the end of a turn, for the first and for the fourth time; a seat is out
LAST_OF_STOCK = replace(PLAYING, stock_drawn=len(PLAYING.stock), pile=("9C#1", "9C#2", "9S#1"))
EMPTIED = folds(LAST_OF_STOCK, DISCARDED)
STOCK_EMPTIED = RommeStockEmptied(1)
SHUFFLING = folds(EMPTIED, STOCK_EMPTIED)
SHUFFLED = RommeStockShuffled(1, ("9S#1", "9C#1", "9C#2"))
EXHAUSTED = folds(replace(EMPTIED, empties=3), RommeStockEmptied(4))
EXHAUSTED_SCORE = round_ended(EXHAUSTED)
OUT = folds(position("8H", out=True, match_end="points", target_score=1000), DISCARDED)
OUT_SCORE = round_ended(OUT)
OVER = folds(OUT, OUT_SCORE)
RAISED = tuple(5000 * (seat > 0) for seat in range(3))
DECIDED = replace(OVER, totals=RAISED)
ENDED = RommeMatchEnded(RAISED, ranking(RAISED))
NEXT = RommeRoundStarted(2, OVER.starter - 2, OVER.options)
OPEN_END = replace(OVER, options=options(match_end="open"))
UNEVEN = folds(NEW, RommeOptionChanged("match_end", "rounds", "points", True))
"""The limits, which follow how the match ends, have not changed yet."""
STARTED_UNEVEN = replace(STARTED, options=UNEVEN.options)
LOCKED = RommeOptionChanged("target_score", 1000, 100, True)
CHANGED = RommeOptionChanged("first_meld_min", 30, 40, True)


def shifted(values: tuple[int, ...]) -> tuple[int, ...]:
    """Move a point from the last seat to the first."""
    return (values[0] + 1, *values[1:-1], values[-1] - 1)


WRONG_VALUES: list[tuple[RommeState, RommeFact, RommeFact, str]] = [
    # the start of a round
    (NEW, STARTED, replace(STARTED, round=2), "started like this"),
    (NEW, STARTED, replace(STARTED, starter=3), "started like this"),
    (NEW, STARTED, replace(STARTED, starter=-1), "started like this"),
    (NEW, STARTED, replace(STARTED, options=options(joker_swap=True)), "started like this"),
    (OVER, NEXT, replace(NEXT, starter=1), "started like this"),
    (OPENING, DEALT, replace(DEALT, starter=0), "dealt like this"),
    (OPENING, DEALT, replace(DEALT, seats=2), "dealt like this"),
    (OPENING, DEALT, replace(DEALT, order=("9C#1",) * len(DECK)), "not the pack"),
    (OPENING, DEALT, replace(DEALT, order=DECK[1:]), "not the pack"),
    (OPENING, DEALT, replace(DEALT, order=(*DECK, "9C#1")), "not the pack"),
    (OPENING, DEALT, replace(DEALT, order=("XX", *DECK[1:])), "not the pack"),
    # options
    (NEW, CHANGED, replace(CHANGED, name="nonsense"), "changed like this"),
    (NEW, CHANGED, replace(CHANGED, old=0), "changed like this"),
    (NEW, CHANGED, replace(CHANGED, new=30, changed=False), "changed like this"),
    (NEW, CHANGED, replace(CHANGED, new=35), "cannot have this value"),
    (NEW, CHANGED, replace(CHANGED, changed=False), "marked wrong"),
    # draws
    (DRAWING, DRAWN, replace(DRAWN, seat=1), "cannot have drawn"),
    (DRAWING, DRAWN, replace(DRAWN, seat=-3), "cannot have drawn"),
    (DRAWING, DRAWN, replace(DRAWN, card=DRAWING.stock[1]), "cannot have drawn"),
    (DRAWING, TAKEN, replace(TAKEN, seat=1), "cannot have taken"),
    (DRAWING, TAKEN, replace(TAKEN, card="9C#2"), "cannot have taken"),
    # melds
    (PLAYING, LAID, replace(LAID, seat=1), "cannot have laid melds"),
    (PLAYING, LAID, replace(LAID, seat=99), "cannot have laid melds"),
    (PLAYING, LAID, replace(LAID, came_out=True), "laid before"),
    (COMING_OUT, FIRST_LAID, replace(FIRST_LAID, came_out=False), "laid before"),
    (PLAYING, LAID, replace(LAID, melds=(), points=0), "laid nothing"),
    (PLAYING, LAID, replace(LAID, melds=(TWOS,)), "the next meld"),
    (PLAYING, LAID, replace(LAID, melds=(replace(LAID.melds[0], owner=1),)), "the next meld"),
    (PLAYING, LAID, replace(LAID, melds=(replace(LAID.melds[0], kind="run"),)), "what its cards form"),
    (PLAYING, LAID, replace(LAID, melds=(replace(LAID.melds[0], points=7),), points=7), "what its cards form"),
    (PLAYING, LAID, replace(LAID, melds=(replace(LAID.melds[0], slots=TWOS.slots[::-1]),)), "what its cards form"),
    (PLAYING, LAID, replace(LAID, melds=(replace(LAID.melds[0], slots=TWOS.slots[:2]),)), "what its cards form"),
    (PLAYING, LAID, replace(LAID, points=7), "do not count"),
    (PLAYING, LAID, replace(LAID, melds=(replace(laid("3C 3S 3D")[0], id="m2"),), points=9), "does not hold"),
    (PLAYING, LAID_OFF, replace(LAID_OFF, seat=1), "cannot have laid off"),
    (PLAYING, LAID_OFF, replace(LAID_OFF, meld="m2"), "there is no meld"),
    (PLAYING, LAID_OFF, replace(LAID_OFF, cards=("9H#1",)), "does not hold"),
    (PLAYING, LAID_OFF, replace(LAID_OFF, cards=("8H#1", "2D#1")), "has not got"),
    (PLAYING, LAID_OFF, replace(LAID_OFF, cards=(), slots=SLOTS), "has not got"),
    (PLAYING, LAID_OFF, replace(LAID_OFF, slots=SLOTS), "has not got"),
    (PLAYING, LAID_OFF, replace(LAID_OFF, slots=LAID_OFF.slots[::-1]), "become this"),
    (PLAYING, LAID_OFF, replace(LAID_OFF, slots=laid("6H JK#1=7H 8H")[0].slots), "another one"),
    (PLAYING, SWAPPED, replace(SWAPPED, seat=1), "cannot have swapped a joker"),
    (PLAYING, SWAPPED, replace(SWAPPED, meld="m2"), "there is no meld"),
    (PLAYING, SWAPPED, replace(SWAPPED, joker="JK#2"), "does not lie"),
    (PLAYING, SWAPPED, replace(SWAPPED, card="8H#1"), "does not lie"),
    (PLAYING, SWAPPED, replace(SWAPPED, card="7H#1"), "does not hold"),
    # discards, the stock
    (PLAYING, DISCARDED, replace(DISCARDED, seat=1), "cannot have discarded"),
    (PLAYING, DISCARDED, replace(DISCARDED, card="9C#1"), "does not hold"),
    (EMPTIED, STOCK_EMPTIED, replace(STOCK_EMPTIED, count=2), "for time 2"),
    (SHUFFLING, SHUFFLED, replace(SHUFFLED, count=2), "for time 2"),
    (SHUFFLING, SHUFFLED, replace(SHUFFLED, order=("9S#1", "9C#1", "9C#1")), "become this stock"),
    (SHUFFLING, SHUFFLED, replace(SHUFFLED, order=("9S#1", "9C#1", "XX")), "become this stock"),
    # scores and the end
    (OUT, OUT_SCORE, replace(OUT_SCORE, round=2), "ended like this"),
    (OUT, OUT_SCORE, replace(OUT_SCORE, reason="exhausted"), "ended like this"),
    (OUT, OUT_SCORE, replace(OUT_SCORE, winners=(1,)), "ended like this"),
    (OUT, OUT_SCORE, replace(OUT_SCORE, hand_romme=True), "ended like this"),
    (OUT, OUT_SCORE, replace(OUT_SCORE, hands=((), (), ())), "ended like this"),
    (OUT, OUT_SCORE, replace(OUT_SCORE, values=shifted(OUT_SCORE.values)), "ended like this"),
    (OUT, OUT_SCORE, replace(OUT_SCORE, points=shifted(OUT_SCORE.points)), "ended like this"),
    (OUT, OUT_SCORE, replace(OUT_SCORE, totals=shifted(OUT_SCORE.totals)), "ended like this"),
    (EXHAUSTED, EXHAUSTED_SCORE, replace(EXHAUSTED_SCORE, reason="out"), "ended like this"),
    (DECIDED, ENDED, replace(ENDED, totals=shifted(RAISED)), "ended like this"),
    (DECIDED, ENDED, replace(ENDED, places=(1, 1, 1)), "ended like this"),
]


@pytest.mark.parametrize(("state", "right", "wrong", "guard"), WRONG_VALUES)
def test_a_fact_with_a_value_that_does_not_follow_is_impossible(
    state: RommeState, right: RommeFact, wrong: RommeFact, guard: str
) -> None:
    ROMME_1.decider.evolve(state, right)
    with pytest.raises(ImpossibleFactError, match=guard):
        ROMME_1.decider.evolve(state, wrong)


def test_a_real_card_is_not_swapped_like_a_joker() -> None:
    state = position("5H#2 KC", melds=["5H 6H JK#1=7H"], out=True, joker_swap=True)
    with pytest.raises(ImpossibleFactError, match="does not lie"):
        ROMME_1.decider.evolve(state, RommeJokerSwapped(0, "m1", "5H#1", "5H#2"))


def test_a_match_that_ends_by_itself_does_not_end_undecided() -> None:
    ROMME_1.decider.evolve(OPEN_END, RommeMatchEnded(OVER.totals, ranking(OVER.totals)))
    with pytest.raises(ImpossibleFactError, match="not decided"):
        ROMME_1.decider.evolve(OVER, RommeMatchEnded(OVER.totals, ranking(OVER.totals)))


WRONG_TIME: list[tuple[str, RommeState, RommeFact, str]] = [
    ("started while a round runs", DRAWING, replace(NEXT, starter=0), "no round can have started"),
    ("started though the match is decided", DECIDED, NEXT, "no round can have started"),
    ("started after the end", folds(OPEN_END, RommeMatchEnded(OVER.totals, ranking(OVER.totals))), NEXT, "no round"),
    ("dealt before the round", NEW, replace(DEALT, starter=0), "no cards can have been dealt"),
    ("dealt twice", folds(OPENING, DEALT), DEALT, "no cards can have been dealt"),
    ("a round started with options that do not go together", UNEVEN, STARTED_UNEVEN, "do not go together"),
    ("an option changed though the match is decided", DECIDED, CHANGED, "no option can have changed"),
    ("a match option changed after the first deal", OVER, LOCKED, "is locked"),
    ("an option changed in a round", DRAWING, CHANGED, "no option can have changed"),
    ("drawn twice", folds(DRAWING, DRAWN), RommeCardDrawn(0, DRAWING.stock[1]), "cannot have drawn"),
    ("drawn from an empty stock", EMPTY, DRAWN, "cannot have drawn"),
    ("taken after a draw", folds(DRAWING, DRAWN), TAKEN, "cannot have taken"),
    ("taken while the stock is empty", EMPTIED, RommePileDrawn(1, "8H#1"), "cannot have taken"),
    ("taken before the shuffle", SHUFFLING, RommePileDrawn(1, "8H#1"), "cannot have taken"),
    ("taken when a seat is out", OUT, RommePileDrawn(1, "8H#1"), "cannot have taken"),
    ("laid before the draw", replace(PLAYING, phase="draw"), LAID, "cannot have laid melds"),
    ("laid off before the draw", replace(PLAYING, phase="draw"), LAID_OFF, "cannot have laid off"),
    ("swapped before the draw", replace(PLAYING, phase="draw"), SWAPPED, "cannot have swapped a joker"),
    ("discarded before the draw", replace(PLAYING, phase="draw"), DISCARDED, "cannot have discarded"),
    ("emptied before the end of a turn", EMPTY, STOCK_EMPTIED, "cannot have been empty"),
    ("emptied with cards in it", folds(PLAYING, DISCARDED), STOCK_EMPTIED, "cannot have been empty"),
    ("emptied twice", SHUFFLING, RommeStockEmptied(2), "cannot have been empty"),
    ("emptied when a seat is out", replace(OUT, stock=()), STOCK_EMPTIED, "cannot have been empty"),
    ("shuffled before the stock is empty", EMPTIED, replace(SHUFFLED, count=0), "no stock can have been shuffled"),
    ("shuffled twice", folds(SHUFFLING, SHUFFLED), RommeStockShuffled(1, ()), "no stock can have been shuffled"),
    ("shuffled for the fourth time", EXHAUSTED, replace(SHUFFLED, count=4), "no stock can have been shuffled"),
    ("scored before it is over", DRAWING, round_ended(DRAWING), "no round can have ended"),
    ("scored twice", OVER, round_ended(OVER), "no round can have ended"),
    ("ended while a round runs", DRAWING, RommeMatchEnded((0, 0, 0), (1, 1, 1)), "match cannot have ended"),
    ("ended twice", folds(DECIDED, ENDED), ENDED, "match cannot have ended"),
]


@pytest.mark.parametrize(("state", "fact", "guard"), [case[1:] for case in WRONG_TIME], ids=[c[0] for c in WRONG_TIME])
def test_a_fact_at_another_time_is_impossible(state: RommeState, fact: RommeFact, guard: str) -> None:
    with pytest.raises(ImpossibleFactError, match=guard):
        ROMME_1.decider.evolve(state, fact)


def test_impossible_notes_are_errors() -> None:
    state = position("7H 7S 7C 2D")
    own = privately(state, private_stream.new(), prepare("7H 7S 7C"))
    (draft,) = own.drafts
    impossible: list[RommePrivateStreamFact] = [
        draft,
        replace(draft, draft="p3"),
        replace(draft, turn_number=draft.turn_number - 1),
        RommeMeldsTakenBack(("p2",)),
    ]
    for fact in impossible:
        with pytest.raises(ImpossibleFactError):
            private_stream.evolve(own, fact)
    assert isinstance(draft, RommeMeldPrepared)
    later = replace(draft, turn_number=draft.turn_number + 1)
    assert private_stream.evolve(own, later).drafts == (later,)
