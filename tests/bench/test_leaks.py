"""What the bench of times says: nothing of equal ones, and everything of times that do not overlap."""

import random
import re
from pathlib import Path

import pytest

from tests.bench.leak_cases import CASES
from tests.bench.leaks import guessed, rank

ROOT = Path(__file__).parents[2]


def times(count: int, slower_by: float, seed: int) -> list[float]:
    rng = random.Random(seed)
    return [rng.gauss(400 + slower_by, 60) for _ in range(count)]


def test_equal_times_tell_nothing() -> None:
    found = rank(times(2000, 0, 1), times(2000, 0, 2))
    assert 0.48 < found.p < 0.52
    assert found.reached
    assert rank([1.0] * 50, [1.0] * 50).p == 0.5


def test_a_hand_in_the_cost_is_seen() -> None:
    found = rank(times(2000, 10, 1), times(2000, 0, 2))
    assert found.low > 0.51
    assert not found.reached
    assert (rank([2.0, 3.0], [1.0]).p, rank([1.0], [2.0, 3.0]).p) == (1.0, 0.0)


@pytest.mark.parametrize(("slower_by", "least", "most"), [(200.0, 1.0, 1.0), (-200.0, 1.0, 1.0), (0.0, 0.2, 0.8)])
def test_an_attacker_is_right_as_far_as_times_tell(slower_by: float, least: float, most: float) -> None:
    share = guessed(times(2000, slower_by, 1), times(2000, 0, 2))
    assert share is not None
    assert least <= share <= most
    assert guessed([1.0] * 78, [2.0] * 78) is None, "too few for a guess"


def test_its_target_is_listed_with_a_case_that_there_is() -> None:
    helped = re.search(r'LEAKS="--pairs \d+ --only (\w+)"', (ROOT / "Makefile").read_text())
    assert helped is not None
    assert helped[1] in CASES
