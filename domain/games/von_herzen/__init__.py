"""Von Herzen: swap, then lay runs in two colours; the highest total of all rounds wins."""

from typing import Final, TypeAlias

from domain.decider import AnyGame, Decider, Game, Players, Types, Views
from domain.games.von_herzen.bot import bot
from domain.games.von_herzen.facts import VonHerzenFact, VonHerzenPrivateFact, VonHerzenPublicFact
from domain.games.von_herzen.fold import evolve, new, outcome
from domain.games.von_herzen.legal import legal, sample
from domain.games.von_herzen.model import VonHerzenBoard, VonHerzenOptions, VonHerzenPrivate, VonHerzenState
from domain.games.von_herzen.moves import VonHerzenLegal, VonHerzenMove
from domain.games.von_herzen.options import OPTIONS
from domain.games.von_herzen.rulebook import REJECTIONS, RULES
from domain.games.von_herzen.rules import decide, start, timeout_move, to_act
from domain.games.von_herzen.views import board, hand, private, private_form, public_form, round_number, totals

VonHerzenGame: TypeAlias = Game[
    VonHerzenOptions, VonHerzenState, VonHerzenMove, VonHerzenFact, VonHerzenBoard, VonHerzenPrivate, VonHerzenLegal
]

VON_HERZEN_1: Final[VonHerzenGame] = Game(
    key="von_herzen",
    rules_version=1,
    title="Von Herzen",
    credits="A game by Gordon Axmann and Colin Schmidt.",
    seats=(2, 6),
    rules=RULES,
    rejections=REJECTIONS,
    types=Types(
        state=VonHerzenState,
        move=VonHerzenMove,
        fact=VonHerzenFact,
        public_form=VonHerzenPublicFact,
        private_form=VonHerzenPrivateFact,
        board=VonHerzenBoard,
        private_part=VonHerzenPrivate,
        legal=VonHerzenLegal,
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

GAMES: Final[tuple[AnyGame, ...]] = (VON_HERZEN_1,)
"""Every rules version, oldest first."""
