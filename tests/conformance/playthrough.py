"""Recorded matches: a text with the moves of a match and digests of all its states.

    blattwerk playthrough 1
    rules highest/1
    options {"rounds":1}
    asked 2
    seats 2
    chance 4f0c...
    start - 0d2a51a3c6e0a1f7
    0 {"type":"choose","card":"QS"} 9c6b3a61d4d2b3c8
    ...
    totals 1 2
    places 2 1
    states 5b7e...
    facts a91c...

A line of an event has the seat (or what the table did), the move (or `-`) and the first 16 digits of the
SHA-256 of the state's JSON after it. At the end stand the result and, in full, the SHA-256 over the JSON
of all states, and over the JSON of all facts, each followed by a newline.
"""

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from domain.decider import AnyGame, OptionProblem, Rejection
from domain.fairness import MatchChance
from tests.conformance.hooks import OptionSet
from tests.conformance.wire import Wire, canonical

FOLDER: Final = Path(__file__).parent.parent / "playthroughs"
_HEADER: Final = "blattwerk playthrough 1"
_DIGITS: Final = 16


class Line(Struct, frozen=True):
    """One event of a playthrough."""

    actor: str
    """The seat, or `start`, `start_round`, `change_options`, `end_match`."""
    move: str
    """The JSON of the move or of the option values, or `-`."""
    digest: str


class Playthrough(Struct, frozen=True):
    """A recorded match, as its file has it."""

    rules_id: str
    options: OptionSet
    seats: int
    chance: str
    lines: tuple[Line, ...]
    end: tuple[str, ...]
    """The lines after the last event."""

    def text(self) -> str:
        """Return the content of the file."""
        raw, asked = self.options
        head = [
            _HEADER,
            f"rules {self.rules_id}",
            f"options {json.dumps(raw, separators=(',', ':'))}",
            f"asked {'-' if asked is None else asked}",
            f"seats {self.seats}",
            f"chance {self.chance}",
        ]
        events = [f"{line.actor} {line.move} {line.digest}" for line in self.lines]
        return "\n".join([*head, *events, *self.end, ""])


def read(path: Path) -> Playthrough:
    """Return the playthrough of a file. ValueError if it is none."""
    lines = path.read_text(encoding="ascii").splitlines()
    header, *fields = lines[:6]
    values = dict(line.split(" ", 1) for line in fields)
    if header != _HEADER:
        raise ValueError(f"{path} is no playthrough")
    asked = values["asked"]
    return Playthrough(
        rules_id=values["rules"],
        options=(json.loads(values["options"]), None if asked == "-" else int(asked)),
        seats=int(values["seats"]),
        chance=values["chance"],
        lines=tuple(_line(line) for line in lines[6:-4]),
        end=tuple(lines[-4:]),
    )


def _line(text: str) -> Line:
    actor, rest = text.split(" ", 1)
    move, digest = rest.rsplit(" ", 1)
    return Line(actor, move, digest)


def replayed(game: AnyGame, recorded: Playthrough) -> Playthrough:
    """Return what today's code makes of the options and moves of a recorded match.

    If nothing has changed it equals the recorded one. AssertionError if a move is refused today.
    """
    raw, asked = recorded.options
    options = game.options.parse(raw, asked)
    assert not isinstance(options, OptionProblem), f"{raw} is refused: {options}"
    seats = game.options.seat_count(options, asked)
    replay = _Replay(game, game.decider.new(options, seats), MatchChance(bytes.fromhex(recorded.chance)))
    lines = tuple(replay.lines(recorded.lines))
    return Playthrough(recorded.rules_id, recorded.options, seats, recorded.chance, lines, replay.end())


class _Replay:
    """A match that is played again, with the digests of what it comes to."""

    def __init__(self, game: AnyGame, state: Any, chance: MatchChance) -> None:
        self._game = game
        self._state = state
        self._chance = chance
        self._wire = Wire(game)
        self._states = sha256()
        self._facts = sha256()

    def lines(self, recorded: Iterable[Line]) -> Iterator[Line]:
        for line in recorded:
            facts = self._decided(line)
            assert not isinstance(facts, Rejection | OptionProblem), f"{line} is refused: {facts}"
            public, server = self._wire.stored(facts)
            for index, fact in enumerate(self._wire.restored(public, server)):
                self._state = self._game.decider.evolve(self._state, fact)
                self._facts.update(canonical(facts[index]) + b"\n")
            data = canonical(self._state)
            self._states.update(data + b"\n")
            yield Line(line.actor, line.move, sha256(data).hexdigest()[:_DIGITS])

    def end(self) -> tuple[str, ...]:
        outcome = self._game.decider.outcome(self._state)
        assert outcome is not None, "the match has no end"
        return (
            "totals " + " ".join(map(str, outcome.totals)),
            "places " + " ".join(map(str, outcome.places)),
            f"states {self._states.hexdigest()}",
            f"facts {self._facts.hexdigest()}",
        )

    def _decided(self, line: Line) -> Any:
        lobby = self._game.lobby
        if line.actor.isdecimal():
            return self._game.decider.decide(
                self._state, int(line.actor), self._wire.move(line.move.encode()), self._chance
            )
        if line.actor == "start":
            return self._game.decider.start(self._state, self._chance)
        assert lobby is not None, f"{line}: the game has no lobby between rounds"
        if line.actor == "start_round":
            return lobby.start_round(self._state, self._chance)
        if line.actor == "change_options":
            return lobby.change_options(self._state, json.loads(line.move))
        assert line.actor == "end_match", f"{line}: nothing that a table does"
        return lobby.end_match(self._state)
