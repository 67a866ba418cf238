"""Herzeln: eight fixed contracts, seven of tricks and a layout, for three or four players."""

from typing import Final

from domain.decider import AnyGame, Game
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
from domain.games.herzeln.options import OPTIONS_SCHEMA, parse_options, seat_count
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
    options_type=HerzelnOptions,
    options_schema=OPTIONS_SCHEMA,
    state_type=HerzelnState,
    move_type=HerzelnMove,
    fact_type=HerzelnFact,
    public_type=HerzelnPublicFact,
    private_fact_type=HerzelnPrivateFact,
    board_type=HerzelnBoard,
    private_type=HerzelnPrivate,
    legal_type=HerzelnLegal,
    parse_options=parse_options,
    seat_count=seat_count,
    new=new,
    start=start,
    decide=decide,
    evolve=evolve,
    to_act=to_act,
    legal=legal,
    outcome=outcome,
    timeout_move=timeout_move,
    public_form=public_form,
    private_form=private_form,
    round_number=round_number,
    totals=totals,
    board=board,
    hand=hand,
    private=private,
    bot=bot,
    sample=sample,
)

GAMES: Final[tuple[AnyGame, ...]] = (HERZELN_1,)
"""Every rules version, oldest first."""
