"""The checks on matches of every registered game version, under every option set of its own."""

from collections.abc import Callable

import pytest

from tests.conformance.matches import Match
from tests.conformance.suite import CHECKS, POSITIONS, Plan, all_plans, played

PLANS = all_plans()


def _positions(plan: Plan) -> int:
    return max(4, POSITIONS // sum(other.rules_id == plan.rules_id for other in PLANS))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("plan", PLANS, ids=str)
def test_a_match_keeps(plan: Plan, check: Callable[[Match, int], None]) -> None:
    check(played(plan), _positions(plan))
