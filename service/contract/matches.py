"""Short matches for the examples of the contract: folded from commands with a fixed secret and fixed times."""

import json
from typing import Any, Final
from uuid import UUID

from domain import fairness
from domain.codec import Codec, Event
from domain.decider import AnyGame, OptionProblem
from domain.record import FORMAT, Inclusion, RecordEvent, RecordHead, RecordHeader, RecordSeat, chunks
from domain.table import rules
from domain.table.fold import apply, begin
from domain.table.model import Accepted, Facts, TableState
from projections.table_view import Projection, project, splice
from service.records.signer import Signer

TABLE: Final = UUID("018f2b6e-7c1a-4d3e-9a44-5b6c7d8e9f01")
PLAYER: Final = "5f0c2d8e-41c7-4b1e-9b7d-0d7b6f3c2a10"
TIME: Final = 1_750_000_000_000
SECRET: Final = bytes(range(32))


class ExampleMatch:
    """A short match of bots against one person, for examples."""

    def __init__(self, game: AnyGame) -> None:
        self.game = game
        self._codec = Codec(game)
        self.hash = fairness.genesis(TABLE.bytes, game.rules_id)
        self.events: list[Event] = []
        self.sealed: list[RecordEvent] = []
        made = rules.create(
            game,
            {},
            asked_seats(game),
            tuple(range(1, seat_count(game))),
            player=PLAYER,
            visibility="public",
            commitment=fairness.commitment(TABLE.bytes, SECRET).hex(),
        )
        if not isinstance(made, Facts):
            raise TypeError(f"{game.key}: {made}")
        self.state: TableState = begin(game, str(TABLE), made, TIME)
        self._record(made, "create", None, None, None)
        key = fairness.match_key(TABLE.bytes, SECRET, game.rules_id, [None] * self.state.setup.seats)
        self.chance = fairness.MatchChance(key)
        started = rules.start(self.state, 0, self.chance, SECRET.hex())
        if not isinstance(started, Facts):
            raise TypeError(f"{game.key}: {started}")
        self._apply(started, "start", 0, None, None)

    def play_until_own_move(self) -> None:
        """Let everybody play by the timeout move until seat 0 has moved once."""
        for _ in range(200):
            seat = next((seat for seat, decision in enumerate(self.state.decisions) if decision is not None), None)
            if seat is None:  # the match is over before that
                return
            move = self.game.players.timeout_move(self.state.game_state, seat)
            decision = self.state.decisions[seat]
            judged = rules.move(self.state, seat, decision or 0, move, self.chance, SECRET.hex())
            if not isinstance(judged, Accepted):
                raise TypeError(f"{self.game.key}: {judged}")
            self._apply(judged.facts, move.__struct_config__.tag, seat, decision, move)
            if seat == 0:
                return

    def _apply(self, facts: Facts, type_: str, seat: int, decision: int | None, move: Any) -> None:
        self._record(facts, type_, seat, decision, move)
        self.state = apply(self.state, seat, facts)

    def _record(self, facts: Facts, type_: str, seat: int | None, decision: int | None, move: Any) -> None:
        version = len(self.events) + 1
        sealed = self._codec.seal(
            facts,
            seats=self.state.setup.seats,
            salts=fairness.Salts(SECRET),
            version=version,
            time=TIME + 1000 * version,
            type_=type_,
            actor=seat,
            decision=decision,
            move=move,
        )
        self.events.append(sealed.event)
        self.hash = fairness.link(self.hash, sealed.envelope)
        parts = tuple(part.decode() for part in sealed.parts)
        self.sealed.append(RecordEvent(sealed.envelope.decode(), parts, self.hash.hex()))

    def leave(self) -> None:
        """Let seat 0 leave, which closes the table, since no person is left."""
        left = rules.leave(self.state, 0, SECRET.hex())
        if not isinstance(left, Facts):
            raise TypeError(f"{self.game.key}: {left}")
        self._apply(left, "leave_table", 0, None, None)

    def view(self, notes: Any = None) -> Any:
        """Return the view of seat 0 as JSON."""
        projection = self.projection(notes)
        return json.loads(splice(projection.public, projection.seats[0]))

    def projection(self, notes: Any = None) -> Projection:
        """Return the table's projection; `notes` are those of every seat."""
        each = () if notes is None else ((1, notes),) * self.state.setup.seats
        return project(self.state, {PLAYER: "Ada"}, private_streams=each)

    def record(self, signer: Signer, inclusion: Inclusion) -> bytes:
        """Return the record of a match that is over without a result."""
        version, time = self.state.version, self.events[-1].time
        head = RecordHead(version, self.hash.hex(), time, signer.head(TABLE, version, self.hash, time))
        header = RecordHeader(
            format=FORMAT,
            table=str(TABLE),
            rules=self.game.rules_id,
            status=self.state.status,
            options=self.state.setup.options,
            seats=tuple(RecordSeat(seat, one.kind, one.player) for seat, one in enumerate(self.state.seats)),
            secret=SECRET.hex(),
            client_seeds=(None,) * self.state.setup.seats,
            result=None,
            head=head,
            key=signer.verifier_key,
            inclusion=inclusion,
        )
        return b"".join(chunks(header, self.sealed))


def asked_seats(game: AnyGame) -> int | None:
    """The number of seats to ask for, None where the options' defaults say it."""
    said = "default" in game.options.schema.get("properties", {}).get("players", {})
    return None if said else min(max(3, game.seats[0]), game.seats[1])


def seat_count(game: AnyGame) -> int:
    asked = asked_seats(game)
    parsed = game.options.parse({}, asked)
    if isinstance(parsed, OptionProblem):
        raise TypeError(f"{game.key}: {parsed}")
    return game.options.seat_count(parsed, asked)
