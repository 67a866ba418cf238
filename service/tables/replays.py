"""Replays: a table as a viewer saw it at any version, and why a move was legal or not at that point."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final, Literal, TypeAlias
from uuid import UUID

import msgspec
from msgspec import Struct

from domain.decider import AnyGame, Seat
from domain.explain import Explanation, explain, moves_to_explain
from domain.table.model import TableRefusal, TableState
from domain.table.rules import seat_of
from domain.table.views import EventSeen, You, event_seen, public_view, seat_part
from projections.table_view import splice
from service.errors import ConflictError, NotFoundError
from service.store.log import Log
from service.tables.access import DAMAGE, everything_open, hide_damage, may_see, no_table
from service.tables.cache import TableCache
from service.tables.live_table import join_code
from service.tables.refusals import raise_refusal
from service.tables.snapshots import Snapshots, Step
from service.tables.views import Names

Viewer: TypeAlias = Seat | Literal["spectator", "all"]
"""The viewer of a replay; `all` sees every hand."""

STEPS_MAX: Final = 200
"""Steps in one response."""
_encode: Final = msgspec.json.Encoder().encode


class ReplayStep(Struct, frozen=True):
    """One step of a replay: the version, what it brought and the view after it."""

    version: int
    event: EventSeen
    view: msgspec.Raw
    """As the table's view; `you` is null for a spectator."""
    hands: tuple[You, ...] | None
    """Every seat's part with open cards, else None."""


class Replay(Struct, frozen=True):
    """Some steps of a table for one viewer."""

    game: str
    version: int
    """The table's newest version."""
    viewer: Viewer
    next_from: int | None
    """The version after the last step, None if no more were asked for."""
    steps: Iterator[ReplayStep]
    """Each is made when it is taken."""


class Explained(Struct, frozen=True):
    """The judgement of moves at one version, with all that decides them."""

    game: str
    version: int
    seat: Seat
    view: msgspec.Raw
    answers: tuple[Explanation, ...]


class _Caller(Struct, frozen=True):
    """A caller at a table that the caller may see."""

    table: TableState
    """As it is now."""
    seat: Seat | None
    join_code: str | None


class Replays:
    """Reads of a table's past."""

    def __init__(self, log: Log, cache: TableCache, snapshots: Snapshots, names: Names) -> None:
        self._log = log
        self._cache = cache
        self._snapshots = snapshots
        self._names = names

    async def steps(
        self, stream: UUID, account: str, code: str | None, viewer: Viewer | None, first: int | None, last: int | None
    ) -> Replay:
        """Return the steps from version `first` (None: the newest) to `last` (None: as far as one answer goes).

        ConflictError for other seats while the match runs, NotFoundError for versions that do not exist.
        """
        caller = await self._caller(stream, account, code)
        looking = _permitted(caller, viewer)
        newest = caller.table.version
        begin = newest if first is None else first
        if begin > newest:
            raise NotFoundError("The table has no such version.")
        asked = newest if last is None else min(last, newest)
        end = min(asked, begin + STEPS_MAX - 1)
        walked = [step async for step in self._snapshots.walk(stream, begin, end)]
        names = await self._names.names_of(_people(step.state for step in walked))
        own_code = _code(caller, looking)
        shown = (step_seen(step, looking, names, own_code) for step in walked)
        return Replay(caller.table.setup.game.key, newest, looking, end + 1 if end < asked else None, shown)

    async def explain(
        self,
        stream: UUID,
        account: str,
        code: str | None,
        seat: Seat | None,
        version: int | None,
        decode: Callable[[AnyGame], Any] | None,
    ) -> Explained:
        """Judge a move of a seat after `version` events (None: now), or every card it held.

        `decode` gives the move in the terms of the table's game. ConflictError for other seats while the
        match runs and for callers without a seat who name none.
        """
        caller = await self._caller(stream, account, code)
        game = caller.table.setup.game
        asked = None if decode is None else decode(game)  # what is malformed comes before what is refused
        if seat is None and caller.seat is None:
            raise_refusal(TableRefusal("not_seated"), game)
        looking = _permitted(caller, seat)
        if not isinstance(looking, int):
            raise TypeError(f"a seat was asked for, not {looking}")
        at = caller.table.version if version is None else version
        if at > caller.table.version:
            raise NotFoundError("The table has no such version.")
        state = (await self._snapshots.at(stream, at)).state
        part = seat_part(state, looking, join_code=_code(caller, looking))
        answers = explain(state, looking, moves_to_explain(state, looking, part.hand) if asked is None else (asked,))
        names = await self._names.names_of(_people([state]))
        view = splice(_encode(public_view(state, names)), _encode(part))
        return Explained(game.key, at, looking, msgspec.Raw(view), answers)

    async def _caller(self, stream: UUID, account: str, code: str | None) -> _Caller:
        try:
            state, secret = await self._present(stream)
        except DAMAGE:
            await hide_damage(self._log, stream, account, code)
            raise
        own_code = join_code(stream, secret) if secret is not None else None
        if not may_see(state, account, code, own_code):
            raise no_table()
        return _Caller(state, seat_of(state, account), own_code)

    async def _present(self, stream: UUID) -> tuple[TableState, bytes | None]:
        """Return the table as the log has it now, and its secret where it is private."""
        head = await self._log.find_last(stream)
        if head is None:
            raise no_table()
        table = self._cache.in_memory(stream)
        if table is not None and table.hash == head.hash:
            return table.state, table.secret if table.state.setup.visibility == "private" else None
        state = (await self._snapshots.at(stream, head.version)).state
        private = state.setup.visibility == "private"
        return state, await self._log.secret(stream) if private else None


def _permitted(caller: _Caller, viewer: Viewer | None) -> Viewer:
    """Return the viewer for a caller: during the match the caller's own seat or a spectator."""
    if viewer is None:
        return "spectator" if caller.seat is None else caller.seat
    if isinstance(viewer, int) and viewer >= caller.table.setup.seats:
        raise_refusal(TableRefusal("seat_unknown"), caller.table.setup.game)
    if viewer not in (caller.seat, "spectator") and not everything_open(caller.table):
        raise ConflictError("The match is not over; other seats can be seen only after its end.", code="match_running")
    return viewer


def step_seen(step: Step, viewer: Viewer, names: Mapping[str, str], code: str | None = None) -> ReplayStep:
    """Return a step for a viewer. `code` is the join code where the viewer's view has it."""
    state, seat = step.state, viewer if isinstance(viewer, int) else None
    over = viewer == "all" or everything_open(state)
    part = None if seat is None else _encode(seat_part(state, seat, join_code=code))
    hands = tuple(seat_part(state, each) for each in range(state.setup.seats)) if viewer == "all" else None
    view = splice(_encode(public_view(state, names)), part)
    return ReplayStep(state.version, event_seen(step.event, seat, over=over), msgspec.Raw(view), hands)


def _code(caller: _Caller, viewer: Viewer) -> str | None:
    """The join code is part of one's own seat's view alone."""
    return caller.join_code if viewer == caller.seat else None


def _people(states: Iterable[TableState]) -> set[str]:
    return {seat.player for state in states for seat in state.seats if seat.player is not None}
