"""Which matches are played, and which checks run on them."""

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Final, NamedTuple

from domain.registry import GAMES
from tests.conformance.checks import (
    cards,
    ends,
    folding,
    forms,
    interference,
    legality,
    lobby,
    private_streams,
    secrecy,
)
from tests.conformance.hooks import Hooks, brings_hooks, hooks_of
from tests.conformance.matches import Match, play

CHECKS: Final[tuple[Callable[[Match, int], None], ...]] = (
    ends.check_end,
    ends.check_rounds,
    cards.check_cards,
    folding.check_fold,
    folding.check_fold_from_snapshots,
    folding.check_decide_is_repeatable,
    folding.check_impossible_facts,
    forms.check_states,
    forms.check_facts,
    forms.check_views,
    forms.check_plain_json,
    legality.check_legal_is_what_is_accepted,
    legality.check_machines_are_accepted,
    legality.check_equal_moves_are_recognised,
    secrecy.check_no_view_names_a_hidden_card,
    secrecy.check_no_fact_names_a_hidden_card,
    interference.check_hidden_cards_change_nothing,
    interference.check_deals_tell_only_ones_own_cards,
    secrecy.check_no_hand_is_hidden_from_its_owner,
    lobby.check_lobby,
    private_streams.check_private_streams,
    private_streams.check_advice,
)
ACROSS: Final[tuple[Callable[[Sequence[Match], int], None], ...]] = (
    secrecy.check_every_hand_is_hidden,
    interference.check_hidden_cards_are_exchanged,
)
"""Checks on all matches of a game version together: that the others had something to find."""
POSITIONS_ACROSS: Final = 12
"""States of each match that these look at."""
POSITIONS: Final = 400
"""States that the thorough checks look at, in one game version, over all its matches together."""


class Plan(NamedTuple):
    """One match of the suite: game version, number of the option set, who plays."""

    rules_id: str
    options: int
    players: str

    def __str__(self) -> str:
        return f"{self.rules_id}-{self.options}-{self.players}"


def plans(rules_id: str, hooks: Hooks) -> Iterator[Plan]:
    """Return one match for every option set: long ones with bots, others by turns random and mixed with
    bots; then one more with bots alone, and two in which everybody is absent."""
    short = [number for number in range(len(hooks.options)) if number not in hooks.long]
    for number in range(len(hooks.options)):
        yield Plan(rules_id, number, ("sample", "mixed")[number % 2] if number in short else "bot")
    yield Plan(rules_id, short[0], "bot")
    for number in sorted({short[0], short[-1]}):
        yield Plan(rules_id, number, "timeout")


def all_plans() -> list[Plan]:
    """Return the matches of every registered game version. Games without hooks have none: a test of the
    declarations misses them."""
    return [plan for rules_id, game in GAMES.items() if brings_hooks(game) for plan in plans(rules_id, hooks_of(game))]


@cache
def played(plan: Plan) -> Match:
    """Return the match of a plan; it is played once."""
    game = GAMES[plan.rules_id]
    hooks = hooks_of(game)
    return play(game, hooks, hooks.options[plan.options], players=plan.players, seed=plan.options)


def run_checks(match: Match, positions: int) -> None:
    """Run every check on one match."""
    for check in CHECKS:
        check(match, positions)
