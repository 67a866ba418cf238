"""The checks on matches of every registered game version, under every option set of its own."""

from collections.abc import Callable, Sequence

import pytest

from tests.conformance.matches import Match
from tests.conformance.suite import ACROSS, CHECKS, POSITIONS, POSITIONS_ACROSS, Plan, all_plans, played

PLANS = all_plans()


def _positions(plan: Plan) -> int:
    return max(4, POSITIONS // sum(other.rules_id == plan.rules_id for other in PLANS))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_a_match_keeps(plan: Plan, check: Callable[[Match, int], None]) -> None:
    check(played(plan), _positions(plan))


@pytest.mark.parametrize("check", ACROSS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("rules_id", sorted({plan.rules_id for plan in PLANS}))
def test_the_matches_of_a_game_together_keep(rules_id: str, check: Callable[[Sequence[Match], int], None]) -> None:
    check([played(plan) for plan in PLANS if plan.rules_id == rules_id], POSITIONS_ACROSS)
