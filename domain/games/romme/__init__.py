"""Rommé: two packs and six jokers; whoever first gets rid of all cards in melds wins the round."""

from typing import Final

from domain.decider import (
    Advice,
    AnyGame,
    Decider,
    Game,
    Players,
    PrivateStreamRules,
    RoundLobby,
    Types,
    Views,
)
from domain.games.romme import (
    advice,
    bot,
    facts,
    fold,
    lifts,
    lobby,
    model,
    moves,
    options,
    private_stream,
    rulebook,
    rules,
    views,
)

ROMME_1: Final = Game(
    key="romme",
    rules_version=1,
    title="Rommé",
    seats=options.SEATS,
    rules=rulebook.RULES,
    rejections=rulebook.REJECTIONS,
    words=rulebook.WORDS,
    types=Types(
        state=model.RommeState,
        move=moves.RommeMove,
        fact=facts.RommeFact,
        public_form=facts.RommePublicFact,
        private_form=facts.RommePrivateFact,
        board=model.RommeBoard,
        private_part=model.RommePrivate,
        legal=model.RommeLegal,
        lifts=lifts.LIFTS,
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
    lobby=RoundLobby(
        between_rounds=fold.between_rounds,
        start_round=rules.start,
        change_options=lobby.change_options,
        end_match=lobby.end_match,
    ),
    private_stream=PrivateStreamRules(
        draft_type=moves.RommePrepare,
        take_back_type=moves.RommeTakeBack,
        hand_order_type=moves.RommeHandOrder,
        fact_type=facts.RommePrivateStreamFact,
        new=private_stream.new,
        decide=private_stream.decide,
        evolve=private_stream.evolve,
        consulted=private_stream.consulted,
        resolve=private_stream.resolve,
        hand=private_stream.hand,
        private=private_stream.private,
        legal=private_stream.legal,
    ),
    advice=Advice(question_type=moves.RommeQuestion, answer_type=model.RommeAnswer, answer=advice.answer),
)
"""Version 1 of the rules."""

GAMES: Final[tuple[AnyGame, ...]] = (ROMME_1,)
"""Every version of the rules, the oldest first."""
