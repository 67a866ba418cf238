"""What a game tells the suite about itself: `tests/games/<key>/conformance.py`."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from importlib import import_module
from importlib.util import find_spec
from random import Random
from types import ModuleType
from typing import Any, Final, NamedTuple, TypeAlias

from domain.cards import Card
from domain.decider import AnyGame, OptionProblem, Seat
from tests.conformance.zones import Zone, cards_in, exchanged, hidden_cards

OptionSet: TypeAlias = tuple[dict[str, object], int | None]
"""Raw options as a client sends them, and the number of seats asked for."""


def _as_it_is(move: Any) -> object:
    return move


@dataclass(frozen=True, slots=True, kw_only=True)
class Hooks:
    """What the module has, by these names; those of values are written in capitals there. Names with a default
    may be missing."""

    options: tuple[OptionSet, ...]
    """`OPTIONS`: sets that cover every value of every option and every number of seats. Under the first a match takes
    some moves: tests of explanations look at one of it."""
    short: OptionSet
    """`SHORT`: the options of a match that takes a minute or less over HTTP, for tests of the service."""
    playthroughs: Mapping[str, OptionSet]
    """`PLAYTHROUGHS`: name and options of each match to record under `tests/playthroughs/<key>/`."""
    candidates: Callable[[Any, Seat], Iterable[Any]]
    """Moves a seat might try in a state, good and bad ones: a superset of what is plausible."""
    zones: Callable[[Any], Sequence[Zone]]
    """Every card of the running round once, by where it is and who was shown that."""

    permute_hidden: Callable[[Any, Seat | None, Random], Any] | None = None
    """Another state that agrees on everything this seat (None: a spectator) may know. Without it the hidden cards
    of the zones are exchanged at random: a game in which what was played tells more (who did not follow suit
    holds none) says here which distributions are possible."""
    shown: Callable[[Any], object] = _as_it_is
    """What everybody learns of an accepted move: the move, or less if part of it is face down. Moves
    that show the same must look the same to everybody but their own seat."""
    facts_that_reveal: tuple[type, ...] = ()
    """`FACTS_THAT_REVEAL`: facts that show cards which were hidden until then, to everybody or to some seats."""
    reveals: Callable[[Any, Seat | None], bool] | None = None
    """Whether a fact of these shows hidden cards to this viewer; without it they may do so to all."""
    history: tuple[str, ...] = ()
    """`HISTORY`: fields of board and state that speak of finished rounds. A card in them says nothing about the
    running one, so they are left out where hidden cards are searched by name, and in exchanges."""
    unlisted: tuple[type, ...] | Callable[[Any], bool] = ()
    """Moves that `legal` need not list in full (melds): their types (`UNLISTED`), or a function that tells."""
    listed: Callable[[tuple[Any, ...], tuple[Card, ...]], Iterable[Any]] | None = None
    """All moves that these legal entries allow with this hand. Without it only those positions are judged
    in full in which all choices of `Game.players.sample` can be gone through."""
    places_follow_totals: bool = True
    """`PLACES_FOLLOW_TOTALS`: whether better totals, and they alone, make a better place. False where a game gives
    places by itself (who was eliminated later)."""
    long: tuple[int, ...] = ()
    """`LONG`: numbers of the option sets under which a match is long unless good players play it."""
    events_max: int = 5_000
    """`EVENTS_MAX`: no match has more events than this."""
    private_moves: Callable[[Any, Seat, Any], Iterable[Any]] | None = None
    """For games with private streams: moves of it a seat might try (state, seat, private state)."""
    questions: Callable[[Any, Seat], Iterable[Any]] | None = None
    """For games with advice: questions a seat might ask in a state."""
    option_changes: tuple[dict[str, object], ...] = ()
    """`OPTION_CHANGES`: for games with a lobby between rounds: raw option values to change there."""
    compared: Callable[[int], Iterator[str | None]] | None = None
    """For fuzzing: rounds of another engine from a seed without end, each with how our rules differ from
    it, None if they do not. ImportError if the engine is not installed."""

    def cards_in_play(self, state: Any) -> list[Card]:
        """Return every card of the running round, wherever it is."""
        return cards_in(self.zones(state))

    def hidden_from(self, state: Any, viewer: Seat | None) -> list[Card]:
        """Return the cards of the running round whose place the viewer was never shown."""
        return hidden_cards(self.zones(state), viewer)

    def other_distribution(self, game: AnyGame, state: Any, viewer: Seat | None, rng: Random) -> Any:
        """Return a state in which hidden cards have changed places and all that the viewer knows is the same."""
        if self.permute_hidden is not None:
            return self.permute_hidden(state, viewer, rng)
        seats = len(game.views.totals(state))
        hands = [game.views.hand(state, seat) for seat in range(seats)]
        return exchanged(state, self.hidden_from(state, viewer), hands, self.history, rng)

    def may_be_unlisted(self, move: Any) -> bool:
        """Return whether a move may be accepted although `legal` does not list it."""
        return isinstance(move, self.unlisted) if isinstance(self.unlisted, tuple) else self.unlisted(move)

    def may_reveal(self, fact: Any, viewer: Seat | None) -> bool:
        """Return whether a fact may tell a viewer what he could not know before."""
        return isinstance(fact, self.facts_that_reveal) and (self.reveals is None or self.reveals(fact, viewer))

    @classmethod
    def of(cls, module: ModuleType) -> "Hooks":
        """Read the hooks of a module. AssertionError, with what to add, if a necessary one is missing."""
        given: dict[str, Any] = {}
        for field in fields(cls):
            for name in _spellings(field.name):
                if hasattr(module, name):
                    value = getattr(module, name)
                    given[field.name] = tuple(value) if isinstance(value, list) else value
        needed = [field.name for field in fields(cls) if field.default is MISSING and field.name not in given]
        missing = ", ".join(_spellings(name)[0] for name in needed)
        assert not missing, f"{module.__name__} has no {missing}; tests/conformance/hooks.py says what that is"
        return cls(**given)


_VALUES: Final = frozenset(
    {
        *("options", "short", "playthroughs", "facts_that_reveal", "history"),
        *("places_follow_totals", "long", "events_max", "option_changes"),
    }
)


def _spellings(field: str) -> tuple[str, ...]:
    """Return the names that a hook may have in its module: values are written in capitals."""
    if field == "unlisted":
        return field.upper(), field
    return (field.upper(),) if field in _VALUES else (field,)


def brings_hooks(game: AnyGame) -> bool:
    """Return whether the game has its module of hooks at all."""
    folder = f"tests.games.{game.key}"
    return find_spec(folder) is not None and find_spec(f"{folder}.conformance") is not None


def hooks_of(game: AnyGame) -> Hooks:
    """Return the hooks of a registered game. AssertionError, with what to do, if it has none."""
    path = f"tests/games/{game.key}/conformance.py"
    assert brings_hooks(game), f"{path} is missing: the suite knows {game.key} through it (tests/conformance/hooks.py)"
    return Hooks.of(import_module(f"tests.games.{game.key}.conformance"))


class ShortMatch(NamedTuple):
    """A match that is over soon, as it is asked for."""

    options: dict[str, object]
    asked: int | None
    """The number of seats to ask for."""
    seats: int
    """The number of seats that the table has then."""


def short_match(game: AnyGame, seats: int | None = None) -> ShortMatch:
    """Return how to ask for a short match; with as many of the game's seats as come nearest to `seats`, if given."""
    options, asked = hooks_of(game).short
    if seats is not None:
        asked = min(max(seats, game.seats[0]), game.seats[1])
        options = {name: value for name, value in options.items() if name != "players"}
    parsed = game.options.parse(options, asked)
    assert not isinstance(parsed, OptionProblem), f"{game.key} refuses its SHORT: {parsed}"
    return ShortMatch(options, asked, game.options.seat_count(parsed, asked))
