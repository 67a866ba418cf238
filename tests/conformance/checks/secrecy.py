"""Nobody is sent anything that depends on cards he may not know."""

import json
import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final

from domain.cards import Card
from domain.decider import Rejection, Seat
from tests.conformance.matches import ExchangedChance, Match, WatchedChance
from tests.conformance.wire import canonical, shown_facts, view_parts

_CARD: Final = re.compile(rb"[2-9TJQKA][CSHD](?:#\d)?|JK#\d")
REFUSALS_MAX: Final = 100
"""Moves of the viewer himself that are tried in one position."""
MOVES_MAX: Final = 8
"""Accepted moves of one seat that are tried in one position."""


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


def check_hidden_cards_change_nothing(match: Match, positions: int) -> None:
    """Another distribution of the hidden cards changes no byte of a view and no refusal."""
    rng = match.rng("permutations")
    exchanged = dict.fromkeys(match.viewers, False)
    for words, state in match.positions(positions, "permutations"):
        for viewer in match.viewers:
            other = match.hooks.permute_hidden(state, viewer, rng)
            where = f"{words} viewer {viewer} could tell from {canonical(other)!r}"
            exchanged[viewer] |= other != state
            assert _views(match, state, viewer) == _views(match, other, viewer), where
            assert set(match.hooks.hidden_from(state, viewer)) == set(match.hooks.hidden_from(other, viewer)), where
            if viewer is not None:
                _compare_refusals(match, state, other, viewer, rng, where)
            _compare_others_moves(match, state, other, viewer, rng, where)
    assert all(exchanged.values()), match.at(None, f"permute_hidden never exchanges anything: {exchanged}")


def check_deals_tell_only_ones_own_cards(match: Match, positions: int) -> None:
    """A deal or reshuffle in which cards changed places that stay hidden from a viewer looks the same to him."""
    rng = match.rng("deals")
    dealt = 0
    for step in match.steps:
        chance = WatchedChance(match.key)
        match.decided(step, chance)
        for pack in chance.shuffled:
            dealt += 1
            for viewer in match.viewers:
                hidden = [card for card in match.hooks.hidden_from(step.after, viewer) if card in pack]
                instead = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
                other = match.decided(step, ExchangedChance(match.chance, instead))
                where = match.at(step, f"viewer {viewer} could tell from {other}")
                _compare_told(match, (step.before, step.facts), (step.before, other), viewer, where)
    assert dealt, match.at(None, "nothing was dealt")


def check_hidden_cards_are_known_to_the_suite(match: Match, positions: int) -> None:
    """The hooks agree: what is hidden is in play and not in one's own hand, and every hand is hidden once."""
    unseen = {(viewer, seat) for viewer in match.viewers for seat in range(match.seats) if viewer != seat}
    for words, state in match.positions(positions, "hooks"):
        for viewer in match.viewers:
            hidden = set(match.hooks.hidden_from(state, viewer))
            assert hidden <= set(match.hooks.cards_in_play(state)), f"{words} hidden but not in play"
            if viewer is not None:
                assert not hidden & set(match.game.hand(state, viewer)), f"{words} hidden in one's own hand"
            for seat in range(match.seats):
                if hidden & set(match.game.hand(state, seat)):
                    unseen.discard((viewer, seat))
    assert not unseen, match.at(None, f"hidden_from never hides these hands: {unseen}")


def _views(match: Match, state: Any, viewer: Seat | None) -> dict[str, bytes]:
    return view_parts(match.game, state, viewer)


def _assert_hidden(data: bytes, hidden: frozenset[Card], where: str) -> None:
    named = hidden.intersection(found.decode() for found in _CARD.findall(data))
    assert not named, f"hidden cards {sorted(named)} in {where}"


def _hidden_places(match: Match, state: Any, viewer: Seat | None, hidden: frozenset[Card]) -> list[list[Card]]:
    """Return the hidden cards of each hand, and those that are in no hand."""
    hands = [[card for card in match.game.hand(state, seat) if card in hidden] for seat in range(match.seats)]
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


def _compare_refusals(match: Match, state: Any, other: Any, viewer: Seat, rng: Random, where: str) -> None:
    """The viewer's own moves are refused alike, or accepted alike and shown to him alike at first."""
    moves = list(match.hooks.candidates(state, viewer))
    for move in rng.sample(moves, min(len(moves), REFUSALS_MAX)):
        one, two = (match.game.decide(each, viewer, move, match.chance) for each in (state, other))
        refused = isinstance(one, Rejection) or isinstance(two, Rejection)
        assert not refused or canonical(one) == canonical(two), f"{where}: {move} gives {one} or {two}"
        if not isinstance(one, Rejection) and not isinstance(two, Rejection):
            _compare_told(match, (state, one), (other, two), viewer, f"{where}: own move {move}")


def _compare_others_moves(match: Match, state: Any, other: Any, viewer: Seat | None, rng: Random, where: str) -> None:
    """Moves of others that show the same look the same to the viewer, whichever distribution is true."""
    for seat in match.game.to_act(state):
        if seat == viewer:
            continue
        looks: dict[bytes, tuple[Any, Sequence[Any]]] = {}
        for each in (state, other):
            moves = list(match.hooks.candidates(each, seat))
            accepted = 0
            for move in rng.sample(moves, len(moves)):
                facts = match.game.decide(each, seat, move, match.chance)
                if isinstance(facts, Rejection):
                    continue
                first = looks.setdefault(canonical(match.hooks.shown(move)), (each, facts))
                _compare_told(match, first, (each, facts), viewer, f"{where}: seat {seat} does {move}")
                accepted += 1
                if accepted == MOVES_MAX:
                    break


def _compare_told(
    match: Match, one: tuple[Any, Sequence[Any]], two: tuple[Any, Sequence[Any]], viewer: Seat | None, where: str
) -> None:
    """What is told is equal up to the first fact that shows hidden cards. If all is equal, the views
    after it are equal too: they depend on nothing but what was told."""
    told = [shown_facts(match.game, facts, viewer) for _, facts in (one, two)]
    for index, (first, second) in enumerate(zip(*told, strict=False)):
        if first != second:
            assert match.hooks.may_reveal(one[1][index], viewer), f"{where}: told {first!r} or {second!r}"
            return
    assert len(told[0]) == len(told[1]), f"{where}: {len(told[0])} or {len(told[1])} facts"
    after = [_views(match, _folded(match, *each), viewer) for each in (one, two)]
    assert after[0] == after[1], f"{where}: views after it are {after[0]} or {after[1]}"


def _folded(match: Match, state: Any, facts: Sequence[Any]) -> Any:
    for fact in facts:
        state = match.game.evolve(state, fact)
    return state
