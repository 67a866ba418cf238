"""Hearts and Spot Hearts: no trump, and whoever takes the fewest penalty points wins."""

from typing import Final

from domain.decider import AnyGame, Game
from domain.games.hearts import bot, fold, model, options, rulebook, rules, views

HEARTS_1: Final = Game(
    key="hearts",
    rules_version=1,
    title="Hearts",
    seats=(3, 5),
    rules=rulebook.RULES,
    rejections=rulebook.REJECTIONS,
    options_type=model.HeartsOptions,
    options_schema=options.OPTIONS_SCHEMA,
    state_type=model.HeartsState,
    move_type=model.HeartsMove,
    fact_type=model.HeartsFact,
    public_type=model.HeartsPublicFact,
    private_fact_type=model.HeartsPrivateFact,
    board_type=model.HeartsBoard,
    private_type=model.HeartsPrivate,
    legal_type=model.HeartsLegal,
    parse_options=options.parse_options,
    seat_count=options.seat_count,
    new=fold.new,
    start=rules.start,
    decide=rules.decide,
    evolve=fold.evolve,
    to_act=rules.to_act,
    legal=rules.legal,
    outcome=fold.outcome,
    timeout_move=rules.timeout_move,
    public_form=views.public_form,
    private_form=views.private_form,
    round_number=views.round_number,
    totals=views.totals,
    board=views.board,
    hand=views.hand,
    private=views.private,
    bot=bot.bot,
    sample=bot.sample,
)
"""Version 1 of the rules."""

GAMES: Final[tuple[AnyGame, ...]] = (HEARTS_1,)
