"""Evidence of disputes: frozen when one is opened, derived again from the log whenever somebody looks."""

from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias
from uuid import UUID

import msgspec
from msgspec import Raw, Struct

from domain.codec import split_parts
from domain.decider import Seat
from domain.disputes import codec
from domain.disputes.evidence import Evidence, SeatEvidence, ServerEvidence, freeze, view_bytes
from domain.disputes.model import PublicEvidence, ReceivedCommand
from domain.record import RecordEvent
from domain.table.model import TableState
from domain.verify import BeginningChecks, Check
from service.disputes.streams import Dispute
from service.errors import DamagedStreamError
from service.store.log import Log, StoredEvent
from service.tables.line import Line, in_thread
from service.tables.live_table import LiveTable
from service.tables.pages import pages
from service.tables.snapshots import Snapshots, Step

Opened: TypeAlias = Seat | Literal["all"] | None
"""Whose sealed evidence is to be opened; None for no one's."""

_WAITING_MAX: Final = 4
"""So many disputes wait until their evidence is frozen; each takes up to seconds."""
_seat_part: Final = msgspec.json.Decoder(SeatEvidence).decode
_server_part: Final = msgspec.json.Decoder(ServerEvidence).decode


class PartSeen(Struct, frozen=True):
    """An opened part: its seal is `SHA-256("bw1/seal" 0 salt content)`."""

    seat: Seat | None
    """Null for the server's."""
    salt: str
    content: str


class SeatSeen(Struct, frozen=True):
    """What one seat saw and was allowed around the disputed version."""

    seat: Seat
    before: Raw | None
    """The seat's view before it, null for the first version."""
    after: Raw
    legal: Raw
    move: Raw
    judged: Raw
    digest: str | None


class EvidenceSeen(Struct, frozen=True):
    """The evidence of a dispute as one reader may see it."""

    game: str
    dispute: str
    table: str
    version: int
    shape: str
    command: ReceivedCommand
    chain_before: str
    chain_after: str
    spectator_before: str | None
    spectator_after: str
    checks: tuple[Check, ...]
    seals: tuple[str, ...]
    parts: tuple[PartSeen, ...]
    seats: tuple[SeatSeen, ...]
    server: ServerEvidence | None
    sound: bool | None
    """Whether what the log gives today is what was frozen; None if views or states have another form by now, so
    that only the chain and the seals can be compared, and those fit."""


class EvidenceRoom:
    """Freezes evidence and shows it. One per process."""

    def __init__(self, log: Log, snapshots: Snapshots) -> None:
        self._log = log
        self._snapshots = snapshots
        self._line = Line(_WAITING_MAX)

    async def freeze(self, table: LiveTable, version: int) -> Evidence:
        """Return the evidence about a version of a table.

        All checks are made, page by page and apart from the event loop, of one dispute at a time.
        UnavailableError if too many are waiting.
        """
        before, step = await self._around(table.stream, version)
        checks = BeginningChecks(table.id, table.codec.game.rules_id, table.secret.hex())
        async with self._line.turn():
            async for rows in pages(self._log, table.stream, version):
                await in_thread(_check, checks, rows)
        (row,) = await self._log.read(table.stream, version - 1, 1)
        return _frozen(before, step, row, checks.checks())

    async def show(self, dispute: Dispute, table: LiveTable, viewer: Opened) -> EvidenceSeen:
        """Return the evidence with the sealed parts that `viewer` names."""
        version, frozen = dispute.state.opened.version, dispute.state.opened.evidence
        before, step = await self._around(dispute.table, version)
        (row,) = await self._log.read(dispute.table, version - 1, 1)
        stored, server = _stored(dispute)
        again = _frozen(before, step, row, server.checks)
        opened = _opened(viewer, len(stored) - 1)
        salts = codec.salts_of(table.secret, dispute.id.bytes)
        seals = codec.decode(dispute.first.envelope.encode()).seals
        shown = [stored[_place(seat)] for seat in opened]
        same = again.public == frozen and all(again.parts[seat] == stored[seat] for seat in map(_place, opened))
        comparable = frozen.shape == again.public.shape
        sound = _chained(frozen, again.public) and codec.seals_of(salts, stored) == seals and (same or not comparable)
        return EvidenceSeen(
            game=table.codec.game.key,
            dispute=str(dispute.id),
            table=str(dispute.table),
            version=version,
            shape=frozen.shape,
            command=frozen.command,
            chain_before=frozen.chain_before,
            chain_after=frozen.chain_after,
            spectator_before=frozen.spectator_before,
            spectator_after=frozen.spectator_after,
            checks=frozen.checks,
            seals=seals,
            parts=tuple(
                PartSeen(seat, codec.salt_of(salts, seat).hex(), part.decode())
                for seat, part in zip(opened, shown, strict=True)
            ),
            seats=tuple(
                _seat_seen(before, step.state, seat, part)
                for seat, part in zip(opened, shown, strict=True)
                if seat is not None
            ),
            server=server if None in opened else None,
            sound=None if sound and not comparable else sound,
        )

    async def _around(self, stream: UUID, version: int) -> tuple[TableState | None, Step]:
        """Return the state before a version, None before the first, and the step that made it."""
        steps = [step async for step in self._snapshots.walk(stream, max(1, version - 1), version)]
        if not steps or steps[-1].state.version != version:
            raise DamagedStreamError(str(stream), f"table {stream}: version {version} is missing")
        return (steps[0].state if version > 1 else None), steps[-1]


def _opened(viewer: Opened, seats: int) -> tuple[Seat | None, ...]:
    """Return the parts to open, None for the server's."""
    if viewer is None:
        return ()
    return (*range(seats), None) if viewer == "all" else (viewer,)


def _place(viewer: Seat | None) -> int:
    """Where a viewer's part is among all of them."""
    return -1 if viewer is None else viewer


def _chained(frozen: PublicEvidence, again: PublicEvidence) -> bool:
    """Whether the same command is at the same place of the chain, whatever form views have."""
    said = [(one.command, one.chain_before, one.chain_after) for one in (frozen, again)]
    return said[0] == said[1]


def _check(checks: BeginningChecks, rows: Sequence[StoredEvent]) -> None:
    checks.take(
        [
            RecordEvent(row.envelope, tuple(part.decode() for part in split_parts(row.sealed.encode())), row.hash.hex())
            for row in rows
        ]
    )


def _frozen(before: TableState | None, step: Step, row: StoredEvent, checks: tuple[Check, ...]) -> Evidence:
    chain = (row.previous_hash, row.hash)
    return freeze(before, step.event, step.state, chain=chain, digest=row.digest, checks=checks)


def _stored(dispute: Dispute) -> tuple[tuple[bytes, ...], ServerEvidence]:
    """Return the sealed parts and what the server's says. DamagedStreamError if they are none."""
    try:
        stored = split_parts(dispute.first.sealed.encode())
        for part in stored[:-1]:
            _seat_part(part)
        return stored, _server_part(stored[-1])
    except (msgspec.MsgspecError, LookupError) as error:
        raise DamagedStreamError(
            str(dispute.id), f"dispute {dispute.id}: the evidence cannot be read: {error}"
        ) from error


def _seat_seen(before: TableState | None, after: TableState, seat: Seat, kept: bytes) -> SeatSeen:
    part = _seat_part(kept)
    view: Any = None if before is None else Raw(view_bytes(before, seat))
    return SeatSeen(seat, view, Raw(view_bytes(after, seat)), part.legal, part.move, part.judged, part.digest)
