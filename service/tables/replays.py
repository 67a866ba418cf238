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
from service.tables.access import Access, everything_open, may_see, no_table
from service.tables.cache import TableCache
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
    over: bool
    """Whether the match is over, so that everything is open."""
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


class Replays:
    """Reads of a table's past."""

    def __init__(self, log: Log, cache: TableCache, access: Access, snapshots: Snapshots, names: Names) -> None:
        self._log = log
        self._access = access
        self._cache = cache
        self._snapshots = snapshots
        self._names = names

    async def steps(
        self, stream: UUID, account: str, viewer: Viewer | None, first: int | None, last: int | None
    ) -> Replay:
        """Return the steps from version `first` (None: the newest) to `last` (None: as far as one answer goes).

        ConflictError for other seats while the match runs, NotFoundError for versions that do not exist.
        """
        caller = await self._caller(stream, account)
        looking = _permitted(caller, viewer)
        newest = caller.table.version
        begin = newest if first is None else first
        if begin > newest:
            raise NotFoundError("The table has no such version.")
        asked = newest if last is None else min(last, newest)
        end = min(asked, begin + STEPS_MAX - 1)
        walked = [step async for step in self._snapshots.walk(stream, begin, end)]
        names = await self._names.names_of(_people(step.state for step in walked))
        shown = (step_seen(step, looking, names) for step in walked)
        following, over = end + 1 if end < asked else None, everything_open(caller.table)
        return Replay(caller.table.setup.game.key, newest, over, looking, following, shown)

    async def explain(
        self,
        stream: UUID,
        account: str,
        seat: Seat | None,
        version: int | None,
        decode: Callable[[AnyGame], Any] | None,
    ) -> Explained:
        """Judge a move of a seat after `version` events (None: now), or every card it held.

        `decode` gives the move in the terms of the table's game. ConflictError for other seats while the
        match runs and for callers without a seat who name none.
        """
        caller = await self._caller(stream, account)
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
        part = seat_part(state, looking)
        answers = explain(state, looking, moves_to_explain(state, looking, part.hand) if asked is None else (asked,))
        names = await self._names.names_of(_people([state]))
        view = splice(_encode(public_view(state, names)), _encode(part))
        return Explained(game.key, at, looking, msgspec.Raw(view), answers)

    async def _caller(self, stream: UUID, account: str) -> _Caller:
        relation = await self._access.relation(stream, account)
        if relation == "stranger":
            raise no_table()
        state = await self._present(stream)
        if not may_see(state, account, relation):
            raise no_table()
        return _Caller(state, seat_of(state, account))

    async def _present(self, stream: UUID) -> TableState:
        """Return the table as the log has it now."""
        head = await self._log.find_last(stream)
        if head is None:
            raise no_table()
        table = self._cache.in_memory(stream)
        if table is not None and table.hash == head.hash:
            return table.state
        return (await self._snapshots.at(stream, head.version)).state


def _permitted(caller: _Caller, viewer: Viewer | None) -> Viewer:
    """Return the viewer for a caller: during the match the caller's own seat or a spectator."""
    if viewer is None:
        return "spectator" if caller.seat is None else caller.seat
    if isinstance(viewer, int) and viewer >= caller.table.setup.seats:
        raise_refusal(TableRefusal("seat_unknown"), caller.table.setup.game)
    if viewer not in (caller.seat, "spectator") and not everything_open(caller.table):
        raise ConflictError("The match is not over; other seats can be seen only after its end.", code="match_running")
    return viewer


def step_seen(step: Step, viewer: Viewer, names: Mapping[str, str]) -> ReplayStep:
    """Return a step for a viewer."""
    state, seat = step.state, viewer if isinstance(viewer, int) else None
    over = viewer == "all" or everything_open(state)
    part = None if seat is None else _encode(seat_part(state, seat))
    hands = tuple(seat_part(state, each) for each in range(state.setup.seats)) if viewer == "all" else None
    view = splice(_encode(public_view(state, names)), part)
    return ReplayStep(state.version, event_seen(step.event, seat, over=over), msgspec.Raw(view), hands)


def _people(states: Iterable[TableState]) -> set[str]:
    return {seat.player for state in states for seat in state.seats if seat.player is not None}
