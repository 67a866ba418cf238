"""Every worked case of the rules is a test under its id."""

from tests.games.herzeln import test_layout, test_match, test_scores, test_tricks
from tests.games.herzeln.tables import COVERED

MODULES = (test_tricks, test_scores, test_layout, test_match)


def test_every_worked_case_is_covered_exactly_once() -> None:
    assert sorted(COVERED) == sorted(f"ZC-{number}" for number in range(1, 61)), MODULES
