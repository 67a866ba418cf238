"""Playing whole matches of Von Herzen in tests: players, stacked chance, and a match as its facts."""

import hashlib
from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import TypeAlias

from domain.decider import Rejection, SeatView, view_of
from domain.fairness import MatchChance
from domain.games.von_herzen import VON_HERZEN_1
from domain.games.von_herzen.facts import VonHerzenFact
from domain.games.von_herzen.model import VonHerzenBoard, VonHerzenOptions, VonHerzenPrivate, VonHerzenState
from domain.games.von_herzen.moves import VonHerzenLegal, VonHerzenMove

GAME = VON_HERZEN_1

View: TypeAlias = SeatView[VonHerzenOptions, VonHerzenBoard, VonHerzenPrivate, VonHerzenLegal]
Player: TypeAlias = Callable[[View, Random], VonHerzenMove]


def chance_of(seed: int) -> MatchChance:
    """Return the chance of a match that follows from a number."""
    return MatchChance(hashlib.sha256(f"von herzen {seed}".encode()).digest())


def options_of(players: int, **others: object) -> VonHerzenOptions:
    """Return the options of a table; those not named have their defaults."""
    options = GAME.options.parse({"players": players, **others}, None)
    assert isinstance(options, VonHerzenOptions), options
    return options


def careless(view: View, rng: Random) -> VonHerzenMove:
    """Any listed move."""
    return GAME.players.sample(view, rng.randrange)


def sensible(view: View, rng: Random) -> VonHerzenMove:
    """The game's own computer player."""
    return GAME.players.bot(view, rng.getrandbits(63))


def started(options: VonHerzenOptions, seed: int) -> tuple[VonHerzenState, list[VonHerzenFact]]:
    """Return the state after the first deal, and the facts that led to it."""
    state = GAME.decider.new(options, options.players)
    facts = list(GAME.decider.start(state, chance_of(seed)))
    for fact in facts:
        state = GAME.decider.evolve(state, fact)
    return state, facts


Step: TypeAlias = tuple[VonHerzenState, int, VonHerzenMove, tuple[VonHerzenFact, ...], VonHerzenState]
"""State before, seat, move, facts, state after."""


def steps(options: VonHerzenOptions, seed: int, players: Mapping[int, Player], other: Player) -> Iterator[Step]:
    """Play a match: `players` by seat, `other` everywhere else."""
    rng = Random(seed)
    chance = chance_of(seed)
    state, _ = started(options, seed)
    while GAME.decider.outcome(state) is None:
        (seat,) = GAME.decider.to_act(state)
        move = players.get(seat, other)(view_of(GAME, state, seat), rng)
        facts = GAME.decider.decide(state, seat, move, chance)
        assert not isinstance(facts, Rejection), (seed, move, facts)
        before = state
        for fact in facts:
            state = GAME.decider.evolve(state, fact)
        yield before, seat, move, facts, state
