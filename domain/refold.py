"""Deciding a recorded match again under another version of its rules: where would it have gone another way?

Every command is judged as it was asked, with the chance of the match as it was (shuffles depend on the
rules id, so the one it was played by is taken). Up to the first difference both versions tell the same
story, so the comparison ends there.
"""

from collections.abc import Iterable
from typing import Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Struct, structs, to_builtins

from domain import fairness
from domain.codec import Event
from domain.decider import AnyGame, OptionProblem, Outcome, Rejection
from domain.table.fold import apply, begin
from domain.table.model import Facts, TableCreated, TableRefusal, TableState
from domain.verify.rejudge import rejudge, rejudge_creation

Kind: TypeAlias = Literal["options", "refused", "facts", "result"]
"""`options`: the table could not be created like this. `refused`: the command would not be allowed.
`facts`: other facts would follow from it. `result`: the match would not be over, or with another result."""

_AFTER_THE_END: Final = ("adjudicate",)
_CHARACTERS_MAX: Final = 300
_encode: Final = msgspec.json.Encoder().encode


class Divergence(Struct, frozen=True):
    """The first difference."""

    version: int
    """The event at which it shows."""
    kind: Kind
    what: str
    """What was recorded and what would be, on one line."""
    rule: str | None = None
    """The rule of the other version that refuses."""


class PlayedUnder(Struct, frozen=True):
    """The match as it was played."""

    table: bytes
    """The 16 bytes of its id."""
    name: str
    """The same as text."""
    rules: str
    """The rules id it was played by."""
    secret: bytes
    outcome: Outcome | None
    """None if everybody left."""


def refold(game: AnyGame, played: PlayedUnder, events: Iterable[Event]) -> Divergence | None:
    """Return where a match that is over would first have gone another way under `game`, None if nowhere."""
    refolding = Refolding(game, played)
    refolding.take(events)
    return refolding.divergence()


class Refolding:
    """Does what `refold` does, with the events in pieces."""

    def __init__(self, game: AnyGame, played: PlayedUnder) -> None:
        self._game = game
        self._played = played
        self._state: TableState | None = None
        self._version = 0
        self._found: Divergence | None = None
        self.done = False
        """Whether later events change nothing."""

    def take(self, events: Iterable[Event]) -> None:
        """Decide the events again that follow those taken before."""
        for event in events:
            if not self.done:
                self._take(event)

    def divergence(self) -> Divergence | None:
        """Return the first difference, once all events were taken."""
        if self._found is not None or self._state is None:
            return self._found
        return _compared_ends(self._state, self._played, self._version)

    def _take(self, event: Event) -> None:
        if self._state is not None and event.move is None and event.type in _AFTER_THE_END:
            self.done = True
            return
        self._version = event.version
        after = _after(self._game, self._state, self._played, event)
        if isinstance(after, Divergence):
            self._found, self.done = after, True
        else:
            self._state = after


def _after(game: AnyGame, state: TableState | None, played: PlayedUnder, event: Event) -> TableState | Divergence:
    """Return the state after one more event, or how it goes another way."""
    if state is None:
        return _created(game, played, event)
    judged = _judged(state, played, event)
    if isinstance(judged, Divergence):
        return judged
    what = _difference(event.facts, judged)
    return Divergence(event.version, "facts", what) if what else apply(state, event.actor, judged)


def _created(game: AnyGame, played: PlayedUnder, event: Event) -> TableState | Divergence:
    judged = rejudge_creation(game, event.facts)
    if not isinstance(judged, Facts):
        return _refused(judged, event, "options")
    recorded, made = event.facts.table[0], judged.table[0]
    assert isinstance(recorded, TableCreated)
    assert isinstance(made, TableCreated)
    for name, value in recorded.options.items():  # an option that is new in this version is no difference
        if made.options.get(name) != value:
            return Divergence(1, "options", _change(f"option {name}", value, made.options.get(name)))
    return begin(game, played.name, judged, event.time)


def _judged(state: TableState, played: PlayedUnder, event: Event) -> Facts | Divergence:
    asked = event
    if event.move is not None:
        try:
            move = msgspec.convert(to_builtins(event.move), state.setup.game.types.move)
        except msgspec.ValidationError:
            return Divergence(event.version, "refused", "there is no such move")
        asked = structs.replace(event, move=move)
    seeds = [bytes.fromhex(seat.seed) if seat.seed else None for seat in state.seats]
    chance = fairness.MatchChance(fairness.match_key(played.table, played.secret, played.rules, seeds))
    judged = rejudge(state, asked, chance, played.secret.hex())
    return judged if isinstance(judged, Facts) else _refused(judged, event, "refused")


def _refused(judged: TableRefusal | OptionProblem | Rejection | None, event: Event, kind: Kind) -> Divergence:
    if judged is None:
        return Divergence(event.version, kind, "it cannot be asked")
    rule = None if isinstance(judged, TableRefusal) else judged.rule
    about = f" ({judged.option})" if isinstance(judged, OptionProblem) else ""
    return Divergence(event.version, kind, f"{event.type} would be refused: {judged.code}{about}", rule)


def _compared_ends(state: TableState, played: PlayedUnder, version: int) -> Divergence | None:
    outcome = state.setup.game.decider.outcome(state.game_state)
    if outcome != played.outcome:
        return Divergence(version, "result", _change("result", to_builtins(played.outcome), to_builtins(outcome)))
    return None if state.status in ("finished", "closed") else Divergence(version, "result", "it would not be over")


# what differs


def _difference(recorded: Facts, made: Facts) -> str | None:
    """Say in which fact two results of a command differ first, None if in none."""
    for before, after in ((recorded.game, made.game), (recorded.table, made.table)):
        old, new = _plain(before), _plain(after)
        for one, other in zip(old, new, strict=False):
            if one != other:
                return _fact_difference(one, other)
        if len(old) > len(new):
            return _shortened(f"{old[len(new)]['type']} would not follow")
        if len(new) > len(old):
            return _shortened(f"{_text(new[len(old)])} would follow besides")
    return None


def _plain(facts: Iterable[Any]) -> list[dict[str, Any]]:
    return [to_builtins(fact) for fact in facts]


def _fact_difference(one: dict[str, Any], other: dict[str, Any]) -> str:
    if one["type"] != other["type"]:
        return _change("fact", one, other)
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    return _shortened("; ".join(_change(f"{one['type']}.{name}", one.get(name), other.get(name)) for name in names))


def _change(name: str, before: Any, after: Any) -> str:
    return _shortened(f"{name}: {_text(before)}, would be {_text(after)}")


def _text(value: Any) -> str:
    return _encode(value).decode()


def _shortened(text: str) -> str:
    return text if len(text) <= _CHARACTERS_MAX else text[: _CHARACTERS_MAX - 3] + "..."
