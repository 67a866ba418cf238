"""Whole streams made in memory, without a server: for what is measured below HTTP."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import psycopg

from domain import fairness
from domain.codec import codec_for
from domain.decider import AnyGame, Seat
from domain.table import rules
from domain.table.fold import begin
from domain.table.model import Accepted, Facts
from service.store.buckets import bucket_of
from service.store.log import StoredEvent
from service.tables.live_table import LiveTable
from tests.bench.games import seats_of
from tests.bench.matches import play

_START_MS = 1_700_000_000_000


@dataclass(frozen=True, slots=True)
class Stream:
    """A table's stream as the log holds it."""

    id: UUID
    secret: bytes
    rows: list[StoredEvent]


def generate(
    game: AnyGame,
    seed: int,
    *,
    options: Mapping[str, object],
    most: int,
    bots: bool = False,
    players: Sequence[str] | None = None,
) -> Stream:
    """Return the stream of a match played by chance or by bots, of at most `most` commands after the start."""
    chosen = random.Random(f"{game.key} {seed}")
    stream = UUID(bytes=chosen.randbytes(16), version=4)
    secret = chosen.randbytes(32)
    seats = seats_of(game)
    people = players or [str(UUID(bytes=chosen.randbytes(16), version=4)) for _ in range(seats)]
    writer = _Writer(game, stream, secret)
    created = _facts(
        rules.create(
            game,
            options,
            seats,
            (),
            player=people[0],
            visibility="public",
            commitment=fairness.commitment(stream.bytes, secret).hex(),
        )
    )
    live = LiveTable(stream, writer.codec, secret, begin(game, str(stream), created, _START_MS), writer.hash, _START_MS)
    writer.write(live, "create", None, None, None, created)
    for player in people[1:]:
        facts = _facts(rules.sit(live.state, player, None, "5e" * 32))
        writer.write(live, "sit", None, None, None, facts)
    writer.write(live, "start", 0, None, None, _facts(rules.start(live.state, 0, live.chance, live.secret.hex())))
    for step in play(live, seed, most, bots=bots):
        type_ = "start" if step.decision is None else step.move.__struct_config__.tag
        move = None if step.decision is None else step.move
        writer.write(live, type_, step.seat, step.decision, move, step.facts)
    return Stream(stream, secret, writer.rows)


class _Writer:
    """Seals and chains events as the service does, into rows instead of a database."""

    def __init__(self, game: AnyGame, stream: UUID, secret: bytes) -> None:
        self.codec = codec_for(game.rules_id)
        self.rows: list[StoredEvent] = []
        self.hash = fairness.genesis(stream.bytes, game.rules_id)
        self._stream = stream
        self._salts = fairness.Salts(secret)

    def write(
        self, live: LiveTable, type_: str, seat: Seat | None, decision: int | None, move: object, facts: Facts
    ) -> None:
        version = len(self.rows) + 1
        time = _START_MS + version * 1000
        sealed = self.codec.seal(
            facts,
            seats=live.state.setup.seats,
            salts=self._salts,
            version=version,
            time=time,
            type_=type_,
            actor=seat,
            decision=decision,
            move=move,
        )
        previous, self.hash = self.hash, fairness.link(self.hash, sealed.envelope)
        self.rows.append(
            StoredEvent(
                bucket=bucket_of(self._stream),
                position=version,
                stream=self._stream,
                version=version,
                type=type_,
                envelope=sealed.envelope.decode(),
                sealed=sealed.parts_text.decode(),
                actor=seat,
                decision=decision,
                digest=bytes(32),
                command=UUID(int=version),
                rules=self.codec.game.rules_id,
                received_at=datetime.fromtimestamp(time / 1000, UTC),
                previous_hash=previous,
                hash=self.hash,
            )
        )
        if version > 1:
            live.advance(sealed.event, self.hash)


def _facts(judged: object) -> Facts:
    if isinstance(judged, Accepted):
        return judged.facts
    if not isinstance(judged, Facts):
        raise RuntimeError(f"a generated command was refused: {judged}")
    return judged


def insert(database_url: str, streams: Iterable[Stream]) -> None:
    """Put streams into the log of a database of our own, as its owner, behind what is there."""
    columns = ", ".join(StoredEvent.__struct_fields__)
    with psycopg.connect(database_url) as connection:
        for stream in streams:
            bucket = stream.rows[0].bucket
            row = connection.execute("select position from bucket_head where bucket = %s", (bucket,)).fetchone()
            head = 0 if row is None else row[0]
            with connection.cursor().copy(f"copy events ({columns}) from stdin") as copy:
                for event in stream.rows:
                    values = [getattr(event, name) for name in StoredEvent.__struct_fields__]
                    values[1] = head + event.version
                    copy.write_row(values)
            connection.execute(
                "insert into table_secret (bucket, stream, secret) values (%s, %s, %s)",
                (bucket, stream.id, stream.secret),
            )
