"""Overboard: swap with the raft, and stay aboard longer than the others."""

from domain.decider import AnyGame, Decider, Game, Players, Types, Views
from domain.options import option_rules
from tests.toy.overboard import bot, fold, model, rulebook, rules, views

OVERBOARD_1 = Game(
    key="overboard",
    rules_version=1,
    title="Overboard",
    seats=(5, 6),
    rules=rulebook.RULES,
    rejections=rulebook.REJECTIONS,
    types=Types(
        state=model.OverboardState,
        move=model.OverboardMove,
        fact=model.OverboardFact,
        public_form=model.OverboardPublicFact,
        private_form=model.OverboardPrivateFact,
        board=model.OverboardBoard,
        private_part=model.OverboardPrivate,
        legal=model.OverboardLegal,
    ),
    options=option_rules(model.OverboardOptions, rule="O-9", seats=(5, 6)),
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
        totals=lambda state: state.lives,
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

GAMES: tuple[AnyGame, ...] = (OVERBOARD_1,)
