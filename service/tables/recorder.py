"""Commands on their way into the log: their ids, and the events that record them."""

import asyncio
import hashlib
import time
from typing import Any
from uuid import UUID, uuid4

import msgspec
from msgspec import Struct

from domain import fairness
from domain.codec import Event
from domain.decider import Seat
from domain.table.fold import apply
from domain.table.model import Facts
from service.errors import KeyReusedError, UnavailableError
from service.runtime.deadline import note_recorded
from service.store.errors import BrokenChainError
from service.store.log import Appended, Guard, Log, NewEvent
from service.tables.cache import TableCache
from service.tables.live_table import LiveTable
from service.tables.private_streams import PrivateStreams
from service.tables.snapshots import Snapshots
from service.tables.views import Views


class Command(Struct, frozen=True):
    """One command on its way into the log."""

    type: str
    id: UUID
    """The same for every attempt of the same command; the log records it once."""
    digest: bytes
    """SHA-256 of what was asked, to tell a retry from another command under the same key."""
    decision: int | None = None
    move: Any = None
    keyed: bool = False
    """Whether it has an idempotency key: then it is looked for in the log before anything is judged."""


class Recorder:
    """Appends the events of tables and of their private streams. One per process."""

    def __init__(self, log: Log, cache: TableCache, snapshots: Snapshots, views: Views, *, key: bytes) -> None:
        self._log = log
        self.cache = cache
        self._snapshots = snapshots
        self._views = views
        self._key = key

    async def record(
        self,
        table: LiveTable,
        seat: Seat | None,
        command: Command,
        facts: Facts,
        game_state: Any = None,
        *,
        guard: Guard | None = None,
    ) -> Event | None:
        """Append one event; None if another one took the version.

        `game_state` is the game's state after the facts, where judging them has made it already. `guard` names the
        private stream that had a say; None is returned too if that has gone on.
        """
        new, event = table_event(table, seat, command, facts, guard)
        idle = self._log.idle
        appending = self._log.submit(new)
        state = apply(table.state, seat, facts, game_state)
        if idle:  # otherwise it waits for the next commit, which is the better the more events come until then
            await asyncio.sleep(0)  # the event goes out; what follows is done while the disk is written
            self._views.project_ahead(table, state)
        if not await self._accepted(table, appending):
            return None
        table.take(state, new.hash, new.time)
        note_recorded()
        await self._snapshots.keep_if_due(table)
        return event

    async def record_private(
        self, table: LiveTable, private: PrivateStreams, seat: Seat, command: Command, facts: tuple[Any, ...]
    ) -> int | None:
        """Append one event to a seat's private stream and return its version; None if another one took that."""
        own, time_ = private.seats[seat], now()
        if not own.kept:
            await self._log.keep_private_stream(own.stream, table.stream, seat)
            own.kept = True
        envelope = private.codec.encode(facts, version=own.version + 1, time=time_, type_=command.type)
        hash_ = fairness.link(own.hash, envelope)
        new = new_event(table, command, seat, envelope, b"[]", own.version, time_, own.hash, hash_)
        if not await self._accepted(table, self._log.submit(msgspec.structs.replace(new, stream=own.stream))):
            return None
        note_recorded()
        private.advance(seat, facts, hash_)
        return own.version

    async def _accepted(self, table: LiveTable, appending: asyncio.Future[Appended]) -> bool:
        """Whether an event was appended, once that is known; False if another one took its version."""
        try:
            return (await appending).accepted
        except BrokenChainError:
            # What was folded here is not in the log, as after a failover that lost events: fold anew.
            self.cache.drop(table.stream)
            raise UnavailableError("The table is being reloaded; try again.", headers={"Retry-After": "1"}) from None

    async def is_recorded(self, command: Command, stream: UUID, bucket: int) -> bool:
        """Whether this very command is in a stream already; only one with a key can be.

        KeyReusedError if its key was for another one.
        """
        if not command.keyed:
            return False
        row = await self._log.find_command(stream, command.id, bucket=bucket)
        if row is not None and row.digest != command.digest:
            raise KeyReusedError
        return row is not None

    def keyed(self, type_: str, account: str, key: str, digest: bytes, move: Any = None) -> Command:
        """A command under an idempotency key: every request with this key is the same command."""
        return Command(type_, self.derived(b"command", account, key), digest, None, move, keyed=True)

    def derived(self, label: bytes, account: str, key: str) -> UUID:
        """An id that follows from an idempotency key and that nobody outside can predict."""
        message = b"blattwerk/id\0" + label + b"\0" + account.encode() + b"\0" + key.encode()
        return UUID(bytes=hashlib.blake2b(message, key=self._key, digest_size=16).digest(), version=4)


def once(type_: str, move: Any = None) -> Command:
    """A command without a key: every request is one of its own."""
    return Command(type_, uuid4(), b"", None, move)


def table_event(
    table: LiveTable, seat: Seat | None, command: Command, facts: Facts, guard: Guard | None = None
) -> tuple[NewEvent, Event]:
    """Return the event that follows what is known of a table: to be appended, and to be folded."""
    version, time_ = table.state.version + 1, max(now(), table.time)
    sealed = table.codec.seal(
        facts,
        seats=table.state.setup.seats,
        salts=table.salts,
        version=version,
        time=time_,
        type_=command.type,
        actor=seat,
        decision=command.decision,
        move=command.move,
    )
    hash_ = fairness.link(table.hash, sealed.envelope)
    new = new_event(
        table, command, seat, sealed.envelope, sealed.parts_text, version - 1, time_, table.hash, hash_, guard
    )
    return new, sealed.event


def new_event(
    table: LiveTable,
    command: Command,
    seat: Seat | None,
    envelope: bytes,
    sealed: bytes,
    expected: int,
    time_: int,
    previous: bytes,
    hash_: bytes,
    guard: Guard | None = None,
) -> NewEvent:
    """Return the event of a command, to follow the version `expected`, received at `time_`."""
    return NewEvent(
        stream=table.stream,
        expected=expected,
        command=command.id,
        type=command.type,
        envelope=envelope,
        sealed=sealed,
        actor=seat,
        decision=command.decision,
        digest=command.digest,
        rules=table.codec.game.rules_id,
        time=time_,
        previous_hash=previous,
        hash=hash_,
        bucket=table.bucket,
        guard=guard,
    )


def now() -> int:
    """Return the wall clock, milliseconds since 1970 UTC."""
    return time.time_ns() // 1_000_000
