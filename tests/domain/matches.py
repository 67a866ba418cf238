"""Whole matches for tests, made with the domain alone, and their records."""

import json
from typing import Any
from uuid import UUID

from domain import fairness
from domain.codec import Codec, Sealed
from domain.decider import AnyGame, view_of
from domain.record import FORMAT, Inclusion, RecordEvent, RecordHead, RecordHeader, RecordResult, RecordSeat, chunks
from domain.registry import CURRENT
from domain.seeded_random import seeded_random
from domain.table import rules
from domain.table.fold import apply, begin
from domain.table.model import Accepted, Adjudicated, Facts, TableState
from service.records.signer import Signer
from tests.conformance.hooks import hooks_of

TABLE = UUID("018f2b6e-7c1a-4d3e-9a44-5b6c7d8e9f01")
SECRET = bytes(range(100, 132))
SHORT = {key: hooks_of(game).short for key, game in CURRENT.items()}
"""Options of a short match of each game."""
SIGNER = Signer(bytes(32), "records.test")


class PlayedMatch:
    """A match of random legal moves from a seed, sealed and chained as the service does it."""

    def __init__(self, game: AnyGame, options: dict[str, object], seats: int | None, seed: int) -> None:
        self.game = game
        self.sealed: list[Sealed] = []
        self.hashes: list[bytes] = []
        self._codec = Codec(game)
        self._salts = fairness.Salts(SECRET)
        random = seeded_random(seed)
        made = rules.create(
            game,
            options,
            seats,
            (1,),
            player="11111111-1111-4111-8111-111111111111",
            visibility="public",
            commitment=fairness.commitment(TABLE.bytes, SECRET).hex(),
        )
        assert isinstance(made, Facts), made
        self.state: TableState = begin(game, str(TABLE), made, 1000)
        self._record(made, "create", None)
        for seat in range(2, self.state.setup.seats):
            player = f"{seat}2222222-2222-4222-8222-222222222222"
            self._do(rules.sit(self.state, player, seat, f"{seat:064x}" if seat % 2 else None), "sit", None)
        self._play(lambda n: int(random() * n))

    def _chance(self) -> fairness.MatchChance:
        seeds = [bytes.fromhex(seat.seed) if seat.seed else None for seat in self.state.seats]
        return fairness.MatchChance(fairness.match_key(TABLE.bytes, SECRET, self.game.rules_id, seeds))

    def _play(self, choose: Any) -> None:
        self._do(rules.start(self.state, 0, self._chance(), SECRET.hex()), "start", 0)
        self._go_on(choose)

    def _go_on(self, choose: Any) -> None:
        while self.state.status != "finished":
            if self.state.status == "between_rounds":
                self._do(
                    rules.start(self.state, self.state.host, self._chance(), SECRET.hex()), "start", self.state.host
                )
                continue
            seat = next(seat for seat, decision in enumerate(self.state.decisions) if decision is not None)
            move = self.game.players.sample(view_of(self.game, self.state.game_state, seat), choose)
            decision = self.state.decisions[seat]
            assert decision is not None
            judged = rules.move(self.state, seat, decision, move, self._chance(), SECRET.hex())
            assert isinstance(judged, Accepted), judged
            self._do(judged.facts, move.__struct_config__.tag, seat, decision, move)

    def _do(self, facts: Any, type_: str, actor: int | None, decision: int | None = None, move: Any = None) -> None:
        assert isinstance(facts, Facts), facts
        self._record(facts, type_, actor, decision, move)
        self.state = apply(self.state, actor, facts)

    def _record(
        self, facts: Facts, type_: str, actor: int | None, decision: int | None = None, move: Any = None
    ) -> None:
        version = len(self.sealed) + 1
        sealed = self._codec.seal(
            facts,
            seats=self.state.setup.seats,
            salts=self._salts,
            version=version,
            time=1_750_000_000_000 + version,
            type_=type_,
            actor=actor,
            decision=decision,
            move=move,
        )
        previous = self.hashes[-1] if self.hashes else fairness.genesis(TABLE.bytes, self.game.rules_id)
        self.sealed.append(sealed)
        self.hashes.append(fairness.link(previous, sealed.envelope))

    def adjudicate(self, fact: Adjudicated) -> None:
        """Record an arbiter's decision after the end."""
        self._do(rules.adjudicate(self.state, fact), "adjudicate", None)

    def head(self, version: int) -> RecordHead:
        """Return the signed head of a version."""
        hash_, time = self.hashes[version - 1], self.sealed[version - 1].event.time
        return RecordHead(version, hash_.hex(), time, SIGNER.head(TABLE, version, hash_, time))

    def record(self, inclusion: Inclusion | None = None) -> bytes:
        """Return the record as the service gives it."""
        state, game = self.state, self.game
        outcome = game.decider.outcome(state.game_state)
        assert outcome is not None
        assert state.final_version is not None
        header = RecordHeader(
            format=FORMAT,
            table=str(TABLE),
            rules=game.rules_id,
            status=state.status,
            options=game.views.options(state.game_state),
            seats=tuple(RecordSeat(seat, one.kind, one.player) for seat, one in enumerate(state.seats)),
            secret=SECRET.hex(),
            client_seeds=tuple(one.seed for one in state.seats),
            result=RecordResult(outcome.totals, outcome.places),
            head=self.head(state.final_version),
            key=SIGNER.verifier_key,
            newest=self.head(state.version) if state.adjudications else None,
            inclusion=inclusion,
        )
        events = (
            RecordEvent(one.envelope.decode(), tuple(part.decode() for part in one.parts), hash_.hex())
            for one, hash_ in zip(self.sealed, self.hashes, strict=True)
        )
        return b"".join(chunks(header, events))


def rechained(document: dict[str, Any]) -> dict[str, Any]:
    """Return the record with a chain and a signature that fit its (changed) envelopes."""
    previous = fairness.genesis(TABLE.bytes, document["rules"])
    for event in document["events"]:
        previous = fairness.link(previous, event["envelope"].encode())
        event["hash"] = previous.hex()
    version, time = len(document["events"]), document["head"]["time"]
    note = SIGNER.head(TABLE, version, previous, time)
    document["head"] = {"version": version, "hash": previous.hex(), "time": time, "note": note}
    return document


def resealed(document: dict[str, Any]) -> dict[str, Any]:
    """Return the record with seals that fit its (changed) parts, and a chain and signature that fit those."""
    salts = fairness.Salts(bytes.fromhex(document["secret"]))
    for version, event in enumerate(document["events"], 1):
        envelope = json.loads(event["envelope"])
        viewers = (*range(len(event["parts"]) - 1), fairness.SERVER_VIEWER)
        envelope["seals"] = [
            fairness.seal(salts.salt(version, viewer), part.encode()).hex()
            for viewer, part in zip(viewers, event["parts"], strict=True)
        ]
        event["envelope"] = json.dumps(envelope, separators=(",", ":"), ensure_ascii=False)
    return rechained(document)
