"""No worked case is missing: the tests of VC-1 to VC-71 carry their ids."""

import re
from collections.abc import Iterator
from types import ModuleType

from tests.games.von_herzen import test_end_cases, test_run_cases, test_swap_cases, test_table_cases

CASES = [f"VC-{number}" for number in range(1, 72)]


def ids_of(module: ModuleType) -> Iterator[str]:
    """The ids of a module's tests: in the name of the test or as the id of a parameter."""
    for name, test in vars(module).items():
        if not name.startswith("test_"):
            continue
        if found := re.match(r"test_vc_(\d+)_", name):
            yield f"VC-{found[1]}"
        for mark in getattr(test, "pytestmark", []):
            if mark.name == "parametrize":
                yield from (row.id for row in mark.args[1] if str(getattr(row, "id", "")).startswith("VC-"))


def test_every_worked_case_is_a_test() -> None:
    modules = (test_swap_cases, test_run_cases, test_table_cases, test_end_cases)
    assert sorted({case for module in modules for case in ids_of(module)}) == sorted(CASES)
