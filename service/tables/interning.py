"""Cards in memory, each only once.

Decoding makes a new string of every card that it reads. A table in memory has hundreds of them, and with
thousands of tables they are what fills the memory of a process.
"""

from typing import Any, Final

from msgspec import Struct, structs

from domain.cards import Card, pack

_CARDS: Final[dict[Card, Card]] = {card: card for card in (*pack(), *pack(packs=2, jokers=6))}


def interned_cards(value: Any) -> Any:
    """Return an equal value (structs, tuples and what they hold) whose cards are the strings that all share."""
    match value:
        case str():
            return _CARDS.get(value, value)
        case tuple():
            return tuple([interned_cards(item) for item in value])
        case Struct():
            found = {name: getattr(value, name) for name in value.__struct_fields__}
            shared = {name: interned_cards(item) for name, item in found.items()}
            return structs.replace(value, **{name: item for name, item in shared.items() if item is not found[name]})
        case _:
            return value
