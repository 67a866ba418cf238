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
from domain.table.model import Facts
from service.errors import KeyReusedError, UnavailableError
from service.store.errors import BrokenChainError
from service.store.log import Guard, Log, NewEvent
from service.tables.live_table import LiveTable, TableCache
from service.tables.private_streams import PrivateStreams
from service.tables.snapshots import Snapshots
from service.tables.views import Views


class Command(Struct, frozen=True):
    """One command on its way into the log."""

    type: str
    id: UUID
    """The same for every try of the same command; the log records it once."""
    digest: bytes
    """SHA-256 of what was asked, to tell a retry from another command under the same key."""
    decision: int | None = None
    move: Any = None
    keyed: bool = False
    """Whether it has an idempotency key: then it is looked for in the log before anything is judged."""


class Recorder:
    """Appends the events of tables and of what their seats note. One per process."""

    def __init__(self, log: Log, cache: TableCache, folds: Snapshots, views: Views, *, key: bytes) -> None:
        self._log = log
        self._cache = cache
        self._snapshots = folds
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
        """Append one event; None if another one took the version (the table has caught up then).

        `game_state` is the game's state after the facts, where judging them has made it already. `guard` names the
        private stream that had a say; None is returned too if that has gone on.
        """
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
        idle = self._log.idle
        appending = self._log.submit(new)
        state = table.following(sealed.event, game_state)
        if idle:  # otherwise it waits for the next commit, which is the better the more events come until then
            await asyncio.sleep(0)  # the event goes out; what follows is done while the disk is written
            self._views.prepare(table, state)
        try:
            appended = await appending
        except BrokenChainError:
            # What was folded here is not in the log, as after a failover that lost events: fold anew.
            self._cache.drop(table.stream)
            raise UnavailableError("The table is read again; try again.", headers={"Retry-After": "1"}) from None
        if appended.accepted:
            table.take(state, hash_, time_)
            await self._snapshots.note(table)
            return sealed.event
        await self._cache.catch_up(table)
        return None

    async def record_note(
        self, table: LiveTable, notes: PrivateStreams, seat: Seat, command: Command, facts: tuple[Any, ...]
    ) -> bool:
        """Append one event to a seat's private stream; False if another one took the version."""
        own, time_ = notes.seats[seat], now()
        envelope = notes.codec.encode(facts, version=own.version + 1, time=time_, type_=command.type)
        hash_ = fairness.link(own.hash, envelope)
        new = new_event(table, command, seat, envelope, b"[]", own.version, time_, own.hash, hash_)
        new = msgspec.structs.replace(new, stream=own.stream, bucket=notes.bucket)
        if (await self._log.append(new)).accepted:
            notes.advance(seat, facts, hash_)
            return True
        await notes.catch_up(self._log, [seat])
        return False

    async def was_noted(self, stream: UUID, bucket: int, command: Command) -> bool:
        """Whether this very command is in a private stream already. KeyReusedError as of `was_recorded`."""
        if not command.keyed:
            return False
        row = await self._log.find_command(stream, command.id, bucket=bucket)
        if row is not None and row.digest != command.digest:
            raise KeyReusedError("This Idempotency-Key was used with another body.")
        return row is not None

    async def was_recorded(self, table: LiveTable, command: Command) -> bool:
        """Whether this very command is in the log already. KeyReusedError if its key was for another one."""
        row = await self._log.find_command(table.stream, command.id)
        if row is None:
            return False
        if row.digest != command.digest:
            raise KeyReusedError("This Idempotency-Key was used with another body.")
        return True

    def keyed(self, type_: str, account: str, key: str, digest: bytes, move: Any = None) -> Command:
        """A command under an idempotency key: every request with this key is the same command."""
        return Command(type_, self.derived(b"command", account, key), digest, None, move, keyed=True)

    def derived(self, label: bytes, account: str, key: str) -> UUID:
        """An id that follows from an idempotency key and that nobody outside can foresee."""
        message = b"blattwerk/id\0" + label + b"\0" + account.encode() + b"\0" + key.encode()
        return UUID(bytes=hashlib.blake2b(message, key=self._key, digest_size=16).digest(), version=4)


def once(type_: str, move: Any = None) -> Command:
    """A command without a key: every request is one of its own."""
    return Command(type_, uuid4(), b"", None, move)


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
