"""One way for every command: judge it on what is known here, record it, and begin again if others were faster.

Moves of people and of bots, commands of a table, private moves and (in `service.disputes`) disputes are
attempts; `carry_out` is the only place where one of them is judged again.
"""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final, Generic, TypeAlias, TypeVar
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.codec import Event
from domain.decider import OptionProblem, Rejection, Seat
from domain.table import rules
from domain.table.model import Accepted, Facts, TableRefusal
from domain.table.rules import seat_of
from service.errors import UnavailableError
from service.store.log import Guard
from service.tables.live_table import LiveTable
from service.tables.private_streams import PrivateStreams
from service.tables.recorder import Command, Recorder

ATTEMPTS_MAX: Final = 50
"""How often a command is judged again because others were faster, before the caller is asked to wait."""

FactsT = TypeVar("FactsT")
RecordedT = TypeVar("RecordedT")
RefusalT = TypeVar("RefusalT")

_encode: Final = msgspec.json.Encoder().encode


class Judgement(Struct, Generic[FactsT, RefusalT], frozen=True, gc=False):
    """What the rules say of a command: facts to record, a refusal, or neither if nothing is left to do."""

    facts: FactsT | None = None
    refusal: RefusalT | None = None


class Outcome(Struct, Generic[RecordedT, RefusalT], frozen=True, gc=False):
    """What became of a command: what was recorded, or why it is refused, or neither if nothing was left to do."""

    recorded: RecordedT | None = None
    refusal: RefusalT | None = None


class Attempt(ABC, Generic[FactsT, RecordedT, RefusalT]):
    """One command on its way: what `carry_out` has to know of it."""

    @abstractmethod
    async def judge(self) -> Judgement[FactsT, RefusalT]:
        """Judge the command on what is known here."""

    @abstractmethod
    async def record(self, facts: FactsT) -> RecordedT | None:
        """Append what was judged; None if what it was judged on has gone on meanwhile."""

    @abstractmethod
    async def catch_up(self) -> bool:
        """Learn what others recorded; return whether there was anything."""


async def carry_out(attempt: Attempt[FactsT, RecordedT, RefusalT]) -> Outcome[RecordedT, RefusalT]:
    """Carry out a command. It is refused, or found done already, only if the log has nothing newer.

    UnavailableError if others are faster again and again.
    """
    for _ in range(ATTEMPTS_MAX):
        judgement = await attempt.judge()
        if judgement.facts is None:
            if not await attempt.catch_up():
                return Outcome(refusal=judgement.refusal)
            continue
        recorded = await attempt.record(judgement.facts)
        if recorded is not None:
            return Outcome(recorded)
        await attempt.catch_up()
    raise UnavailableError("Others were faster each time; send the same again.", headers={"Retry-After": "1"})


TableRefused: TypeAlias = TableRefusal | OptionProblem | Rejection


class TableAttempt(Attempt[Facts, Event, TableRefused]):
    """A command on the table itself: seats, options, start and end. The table's lock is held."""

    def __init__(
        self,
        recorder: Recorder,
        table: LiveTable,
        account: str,
        command: Command,
        judge: Callable[[Seat | None], Facts | TableRefused],
    ) -> None:
        self._recorder = recorder
        self._table = table
        self._account = account
        self._command = command
        self._judge = judge
        self._seat: Seat | None = None

    async def judge(self) -> Judgement[Facts, TableRefused]:
        table = self._table
        if await self._recorder.is_recorded(self._command, table.stream, table.bucket):
            return Judgement()
        self._seat = seat_of(table.state, self._account)
        judged = self._judge(self._seat)
        if not isinstance(judged, Facts):
            return Judgement(refusal=judged)
        return Judgement(judged if judged.table or judged.game else None)

    async def record(self, facts: Facts) -> Event | None:
        return await self._recorder.record(self._table, self._seat, self._command, facts)

    async def catch_up(self) -> bool:
        return await self._recorder.cache.catch_up(self._table)


class MoveAttempt(Attempt[Accepted, Event, TableRefusal | Rejection]):
    """A person's answer to a decision. The table's lock is held."""

    def __init__(self, recorder: Recorder, table: LiveTable, account: str, decision: int, move: Any) -> None:
        self._recorder = recorder
        self._table = table
        self._account = account
        self._decision = decision
        self._asked = move
        self._full = move
        self.seat: Seat | None = None
        """The seat that answers, once it was judged."""
        self._guard: Guard | None = None
        """The private stream that had a say."""

    async def judge(self) -> Judgement[Accepted, TableRefusal | Rejection]:
        table = self._table
        self.seat = self._acting()
        self._full = self._resolved()
        if isinstance(self._full, Rejection):
            return Judgement(refusal=self._full)
        judged = rules.move(table.state, self.seat, self._decision, self._full, table.chance, table.secret.hex())
        return Judgement(judged) if isinstance(judged, Accepted) else Judgement(refusal=judged)

    async def record(self, facts: Accepted) -> Event | None:
        """A retry is known by what was asked; what is recorded is the move in full."""
        table, seat = self._table, _seated(self.seat)
        digest = digest_of(self._decision, self._asked)
        identity = hashlib.sha256(table.stream.bytes + bytes([seat]) + digest).digest()[:16]
        type_ = self._full.__struct_config__.tag
        command = Command(type_, UUID(bytes=identity), digest, self._decision, self._full)
        return await self._recorder.record(table, seat, command, facts.facts, facts.game_state, guard=self._guard)

    async def catch_up(self) -> bool:
        """The seat's private stream belongs to it where it had a say."""
        private = () if self._guard is None or self.seat is None else (self.seat,)
        return await self._recorder.cache.catch_up(self._table, private)

    def _acting(self) -> Seat | None:
        return seat_of(self._table.state, self._account)

    def _resolved(self) -> Any:
        """Return the move in full, or the rejection that follows from what the seat keeps to itself.

        That has no say in a decision that is not open. Whether another process knows more of it shows when the
        move is recorded.
        """
        state, seat, private = self._table.state, self.seat, self._table.private
        self._guard = None
        if private is None or seat is None or state.decisions[seat] != self._decision:
            return self._asked
        if not private.consulted(state.game_state, seat):
            return self._asked
        self._guard = private.guard(seat)
        return private.resolve(state.game_state, seat, self._asked)


class BotMoveAttempt(MoveAttempt):
    """A bot's answer to a decision: as a person's, but nothing private has a say."""

    def __init__(self, recorder: Recorder, table: LiveTable, seat: Seat, decision: int, move: Any) -> None:
        super().__init__(recorder, table, "", decision, move)
        self._bot = seat

    def _acting(self) -> Seat | None:
        """The bot's seat, while it is a bot's and the decision is open."""
        state, seat = self._table.state, self._bot
        return seat if state.seats[seat].kind == "bot" and state.decisions[seat] == self._decision else None

    def _resolved(self) -> Any:
        return self._asked


class PrivateAttempt(Attempt[tuple[Any, ...], int, Any]):
    """A private move: it goes to the seat's own stream, and nobody else learns of it. The table's lock is held."""

    def __init__(
        self, recorder: Recorder, table: LiveTable, private: PrivateStreams, account: str, command: Command
    ) -> None:
        self._recorder = recorder
        self._table = table
        self._private = private
        self._account = account
        self._command = command
        self._seat: Seat | None = None

    async def judge(self) -> Judgement[tuple[Any, ...], Any]:
        table, private = self._table, self._private
        # Only the private stream guards this append, so the table has to be as new as that.
        await self._recorder.cache.catch_up(table)
        self._seat = seat = seat_of(table.state, self._account)
        if seat is None:
            return Judgement(refusal=TableRefusal("not_seated"))
        if await self._recorder.is_recorded(self._command, private.seats[seat].stream, table.bucket):
            return Judgement()
        if table.state.status == "lobby":
            return Judgement(refusal=TableRefusal("match_not_started"))
        judged = private.decide(table.state.game_state, seat, self._command.move)
        return Judgement(judged or None) if isinstance(judged, tuple) else Judgement(refusal=judged)

    async def record(self, facts: tuple[Any, ...]) -> int | None:
        return await self._recorder.record_private(
            self._table, self._private, _seated(self._seat), self._command, facts
        )

    async def catch_up(self) -> bool:
        return await self._recorder.cache.catch_up(self._table, () if self._seat is None else (self._seat,))


def _seated(seat: Seat | None) -> Seat:
    if seat is None:
        raise TypeError("a move without a seat is never accepted")
    return seat


def digest_of(decision: int, move: Any) -> bytes:
    """Return what tells a retry of a move from another answer to the same decision."""
    return hashlib.sha256(b"%d " % decision + _encode(move.canonical())).digest()
