"""Herzeln: eight fixed contracts, seven of tricks and a layout, for three or four players."""

from typing import Final

from domain.decider import AnyGame, Decider, Game, Players, Types, Views
from domain.games.herzeln.bot import bot, sample
from domain.games.herzeln.fold import evolve, new, outcome
from domain.games.herzeln.model import (
    HerzelnBoard,
    HerzelnFact,
    HerzelnLegal,
    HerzelnMove,
    HerzelnOptions,
    HerzelnPrivate,
    HerzelnPrivateFact,
    HerzelnPublicFact,
    HerzelnState,
)
from domain.games.herzeln.options import OPTIONS
from domain.games.herzeln.rulebook import REJECTIONS, RULES
from domain.games.herzeln.rules import decide, legal, start, timeout_move, to_act
from domain.games.herzeln.views import board, hand, private, private_form, public_form, round_number, totals

HERZELN_1: Final[
    Game[HerzelnOptions, HerzelnState, HerzelnMove, HerzelnFact, HerzelnBoard, HerzelnPrivate, HerzelnLegal]
] = Game(
    key="herzeln",
    rules_version=1,
    title="Herzeln",
    seats=(3, 4),
    rules=RULES,
    rejections=REJECTIONS,
    types=Types(
        state=HerzelnState,
        move=HerzelnMove,
        fact=HerzelnFact,
        public_form=HerzelnPublicFact,
        private_form=HerzelnPrivateFact,
        board=HerzelnBoard,
        private_part=HerzelnPrivate,
        legal=HerzelnLegal,
    ),
    options=OPTIONS,
    decider=Decider(
        new=new,
        start=start,
        decide=decide,
        evolve=evolve,
        to_act=to_act,
        outcome=outcome,
    ),
    views=Views(
        public_form=public_form,
        private_form=private_form,
        round_number=round_number,
        totals=totals,
        board=board,
        hand=hand,
        private_part=private,
        legal=legal,
    ),
    players=Players(
        bot=bot,
        sample=sample,
        timeout_move=timeout_move,
    ),
)

GAMES: Final[tuple[AnyGame, ...]] = (HERZELN_1,)
"""Every rules version, oldest first."""
