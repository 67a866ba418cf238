"""Every worked case of the rules has a test under its id."""

import re
from importlib import import_module
from pkgutil import iter_modules

import tests.games.hearts as package

EXPECTED = [
    *(f"HC-O-{number}" for number in range(1, 12)),
    *(f"HC-P-{number}" for number in range(1, 20)),
    *(f"HC-L-{number}" for number in range(1, 29)),
    *(f"HC-T-{number}" for number in range(1, 8)),
    *(f"HC-R-{number}" for number in range(1, 30)),
    *(f"HC-G-{number}" for number in range(1, 14)),
    *(f"HC-V-{number}" for number in range(1, 9)),
]


def ids_of(name: str, function: object) -> list[str]:
    """Ids that a test function has in its parameters or, as `test_hc_v_1_...`, in its name."""
    found = [f"HC-{kind.upper()}-{number}" for kind, number in re.findall(r"^test_hc_([a-z])_(\d+)_", name)]
    for mark in getattr(function, "pytestmark", []):
        if mark.name == "parametrize":
            found += [value.split()[0] for value in mark.args[1] if str(value).startswith("HC-")]
    return found


def test_every_worked_case_is_covered() -> None:
    covered = set()
    for module in iter_modules(package.__path__):
        if module.name.startswith("test_"):
            names = vars(import_module(f"{package.__name__}.{module.name}"))
            covered |= {case for name, item in names.items() if name.startswith("test_") for case in ids_of(name, item)}
    assert covered == set(EXPECTED)
