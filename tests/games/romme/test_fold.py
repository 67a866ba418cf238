"""Facts that cannot have happened are never applied."""

import pytest
from msgspec.structs import replace

from domain.decider import ImpossibleFactError
from domain.games.romme import ROMME_1, notes
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
    RommeNoteFact,
    RommeOptionChanged,
    RommePackDealt,
    RommePileDrawn,
    RommeRoundEnded,
    RommeRoundStarted,
    RommeStockEmptied,
    RommeStockShuffled,
)
from domain.games.romme.model import RommeState
from tests.games.romme.positions import before, laid, noted, options, position, prepare

PLAYING = position("8H 7H#2 2D", table=["5H 6H JK#1=7H"], out=True, joker_swap=True)
DRAWING = position("8H 2D", phase="draw", pile="9C")
SLOTS = PLAYING.table[0].slots
LONGER = laid("5H 6H JK#1=7H 8H")[0].slots
EMPTY = replace(DRAWING, stock_drawn=len(DRAWING.stock))
ENDED = RommeRoundEnded(1, "out", (0,), False, ((), (), ()), (0, 0, 0), (0, 0, 0), (0, 0, 0))

IMPOSSIBLE: list[tuple[RommeState, RommeFact]] = [
    (DRAWING, RommeRoundStarted(2, 0, options())),
    (before(), RommeRoundStarted(2, 0, options())),
    (before(), RommeRoundStarted(1, 3, options())),
    (before(), RommePackDealt(0, 3, DECK)),
    (position("", phase="opening"), RommePackDealt(2, 3, DECK)),
    (PLAYING, RommeCardDrawn(0, PLAYING.stock[0])),
    (DRAWING, RommeCardDrawn(1, DRAWING.stock[0])),
    (DRAWING, RommeCardDrawn(0, DRAWING.stock[1])),
    (EMPTY, RommeCardDrawn(0, DRAWING.stock[0])),
    (DRAWING, RommePileDrawn(0, "9C#2")),
    (DRAWING, RommePileDrawn(1, "9C#1")),
    (PLAYING, RommeMeldsLaid(0, laid("2C 2S 2D"), 6, False)),
    (PLAYING, RommeMeldsLaid(0, (replace(laid("2C 2S 2D")[0], id="m2"),), 6, True)),
    (PLAYING, RommeMeldsLaid(0, (replace(laid("2C 2S 2D")[0], id="m2"),), 6, False)),
    (PLAYING, RommeCardsLaidOff(0, "m2", ("8H#1",), LONGER)),
    (PLAYING, RommeCardsLaidOff(0, "m1", ("8H#1",), SLOTS)),
    (PLAYING, RommeCardsLaidOff(0, "m1", ("2D#1",), LONGER)),
    (PLAYING, RommeCardsLaidOff(1, "m1", ("8H#1",), LONGER)),
    (PLAYING, RommeJokerSwapped(0, "m1", "JK#2", "7H#2")),
    (PLAYING, RommeJokerSwapped(0, "m1", "JK#1", "9C#1")),
    (DRAWING, RommeCardDiscarded(0, "8H#1")),
    (PLAYING, RommeCardDiscarded(1, "8H#1")),
    (PLAYING, RommeCardDiscarded(0, "9C#1")),
    (DRAWING, RommeStockEmptied(1)),
    (EMPTY, RommeStockEmptied(2)),
    (EMPTY, RommeStockShuffled(1, ())),
    (DRAWING, RommeStockShuffled(0, DRAWING.pile[:-1])),
    (PLAYING, ENDED),
    (DRAWING, replace(ENDED, round=2)),
    (DRAWING, replace(ENDED, totals=(1, 0, 0))),
    (DRAWING, RommeMatchEnded((0, 0, 0), (1, 1, 1))),
    (before(), RommeOptionChanged("joker_swap", True, False, False)),
    (before(), RommeOptionChanged("nonsense", None, 1, True)),
    (before(), RommeOptionChanged("first_meld_min", 30, 35, True)),
    (DRAWING, RommeOptionChanged("joker_swap", False, True, True)),
]


@pytest.mark.parametrize(("state", "fact"), IMPOSSIBLE, ids=[type(fact).__name__ for _, fact in IMPOSSIBLE])
def test_impossible_facts_are_errors(state: RommeState, fact: RommeFact) -> None:
    with pytest.raises(ImpossibleFactError):
        ROMME_1.decider.evolve(state, fact)


def test_impossible_notes_are_errors() -> None:
    state = position("7H 7S 7C 2D")
    own = noted(state, notes.new(), prepare("7H 7S 7C"))
    (draft,) = own.drafts
    impossible: list[RommeNoteFact] = [
        draft,
        replace(draft, draft="p3"),
        replace(draft, turn_number=draft.turn_number - 1),
        RommeMeldsTakenBack(("p2",)),
    ]
    for fact in impossible:
        with pytest.raises(ImpossibleFactError):
            notes.evolve(own, fact)
    assert isinstance(draft, RommeMeldPrepared)
    later = replace(draft, turn_number=draft.turn_number + 1)
    assert notes.evolve(own, later).drafts == (later,)
