"""Whole matches, played from views as a client has them and reproducible from a seed."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from random import Random
from typing import Any, Final

from domain.cards import RANKS, SUITS, Card
from domain.decider import AnyGame, AnyPrivateStream, Chance, OptionProblem, Rejection, Seat, view_of
from domain.fairness import MatchChance
from tests.conformance.hooks import Hooks, OptionSet
from tests.conformance.wire import Wire, canonical

PLAYERS: Final = ("sample", "bot", "timeout", "mixed")
"""Who moves: `Game.players.sample`, `Game.players.bot`, `Game.players.timeout_move`, or by turns the first two."""
BOT_MOVES_MAX: Final = 150
"""Moves of bots in a mixed match, which are slow for some games."""


class WatchedChance:
    """Chance that follows from a key and remembers the pack of each round, and every order it gave."""

    def __init__(self, key: bytes) -> None:
        self._chance = MatchChance(key)
        self.packs: dict[int, tuple[Card, ...]] = {}
        self.orders: list[tuple[Card, ...]] = []

    def shuffle(self, round_number: int, shuffle_number: int, cards: Sequence[Card]) -> tuple[Card, ...]:
        canonical_order = sorted(set(cards), key=_canonical_place)
        assert list(cards) == canonical_order, f"chance.shuffle is given cards that are not in canonical order: {cards}"
        if shuffle_number == 0:
            self.packs[round_number] = tuple(cards)
        order = self._chance.shuffle(round_number, shuffle_number, cards)
        self.orders.append(order)
        return order

    def draw(self, name: str, n: int) -> int:
        return self._chance.draw(name, n)


class ExchangedChance:
    """Chance in whose shuffle `number` (from 0) some cards have changed places, as a viewer could not tell."""

    def __init__(self, chance: Chance, number: int, instead: Mapping[Card, Card]) -> None:
        self._chance = chance
        self._before = number
        self._instead = instead

    def shuffle(self, round_number: int, shuffle_number: int, cards: Sequence[Card]) -> tuple[Card, ...]:
        order = self._chance.shuffle(round_number, shuffle_number, cards)
        self._before -= 1
        return tuple(self._instead.get(card, card) for card in order) if self._before == -1 else order

    def draw(self, name: str, n: int) -> int:
        return self._chance.draw(name, n)


def _canonical_place(card: Card) -> tuple[int, int, str]:
    """Return where bw1 puts a card before shuffling: by suit, rank and pack, jokers last."""
    if card.startswith("JK#"):
        return len(SUITS), 0, card
    return SUITS.index(card[1]), RANKS.index(card[0]), card[2:]


@dataclass(frozen=True, slots=True)
class Step:
    """One event: what was asked for, the facts, and the state before it and after each fact."""

    version: int
    kind: str
    """`move`, or what the table did: `start`, `start_round`, `change_options`, `end_match`."""
    seat: Any
    """The seat, None if it was the table."""
    move: Any
    """The move of the seat, or the raw values of `change_options`."""
    facts: tuple[Any, ...]
    before: Any
    states: tuple[Any, ...]

    @property
    def after(self) -> Any:
        return self.states[-1] if self.states else self.before


@dataclass(frozen=True)
class Match:
    """A finished match and how it came about."""

    game: AnyGame
    hooks: Hooks
    options: OptionSet
    seats: int
    players: str
    seed: int
    key: bytes
    chance: WatchedChance
    steps: list[Step] = field(default_factory=list)

    @cached_property
    def wire(self) -> Wire:
        return Wire(self.game)

    @property
    def viewers(self) -> tuple[Seat | None, ...]:
        """All seats, and a spectator."""
        return (*range(self.seats), None)

    def rng(self, purpose: str) -> Random:
        """Return a source of choices for one purpose that follows from the seed."""
        return Random(f"{self.seed} {purpose}")

    def positions(self, limit: int, purpose: str) -> Iterator[tuple[str, Any]]:
        """Return states after up to `limit` steps, each with the words that name it: after the start, at
        the end, and others at random."""
        steps = len(self.steps)
        chosen = {0, steps - 1, *self.rng(purpose).sample(range(steps), min(max(0, limit - 2), steps))}
        for number in sorted(chosen):
            yield self.at(self.steps[number]), self.steps[number].after

    def decided(self, step: Step, chance: Chance) -> Any:
        """Return what follows from a step under this chance: its facts, under the chance of the match."""
        if step.kind == "move":
            return self.game.decider.decide(step.before, step.seat, step.move, chance)
        if step.kind == "start":
            return self.game.decider.start(step.before, chance)
        lobby = self.game.lobby
        assert lobby is not None, self.at(step, "no lobby")
        if step.kind == "start_round":
            return lobby.start_round(step.before, chance)
        return (
            lobby.end_match(step.before) if step.kind == "end_match" else lobby.change_options(step.before, step.move)
        )

    def at(self, step: Step | None, detail: object = "") -> str:
        """Return the words that name a step, and how to play this match again."""
        where = f" at version {step.version} ({step.kind}, seat {step.seat}, {step.move})" if step else ""
        return f"{self.name}{where} {detail}"

    @property
    def name(self) -> str:
        return f"{self.game.rules_id} options={self.options} players={self.players} seed={self.seed}:"


def play(game: AnyGame, hooks: Hooks, options: OptionSet, *, players: str, seed: int) -> Match:
    """Play a match to its end. AssertionError if it has none, or if a move built from a view is refused.

    What a function of the game raises goes on, with a note that names the match.
    """
    raw, asked = options
    parsed = game.options.parse(raw, asked)
    assert not isinstance(parsed, OptionProblem), f"{game.rules_id} refuses {raw}: {parsed}"
    seats = game.options.seat_count(parsed, asked)
    key = sha256(f"{game.rules_id} {raw} {asked} {players} {seed}".encode()).digest()
    match = Match(game, hooks, options, seats, players, seed, key, WatchedChance(key))
    try:
        _Play(match).to_the_end(game.decider.new(parsed, seats))
    except Exception as error:
        if match.name not in str(error):
            error.add_note(match.at(None, f"raised by a function of the game, after version {len(match.steps)}"))
        raise
    return match


class _Play:
    """The running match: the table's part in it, and the players'."""

    def __init__(self, match: Match) -> None:
        self.match = match
        self.game = match.game
        self.rng = match.rng("play")
        self.private_states = (
            [self.game.private_stream.new() for _ in range(match.seats)] if self.game.private_stream else []
        )
        self.made: Counter[str] = Counter()

    def to_the_end(self, state: Any) -> None:
        game = self.game
        assert game.decider.to_act(state) == (), self.match.at(None, "somebody acts before the start")
        assert game.decider.outcome(state) is None, self.match.at(None, "an outcome before the start")
        state = self._record("start", None, None, game.decider.start(state, self.match.chance), state)
        while game.decider.outcome(state) is None:
            most = self.match.hooks.events_max
            assert len(self.match.steps) < most, self.match.at(None, f"does not end in {most} events (EVENTS_MAX)")
            state = self._move(state) if game.decider.to_act(state) else self._between_rounds(state)

    def _record(self, kind: str, seat: Seat | None, move: Any, facts: Any, before: Any) -> Any:
        step = Step(len(self.match.steps) + 1, kind, seat, move, (), before, ())
        assert not isinstance(facts, Rejection | OptionProblem), self.match.at(step, f"refused: {facts}")
        assert isinstance(facts, tuple), self.match.at(step, f"facts are no tuple: {facts}")
        states = []
        state = before
        for fact in facts:
            state = self.game.decider.evolve(state, fact)
            states.append(state)
        self.match.steps.append(Step(step.version, kind, seat, move, facts, before, tuple(states)))
        return state

    def _move(self, state: Any) -> Any:
        seat = self.rng.choice(self.game.decider.to_act(state))
        if self.private_states:
            self._private_move(state, self.rng.randrange(self.match.seats))
        move = self.match.wire.move(canonical(self._choice(state, seat)))
        if self.game.private_stream:
            move = self._resolved(self.game.private_stream, state, seat, move)
        return self._record("move", seat, move, self.game.decider.decide(state, seat, move, self.match.chance), state)

    def _choice(self, state: Any, seat: Seat) -> Any:
        who = self.match.players
        if who == "timeout":
            return self.game.players.timeout_move(state, seat)
        view = self.match.wire.view(view_of(self.game, state, seat))
        if who == "bot" or (who == "mixed" and self.made["bot"] < BOT_MOVES_MAX and self.rng.random() < 0.5):
            self.made["bot"] += 1
            return self.game.players.bot(view, self.rng.randrange(2**63))
        return self.game.players.sample(view, self.rng.randrange)

    def _resolved(self, stream: AnyPrivateStream, state: Any, seat: Seat, move: Any) -> Any:
        """Return the move in full. Where the seat's private state stands against it, it is given up."""
        resolved = stream.resolve(state, seat, self.private_states[seat], move)
        if isinstance(resolved, Rejection):
            self.private_states[seat] = stream.new()
            resolved = stream.resolve(state, seat, self.private_states[seat], move)
        step = Step(len(self.match.steps) + 1, "move", seat, move, (), state, ())
        assert not isinstance(resolved, Rejection), self.match.at(step, f"not resolved: {resolved}")
        return self.match.wire.move(canonical(resolved))

    def _private_move(self, state: Any, seat: Seat) -> None:
        stream, offered = self.game.private_stream, self.match.hooks.private_moves
        assert stream is not None
        assert offered is not None, "a game with private streams needs the hook private_moves"
        moves = list(offered(state, seat, self.private_states[seat]))
        if not moves:
            return
        facts = stream.decide(state, seat, self.private_states[seat], self.rng.choice(moves))
        if isinstance(facts, Rejection):
            return
        for fact in facts:
            self.private_states[seat] = stream.evolve(self.private_states[seat], fact)

    def _between_rounds(self, state: Any) -> Any:
        lobby = self.game.lobby
        stuck = self.match.at(self.match.steps[-1], "nobody acts, but there is no outcome: look at to_act and decide")
        assert lobby is not None, stuck
        assert lobby.between_rounds(state), stuck
        for values in self.match.hooks.option_changes:
            if self.rng.random() < 0.2:
                facts = lobby.change_options(state, values)
                if not isinstance(facts, OptionProblem) and facts:
                    state = self._record("change_options", None, values, facts, state)
        if self.rng.random() < 0.3:
            ended = lobby.end_match(state)
            if not isinstance(ended, Rejection):
                return self._record("end_match", None, None, ended, state)
        return self._record("start_round", None, None, lobby.start_round(state, self.match.chance), state)
