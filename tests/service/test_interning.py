"""Cards of decoded states are shared, and nothing else changes."""

import sys
from typing import Any

import pytest
from msgspec import json

from domain.registry import CURRENT
from service.tables.interning import interned_cards
from service.tables.live_table import fold
from tests.bench.games import options_of
from tests.bench.streams import generate


def strings(value: Any) -> dict[int, str]:
    """Every string object in a value, by identity."""
    if isinstance(value, str):
        return {id(value): value}
    items = value if isinstance(value, tuple) else [getattr(value, n) for n in getattr(value, "__struct_fields__", ())]
    return {key: text for item in items for key, text in strings(item).items()}


@pytest.mark.parametrize("key", sorted(CURRENT))
def test_a_state_stays_equal_and_has_each_card_once(key: str) -> None:
    game = CURRENT[key]
    stream = generate(game, 3, options=options_of(key), most=60)
    play = fold(stream.id, stream.secret, stream.rows).state.game_state
    decoded = json.decode(json.encode(play), type=game.types.state)
    shared, again = interned_cards(decoded), interned_cards(json.decode(json.encode(play), type=game.types.state))
    assert shared == decoded == play
    cards = [text for text in strings(shared).values() if "#" in text or (len(text) == 2 and text.isupper())]
    assert cards, "the state names no cards after 60 events"
    assert len(cards) == len(set(cards))
    assert {id(card) for card in cards} <= strings(again).keys()
    assert sum(map(sys.getsizeof, strings(shared).values())) <= sum(map(sys.getsizeof, strings(decoded).values()))
