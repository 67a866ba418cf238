"""All operations of the API, in the order of the contract."""

from typing import Final

from service.api import (
    disputes,
    games,
    operations,
    players,
    private,
    problem_types,
    records,
    recovery,
    replays,
    standings,
    table_codes,
    tables,
    transparency,
)
from service.api.operation import Operation

HANDLERS: Final[tuple[Operation, ...]] = (
    *players.HANDLERS,
    *recovery.HANDLERS,
    *standings.HANDLERS,
    *games.HANDLERS,
    *tables.HANDLERS,
    *table_codes.HANDLERS,
    *private.HANDLERS,
    *records.HANDLERS,
    *replays.HANDLERS,
    *transparency.HANDLERS,
    *disputes.HANDLERS,
    *problem_types.HANDLERS,
    *operations.HANDLERS,
)
