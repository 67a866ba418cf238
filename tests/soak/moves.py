"""Moves from `legal` alone, as a client makes them that knows the contract and no rules."""

from collections.abc import Sequence
from random import Random
from typing import Any, Final, TypeAlias

Move: TypeAlias = dict[str, Any]
_FORWARD: Final = frozenset({"lay", "lay_off", "draw_stock"})
"""Kinds that bring a match to its end."""
_FORWARD_OFTEN: Final = 0.8


def new_table(rng: Random, people: int) -> Move:
    """Return the body for a new table of a short match, with bots in all seats after those of `people`."""
    game = rng.choice(("hearts", "herzeln", "romme", "von_herzen"))
    seats = rng.randint(3, 4)
    body: Move = {"game": game, "bots": list(range(people, seats))}
    match game:
        case "hearts":
            body["options"] = {"players": seats, "target_score": rng.choice((1, 20))}
        case "herzeln":
            body["options"] = {"players": seats}
        case "romme":
            body |= {"seats": seats, "options": {"rounds": rng.randint(1, 2)}}
        case "von_herzen":
            body["options"] = {"players": seats, "complete_rounds": 1}
    return body


def choose(legal: Sequence[dict[str, Any]], rng: Random) -> Move:
    """Return a move that `legal` allows."""
    moves = [move for entry in legal if (move := _one_of(entry, rng)) is not None]
    forward = [move for move in moves if move["type"] in _FORWARD]
    return rng.choice(forward if forward and rng.random() < _FORWARD_OFTEN else moves)


def _one_of(entry: dict[str, Any], rng: Random) -> Move | None:
    """Return a move of one kind; None if there is none that a client can make without knowing rules."""
    kind = entry["type"]
    match entry:
        case {"type": "lay"}:
            return _lay(entry, rng)
        case {"type": "lay_off", "places": [*places]}:
            return _lay_off(entry, places, rng)
        case {"placements": [*placements]}:
            place = rng.choice(placements)
            return {"type": kind, "card": place["card"], "end": rng.choice(place["ends"])}
        case {"swaps": [*swaps]}:
            return {"type": kind, **rng.choice(swaps)}
        case {"cards": [*cards], "count": count}:
            return {"type": kind, "cards": rng.sample(cards, count)}
        case {"cards": [*cards], "least": least, "most": most}:
            return {"type": kind, "cards": rng.sample(cards, rng.randint(least, most))}
        case {"cards": [*cards]}:
            return {"type": kind, "card": rng.choice(cards)}
        case _:
            return {"type": kind}


def _lay(entry: dict[str, Any], rng: Random) -> Move | None:
    if "need" not in entry:  # runs of Von Herzen
        return {"type": "lay", "cards": rng.choice(entry["melds"])}
    if entry["drafted"]:
        return {"type": "lay"}
    if entry["best"]:
        return {"type": "lay", "melds": [reading["meld"] for reading in entry["best"]]}
    return {"type": "lay", "melds": [rng.choice(entry["alone"])["meld"]]} if entry["alone"] else None


def _lay_off(entry: dict[str, Any], places: Sequence[dict[str, Any]], rng: Random) -> Move | None:
    if together := entry.get("together"):
        whole: Move = rng.choice(together)
        return whole
    if not places:
        return None
    place = {name: value for name, value in rng.choice(places).items() if value is not None}
    if "run" in place:  # Von Herzen
        return {"type": "lay_off", **place}
    card = {name: place[name] for name in ("card", "as") if name in place}
    return {"type": "lay_off", "cards": [card]} | {name: place[name] for name in ("meld", "end") if name in place}
