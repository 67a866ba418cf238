"""Overboard: swap with the raft, and stay aboard longer than the others."""

from domain.decider import AnyGame, Game
from tests.toy.overboard import bot, fold, model, options, rulebook, rules, views

OVERBOARD_1 = Game(
    key="overboard",
    rules_version=1,
    title="Overboard",
    seats=(5, 6),
    rules=rulebook.RULES,
    rejections=rulebook.REJECTIONS,
    options_type=model.OverboardOptions,
    options_schema=options.SCHEMA,
    state_type=model.OverboardState,
    move_type=model.OverboardMove,
    fact_type=model.OverboardFact,
    public_type=model.OverboardPublicFact,
    private_fact_type=model.OverboardPrivateFact,
    board_type=model.OverboardBoard,
    private_type=model.OverboardPrivate,
    legal_type=model.OverboardLegal,
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
    round_number=lambda state: state.round,
    totals=lambda state: state.lives,
    board=views.board,
    hand=views.hand,
    private=views.private,
    bot=bot.bot,
    sample=bot.sample,
)

GAMES: tuple[AnyGame, ...] = (OVERBOARD_1,)
