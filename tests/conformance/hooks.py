"""What a game tells the suite about itself: `tests/games/<key>/conformance.py`."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from random import Random
from types import ModuleType
from typing import Any, TypeAlias

from domain.cards import Card
from domain.decider import AnyGame, Seat

OptionSet: TypeAlias = tuple[dict[str, object], int | None]
"""Raw options as a client sends them, and the number of seats asked for."""


def _as_it_is(move: Any) -> object:
    return move


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """The names of the module in lower case; those with a default may be missing there."""

    options: tuple[OptionSet, ...]
    """`OPTIONS`: sets that cover every value of every option and every number of seats."""
    candidates: Callable[[Any, Seat], Iterable[Any]]
    """Moves a seat might try in a state, good and bad ones: a superset of what is plausible."""
    permute_hidden: Callable[[Any, Seat | None, Random], Any]
    """Another state that agrees on everything this seat (None: a spectator) may know."""
    cards_in_play: Callable[[Any], Iterable[Card]]
    """Every card of the running round once, wherever it is."""
    hidden_from: Callable[[Any, Seat | None], Iterable[Card]]
    """The cards of the running round whose whereabouts the viewer was never shown."""
    shown: Callable[[Any], object] = _as_it_is
    """What everybody learns of an accepted move: the move, or less if part of it is face down. Moves
    that show the same must look the same to everybody but their own seat."""
    revealing: tuple[type, ...] = ()
    """Facts that show cards which were hidden until then, be it to everybody or to some seats."""
    reveals: Callable[[Any, Seat | None], bool] | None = None
    """Whether a fact of these shows hidden cards to this viewer; without it they may do so to all."""
    history: tuple[str, ...] = ()
    """Fields of the board that speak of finished rounds: a card in them says nothing about the running
    one, so they are left out where hidden cards are searched by name."""
    unlisted: tuple[type, ...] | Callable[[Any], bool] = ()
    """Moves that `legal` need not list in full (melds): their types, or a function that tells."""
    listed: Callable[[tuple[Any, ...], tuple[Card, ...]], Iterable[Any]] | None = None
    """All moves that these legal entries allow with this hand. Without it only those positions are judged
    in full in which all choices of `Game.sample` can be gone through."""
    playthroughs: Mapping[str, OptionSet]
    """Name and options of each match to record under `tests/playthroughs/<key>/`."""
    long: tuple[int, ...] = ()
    """Numbers of the option sets under which a match is long unless good players play it."""
    events_max: int = 5_000
    """No match has more events than this."""
    private_moves: Callable[[Any, Seat, Any], Iterable[Any]] | None = None
    """For games with notes: moves of the private stream a seat might try (state, seat, notes)."""
    questions: Callable[[Any, Seat], Iterable[Any]] | None = None
    """For games with advice: questions a seat might ask in a state."""
    option_changes: tuple[dict[str, object], ...] = ()
    """For games with a lobby between rounds: raw option values to change there."""

    compared: Callable[[int], Iterator[str | None]] | None = None
    """For fuzzing: rounds of another engine from a seed without end, each with how our rules differ from
    it, None if they do not. ImportError if the engine is not installed."""

    def may_be_unlisted(self, move: Any) -> bool:
        """Return whether a move may be accepted although `legal` does not list it."""
        return isinstance(move, self.unlisted) if isinstance(self.unlisted, tuple) else self.unlisted(move)

    def may_reveal(self, fact: Any, viewer: Seat | None) -> bool:
        """Return whether a fact may tell a viewer what he could not know before."""
        return isinstance(fact, self.revealing) and (self.reveals is None or self.reveals(fact, viewer))

    @classmethod
    def of(cls, module: ModuleType) -> "Hooks":
        """Read the hooks of a module. AttributeError if a necessary one is missing."""
        given = {
            name: getattr(module, name)
            for name in ("shown", "reveals", "unlisted", "listed", "private_moves", "questions", "compared")
            if hasattr(module, name)
        }
        constants = {
            name: getattr(module, name.upper())
            for name in ("revealing", "history", "unlisted", "long", "events_max", "option_changes")
            if hasattr(module, name.upper())
        }
        return cls(
            options=tuple(module.OPTIONS),
            candidates=module.candidates,
            permute_hidden=module.permute_hidden,
            cards_in_play=module.cards_in_play,
            hidden_from=module.hidden_from,
            playthroughs=module.PLAYTHROUGHS,
            **given,
            **constants,
        )


def brings_hooks(game: AnyGame) -> bool:
    """Return whether the game has its module of hooks at all."""
    folder = f"tests.games.{game.key}"
    return find_spec(folder) is not None and find_spec(f"{folder}.conformance") is not None


def hooks_of(game: AnyGame) -> Hooks:
    """Return the hooks of a registered game."""
    return Hooks.of(import_module(f"tests.games.{game.key}.conformance"))
