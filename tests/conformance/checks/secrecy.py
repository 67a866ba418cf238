"""Nobody is sent anything that depends on cards he may not know."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from domain.cards import Card
from domain.decider import Seat
from tests.conformance.matches import Match
from tests.conformance.wire import canonical, shown_facts, view_parts

_CARD: Final = re.compile(rb"[2-9TJQKA][CSHD](?:#\d)?|JK#\d")


def check_no_view_names_a_hidden_card(match: Match, positions: int) -> None:
    """No part of a view has a hidden card in it, as text, place in the pack or bit."""
    for words, state in match.positions(positions, "hidden cards"):
        for viewer in match.viewers:
            hidden = frozenset(match.hooks.hidden_from(state, viewer))
            places = _hidden_places(match, state, viewer, hidden)
            for part, data in view_parts(match.game, state, viewer).items():
                where = f"{words} {part} for viewer {viewer}: {data!r}"
                value = json.loads(data)
                if part == "board":
                    value = {key: item for key, item in value.items() if key not in match.hooks.history}
                _assert_hidden(canonical(value), hidden, where)
                _assert_not_coded(value, places, match.chance.packs, where)


def check_no_fact_names_a_hidden_card(match: Match, positions: int) -> None:
    """What a viewer is told of a fact has no card in it that is hidden from him after the fact."""
    for step in match.steps:
        for index, state in enumerate(step.states):
            for viewer in match.viewers:
                hidden = frozenset(match.hooks.hidden_from(state, viewer))
                (told,) = shown_facts(match.game, step.facts[index : index + 1], viewer)
                _assert_hidden(told, hidden, match.at(step, f"fact {index} for viewer {viewer}: {told!r}"))


def check_no_hand_is_hidden_from_its_owner(match: Match, positions: int) -> None:
    """The zones agree with the hands: nobody's own cards are hidden from him."""
    for words, state in match.positions(positions, "zones"):
        for viewer in range(match.seats):
            own = {*match.hooks.hidden_from(state, viewer)} & {*match.game.views.hand(state, viewer)}
            assert not own, f"{words} zones() hide {own} from seat {viewer}, which holds them"


def check_every_hand_is_hidden(matches: Sequence[Match], positions: int) -> None:
    """In some of these matches cards of every seat are hidden from everybody else: else nothing was looked for."""
    unseen = {(viewer, seat) for match in matches for viewer in match.viewers for seat in range(match.seats)}
    unseen -= {(seat, seat) for _, seat in unseen}
    for match in matches:
        for _, state in match.positions(positions, "zones"):
            for viewer in match.viewers:
                hidden = {*match.hooks.hidden_from(state, viewer)}
                unseen -= {
                    (viewer, seat) for seat in range(match.seats) if hidden & {*match.game.views.hand(state, seat)}
                }
    assert not unseen, f"zones() never hide from (viewer) the hand of (seat): {sorted(unseen, key=str)}"


def _assert_hidden(data: bytes, hidden: frozenset[Card], where: str) -> None:
    named = hidden.intersection(found.decode() for found in _CARD.findall(data))
    assert not named, f"hidden cards {sorted(named)} in {where}"


def _hidden_places(match: Match, state: Any, viewer: Seat | None, hidden: frozenset[Card]) -> list[list[Card]]:
    """Return the hidden cards of each hand, and those that are in no hand."""
    hands = [[card for card in match.game.views.hand(state, seat) if card in hidden] for seat in range(match.seats)]
    rest = hidden.difference(*hands)
    return [place for place in (*hands, list(rest)) if len(place) > 1]


def _assert_not_coded(value: Any, places: list[list[Card]], packs: dict[int, tuple[Card, ...]], where: str) -> None:
    pack = {card: place for place, card in enumerate(packs[max(packs)])}
    lists = {tuple(sorted(pack[card] for card in place)) for place in places if len(place) > 2}
    masks = {sum(1 << pack[card] for card in place) for place in places}
    hidden = {card.casefold() for place in places for card in place}
    for text in _leaves(value, str):
        assert text.casefold() not in hidden, f"hidden card {text} in {where}"
    for number in _leaves(value, int):
        assert number not in masks or number < 1 << 12, f"hidden cards as bits {number} in {where}"
    for numbers in _lists(value):
        if all(type(number) is int for number in numbers):
            assert tuple(sorted(numbers)) not in lists, f"hidden cards as places {numbers} in {where}"


def _leaves(value: Any, kind: type) -> Iterator[Any]:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _leaves(item, kind)
    elif type(value) is kind:
        yield value


def _lists(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, dict | list):
        if isinstance(value, list):
            yield value
        for item in value.values() if isinstance(value, dict) else value:
            yield from _lists(item)
