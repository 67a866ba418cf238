"""Old shapes of stored events of Rommé: for each older format the function that lifts it to the next one."""

from typing import Any, Final

from domain.decider import Lift


def _from_1(envelope: dict[str, Any], parts: list[Any]) -> tuple[dict[str, Any], list[Any]]:
    """Whoever laid a meld was its `seat`; it is its `owner`."""
    for fact in envelope["public"].get("game", ()):
        if fact["type"] == "melds_laid":
            fact["melds"] = [_owned(meld) for meld in fact["melds"]]
    return {**envelope, "format": 2}, parts


def _owned(meld: dict[str, Any]) -> dict[str, Any]:
    if "owner" in meld:
        raise ValueError("a meld of format 1 has no owner")
    return {"owner" if name == "seat" else name: value for name, value in meld.items()}


LIFTS: Final[dict[int, Lift]] = {1: _from_1}
