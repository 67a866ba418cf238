"""Hearts and Spot Hearts: no trump, and whoever takes the fewest penalty points wins."""

from typing import Final

from domain.decider import AnyGame, Decider, Game, Players, Types, Views
from domain.games.hearts import bot, fold, model, options, rulebook, rules, views

HEARTS_1: Final = Game(
    key="hearts",
    rules_version=1,
    title="Hearts",
    seats=(3, 5),
    rules=rulebook.RULES,
    rejections=rulebook.REJECTIONS,
    types=Types(
        state=model.HeartsState,
        move=model.HeartsMove,
        fact=model.HeartsFact,
        public_form=model.HeartsPublicFact,
        private_form=model.HeartsPrivateFact,
        board=model.HeartsBoard,
        private_part=model.HeartsPrivate,
        legal=model.HeartsLegal,
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
        legal=rules.legal,
    ),
    players=Players(
        bot=bot.bot,
        sample=bot.sample,
        timeout_move=rules.timeout_move,
    ),
)
"""Version 1 of the rules."""

GAMES: Final[tuple[AnyGame, ...]] = (HEARTS_1,)
"""Every version of the rules, the oldest first."""
