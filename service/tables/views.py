"""Serving and writing views: Redis where it can, the log where it must."""

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Final, Protocol
from uuid import UUID

from msgspec import Struct

from domain.decider import Seat
from domain.private_stream import private_stream_id
from domain.table.model import OPEN_STATUSES, TableState
from projections.redis_connection import RedisUnavailableError
from projections.table_view import Projection, project, splice
from projections.view_store import TableSeen, ViewStore, WriteRequest, Written
from service.store.buckets import bucket_of
from service.store.errors import LogOutdatedError
from service.store.log import Log
from service.tables.access import Access
from service.tables.cache import TableCache
from service.tables.live_table import LiveTable, TableNames


class Names(Protocol):
    """Where public names come from."""

    epoch: int
    """Counts the changes of names that this process has heard of."""

    def are_current(self, players: Iterable[str], epoch: int) -> bool:
        """Whether these players' names are known to be the same as in an epoch."""
        ...

    def have_changed(self, players: Iterable[str], epoch: int) -> bool:
        """Whether this process has heard since an epoch that one of these players changed a name."""
        ...

    async def names_of(self, players: Iterable[str]) -> Mapping[str, str]:
        """Return public names by account; erased accounts are missing."""
        ...


class ViewSeen(Struct, frozen=True):
    """A view ready to be sent."""

    version: int
    seat: Seat | None
    etag: str
    body: bytes | None
    """None if the caller already has it."""


class _Wanted(Struct, frozen=True):
    """Versions of a table and of one seat's private stream that a view has to show."""

    version: int
    seat: Seat | None
    private_version: int

    def is_in(self, projection: Projection) -> bool:
        if projection.version < self.version:
            return False
        if self.seat is None or not projection.private_versions:
            return True
        return projection.private_versions[self.seat] >= self.private_version


class Views:
    """Reads a table's view for an account, and writes projections after commits."""

    def __init__(self, store: ViewStore, log: Log, cache: TableCache, access: Access, names: Names) -> None:
        self._store = store
        self._access = access
        self._log = log
        self._cache = cache
        self._names = names

    def project_ahead(self, table: LiveTable, state: TableState) -> None:
        """Make the projection of a state that is being recorded, if nothing has to be read for it."""
        names = table.names
        if names is not None and self._are_current(names, state):
            table.projected_ahead = state, names, _projection(table, state, names)

    def _projected_ahead(self, table: LiveTable) -> Projection | None:
        """Return the projection made while its event was recorded, unless what it shows has changed meanwhile."""
        if table.projected_ahead is None:
            return None
        (state, names, projection), table.projected_ahead = table.projected_ahead, None
        if table.private is not None and table.private.versions != projection.private_versions:
            return None
        if state is not table.state or names is not table.names:
            return None
        return projection if self._are_current(names, state) else None

    async def publish(self, table: LiveTable, *, rewrite: bool = False) -> Projection:
        """Write the table's projection to Redis, so that it is seen at once.

        Where that fails readers fold from the log, and the worker writes it once Redis takes writes again.
        """
        before = table.projection
        if before is None:
            await self._catch_up_private(table)  # Redis may have lost newer ones, and then could not say so
        projection = self._projected_ahead(table) or await self.projection(table)
        try:
            table.projection = await self._write(table, projection, before, rewrite=rewrite)
        except RedisUnavailableError:
            table.projection = None  # what was carried out of it is not known: the next write gives everything
            return projection
        return table.projection

    async def settle(self, table: LiveTable) -> None:
        """Write everything that Redis keeps of the table anew. RedisUnavailableError unless it acknowledges that."""
        async with table.lock:
            table.projection = None
            await self._cache.catch_up_all(table)
            await self._write(table, await self.projection(table), None, rewrite=True)

    async def _write(
        self, table: LiveTable, projection: Projection, before: Projection | None, *, rewrite: bool
    ) -> Projection:
        """Write a projection, or a newer one where the table has gone on; return what was written."""
        written = await self._store.write(WriteRequest(projection, before, rewrite))
        renamed = False
        while True:
            if written == "gap":
                before = None
                await self._catch_up_private(table)
            elif not renamed and self._renamed(table):
                rewrite = renamed = True  # once: who renames himself in a loop is left to the feed of names
            elif written == "ok" or not await self._is_older(table, written, rewrite=rewrite):
                return projection
            projection = await self.projection(table)
            written = await self._store.write(WriteRequest(projection, before, rewrite))

    def _renamed(self, table: LiveTable) -> bool:
        """Whether a name in the projection may have been erased while it was written."""
        return table.names is not None and self._names.have_changed(table.names.by_player, table.names.epoch)

    async def _is_older(self, table: LiveTable, written: Written, *, rewrite: bool) -> bool:
        """Fold what Redis is ahead by; whether there was anything that the projection has to have.

        A newer view has the same moves in it (`old`), but not what a rewrite is for: names and private states.
        LogOutdatedError if it has moves that the log has not.
        """
        if written == "private":
            return await self._catch_up_private(table)
        if rewrite and await self._cache.catch_up(table):
            return True
        await self.require_latest(table)
        return False

    async def require_latest(self, table: LiveTable) -> None:
        """LogOutdatedError if Redis or this process knows more moves of the table than the log has.

        Then the log went back, or another server is the primary, and what it says of the table is not true.
        """
        known = table.state.version
        with suppress(RedisUnavailableError):
            known = max(known, await self._store.version(table.id))
        if await self._log.last_version(table.stream) < known:
            self._log.lacks_shown = True
            self._cache.drop(table.stream)
            raise LogOutdatedError

    async def _catch_up_private(self, table: LiveTable) -> bool:
        """Fold what seats recorded in their private streams through other processes; whether anything is new."""
        return table.private is not None and await self._cache.catch_up_all(table)

    async def projection(self, table: LiveTable) -> Projection:
        """Return the projection of what this process knows of the table."""
        names = table.names
        if names is None or not self._are_current(names, table.state):
            epoch, seats = self._names.epoch, table.state.seats
            by_player = await self._names.names_of(seat.player for seat in seats if seat.player is not None)
            names = table.names = TableNames(seats, epoch, by_player)
        return _projection(table, table.state, names)

    def _are_current(self, names: TableNames, state: TableState) -> bool:
        return names.seats is state.seats and self._names.are_current(names.by_player, names.epoch)

    async def see(self, stream: UUID, account: str, etags: Sequence[str]) -> ViewSeen | None:
        """Return the view of a table for an account, None if it does not exist for it.

        `etags` are those of views that the caller has, `*` for any.
        """
        known, invited = max(map(_parse_etag, etags), default=_NO_VIEW), False
        table = self._cache.in_memory(stream)
        seen = await self._shown(stream, account, known)
        if seen is None and self._access.seen_here(stream, account) is None:
            relation = await self._access.relation(stream, account)
            if relation == "stranger":
                return None
            if relation == "invited":
                invited = True
                seen = await self._shown(stream, account, known, invited=True)
        if seen is None or (table is not None and _is_newer(table, seen)):
            return await self._see_folded(stream, account, etags)
        if known[0] > seen.version or known[1] > seen.private_version:
            wanted = await self._wanted(stream, seen)
            if wanted is not None:
                return await self._see_folded(stream, account, etags, wanted)
        tag = etag_of(seen.version, seen.private_version, seen.names, seen.seat)
        if seen.public is None:
            if _is_known(tag, etags):
                return ViewSeen(seen.version, seen.seat, tag, None)
            seen = await self._shown(stream, account, _NO_VIEW, invited=invited)
            if seen is None or seen.public is None:
                return await self._see_folded(stream, account, etags)
            tag = etag_of(seen.version, seen.private_version, seen.names, seen.seat)
        body = None if _is_known(tag, etags) else splice(seen.public, seen.part)
        return ViewSeen(seen.version, seen.seat, tag, body)

    async def _shown(
        self, stream: UUID, account: str, known: tuple[int, int, str], *, invited: bool = False
    ) -> TableSeen | None:
        """Return what Redis shows an account; None if there is nothing, or Redis is unavailable."""
        with suppress(RedisUnavailableError):
            return await self._store.read(str(stream), account, *known, invited=invited)
        return None

    async def _wanted(self, stream: UUID, seen: TableSeen) -> _Wanted | None:
        """Return the versions that the log has, None if Redis has them too: the caller's tag may be made up."""
        version = await self._log.last_version(stream)
        private_version = 0
        if seen.seat is not None:
            private = UUID(bytes=private_stream_id(stream.bytes, seen.seat))
            private_version = await self._log.last_version(private, bucket=bucket_of(stream))
        if version <= seen.version and private_version <= seen.private_version:
            return None
        return _Wanted(version, seen.seat, private_version)

    async def _see_folded(
        self, stream: UUID, account: str, etags: Sequence[str], wanted: _Wanted | None = None
    ) -> ViewSeen | None:
        """Return the view from the log. Where it is known what is `wanted` of it, one fold is for all who wait."""
        table = await self._cache.get(stream)
        if table is None:
            return None
        async with table.lock:
            projection = table.projection
            if wanted is None or projection is None or not wanted.is_in(projection):
                await self._cache.catch_up_all(table)
                projection = await self._written_back(table)
        seat = seat_in(projection.header.players, account)
        private = projection.header.visibility == "private"
        if private and seat is None and await self._access.relation(stream, account) != "invited":
            return None
        return view_of(projection, seat, etags)

    async def _written_back(self, table: LiveTable) -> Projection:
        """Return the table's projection, and write it to Redis unless the match is over: of those a few are kept."""
        projection = await self.projection(table)
        try:
            if projection.header.status in OPEN_STATUSES:
                await self._store.write(WriteRequest(projection, None))
            table.projection = projection
        except RedisUnavailableError:
            table.projection = None
        return projection


def _is_newer(table: LiveTable, seen: TableSeen) -> bool:
    """Whether this process knows of moves, or of private ones of the viewer, that are not in the view."""
    if table.state.version > seen.version:
        return True
    if table.private is None or seen.seat is None:
        return False
    return table.private.seats[seen.seat].version > seen.private_version


def _projection(table: LiveTable, state: TableState, names: TableNames) -> Projection:
    private = () if table.private is None else [(seat.version, seat.private_state) for seat in table.private.seats]
    return project(state, names.by_player, private_streams=private, before=table.projection)


def view_of(projection: Projection, seat: Seat | None, etags: Sequence[str] = ()) -> ViewSeen:
    """Return one viewer's view of a projection, without its body if one of the tags is its own."""
    private_version = projection.private_versions[seat] if seat is not None and projection.private_versions else 0
    tag = etag_of(projection.version, private_version, projection.header.names_tag, seat)
    part = None if seat is None else projection.seats[seat]
    body = None if _is_known(tag, etags) else splice(projection.public, part)
    return ViewSeen(projection.version, seat, tag, body)


def seat_in(players: Sequence[str | None], account: str) -> Seat | None:
    """Return the seat of an account, None if it has none."""
    return players.index(account) if account and account in players else None


def etag_of(version: int, private_version: int, names: str, seat: Seat | None) -> str:
    """Return the strong entity tag of a view: versions, public names and viewer, nothing of what is hidden."""
    return f'"{version}.{private_version}.{names}-{"x" if seat is None else seat}"'


_ETAG: Final = re.compile(r'"(\d{1,10})\.(\d{1,10})\.([0-9a-f]{8})-[0-9x]"')


_NO_VIEW: Final = (-1, -1, "")


def _parse_etag(etag: str) -> tuple[int, int, str]:
    match = _ETAG.fullmatch(etag)
    return _NO_VIEW if match is None else (int(match[1]), int(match[2]), match[3])


def _is_known(tag: str, etags: Sequence[str]) -> bool:
    return tag in etags or "*" in etags
