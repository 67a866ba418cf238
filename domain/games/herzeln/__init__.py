"""Herzeln: eight fixed contracts, seven of tricks and a layout, for three or four players."""

from typing import Final

from domain.decider import AnyGame, Decider, Game, Players, Types, Views
from domain.games.herzeln import bot, fold, model, options, rulebook, rules, views

HERZELN_1: Final = Game(
    key="herzeln",
    rules_version=1,
    title="Herzeln",
    seats=(3, 4),
    rules=rulebook.RULES,
    rejections=rulebook.REJECTIONS,
    types=Types(
        state=model.HerzelnState,
        move=model.HerzelnMove,
        fact=model.HerzelnFact,
        public_form=model.HerzelnPublicFact,
        private_form=model.HerzelnPrivateFact,
        board=model.HerzelnBoard,
        private_part=model.HerzelnPrivate,
        legal=model.HerzelnLegal,
    ),
    options=options.OPTIONS,
    decider=Decider(
        new=fold.new,
        start=rules.start,
        decide=rules.decide,
        changes=fold.CHANGES,
        to_act=rules.to_act,
        outcome=fold.outcome,
    ),
    views=Views(
        public_form=views.public_form,
        private_form=views.private_form,
        round_number=views.round_number,
        board=views.board,
        hand=views.hand,
        private_part=views.private,
        legal=rules.legal,
    ),
    players=Players(
        bot=bot.bot,
        sample=bot.sample,
        timeout_move=rules.timeout_move,
    ),
)
"""Version 1 of the rules."""

GAMES: Final[tuple[AnyGame, ...]] = (HERZELN_1,)
"""Every version of the rules, the oldest first."""
