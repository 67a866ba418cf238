"""Von Herzen: swap, then lay runs in two colours; the highest total of all rounds wins."""

from typing import Final

from domain.decider import AnyGame, Decider, Game, Players, Types, Views
from domain.games.von_herzen import bot, facts, fold, legal, model, moves, options, rulebook, rules, views

VON_HERZEN_1: Final = Game(
    key="von_herzen",
    rules_version=1,
    title="Von Herzen",
    credits="A game by Gordon Axmann and Colin Schmidt.",
    seats=(2, 6),
    rules=rulebook.RULES,
    rejections=rulebook.REJECTIONS,
    types=Types(
        state=model.VonHerzenState,
        move=moves.VonHerzenMove,
        fact=facts.VonHerzenFact,
        public_form=facts.VonHerzenPublicFact,
        private_form=facts.VonHerzenPrivateFact,
        board=model.VonHerzenBoard,
        private_part=model.VonHerzenPrivate,
        legal=moves.VonHerzenLegal,
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
        board=views.board,
        hand=views.hand,
        private_part=views.private,
        legal=legal.legal,
    ),
    players=Players(
        bot=bot.bot,
        sample=legal.sample,
        timeout_move=rules.timeout_move,
    ),
)
"""Version 1 of the rules."""

GAMES: Final[tuple[AnyGame, ...]] = (VON_HERZEN_1,)
"""Every version of the rules, the oldest first."""
