"""Every worked case of the rules has a test under its id."""

import re
from importlib import import_module
from pkgutil import iter_modules

import tests.games.romme as package

EXPECTED = [f"W-{number}" for number in range(1, 141)]


def ids_of(name: str, function: object) -> list[str]:
    """Ids that a test function has in its parameters or, as `test_w_1_...`, in its name."""
    found = [f"W-{number}" for number in re.findall(r"^test_w_(\d+)_", name)]
    for mark in getattr(function, "pytestmark", []):
        if mark.name == "parametrize":
            found += [row[0] for row in mark.args[1] if isinstance(row, tuple) and str(row[0]).startswith("W-")]
    return found


def test_every_worked_case_is_covered_once() -> None:
    covered: list[str] = []
    for module in iter_modules(package.__path__):
        if module.name.startswith("test_"):
            names = vars(import_module(f"{package.__name__}.{module.name}"))
            covered += [case for name, item in names.items() if name.startswith("test_") for case in ids_of(name, item)]
    assert sorted(covered) == sorted(EXPECTED)
