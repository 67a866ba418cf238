"""Whole matches of Rommé for the tests, reproducible from a seed."""

from collections.abc import Callable, Iterator
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple

from domain.decider import OptionProblem, Rejection, Seat, view_of
from domain.fairness import MatchChance
from domain.games.romme import ROMME_1
from domain.games.romme.facts import RommeFact
from domain.games.romme.model import RommeState
from domain.games.romme.moves import RommeMove
from domain.games.romme.rules import timeout_move

EVENTS_MAX = 12_000


class Event(NamedTuple):
    """One command: who did what, the facts, and the state after each."""

    seat: Seat | None
    move: RommeMove | None
    facts: tuple[RommeFact, ...]
    states: tuple[RommeState, ...]


Chooser = Callable[[RommeState, Seat, Random], RommeMove]


def by_bots(state: RommeState, seat: Seat, rng: Random) -> RommeMove:
    """A bot's move."""
    move: RommeMove = ROMME_1.players.bot(view_of(ROMME_1, state, seat), rng.randrange(2**63))
    return move


def at_random(state: RommeState, seat: Seat, rng: Random) -> RommeMove:
    """Any listed move."""
    move: RommeMove = ROMME_1.players.sample(view_of(ROMME_1, state, seat), rng.randrange)
    return move


def absent(state: RommeState, seat: Seat, rng: Random) -> RommeMove:
    """The move for an absent player."""
    return timeout_move(state, seat)


def events(raw: dict[str, object], seats: int, seed: int, choose: Chooser) -> Iterator[Event]:
    """Play a match and yield its events."""
    options = ROMME_1.options.parse(raw, seats)
    assert not isinstance(options, OptionProblem), raw
    chance = MatchChance(sha256(f"{raw} {seats} {seed}".encode()).digest())
    rng, lobby = Random(seed), ROMME_1.lobby
    assert lobby is not None
    state: RommeState = ROMME_1.decider.new(options, seats)
    for _ in range(EVENTS_MAX):
        seat, move, facts = None, None, None
        if ROMME_1.decider.to_act(state):
            (seat,) = ROMME_1.decider.to_act(state)
            move = choose(state, seat, rng)
            facts = ROMME_1.decider.decide(state, seat, move, chance)
            assert not isinstance(facts, Rejection), f"seed {seed}: {move} gives {facts}"
        else:
            facts = lobby.start_round(state, chance)
        states = _states(state, facts)
        yield Event(seat, move, facts, states)
        state = states[-1]
        if ROMME_1.decider.outcome(state) is not None:
            return
    raise AssertionError(f"seed {seed}: no end after {EVENTS_MAX} events")


def _states(state: RommeState, facts: tuple[Any, ...]) -> tuple[RommeState, ...]:
    states = []
    for fact in facts:
        state = ROMME_1.decider.evolve(state, fact)
        states.append(state)
    return tuple(states)
