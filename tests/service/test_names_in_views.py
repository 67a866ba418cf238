"""A name that is erased while a view with it is made or written does not stay in Redis."""

from types import SimpleNamespace
from typing import Any
from uuid import UUID

import msgspec

from domain import fairness
from domain.codec import codec_for
from domain.registry import CURRENT
from domain.table import rules
from domain.table.fold import begin
from domain.table.model import Facts
from projections.view_store import WriteRequest, Written
from service.tables.live_table import LiveTable, TableNames
from service.tables.views import Views

TABLE, ADA, SECRET = UUID(int=1), str(UUID(int=2)), bytes(32)


def live() -> LiveTable:
    game = CURRENT["hearts"]
    commitment = fairness.commitment(TABLE.bytes, SECRET).hex()
    made = rules.create(game, {"players": 3}, None, (1, 2), player=ADA, visibility="public", commitment=commitment)
    assert isinstance(made, Facts)
    return LiveTable(TABLE, codec_for(game.rules_id), SECRET, begin(game, str(TABLE), made, 1), bytes(32), 1)


class Names:
    """Names that change as a test likes."""

    def __init__(self, known: dict[str, str]) -> None:
        self.known = known
        self.epoch = 0

    async def names_of(self, _: Any) -> dict[str, str]:
        return dict(self.known)

    def are_current(self, players: Any, epoch: int) -> bool:
        return not self.have_changed(players, epoch)

    def have_changed(self, _: Any, epoch: int) -> bool:
        return epoch != self.epoch


def prepared_views() -> tuple[Any, list[WriteRequest], Any]:
    """A table whose names are known, what is written of it from now on, and its views."""
    names = Names({ADA: "Ada Lovelace"})
    written: list[WriteRequest] = []

    async def write(request: WriteRequest) -> Written:
        written.append(request)
        return "ok"

    views: Any = Views
    made, table = views(SimpleNamespace(write=write), None, None, None, names), live()
    table.names = TableNames(table.state.seats, 0, dict(names.known))
    return table, written, made


async def test_a_name_erased_while_a_view_is_written_is_written_over() -> None:
    names = Names({ADA: "Ada Lovelace"})
    written: list[WriteRequest] = []

    async def write(request: WriteRequest) -> Written:
        written.append(request)
        if names.known:
            names.known.clear()
            names.epoch += 1
        return "ok"

    views: Any = Views
    projection = await views(SimpleNamespace(write=write), None, None, None, names).publish(live())
    assert [b"Lovelace" in request.projection.public for request in written] == [True, False]
    assert written[-1].rewrite, "the version is the same one"
    assert b"Lovelace" not in projection.public


async def test_who_renames_himself_in_a_loop_does_not_hold_up_his_table() -> None:
    names = Names({ADA: "Ada Lovelace"})
    written: list[WriteRequest] = []

    async def write(request: WriteRequest) -> Written:
        written.append(request)
        names.epoch += 1
        return "ok"

    views: Any = Views
    await views(SimpleNamespace(write=write), None, None, None, names).publish(live())
    assert len(written) == 2


async def test_a_view_is_made_while_its_event_is_recorded_and_once_only() -> None:
    table, written, views = prepared_views()
    views.project_ahead(table, table.state)
    made = table.projected_ahead[2]
    assert await views.publish(table) is made
    assert table.projected_ahead is None
    assert [request.projection is made for request in written] == [True]


async def test_a_name_erased_while_an_event_is_recorded_is_not_shown_after_it() -> None:
    table, written, views = prepared_views()
    views.project_ahead(table, table.state)
    assert b"Lovelace" in table.projected_ahead[2].public
    views._names.known.clear()
    views._names.epoch += 1
    assert b"Lovelace" not in (await views.publish(table)).public
    assert [b"Lovelace" in request.projection.public for request in written] == [False]


async def test_a_name_that_a_list_has_read_anew_meanwhile_is_the_one_that_is_shown() -> None:
    table, written, views = prepared_views()
    views.project_ahead(table, table.state)
    views._names.known[ADA] = "Countess"
    views._names.epoch += 1
    await views.projection(table)  # as the lists of tables do, without the table's lock
    assert b"Countess" in (await views.publish(table)).public
    assert [b"Lovelace" in request.projection.public for request in written] == [False]


async def test_a_view_of_a_state_that_was_not_recorded_is_thrown_away() -> None:
    table, written, views = prepared_views()
    other = msgspec.structs.replace(table.state, version=table.state.version + 1)
    views.project_ahead(table, other)
    assert (await views.publish(table)).version == table.state.version
    assert [request.projection.version for request in written] == [table.state.version]
