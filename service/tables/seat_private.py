"""The use cases of what a seat keeps to itself: notes (drafts, order of the hand) and advice about its cards."""

from typing import Any, Final
from uuid import UUID

import msgspec

from domain.decider import Rejection
from domain.table.model import TableRefusal
from domain.table.rules import seat_of
from service.errors import UnavailableError
from service.store.log import Log
from service.tables.access import Access
from service.tables.live_table import TableCache
from service.tables.private_streams import private_streams_of
from service.tables.recorder import Command, Recorder
from service.tables.refusals import raise_refusal
from service.tables.views import Views, ViewSeen, view_of

_encode: Final = msgspec.json.Encoder().encode
_TRIES: Final = 50
"""How often a command is judged again because others were faster, before the caller is asked to wait."""


class SeatPrivate:
    """Commands and reads that concern one seat alone. One per process."""

    def __init__(self, log: Log, cache: TableCache, access: Access, recorder: Recorder, views: Views) -> None:
        self._log = log
        self._cache = cache
        self._access = access
        self._recorder = recorder
        self._views = views

    async def note(self, stream: UUID, account: str, command: Command) -> ViewSeen:
        """Record a private move (`command.move`) of the caller's seat; nobody else learns of it."""
        table = await self._access.visible(stream, account)
        async with table.lock:
            notes, game = private_streams_of(table), table.codec.game.private_stream
            if notes is None or game is None:
                raise_refusal(TableRefusal("no_notes"), table.codec.game)
            await notes.load(self._log)
            for _ in range(_TRIES):
                # Only the private stream guards this append, so the table has to be as new as the notes.
                await self._cache.catch_up(table)
                seat = seat_of(table.state, account)
                if seat is not None and await self._recorder.was_noted(notes.seats[seat].stream, notes.bucket, command):
                    await notes.catch_up(self._log, [seat])
                    return view_of(await self._views.publish(table, rewrite=True), seat)  # it may have been cut short
                if seat is None:
                    judged: Any = TableRefusal("not_seated")
                elif table.state.status == "lobby":
                    judged = TableRefusal("match_not_started")
                else:
                    judged = game.decide(table.state.game_state, seat, notes.seats[seat].value, command.move)
                if isinstance(judged, tuple) and judged and seat is not None:
                    if not await self._recorder.record_note(table, notes, seat, command, judged):
                        continue
                    projection = await self._views.publish(table, rewrite=True)
                    return view_of(projection, seat)
                if seat is not None and await notes.catch_up(self._log, [seat]):
                    continue
                if isinstance(judged, tuple) and seat is not None:  # so it is already, in what others noted too
                    return view_of(await self._views.publish(table, rewrite=True), seat)
                raise_refusal(judged, table.codec.game, version=table.state.version)
        raise UnavailableError("The table is too busy; try again.", headers={"Retry-After": "1"})

    async def advise(self, stream: UUID, account: str, question: Any) -> Any:
        """Answer a question of the caller's seat about its cards."""
        table = await self._access.visible(stream, account)
        async with table.lock:
            await self._cache.catch_up(table)
            seat, advice = seat_of(table.state, account), table.codec.game.advice
            if seat is None:
                raise_refusal(TableRefusal("not_seated"), table.codec.game)
            if advice is None:
                raise_refusal(TableRefusal("no_advice"), table.codec.game)
            if table.state.status == "lobby":
                raise_refusal(TableRefusal("match_not_started"), table.codec.game)
            answer = advice.answer(table.state.game_state, seat, question)
            if isinstance(answer, Rejection):
                raise_refusal(answer, table.codec.game, version=table.state.version)
            return answer

    async def private(self, stream: UUID, account: str) -> bytes:
        """Return what only the caller's seat may know besides its hand, as JSON: its drafts."""
        table = await self._access.visible(stream, account)
        async with table.lock:
            await self._cache.catch_up(table)
            seat, notes = seat_of(table.state, account), private_streams_of(table)
            if seat is None:
                raise_refusal(TableRefusal("not_seated"), table.codec.game)
            if notes is None:
                raise_refusal(TableRefusal("no_notes"), table.codec.game)
            await notes.load(self._log)
            await notes.catch_up(self._log, [seat])
            projection = await self._views.projection(table)
            if projection.seat_parts[seat].private is None:
                raise_refusal(TableRefusal("match_not_started"), table.codec.game)
        return _encode(projection.seat_parts[seat].private)
