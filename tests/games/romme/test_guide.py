"""The check of a selection that the guide for clients has, against the rules."""

import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

from domain.games.romme import melds
from domain.games.romme.deck import DECK, FACE
from domain.games.romme.model import RommeMeld, RommeReading

GUIDE: Final = Path(__file__).parents[3] / "openapi" / "README.md"
SECTION: Final = "## Check a selection of cards on the device"
Found = list[tuple[str, int, tuple[str, ...]]]


def _of_the_guide() -> Callable[..., list[Any]]:
    section = GUIDE.read_text().split(SECTION)[1]
    code = re.search(r"```python\n(.*?)\n\n\nprint", section, re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1], names)  # noqa: S102 - what the guide tells its readers to run
    told: Callable[..., list[Any]] = names["readings"]
    return told


def _ours(found: Sequence[RommeReading]) -> Found:
    return sorted(
        (one.kind, one.points, tuple(sorted(card.face for card in one.meld.cards if card.face))) for one in found
    )


def _theirs(found: Sequence[Any]) -> Found:
    return sorted((kind, points, tuple(sorted(faces))) for kind, points, faces in found)


def _selection(rng: random.Random) -> tuple[str, ...]:
    """Return cards of which many are close to a meld."""
    cards = DECK
    kind = rng.random()
    if kind < 0.4:
        suit = rng.choice("CSHD")
        cards = tuple(card for card in cards if card[1] == suit or card not in FACE)
    elif kind < 0.8:
        rank = rng.choice("A23456789TJQK")
        cards = tuple(card for card in cards if card[0] == rank or card not in FACE)
    return tuple(rng.sample(cards, min(len(cards), rng.choice((1, 2, 3, 3, 3, 4, 4, 5, 6, 9, 13)))))


def test_what_the_guide_calls_a_meld_is_one_by_the_rules() -> None:
    told, rng, any_found = _of_the_guide(), random.Random(15), 0
    for _ in range(20_000):
        cards = _selection(rng)
        found = _ours(melds.readings(cards))
        assert _theirs(told(cards)) == found, cards
        any_found += bool(found)
    assert any_found > 2000


def test_what_the_guide_adds_to_a_meld_the_rules_add() -> None:
    told, rng, any_found, on_table = _of_the_guide(), random.Random(16), 0, 0
    while on_table < 5000:
        first = melds.readings(_selection(rng))
        if not first:
            continue
        on_table += 1
        chosen = rng.choice(first)
        shape = melds.check_meld(chosen.meld.cards, chosen.meld.end)
        assert isinstance(shape, melds.RommeShape)
        meld = RommeMeld("m1", 0, shape.kind, shape.slots, shape.points)
        slots = msgspec.to_builtins(meld)["slots"]
        free = [card for card in DECK if card not in {slot.card for slot in meld.slots}]
        same = 1 if shape.kind == "run" else 0
        near = [card for card in free if card not in FACE or card[same] == shape.slots[0].face[same]]
        cards = tuple(rng.sample(near, rng.choice((1, 1, 1, 2, 3))))
        found = _ours(melds.extensions(meld, cards))
        assert _theirs(told(cards, slots)) == found, (slots, cards)
        any_found += bool(found)
    assert any_found > 500
