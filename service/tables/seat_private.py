"""The use cases of what a seat keeps to itself: private moves (drafts, order of the hand), advice about its cards."""

from typing import Any, Final

import msgspec

from domain.decider import Rejection, Seat
from domain.table.model import TableRefusal
from domain.table.rules import seat_of
from domain.table.views import seat_part
from service.tables.attempts import PrivateAttempt, carry_out
from service.tables.cache import TableCache
from service.tables.live_table import LiveTable
from service.tables.recorder import Command, Recorder
from service.tables.refusals import raise_refusal
from service.tables.views import Views, ViewSeen, seat_in, view_of

_encode: Final = msgspec.json.Encoder().encode


class SeatPrivate:
    """Commands and reads that concern one seat alone. One per process."""

    def __init__(self, cache: TableCache, recorder: Recorder, views: Views) -> None:
        self._cache = cache
        self._recorder = recorder
        self._views = views

    async def record(self, table: LiveTable, account: str, command: Command) -> ViewSeen:
        """Record a private move (`command.move`) of the caller's seat; nobody else learns of it."""
        if table.private is None:
            raise_refusal(TableRefusal("no_private_stream"), table.codec.game)
        async with table.lock:
            outcome = await carry_out(PrivateAttempt(self._recorder, table, table.private, account, command))
            if outcome.refusal is not None:
                raise_refusal(outcome.refusal, table.codec.game, version=table.state.version)
            # Also where nothing was left to do: an earlier request may have been cut short before this.
            projection = await self._views.publish(table, rewrite=True)
        return view_of(projection, seat_in(projection.header.players, account))

    async def advise(self, table: LiveTable, account: str, question: Any) -> Any:
        """Answer a question of the caller's seat about its cards."""
        async with table.lock:
            await self._cache.catch_up(table)
            seat, advice = _seat_of(table, account), table.codec.game.advice
            if advice is None:
                raise_refusal(TableRefusal("no_advice"), table.codec.game)
            if table.state.status == "lobby":
                raise_refusal(TableRefusal("match_not_started"), table.codec.game)
            answer = advice.answer(table.state.game_state, seat, question)
            if isinstance(answer, Rejection):
                raise_refusal(answer, table.codec.game, version=table.state.version)
            return answer

    async def private(self, table: LiveTable, account: str) -> bytes:
        """Return what only the caller's seat may know besides its hand, as JSON: its drafts."""
        async with table.lock:
            await self._cache.catch_up(table)
            seat = _seat_of(table, account)
            if table.private is None:
                raise_refusal(TableRefusal("no_private_stream"), table.codec.game)
            await self._cache.catch_up(table, [seat])
            own = table.private.seats[seat].private_state
            private = seat_part(table.state, seat, private_state=own).private
        if private is None:
            raise_refusal(TableRefusal("match_not_started"), table.codec.game)
        return _encode(private)


def _seat_of(table: LiveTable, account: str) -> Seat:
    seat = seat_of(table.state, account)
    if seat is None:
        raise_refusal(TableRefusal("not_seated"), table.codec.game)
    return seat
