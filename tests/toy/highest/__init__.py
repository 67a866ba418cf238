"""Highest Card: everybody chooses a card face down, the highest one wins."""

from functools import partial

from domain.decider import AnyGame, Decider, Game, Players, Types, Views
from domain.options import option_rules
from tests.toy.highest.bot import bot, sample
from tests.toy.highest.fold import CHANGES, new, outcome
from tests.toy.highest.model import (
    HighestBoard,
    HighestChoices,
    HighestChoose,
    HighestFact,
    HighestOptions,
    HighestPrivate,
    HighestPrivateFact,
    HighestPublicFact,
    HighestState,
)
from tests.toy.highest.rulebook import REJECTIONS, RULES
from tests.toy.highest.rules import decide, legal, start, timeout_move, to_act
from tests.toy.highest.views import board, hand, private, private_form, public_form


def _version(number: int, last_points: int) -> AnyGame:
    return Game(
        key="highest",
        rules_version=number,
        title="Highest Card",
        seats=(2, 4),
        rules=RULES,
        rejections=REJECTIONS,
        types=Types(
            state=HighestState,
            move=HighestChoose,
            fact=HighestFact,
            public_form=HighestPublicFact,
            private_form=HighestPrivateFact,
            board=HighestBoard,
            private_part=HighestPrivate,
            legal=HighestChoices,
        ),
        options=option_rules(HighestOptions, rule="T-8", seats=(2, 4)),
        decider=Decider(
            new=new,
            start=start,
            decide=partial(decide, last_points=last_points),
            changes=CHANGES,
            to_act=to_act,
            outcome=outcome,
        ),
        views=Views(
            public_form=public_form,
            private_form=private_form,
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


GAMES: tuple[AnyGame, ...] = (_version(1, last_points=1), _version(2, last_points=2))
"""Version 2 counts the last cards of a round twice."""
