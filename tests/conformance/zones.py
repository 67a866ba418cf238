"""Where the cards of a round are and who knows it: what a game declares, and what follows from it."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, Final, TypeAlias

from msgspec import Struct, structs

from domain.cards import CANONICAL, Card
from domain.decider import Seat

EVERYBODY: Final = None
"""As `Zone.known_to`: the cards lie open, or everybody was shown them."""


class Zone(Struct, frozen=True):
    """Cards that the same viewers know the place of.

    A hand of which others know some cards is two zones: `Zone(taken, EVERYBODY)`, `Zone(others, (seat,))`.
    """

    cards: Iterable[Card]
    known_to: tuple[Seat, ...] | None
    """Seats that were shown where these cards are; none for a stock, `EVERYBODY` for what lies open."""

    def hidden_from(self, viewer: Seat | None) -> bool:
        """Whether a seat (None: a spectator) was never shown them."""
        return self.known_to is not None and viewer not in self.known_to


Zones: TypeAlias = Sequence[Zone]


def cards_in(zones: Zones) -> list[Card]:
    """Return every card of the round."""
    return [card for zone in zones for card in zone.cards]


def hidden_cards(zones: Zones, viewer: Seat | None) -> list[Card]:
    """Return the cards whose place a seat, or a spectator, was never shown."""
    return [card for zone in zones if zone.hidden_from(viewer) for card in zone.cards]


def exchanged(
    state: Any, hidden: Sequence[Card], hands: Sequence[tuple[Card, ...]], left_out: Iterable[str], rng: Random
) -> Any:
    """Return the state with the hidden cards in each other's places, wherever it names them.

    A hand that was in canonical order is put in it again. Fields whose name is in `left_out` stay as they are.
    """
    instead = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
    in_order = {hand for hand in hands if list(hand) == sorted(hand, key=_canonical)}
    return _replaced(state, instead, in_order, frozenset(left_out))


def _replaced(value: Any, instead: dict[Card, Card], in_order: set[Any], left_out: frozenset[str]) -> Any:
    if isinstance(value, str):
        return instead.get(value, value)
    if isinstance(value, tuple):
        changed = tuple(_replaced(item, instead, in_order, left_out) for item in value)
        return tuple(sorted(changed, key=_canonical)) if changed != value and value in in_order else changed
    if isinstance(value, Struct):
        fields = {name: getattr(value, name) for name in value.__struct_fields__ if name not in left_out}
        changes = {name: _replaced(item, instead, in_order, left_out) for name, item in fields.items()}
        return structs.replace(value, **{name: item for name, item in changes.items() if item is not fields[name]})
    return value


def _canonical(card: Card) -> tuple[int, str]:
    return CANONICAL.get(card[:2], len(CANONICAL)), card[2:]
