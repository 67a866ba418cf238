"""A name that is erased while a view with it is written does not stay in Redis."""

from types import SimpleNamespace
from typing import Any
from uuid import UUID

from domain import fairness
from domain.codec import codec_for
from domain.registry import CURRENT
from domain.table import rules
from domain.table.fold import begin
from domain.table.model import Facts
from projections.redis_commands import WriteRequest, Written
from service.live import LiveTable
from service.views import Views

TABLE, ADA, SECRET = UUID(int=1), str(UUID(int=2)), bytes(32)


def live() -> LiveTable:
    game = CURRENT["hearts"]
    commitment = fairness.commitment(TABLE.bytes, SECRET).hex()
    made = rules.create(game, {"players": 3}, None, (1, 2), player=ADA, visibility="public", commitment=commitment)
    assert isinstance(made, Facts)
    return LiveTable(TABLE, codec_for(game.rules_id), SECRET, begin(game, str(TABLE), made, 1), bytes(32), 1)


async def test_a_name_erased_while_a_view_is_written_is_written_over() -> None:
    known, names = {ADA: "Ada Lovelace"}, SimpleNamespace(names_epoch=0)

    async def names_of(_: Any) -> dict[str, str]:
        return dict(known)

    names.names_of = names_of
    written: list[WriteRequest] = []

    async def write(request: WriteRequest) -> Written:
        written.append(request)
        if known:
            known.clear()
            names.names_epoch += 1
        return "ok"

    views: Any = Views
    projection = await views(SimpleNamespace(write=write), None, None, names).publish(live())
    assert [b"Lovelace" in request.projection.public for request in written] == [True, False]
    assert written[-1].rewrite, "the version is the same one"
    assert b"Lovelace" not in projection.public
