"""Cards that a viewer may not know change nothing of what he is sent: another distribution looks the same."""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from random import Random
from typing import Any, Final, NamedTuple

from domain.cards import Card
from domain.decider import Rejection, Seat, view_of
from tests.conformance.matches import ExchangedChance, Match, Step, WatchedChance
from tests.conformance.wire import canonical, shown_facts, view_parts

REFUSALS_MAX: Final = 100
"""Candidates that are tried for a seat in one position."""
ACCEPTED_MAX: Final = 6
"""Accepted moves of a seat that are followed up in one position."""
SAMPLES: Final = 4
"""Of them, moves made by `Game.players.sample`, which always are accepted."""


class Told(NamedTuple):
    """A state and the facts of one move in it."""

    state: Any
    facts: Sequence[Any]


def check_hidden_cards_change_nothing(match: Match, positions: int) -> None:
    """Another distribution of the hidden cards changes no byte of a view, no refusal, and nothing of what
    is told of moves before it shows cards."""
    rng = match.rng("permutations")
    for words, state in match.positions(positions, "permutations"):
        tried = {seat: _tried(match, state, seat, rng) for seat in range(match.seats)}
        for viewer in match.viewers:
            other = match.hooks.other_distribution(match.game, state, viewer, rng)
            where = f"{words} viewer {viewer} could tell from {canonical(other)!r}"
            one, two = _views(match, state, viewer), _views(match, other, viewer)
            differing = [f"{part}: {one[part]!r} or {two[part]!r}" for part in one if one[part] != two[part]]
            assert not differing, f"{where}, which differs in {differing}"
            same = set(match.hooks.hidden_from(state, viewer)) == set(match.hooks.hidden_from(other, viewer))
            assert same, f"{where}, since zones() hides other cards from this viewer there"
            for seat, moves in tried.items():
                if seat == viewer:
                    _compare_own_moves(match, state, other, viewer, moves, where)
                elif seat in match.game.decider.to_act(state):
                    _compare_others_moves(
                        match, state, other, viewer, seat, [*moves, *_made(match, other, seat, rng)], where
                    )


def check_hidden_cards_are_exchanged(matches: Sequence[Match], positions: int) -> None:
    """In some of these matches there is another distribution for every viewer: else nothing was compared."""
    idle = {viewer for match in matches for viewer in match.viewers}
    for match in matches:
        rng = match.rng("permutations")
        for _, state in match.positions(positions, "permutations"):
            idle -= {
                viewer
                for viewer in idle.intersection(match.viewers)
                if match.hooks.other_distribution(match.game, state, viewer, rng) != state
            }
    assert not idle, f"no hidden card ever changes its place for viewers {sorted(idle, key=str)}: look at zones()"


def check_deals_tell_only_ones_own_cards(match: Match, positions: int) -> None:
    """A deal or reshuffle in which cards changed places that stay hidden from a viewer looks the same to him."""
    rng = match.rng("deals")
    dealt = 0
    for step in match.steps:
        chance = WatchedChance(match.key)
        match.decided(step, chance)
        for number, order in enumerate(chance.orders):
            dealt += 1
            after = _state_after(step, order)
            for viewer in match.viewers:
                hidden = [card for card in match.hooks.hidden_from(after, viewer) if card in order]
                instead = dict(zip(hidden, rng.sample(hidden, len(hidden)), strict=True))
                other = match.decided(step, ExchangedChance(match.chance, number, instead))
                where = match.at(step, f"viewer {viewer} could tell from {other}")
                _compare(match, Told(step.before, step.facts), Told(step.before, other), viewer, where)
    assert dealt, match.at(None, "nothing was dealt: decide and start have to ask chance.shuffle for every order")


def _state_after(step: Step, order: tuple[Card, ...]) -> Any:
    """Return the state right after the fact that records this order: the event may go on, to another deal even."""
    for fact, state in zip(step.facts, step.states, strict=True):
        if order in [getattr(fact, name) for name in fact.__struct_fields__]:
            return state
    return step.after


def _tried(match: Match, state: Any, seat: Seat, rng: Random) -> list[Any]:
    """Return moves for a seat to try: some that are accepted, if it is to act, and some candidates."""
    candidates = list(match.hooks.candidates(state, seat))
    return [*_made(match, state, seat, rng), *rng.sample(candidates, min(len(candidates), REFUSALS_MAX))]


def _made(match: Match, state: Any, seat: Seat, rng: Random) -> Iterator[Any]:
    if seat in match.game.decider.to_act(state):
        view = view_of(match.game, state, seat)
        yield from (match.game.players.sample(view, rng.randrange) for _ in range(SAMPLES))


def _compare_own_moves(match: Match, state: Any, other: Any, viewer: Seat, moves: Sequence[Any], where: str) -> None:
    """The viewer's own moves are refused alike, or accepted alike and told to him alike at first."""
    accepted = 0
    for move in moves:
        one, two = (match.game.decider.decide(each, viewer, move, match.chance) for each in (state, other))
        if isinstance(one, Rejection) or isinstance(two, Rejection):
            assert canonical(one) == canonical(two), f"{where}: {move} gives {one} or {two}"
        elif accepted < ACCEPTED_MAX:
            accepted += 1
            _compare(match, Told(state, one), Told(other, two), viewer, f"{where}: own move {move}")


def _compare_others_moves(
    match: Match, state: Any, other: Any, viewer: Seat | None, seat: Seat, moves: Sequence[Any], where: str
) -> None:
    """Moves of another seat that show the same look the same, whichever distribution is true."""
    looks: dict[bytes, Told] = {}
    for each in (state, other):
        accepted = 0
        for move in moves:
            facts = match.game.decider.decide(each, seat, move, match.chance)
            if isinstance(facts, Rejection):
                continue
            told = Told(each, facts)
            first = looks.setdefault(canonical(match.hooks.shown(move)), told)
            _compare(match, first, told, viewer, f"{where}: seat {seat} does {move}")
            accepted += 1
            if accepted == ACCEPTED_MAX:
                break


def _compare(match: Match, one: Told, two: Told, viewer: Seat | None, where: str) -> None:
    """What is told is equal up to the first fact that shows hidden cards; what follows that fact, and whether it
    happens at all, may depend on them. If all is equal, the views after it are equal too: they depend on nothing but
    what was told."""
    if one is two:
        return
    told = [shown_facts(match.game, each.facts, viewer) for each in (one, two)]
    for index, (first, second) in enumerate(zip_longest(*told)):
        facts = [each.facts[index] for each in (one, two) if index < len(each.facts)]
        revealed = any(match.hooks.may_reveal(fact, viewer) for fact in facts)
        if first != second:
            kinds = " or ".join(dict.fromkeys(type(fact).__name__ for fact in facts))
            assert revealed, f"{where}: told {first!r} or {second!r}, but {kinds} is not among FACTS_THAT_REVEAL"
            return
        if revealed and len(told[0]) != len(told[1]):
            return
    after = [_views(match, _folded(match, *each), viewer) for each in (one, two)]
    assert after[0] == after[1], f"{where}: views after it are {after[0]} or {after[1]}"


def _folded(match: Match, state: Any, facts: Sequence[Any]) -> Any:
    for fact in facts:
        state = match.game.decider.evolve(state, fact)
    return state


def _views(match: Match, state: Any, viewer: Seat | None) -> dict[str, bytes]:
    return view_parts(match.game, state, viewer)
