"""What a verification finds: one answer for each check."""

from typing import Final, Literal, TypeAlias

from msgspec import Struct

Status: TypeAlias = Literal["pass", "fail", "unchecked"]

CHECKS: Final[dict[str, str]] = {
    "format": "The document is a record under rules that are known here.",
    "canonical": "Every envelope and every part is in canonical form.",
    "chain": "Every event follows its predecessor, from the table's genesis to the head.",
    "head": "The head is signed by the key of the record.",
    "commitment": "The secret is the one that was committed to before anybody sat down.",
    "seals": "Every seal opens to its part.",
    "commands": "Every command of the table was allowed.",
    "moves": "Every move was legal under the rules of the match.",
    "shuffles": "Every shuffle and draw follows from the secret and the client seeds.",
    "facts": "Everything recorded follows from the rules, and everybody was told exactly what they may know.",
    "result": "Seats, options, totals and places are those that follow.",
    "clock": "Times never go backwards.",
    "end": "The match ended, its secret was revealed, and nothing was played afterwards.",
    "inclusion": "The head is a leaf of the transparency log.",
}
"""Every check, in the order in which they are reported, with what it shows."""
UP_TO_A_VERSION: Final = (
    "canonical",
    "chain",
    "clock",
    "commitment",
    "seals",
    "commands",
    "moves",
    "shuffles",
    "facts",
)
"""The checks that can be made of the beginning of a match."""


class Check(Struct, frozen=True, gc=False, omit_defaults=True):
    """The result of one check."""

    name: str
    """What was checked; `CHECKS` says what each shows."""
    status: Status
    """`unchecked` if it could not be made, for the reason that is given."""
    version: int | None = None
    """The version at which it fails."""
    reason: str = ""
    """Why it failed or could not be made, for people."""
    rule: str | None = None
    """The rule that forbids a move."""


class Report(Struct, frozen=True, gc=False):
    """All checks of one record."""

    table: str | None
    rules: str | None
    checks: tuple[Check, ...]

    @property
    def ok(self) -> bool:
        """Whether every check passed."""
        return all(check.status == "pass" for check in self.checks)


class Findings:
    """Collects answers; a check that has failed keeps its first failure."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._checks: dict[str, Check] = {name: _not_reached(name) for name in names}

    def passed(self, *names: str) -> None:
        """Note that checks pass, unless they have failed."""
        for name in names:
            if self._checks[name].status != "fail":
                self._checks[name] = Check(name, "pass")

    def failed(self, name: str, reason: str, version: int | None = None, rule: str | None = None) -> None:
        """Note the first failure of a check."""
        if self._checks[name].status != "fail":
            self._checks[name] = Check(name, "fail", version, reason, rule)

    def unchecked(self, name: str, reason: str) -> None:
        """Note why a check could not be made."""
        if self._checks[name].status == "unchecked":
            self._checks[name] = Check(name, "unchecked", reason=reason)

    def expect(self, name: str) -> None:
        """Add a check that not every record is put to."""
        self._checks.setdefault(name, _not_reached(name))

    def add(self, check: Check) -> None:
        """Add the answer of a check that is made at once."""
        self._checks[check.name] = check

    def all(self) -> tuple[Check, ...]:
        """Return the answers in order."""
        return tuple(self._checks.values())


def _not_reached(name: str) -> Check:
    return Check(name, "unchecked", reason="not reached")
